from pathlib import Path

from mvg.data import load_split, save_split
from mvg.job import job

with job(snakemake.log[0]) as log:
    split = load_split(Path(snakemake.input.corpus).parent, snakemake.wildcards.split)
    save_split(snakemake.output[0], split)
    log(f"{len(split.queries)} queries, {len(split.pairs[0])} relevant pairs")
