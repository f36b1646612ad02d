from mvg.datasets.pairs import read_split
from mvg.io.files import load_array, save_array
from mvg.io.shards import Shard
from mvg.job import job
from mvg.multiview.tokens import fit_tokens

with job(snakemake.log[0]) as log:
    given, wildcards = snakemake.input, snakemake.wildcards
    split = read_split(given.pairs)
    vectors, owner = fit_tokens(
        load_array(given.tokens),
        load_array(given.starts),
        load_array(given.queries),
        load_array(given.real),
        split.queries,
        split.pairs,
        float(wildcards.m_avg),
        float(wildcards.beta),
        seed=snakemake.params.seed,
        threads=snakemake.threads,
        shard=Shard.parse(snakemake.params.shard),
    )
    save_array(snakemake.output.vectors, vectors)
    save_array(snakemake.output.owner, owner)
    log(f"{len(owner)} vectors beside {len(load_array(given.tokens))} of text")
