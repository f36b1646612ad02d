import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

from mvg.datasets.pairs import read_split
from mvg.evaluation.choice import choose
from mvg.io.files import load_array
from mvg.job import job
from mvg.lexical.popularity import training_popularity
from mvg.multiview import Behavioural

with job(snakemake.log[0]) as log:
    given = snakemake.input
    documents = load_array(given.documents)
    both = choose(
        documents,
        load_array(given.queries),
        read_split(given.dev),
        training_popularity(read_split(given.train).pairs, len(documents)),
        snakemake.params.k,
        behavioural=Behavioural.load(given.vectors, given.owner),
        seed=snakemake.params.seed,
        progress=lambda items: log.progress(items, "dev"),
    )
    for choice, file in (both.without_views(), snakemake.output.prior), (both, snakemake.output.both):
        choice.save(file)
        log(f"{file}: prior {choice.prior}, view bias {choice.view_bias}")
