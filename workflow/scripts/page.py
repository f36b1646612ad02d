import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

from mvg.job import job
from mvg.page.writing import write

with job(snakemake.log[0]) as log:
    write(snakemake.input, snakemake.output, snakemake.params, log)
