from pathlib import Path

from mvg.data import load_split, save_split
from mvg.job import job

with job(snakemake.log[0]) as log:
    for name, pairs in zip(snakemake.params.splits, snakemake.output):
        split = load_split(Path(snakemake.input.corpus).parent, name)
        save_split(pairs, split)
        log(f"{name}: {len(split.queries)} queries, {len(split.pairs[0])} relevant pairs")
