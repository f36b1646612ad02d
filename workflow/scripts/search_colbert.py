import numpy as np
from mvg.data import read_split
from mvg.data.files import load_array, save_arrays
from mvg.data.pairs import of_queries
from mvg.data.shards import Shard
from mvg.evaluation.choice import Choice
from mvg.job import job
from mvg.lexical.popularity import training_popularity
from mvg.search import maxsim
from mvg.search.views import TokenViews

with job(snakemake.log[0]) as log:
    given = snakemake.input
    tokens, starts = load_array(given.tokens), load_array(given.starts)
    added = [(load_array(given.vectors), load_array(given.owner)) if given.get("vectors") else None]
    if given.get("choice"):
        popularity = training_popularity(read_split(given.train).pairs, len(starts) - 1)
        added = Choice.load(given.choice).applied(popularity, *added)
    views = TokenViews.of(tokens, starts, *added)
    split = read_split(given.pairs)
    rows = Shard.parse(snakemake.params.shard).rows(len(split.queries))
    ranking = maxsim.search(
        views.extend(load_array(given.queries)[rows]),
        *views,
        snakemake.params.k,
        excluded=of_queries(split.excluded, split.queries[rows]),
        threads=snakemake.threads,
        progress=lambda items: log.progress(items, "search"),
    )
    save_arrays(snakemake.output[0], n_floats=np.int64(views.n_floats), **ranking._asdict())
    log(f"{len(views.vectors)} vectors, {views.n_floats} floats, {len(ranking.documents)} queries")
