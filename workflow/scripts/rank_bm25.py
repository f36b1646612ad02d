import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

import numpy as np

from mvg.datasets.pairs import read_split
from mvg.datasets.reading import load_texts
from mvg.io.files import save_arrays
from mvg.job import job
from mvg.lexical.bm25 import BM25
from mvg.search.ranking import rank_scores

CELLS = 20_000_000  # scores held at a time

with job(snakemake.log[0]) as log:
    _, documents = load_texts(snakemake.input.corpus)
    _, queries = load_texts(snakemake.input.queries)
    split = read_split(snakemake.input.pairs)
    bm25 = BM25(documents, snakemake.params.tokenizer)
    ranking = rank_scores(
        lambda rows: bm25.matching_scores([queries[row] for row in rows]),
        split.queries,
        split.excluded,
        snakemake.params.k,
        batch=max(1, CELLS // len(documents)),
        progress=lambda items: log.progress(items, "BM25"),
    )
    save_arrays(snakemake.output[0], documents=ranking.documents, scores=ranking.scores, n_floats=np.int64(0))
