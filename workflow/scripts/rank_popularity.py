import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

import numpy as np

from mvg.datasets.pairs import read_split
from mvg.datasets.reading import load_stats
from mvg.io.files import save_arrays
from mvg.job import job
from mvg.lexical.popularity import training_popularity
from mvg.search.ranking import rank_scores

CELLS = 20_000_000  # scores in memory at a time

with job(snakemake.log[0]) as log:
    n_documents = load_stats(snakemake.input.stats)["documents"]
    split = read_split(snakemake.input.pairs)
    popularity = training_popularity(read_split(snakemake.input.train).pairs, n_documents).astype(float)
    ranking = rank_scores(
        lambda rows: np.tile(popularity, (len(rows), 1)),
        split.queries,
        split.excluded,
        snakemake.params.k,
        batch=max(1, CELLS // n_documents),
        progress=lambda items: log.progress(items, "Popularity"),
    )
    save_arrays(snakemake.output[0], documents=ranking.documents, scores=ranking.scores, n_floats=np.int64(0))
