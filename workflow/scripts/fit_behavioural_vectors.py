import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

import numpy as np

from mvg.datasets.pairs import read_split
from mvg.io.files import load_array
from mvg.io.shards import Shard
from mvg.job import job
from mvg.multiview import fit
from mvg.multiview.budget import of_shard

with job(snakemake.log[0]) as log:
    counts = of_shard(load_array(snakemake.input.counts), Shard.parse(snakemake.params.shard))
    pairs = read_split(snakemake.input.pairs).pairs
    mine = (counts > 0)[pairs[1]]
    pairs = tuple(side[mine].astype(np.int32) for side in pairs)  # in half the memory; a corpus has fewer rows
    views = fit(
        load_array(snakemake.input.documents),
        load_array(snakemake.input.queries),
        pairs,
        counts,
        seed=snakemake.params.seed,
        threads=snakemake.threads,
    )
    views.save(snakemake.output.vectors, snakemake.output.owner)
    log(f"{len(views.owner)} vectors of a budget of {counts.sum()}")
