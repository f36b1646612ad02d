import numpy as np
from mvg.data import read_split
from mvg.data.errors import DataError
from mvg.data.files import load_array, save_arrays
from mvg.data.pairs import of_queries
from mvg.data.shards import Shard
from mvg.evaluation.choice import Choice
from mvg.job import job
from mvg.lexical.popularity import training_popularity
from mvg.search.index import search

with job(snakemake.log[0]) as log:
    given = snakemake.input
    documents = load_array(given.documents)
    added = [(load_array(given.vectors), load_array(given.owner)) if given.get("vectors") else None]
    if given.get("choice"):
        popularity = training_popularity(read_split(given.train).pairs, len(documents))
        added = Choice.load(given.choice).applied(popularity, *added)
    split = read_split(given.pairs)
    rows = split.queries[Shard.parse(snakemake.params.shard).rows(len(split.queries))]
    try:
        ranking, n_floats = search(
            documents,
            load_array(given.queries)[rows],
            snakemake.params.k,
            *added,
            index=snakemake.params.index,
            excluded=of_queries(split.excluded, rows),
            threads=snakemake.threads,
            progress=lambda items: log.progress(items, "search"),
        )
    except ValueError as error:
        raise DataError("config", "index", str(error)) from error
    save_arrays(snakemake.output[0], n_floats=np.int64(n_floats), **ranking._asdict())
    log(f"{n_floats} floats, {len(rows)} queries")
