import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

import numpy as np

from mvg.datasets.pairs import of_queries, read_split
from mvg.evaluation.choice import Choice, rows_over
from mvg.io.files import load_array, save_arrays
from mvg.io.shards import Shard
from mvg.job import job
from mvg.lexical.popularity import training_popularity
from mvg.multiview import Behavioural
from mvg.search import maxsim
from mvg.search.views import TokenViews

with job(snakemake.log[0]) as log:
    given, split = snakemake.input, read_split(snakemake.input.test)
    tokens, starts = load_array(given.tokens), load_array(given.starts)
    behavioural = Behavioural.load(given.vectors, given.owner)
    popularity = training_popularity(read_split(given.train).pairs, len(starts) - 1)
    part = Shard.parse(snakemake.params.shard).rows(len(split.queries))
    queries, excluded = load_array(given.queries)[part], of_queries(split.excluded, split.queries[part])
    choices = Choice.load(given.prior), Choice.load(given.both)
    for name, added in rows_over(*choices, popularity, behavioural).items():
        file = snakemake.output[name]
        views = TokenViews.of(tokens, starts, *added)
        ranking = maxsim.search(
            views.extend(queries),
            *views[:2],
            snakemake.params.k,
            excluded=excluded,
            threads=snakemake.threads,
            progress=lambda items: log.progress(items, "search"),
        )
        save_arrays(file, n_floats=np.int64(views.n_floats), **ranking._asdict())
        log(f"{file}: {len(views.vectors)} vectors, {views.n_floats} floats, {len(queries)} queries")
