import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

from mvg.datasets.pairs import read_split
from mvg.io.files import load_array
from mvg.io.shards import Shard
from mvg.job import job
from mvg.multiview.tokens import fit_tokens

with job(snakemake.log[0]) as log:
    given, params = snakemake.input, snakemake.params
    split = read_split(given.pairs)
    views = fit_tokens(
        load_array(given.tokens),
        load_array(given.starts),
        load_array(given.queries),
        load_array(given.real),
        split.queries,
        split.pairs,
        float(params.m_avg),
        float(params.beta),
        seed=params.seed,
        threads=snakemake.threads,
        shard=Shard.parse(params.shard),
    )
    views.save(snakemake.output.vectors, snakemake.output.owner)
    log(f"{len(views.owner)} vectors beside {len(load_array(given.tokens))} of text")
