from mvg.datasets.pairs import read_split
from mvg.evaluation.budgets import Budgets, budget_sweep
from mvg.io.files import load_array, write_rows
from mvg.job import job

with job(snakemake.log[0]) as log:
    given, params, wildcards = snakemake.input, snakemake.params, snakemake.wildcards
    budgets = Budgets(
        load_array(given.documents),
        load_array(given.queries),
        read_split(given.train),
        read_split(given.test),
        params.k,
        seed=params.seed,
        threads=snakemake.threads,
    )
    rows = budget_sweep(budgets, params.betas, params.budgets, lambda points: log.progress(points, "points"))
    place = {"dataset": wildcards.dataset, "encoder": wildcards.encoder}
    write_rows(snakemake.output[0], [place | row for row in rows])
    log(f"{len(rows)} points")
