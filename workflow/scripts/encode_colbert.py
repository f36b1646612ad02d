import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

import numpy as np

from mvg.datasets.pairs import read_split
from mvg.datasets.reading import load_shard, load_texts
from mvg.encoders import colbert
from mvg.io.files import save_array
from mvg.io.shards import Shard
from mvg.job import job

with job(snakemake.log[0]) as log:
    given, made, shard = snakemake.input, snakemake.output, Shard.parse(snakemake.params.shard)
    model = colbert.load(given.model, snakemake.params.threads, snakemake.params.device)
    pieces = colbert.tokenize(model, load_shard(given.corpus, shard)[1], "document")
    tokens, starts = colbert.encode_documents(model, pieces, lambda items: log.progress(items, "encode documents"))
    save_array(made.tokens, tokens)
    save_array(made.starts, starts)
    log(f"{len(tokens)} vectors of {len(starts) - 1} documents")
    queries = load_texts(given.queries)[1]
    for pairs, vectors, real in zip(given.pairs, made.query_tokens, made.real, strict=True):
        rows = read_split(pairs).queries
        rows = rows[shard.rows(len(rows), colbert.ENCODE_BATCH)]
        pieces = colbert.tokenize(model, [queries[row] for row in rows], "query")
        encoded = colbert.encode_queries(
            model, pieces, np.arange(len(pieces)), lambda items: log.progress(items, f"encode queries of {pairs}")
        )
        save_array(vectors, encoded.astype(np.float16))  # half: 32 vectors each
        save_array(real, pieces.real)
        log(f"{pairs}: {encoded.shape} vectors")
