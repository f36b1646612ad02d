import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

from mvg.io.shards import join, join_starts
from mvg.job import job

with job(snakemake.log[0]) as log:
    for name, whole in snakemake.output.items():
        parts = snakemake.input[name]
        (join_starts if name == "starts" else join)(parts, whole)
        log(f"{whole}: {len(parts)} shards")
