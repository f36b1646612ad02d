"""Step 2 of MVG: cluster a document's training queries into behavioural vectors (Algorithm 1).

Weighted spherical k-means with k = m_d + 1, in which center 0 is the document's semantic vector
and never moves. Documents are independent of each other, so numba computes them one by one, on as
many threads as given. Threads, shards and the order of the pairs do not change a bit of the result.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from scipy import sparse

from ..io.files import let_go
from .behavioural import Behavioural
from .lloyd import fit_documents

PAIRS = 1 << 16  # of a part, about: before each, the memory that mapped vectors hold is released


class Groups(NamedTuple):
    """Training queries by document: those of row d are ``queries[starts[d]:starts[d + 1]]``."""

    starts: np.ndarray  # int64 (n_documents + 1,)
    queries: np.ndarray  # int64 (n_pairs,), ascending within a document
    weights: np.ndarray  # float64 (n_pairs,)


def fit(documents, queries, pairs, counts, weights=None, seed=0, threads=1, max_iterations=100) -> Behavioural:
    """Behavioural vectors of all documents (paper, Algorithm 1).

    documents: float32 (n_documents, dim), unit rows; queries: float32 (n_queries, dim), unit rows
    pairs: ``(query_rows, document_rows)``, a sparse matrix of queries x documents, or
        :class:`Groups` from :func:`group`; repeated pairs add their weights
    counts: int (n_documents,), the budget m_d of each document, see :func:`allocate`
    weights: (n_pairs,), at least 0, for the first form of ``pairs``; 1 by default

    Returns :class:`Behavioural`, ``(vectors, owner)``. A document whose queries do not differ enough gets fewer
    vectors than its budget; no vector is zero, NaN or a duplicate.

    Raises ValueError for shapes that do not fit, negative counts or weights, rows out of range,
    and vectors that are not finite.

    >>> vectors, owner = fit(np.eye(3), [[0, 1, 0], [1, 0, 0]], ([0, 1, 0], [0, 0, 2]), [2, 0, 1])
    >>> vectors.tolist(), owner.tolist()  # document 0 has the second query's direction already
    ([[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]], [0, 2])
    """
    given = documents, queries
    documents, queries = _vectors(documents, "documents"), _vectors(queries, "queries")
    if documents.shape[1] != queries.shape[1]:
        raise ValueError(f"documents have {documents.shape[1]} dimensions, queries {queries.shape[1]}")
    groups = pairs if isinstance(pairs, Groups) else group(pairs, len(queries), len(documents), weights)
    counts = np.asarray(counts)
    if counts.shape != (len(documents),):
        raise ValueError(f"counts must have shape ({len(documents)},), not {counts.shape}")
    if not np.issubdtype(counts.dtype, np.integer) or (counts < 0).any():
        raise ValueError("counts must be whole numbers of at least 0")
    counts = np.minimum(counts, np.diff(groups.starts)).astype(np.int64)

    owners = np.flatnonzero(counts)
    _check_finite(documents, owners)
    places = np.concatenate([[0], np.cumsum(counts[owners])])
    vectors = np.empty((places[-1], documents.shape[1]), dtype=np.float32)
    kept = np.zeros(len(owners), dtype=np.int64)

    def run(part):
        let_go(*given)
        fit_documents(
            documents, queries, groups.starts, groups.queries, groups.weights,
            owners[part], places[part], counts[owners[part]],
            np.uint64(int(seed) & (2**64 - 1)), max_iterations, vectors, kept[part],
        )  # fmt: skip

    n_parts = max(8 * threads, len(groups.queries) // PAIRS)
    parts = _balanced(np.diff(groups.starts)[owners] * (counts[owners] + 1.0), n_parts)
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(run, parts))

    if (kept < 0).any():
        raise ValueError("queries hold values that are not finite")
    within = np.arange(places[-1]) - np.repeat(places[:-1], counts[owners])
    keep = within < np.repeat(kept, counts[owners])
    return Behavioural(vectors if keep.all() else vectors[keep], np.repeat(owners, kept).astype(np.int32))


def group(pairs, n_queries, n_documents, weights=None) -> Groups:
    """Sort pairs by document, then query; add up repeated pairs; drop pairs of weight 0."""
    if sparse.issparse(pairs):
        matrix = pairs.T.tocsr().astype(np.float64)
    else:
        query_rows, document_rows = (np.asarray(side) for side in pairs)
        if weights is None:
            weights = np.ones(len(query_rows))
        for name, rows, size in (("query", query_rows, n_queries), ("document", document_rows, n_documents)):
            if len(rows) and (rows.min() < 0 or rows.max() >= size):
                raise ValueError(f"a {name} row of the pairs lies outside 0..{size - 1}")
        matrix = sparse.coo_matrix(
            (np.asarray(weights, dtype=np.float64), (document_rows, query_rows)),
            shape=(n_documents, n_queries),
        ).tocsr()
    if matrix.shape != (n_documents, n_queries):
        raise ValueError(f"pairs are {matrix.shape[::-1]}, vectors ({n_queries}, {n_documents})")
    if not np.isfinite(matrix.data).all() or (matrix.data < 0).any():
        raise ValueError("weights must be finite and at least 0")
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return Groups(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data)


def objective(documents, queries, pairs, vectors, owner, weights=None) -> float:
    """The paper's objective: sum over pairs of weight times max-sim (Problem 1), in float64."""
    groups = pairs if isinstance(pairs, Groups) else group(pairs, len(queries), len(documents), weights)
    first = np.searchsorted(owner, np.arange(len(documents) + 1))
    total = 0.0
    for document in np.flatnonzero(np.diff(groups.starts)):
        span = slice(groups.starts[document], groups.starts[document + 1])
        views = np.vstack([documents[document], vectors[first[document] : first[document + 1]]])
        similarity = queries[groups.queries[span]].astype(np.float64) @ views.astype(np.float64).T
        total += float(groups.weights[span] @ similarity.max(axis=1))
    return total


def _vectors(array, name) -> np.ndarray:
    array = np.ascontiguousarray(np.asarray(array), dtype=np.float32)
    if array.ndim != 2:
        raise ValueError(f"{name} must have two dimensions, not {array.ndim}")
    array = array.view()
    array.flags.writeable = False  # one type for numba, mapped or not, so it compiles once
    return array


def _check_finite(documents, rows) -> None:
    for start in range(0, len(rows), 65536):  # gathering all rows at once would double the memory
        if not np.isfinite(documents[rows[start : start + 65536]]).all():
            raise ValueError("documents hold values that are not finite")


def _balanced(work, n_parts):
    """Split ``work`` (one figure an item) into consecutive slices of about equal sums."""
    bounds = np.searchsorted(np.cumsum(work), np.linspace(0, work.sum(), n_parts + 1)[1:-1])
    edges = np.unique(np.concatenate([[0], bounds, [len(work)]]))
    return [slice(a, b) for a, b in zip(edges[:-1], edges[1:], strict=True)]
