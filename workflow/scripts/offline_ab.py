import json

from mvg.datasets.pairs import read_split
from mvg.datasets.reading import load_weights
from mvg.evaluation.offline_ab import offline_ab
from mvg.io.files import load_array, text_writer
from mvg.job import job

with job(snakemake.log[0]) as log:
    given = snakemake.input
    numbers = offline_ab(
        load_array(given.documents),
        (load_array(given.vectors), load_array(given.owner)),
        load_array(given.queries),
        read_split(given.dev).queries,
        read_split(given.test).queries,
        load_weights(given.texts),
        seed=snakemake.params.seed,
    )
    with text_writer(snakemake.output[0]) as file:
        json.dump(numbers, file, indent=1)
    log(f"{numbers}")
