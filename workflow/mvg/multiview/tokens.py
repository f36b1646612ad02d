"""MVG over ColBERT: behavioural vectors that join a document's token vectors.

The paper only remarks that MVG "can be used in combination" with multi-vector encoders. We decide:
the points of a document are the token vectors of its training queries (of their text, without the
[MASK] expansion), and center 0 is the mean of its own token vectors. The budget counts stored
vectors, ``m_avg`` behavioural ones for each token vector, so the index grows by the same factor as
for a bi-encoder.
"""

import numpy as np

from ..datasets.pairs import of_queries
from ..io.shards import WHOLE
from .budget import allocate, of_shard
from .clustering import fit


def fit_tokens(tokens, starts, queries, real, query_rows, pairs, m_avg, beta, seed=0, threads=1, shard=WHOLE):
    """Behavioural vectors of all documents, or of a shard's: ``(vectors, owner)`` as :func:`mvg.multiview.fit`.

    tokens, starts: float32 (n_tokens, dim) and int64 (n_documents + 1,), of the documents
    queries, real: float (n, width, dim), bool (n, width), vectors of the training queries and which
        of them are of text; query_rows: (n,) sorted, which queries they are
    pairs: ``(query_rows, document_rows)``, the training pairs
    """
    n_documents = len(starts) - 1
    position, document = of_queries(pairs, query_rows)
    popularity = np.bincount(document, minlength=n_documents)
    counts = of_shard(allocate(popularity, round(m_avg * len(tokens)), beta), shard)
    # Queries of other documents need not be expanded into their tokens.
    mine = counts[document] > 0
    position, document = position[mine], document[mine]
    means = np.add.reduceat(np.asarray(tokens, dtype=np.float64), starts[:-1])
    means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-12)
    lengths = real.sum(axis=1)
    firsts = np.cumsum(lengths) - lengths
    # Pair (query, document) -> one pair for each token of the query.
    repeats = lengths[position]
    within = np.arange(repeats.sum()) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    token_pairs = np.repeat(firsts[position], repeats) + within, np.repeat(document, repeats)
    return fit(means, np.asarray(queries)[real], token_pairs, counts, seed=seed, threads=threads)
