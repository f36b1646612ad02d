import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

import numpy as np

from mvg.datasets.pairs import of_queries, read_split
from mvg.datasets.reading import each_text, texts_of
from mvg.io.files import save_arrays
from mvg.job import job
from mvg.lexical.bm25 import BM25

with job(snakemake.log[0]) as log:
    split = read_split(snakemake.input.pairs)
    bm25 = BM25(each_text(snakemake.input.corpus), snakemake.params.tokenizer)
    ranked, scores = bm25.search(
        texts_of(snakemake.input.queries, split.queries),
        snakemake.params.k,
        of_queries(split.excluded, split.queries),
        threads=snakemake.threads,
        progress=lambda items: log.progress(items, "BM25"),
    )
    save_arrays(snakemake.output[0], documents=ranked, scores=scores, n_floats=np.int64(0))
