"""Documents moved towards the queries that led to them, without learning and without a larger index."""

import numpy as np

from .addition import Addition, led_to, unit


def moved(documents, queries, pairs, weight: float) -> Addition:
    """d' = unit(d + weight * mean of the training queries of d); a document without any does not move.

    documents, queries: float32 (n, dim); pairs: ``(query_rows, document_rows)``, repeated pairs count once
    """
    matrix = led_to(pairs, len(queries), len(documents))
    counts = np.maximum(np.bincount(matrix.indices, minlength=len(documents)), 1)
    return Addition(unit(np.asarray(documents) + weight * (matrix.T @ queries) / counts[:, None].astype(np.float32)))


def pefa_xs(documents, queries, pairs, share: float) -> Addition:
    """d' = share * d + (1 - share) * unit(sum of its training queries), not normalised again.

    PEFA-XS as published (Chang et al. 2023, arXiv 2312.02429); other arguments as for :func:`moved`.
    """
    sums = led_to(pairs, len(queries), len(documents)).T @ queries
    return Addition((share * np.asarray(documents) + (1 - share) * unit(sums)).astype(np.float32))
