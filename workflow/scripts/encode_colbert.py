import numpy as np
from mvg.data import load_texts, read_split
from mvg.data.files import save_array
from mvg.encoders import colbert
from mvg.job import job

with job(snakemake.log[0]) as log:
    given, made = snakemake.input, snakemake.output
    model = colbert.load(given.model, snakemake.params.threads, snakemake.params.device)
    pieces = colbert.tokenize(model, load_texts(given.corpus)[1], "document")
    tokens, starts = colbert.encode_documents(model, pieces, lambda items: log.progress(items, "encode documents"))
    save_array(made.tokens, tokens)
    save_array(made.starts, starts)
    log(f"{len(tokens)} vectors of {len(starts) - 1} documents")
    queries = load_texts(given.queries)[1]
    for pairs, vectors, real in zip(given.pairs, made.query_tokens, made.real):
        pieces = colbert.tokenize(model, [queries[row] for row in read_split(pairs).queries], "query")
        encoded = colbert.encode_queries(
            model, pieces, np.arange(len(pieces)), lambda items: log.progress(items, f"encode queries of {pairs}")
        )
        save_array(vectors, encoded.astype(np.float16))  # half: 32 vectors each
        save_array(real, pieces.real)
        log(f"{pairs}: {encoded.shape} vectors, {pieces.real.mean():.0%} of them of text")
