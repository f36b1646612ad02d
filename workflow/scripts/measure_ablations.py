from mvg.datasets.pairs import read_split
from mvg.evaluation.ablations import ablations
from mvg.io.files import load_array, write_rows
from mvg.job import job

with job(snakemake.log[0]) as log:
    given = snakemake.input
    rows = ablations(
        load_array(given.documents),
        load_array(given.queries),
        *(read_split(given[split]) for split in ("train", "dev", "test")),
        load_array(given.counts),
        (load_array(given.vectors), load_array(given.owner)),
        snakemake.params.ks,
        seed=snakemake.params.seed,
        threads=snakemake.threads,
    )
    write_rows(snakemake.output[0], rows)
    log(f"{len(rows)} numbers")
