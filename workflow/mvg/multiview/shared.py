"""Votes: centers of the training queries, each with the documents to which its queries led."""

import numpy as np
from scipy import sparse

from .addition import SIMILARITY, SOFTMAX, Addition, Votes, led_to, unit

ROUNDS = 10  # of k-means
BLOCK = 1 << 24  # similarities in memory at a time


def shared(documents, queries, pairs, n_centers, width=25, nearest=10, temperature=0.05, scale=1.0, seed=0) -> Addition:
    """``n_centers`` centers of all training queries; P(d | s) is the mean of the documents of its queries.

    width: documents kept for each center, namely those with the largest shares
    nearest, temperature, scale: of :class:`mvg.multiview.addition.Votes`
    Other arguments as for :func:`mvg.multiview.moved.moved`.
    """
    centers, shares = centers_of(queries, pairs, len(documents), n_centers, seed)
    return Addition(documents, votes=Votes(centers, largest(shares, width), nearest, SOFTMAX, temperature, scale))


def knn(documents, queries, pairs, nearest=10, temperature=0.05, scale=1.0) -> Addition:
    """Every training query is a center."""
    rows, shares = _training(pairs, len(queries), len(documents))
    return Addition(documents, votes=Votes(np.asarray(queries[rows]), shares, nearest, SOFTMAX, temperature, scale))


def pefa_xl(documents, queries, pairs, share: float, nearest: int) -> Addition:
    """share * q . d + (1 - share) / nearest * sum of q . q_i over the nearest training queries that led to d.

    PEFA-XL as published (Chang et al. 2023, arXiv 2312.02429).
    """
    rows, shares = _training(pairs, len(queries), len(documents))
    votes = Votes(np.asarray(queries[rows]), shares, nearest, SIMILARITY, scale=(1 - share) / nearest)
    return Addition(np.float32(share) * np.asarray(documents), votes=votes)


def centers_for(budget: float, n_documents: int, dim: int, width: int) -> int:
    """How many centers of ``width`` weights fit. Each costs its vector, and two numbers for each weight."""
    return max(0, int((budget - 1) * n_documents * dim / (dim + 2 * width)))


def centers_of(queries, pairs, n_documents, n_centers, seed=0) -> tuple[np.ndarray, sparse.csr_matrix]:
    """Spherical k-means of the training queries: centers float32 (n, dim), and P(d | s) float32 (n, n_documents).

    Centers start at distinct queries. An empty center moves to the query that is served worst; at the end empty
    centers are dropped.
    """
    rows, indicator = _training(pairs, len(queries), n_documents)
    points = np.asarray(queries[rows], dtype=np.float32)
    n_centers = min(n_centers, len(points))
    centers = points[np.sort(np.random.default_rng(seed).choice(len(points), n_centers, replace=False))]
    for last in [False] * (ROUNDS - 1) + [True]:
        nearest, similarity = _nearest(points, centers)
        counts = np.bincount(nearest, minlength=len(centers))
        members = sparse.csr_matrix(
            (np.ones(len(points), dtype=np.float32), (nearest, np.arange(len(points)))), (len(centers), len(points))
        )
        means = unit(members @ points)
        centers = np.where(means.any(axis=1, keepdims=True), means, centers)
        if not last:
            empty = np.flatnonzero(counts == 0)
            centers[empty] = points[np.argsort(similarity, kind="stable")[: len(empty)]]
    kept = np.flatnonzero(counts)
    shares = sparse.diags_array((1 / counts[kept]).astype(np.float32)) @ (members[kept] @ indicator)
    return centers[kept], sparse.csr_matrix(shares)


def largest(matrix: sparse.csr_matrix, width: int) -> sparse.csr_matrix:
    """The ``width`` largest entries of each row; of equal entries, those of the lower columns."""
    matrix.sort_indices()
    row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    order = np.lexsort((matrix.indices, -matrix.data, row))
    kept = np.sort(order[np.arange(matrix.nnz) - matrix.indptr[row] < width])
    starts = np.concatenate([[0], np.cumsum(np.minimum(np.diff(matrix.indptr), width))])
    return sparse.csr_matrix((matrix.data[kept], matrix.indices[kept], starts), shape=matrix.shape)


def _training(pairs, n_queries, n_documents):
    """The rows of the queries that led to a document, and the documents they led to."""
    rows = np.unique(np.asarray(pairs[0], dtype=np.int64))
    return rows, led_to(pairs, n_queries, n_documents)[rows]


def _nearest(points, centers):
    nearest, similarity = np.empty(len(points), dtype=np.int64), np.empty(len(points), dtype=np.float32)
    step = max(1, BLOCK // len(centers))
    for start in range(0, len(points), step):
        part = points[start : start + step] @ centers.T
        nearest[start : start + step] = part.argmax(axis=1)
        similarity[start : start + step] = part.max(axis=1)
    return nearest, similarity
