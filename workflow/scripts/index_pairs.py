import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

from pathlib import Path

from mvg.datasets.pairs import load_splits, save_split
from mvg.job import job

with job(snakemake.log[0]) as log:
    for name, split in load_splits(Path(snakemake.input.corpus).parent).items():
        save_split(snakemake.output[name], split)
        log(f"{name}: {len(split.queries)} queries, {len(split.pairs[0])} relevant pairs")
