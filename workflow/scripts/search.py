import numpy as np
from mvg.data import read_split
from mvg.data.errors import DataError
from mvg.data.files import load_array, save_arrays
from mvg.data.pairs import of_queries
from mvg.evaluation.choice import Choice
from mvg.job import job
from mvg.lexical.popularity import training_popularity
from mvg.search.index import Index
from mvg.search.views import Views

with job(snakemake.log[0]) as log:
    given = snakemake.input
    documents = load_array(given.documents)
    added = [(load_array(given.vectors), load_array(given.owner)) if given.get("vectors") else None]
    if given.get("choice"):
        popularity = training_popularity(read_split(given.train).pairs, len(documents))
        added = Choice.load(given.choice).applied(popularity, *added)
    views = Views.of(documents, *added)
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
