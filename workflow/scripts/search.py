import json

import numpy as np
from mvg.data import read_split
from mvg.data.errors import DataError
from mvg.data.files import load_array, save_arrays
from mvg.data.pairs import of_queries
from mvg.evaluation.choice import log_popularity
from mvg.job import job
from mvg.lexical.popularity import training_popularity
from mvg.search.index import Index
from mvg.search.views import Views

with job(snakemake.log[0]) as log:
    given = snakemake.input
    documents = load_array(given.documents)
    behavioural, prior, view_bias = None, None, None
    if given.get("vectors"):
        behavioural = load_array(given.vectors), load_array(given.owner)
    if given.get("choice"):
        with open(given.choice, encoding="utf-8") as file:
            choice = json.load(file)
        popularity = training_popularity(read_split(given.train).pairs, len(documents))
        prior, view_bias = choice["prior"] * log_popularity(popularity), choice["view_bias"]
        if view_bias is None:
            behavioural = None  # dev chose no views
    views = Views.of(documents, behavioural, prior, view_bias)
    split = read_split(given.pairs)
    try:
        index = Index(views, snakemake.params.index, threads=snakemake.threads)
    except ValueError as error:
        raise DataError("config", "index", str(error)) from error
    ranking = index.search(
        load_array(given.queries)[split.queries],
        snakemake.params.k,
        excluded=of_queries(split.excluded, split.queries),
        progress=lambda items: log.progress(items, "search"),
    )
    save_arrays(snakemake.output[0], n_floats=np.int64(views.n_floats), **ranking._asdict())
    log(f"{len(views.owner)} vectors, {views.n_floats} floats, {len(split.queries)} queries")
