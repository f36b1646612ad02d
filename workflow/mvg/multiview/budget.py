"""Step 1 of MVG: how many behavioural vectors each document gets (section 5.1)."""

import numpy as np

from ..io.shards import Shard


def shares(popularity, total, beta) -> np.ndarray:
    """Real-valued budget of each document: ``total`` split by n_d^beta under the caps m_d <= n_d.

    Eq. "m_d proportional to n_d^beta" of the paper. What a capped document cannot take is shared
    among the others, by the same rule. Float64 (n_documents,), summing to
    ``min(total, popularity.sum())`` up to rounding. Raises ValueError as :func:`allocate` does.
    """
    n = _popularity(popularity)
    if not np.isfinite(total) or total < 0:
        raise ValueError(f"total must be a finite number of at least 0, not {total}")
    if not np.isfinite(beta) or beta < 0:
        raise ValueError(f"beta must be a finite number of at least 0, not {beta}")
    result = np.zeros(len(n))
    rest, left = np.flatnonzero(n), min(total, n.sum())
    while left > 0:
        weights = np.exp(beta * (np.log(n[rest]) - np.log(n[rest]).max()))
        # With a large beta, documents of negligible weight get a share only when all others are full.
        heavy = weights > 1e-290
        result[rest[heavy]] = _filled(n[rest[heavy]], weights[heavy], left)
        rest, left = rest[~heavy], left - n[rest[heavy]].sum()
    return result


def _filled(caps, weights, total) -> np.ndarray:
    """``total`` in proportion to ``weights``, but no more than ``caps``."""
    # A document is capped when its cap per unit of weight is below the common level; with caps sorted by
    # that ratio, one pass finds the level.
    if total >= caps.sum():
        return caps
    order = np.argsort(caps / weights, kind="stable")
    caps, weights = caps[order], weights[order]
    capped = np.concatenate([[0.0], np.cumsum(caps)[:-1]])
    open_weight = np.cumsum(weights[::-1])[::-1]
    level = (total - capped) / open_weight
    first_open = np.argmax(level * weights <= caps)
    result = np.empty(len(caps))
    result[order] = np.where(np.arange(len(caps)) < first_open, caps, level[first_open] * weights)
    return result


def allocate(popularity, total, beta) -> np.ndarray:
    """Whole number of behavioural vectors of each document.

    popularity: (n_documents,) number of training queries n_d, whole numbers of at least 0
    total: the budget M, vectors over all documents
    beta: 0 spends evenly over documents with a query, 1 by popularity

    Returns int64 (n_documents,): :func:`shares` rounded once by largest remainder, so that the sum
    is exactly ``min(total, popularity.sum())`` and m_d <= n_d. Equal remainders go to the larger
    n_d, then to the lower row. Documents without a training query get 0.

    Raises ValueError for negative, fractional, NaN or infinite input.

    >>> allocate([9, 4, 1, 0], total=3, beta=0.5).tolist()
    [2, 1, 0, 0]
    """
    n = _popularity(popularity)
    if total != np.floor(total):
        raise ValueError(f"total must be a whole number, not {total}")
    real = shares(n, total, beta)
    floor = np.floor(real).astype(np.int64)
    missing = int(min(total, n.sum())) - int(floor.sum())
    if missing:
        # Remainders that differ only by rounding error are equal.
        remainder = np.round(real - floor, 9)
        order = np.lexsort((np.arange(len(n)), -n, -remainder))
        floor[order[:missing]] += 1
    return floor


def of_shard(counts, shard: Shard) -> np.ndarray:
    """The budget of a shard's documents, 0 for all others. Shards are consecutive, with about equal budgets."""
    spent = np.cumsum(counts) - counts
    mine = spent * shard.of // max(1, int(np.sum(counts))) == shard.number - 1
    return np.where(mine, counts, 0)


def _popularity(popularity) -> np.ndarray:
    n = np.asarray(popularity, dtype=np.float64)
    if n.ndim != 1:
        raise ValueError(f"popularity must have one dimension, not {n.ndim}")
    if not np.isfinite(n).all() or (n < 0).any() or (n != np.floor(n)).any():
        raise ValueError("popularity must be whole, finite numbers of at least 0")
    return n
