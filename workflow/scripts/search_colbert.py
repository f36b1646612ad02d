import numpy as np
from mvg.data import read_split
from mvg.data.files import load_array, save_arrays
from mvg.data.pairs import of_queries
from mvg.job import job
from mvg.search import maxsim

with job(snakemake.log[0]) as log:
    given = snakemake.input
    tokens, starts = load_array(given.tokens), load_array(given.starts)
    if given.get("vectors"):
        tokens, starts = maxsim.join(tokens, starts, load_array(given.vectors), load_array(given.owner))
    split = read_split(given.pairs)
    ranking = maxsim.search(
        load_array(given.queries),
        tokens,
        starts,
        snakemake.params.k,
        excluded=of_queries(split.excluded, split.queries),
        threads=snakemake.threads,
        progress=lambda items: log.progress(items, "search"),
    )
    save_arrays(snakemake.output[0], n_floats=np.int64(tokens.size), **ranking._asdict())
    log(f"{len(tokens)} vectors, {tokens.size} floats, {len(split.queries)} queries")
