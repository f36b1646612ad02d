import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

import numpy as np

from mvg.datasets.pairs import of_queries, read_split
from mvg.evaluation.choice import Choice, rows_over
from mvg.io.errors import DataError
from mvg.io.files import load_array, save_arrays, take_rows
from mvg.io.shards import Shard
from mvg.job import job
from mvg.lexical.popularity import training_popularity
from mvg.multiview import Addition, Behavioural
from mvg.search.combined import Combined
from mvg.search.index import search

with job(snakemake.log[0]) as log:
    given, split = snakemake.input, read_split(snakemake.input.test)
    documents, behavioural = load_array(given.documents), Behavioural.load(given.vectors, given.owner)
    popularity = training_popularity(read_split(given.train).pairs, len(documents))
    rows = split.queries[Shard.parse(snakemake.params.shard).rows(len(split.queries))]
    queries, excluded = take_rows(given.queries, rows), of_queries(split.excluded, rows)
    choices = Choice.load(given.prior), Choice.load(given.both)
    for name, added in rows_over(*choices, popularity, behavioural).items():
        file = snakemake.output[name]
        try:
            ranking, n_floats = search(
                documents,
                queries,
                snakemake.params.k,
                *added,
                index=snakemake.params.index,
                excluded=excluded,
                threads=snakemake.threads,
                progress=lambda items: log.progress(items, "search"),
            )
        except ValueError as error:
            raise DataError("config", "index", str(error)) from error
        save_arrays(file, n_floats=np.int64(n_floats), **ranking._asdict())
        log(f"{file}: {n_floats} floats, {len(rows)} queries")
    for addition, file in zip(map(Addition.load, given.additions), snakemake.output.more, strict=True):
        index = Combined(addition, snakemake.params.index, snakemake.threads)
        ranking = index.search(queries, snakemake.params.k, excluded, lambda items: log.progress(items, "search"))
        save_arrays(file, n_floats=np.int64(index.n_floats), **ranking._asdict())
        log(f"{file}: {index.n_floats} floats, {len(rows)} queries")
