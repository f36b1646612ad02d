"""Exact search by the sum of max-sim: a vector a token, on both sides (Khattab and Zaharia 2020).

score(q, d) = sum over the vectors x of q of the largest inner product of x with a vector of d.

All documents are scored in float32, a block of documents and a batch of queries at a time. What may
belong to the top k is scored again in float64, pair by pair, because float32 sums change with the
batch, the block and the number of threads.
"""

import numpy as np
from numba import njit

from .parallel import in_parallel
from .product import dot
from .ranking import Ranking, rank_scores

BATCH = 32  # queries at a time
BLOCK = 4096  # vectors of documents at a time: with a batch of 32-vector queries, 16 MB of products
CLOSE = 2e-4  # float32 scores this close to the k-th may belong above it; their error is about 1e-5


def search(queries, tokens, starts, k, excluded=None, threads=1, progress=iter) -> Ranking:
    """The k best documents of each query by float64 scores, equal ones by document row.

    queries: float32 or float16 (n_queries, width, dim); all vectors count
    tokens: float32 (n_tokens, dim); those of document d are ``tokens[starts[d]:starts[d + 1]]``;
        a document without any is never found
    excluded: ``(query_positions, document_rows)`` to leave out of rankings, or None
    """
    nothing = np.empty(0, dtype=np.int64)
    excluded = (nothing, nothing) if excluded is None else excluded
    depth = min(k + int(np.bincount(excluded[0], minlength=1).max()), len(starts) - 1)

    def score(rows):
        batch = np.asarray(queries[rows], dtype=np.float32)
        approximate = scores(batch, tokens, starts, threads).astype(np.float64)
        least = np.partition(approximate, -depth, axis=1)[:, -depth, None]
        near = approximate >= least - CLOSE
        near &= approximate > -np.inf
        row, document = near.nonzero()
        exact = np.empty(len(row))
        in_parallel(
            lambda part: _pairs(batch, tokens, starts, row[part], document[part], exact[part]), len(row), threads
        )
        approximate[row, document] = exact
        return approximate

    if not len(queries):
        return Ranking(np.empty((0, k), dtype=np.int32), np.empty((0, k)))
    return rank_scores(score, np.arange(len(queries)), excluded, k, BATCH, progress)


def scores(queries, tokens, starts, threads=1) -> np.ndarray:
    """Scores of all documents, float32 (n_queries, n_documents); -inf for one without vectors."""
    n_queries, width, dim = queries.shape
    columns = np.ascontiguousarray(queries.reshape(-1, dim).T)
    result = np.empty((len(starts) - 1, n_queries), dtype=np.float32)
    for first, last in _blocks(starts):
        span = slice(starts[first], starts[last])
        similarity = np.ascontiguousarray(tokens[span]) @ columns
        within = starts[first : last + 1] - starts[first]
        out = result[first:last]

        def reduce(part, similarity=similarity, within=within, out=out):
            _sum_of_best(similarity, within[part.start : part.stop + 1], width, out[part])

        in_parallel(reduce, last - first, threads)
    return result.T


def _blocks(starts):
    """Ranges of documents of at most BLOCK vectors, or of one document."""
    first = 0
    while first < len(starts) - 1:
        last = int(np.searchsorted(starts, starts[first] + BLOCK, side="right")) - 1
        last = max(last, first + 1)
        yield first, last
        first = last


@njit(nogil=True, cache=True)
def _sum_of_best(similarity, starts, width, out):
    """similarity (n_tokens, n_queries * width) -> out (n_documents, n_queries)."""
    for d in range(len(starts) - 1):
        if starts[d] == starts[d + 1]:
            out[d] = -np.inf
            continue
        best = similarity[starts[d]].copy()
        for t in range(starts[d] + 1, starts[d + 1]):
            for j in range(len(best)):
                best[j] = similarity[t, j] if similarity[t, j] > best[j] else best[j]
        for i in range(out.shape[1]):
            out[d, i] = best[i * width : (i + 1) * width].sum()


@njit(nogil=True, cache=True)
def _pairs(queries, tokens, starts, rows, documents, out):
    """Scores of some (query, document) pairs in float64, each summed in a fixed order; rows in ascending order."""
    width, dim = queries.shape[1:]
    query, row = np.empty((width, dim)), -1
    for i in range(len(rows)):
        if rows[i] != row:
            row = rows[i]
            query[:] = queries[row]
        first, last = starts[documents[i]], starts[documents[i] + 1]
        own = tokens[first:last].astype(np.float64)
        total = 0.0
        for j in range(width):
            best = -np.inf
            for t in range(last - first):
                best = max(best, dot(query[j], own[t]))
            total += best
        out[i] = total
