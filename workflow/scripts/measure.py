import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

from mvg import experiments
from mvg.io.files import write_rows
from mvg.job import job

with job(snakemake.log[0]) as log:
    experiment = experiments.load(snakemake.params.experiment)
    rows = experiment.measure(snakemake.input, snakemake.params, snakemake.threads, log)
    write_rows(snakemake.output[0], rows)
    log(f"{len(rows)} rows")
