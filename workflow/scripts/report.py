import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

from mvg import experiments
from mvg.job import job

with job(snakemake.log[0]) as log:
    experiments.report(snakemake.params.experiment, snakemake.input, snakemake.output, snakemake.params, log)
