from pathlib import Path

from mvg.datasets.pairs import load_splits, save_split
from mvg.job import job

with job(snakemake.log[0]) as log:
    splits = load_splits(Path(snakemake.input.corpus).parent, snakemake.params.splits)
    for pairs, (name, split) in zip(snakemake.output, splits.items()):
        save_split(pairs, split)
        log(f"{name}: {len(split.queries)} queries, {len(split.pairs[0])} relevant pairs")
