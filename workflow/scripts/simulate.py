import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

from mvg.job import job
from mvg.simulate.simulator import simulate

with job(snakemake.log[0]):
    simulate(
        snakemake.params.shape,
        snakemake.output[0],
        snakemake.params.seed,
        documents=snakemake.params.documents,
        queries=snakemake.params.queries,
    )
