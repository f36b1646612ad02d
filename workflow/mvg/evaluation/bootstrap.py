"""The bootstrap over queries: how much a number varies with the sample of queries.

As many queries as there are are drawn with replacement, and the number is computed again; 95 % of its values lie
between ``low`` and ``high`` (Efron's percentile interval). One seed draws the same queries for all methods, so the
difference of two methods is paired. The interval says nothing about other trainings; ``seeds`` does.
"""

from typing import NamedTuple

import numpy as np

SAMPLES = 1000  # draws
LEVEL = 95  # percent of the draws that an interval covers
AT_ONCE = 1 << 23  # counts in memory at a time: 64 MiB


class Interval(NamedTuple):
    """A mean over queries, and the interval of 95 % of its resampled values."""

    value: float
    low: float
    high: float


def interval(scores, seed=0) -> Interval:
    """The mean of per-query ``scores``, float (n_queries,), in their unit; NaN without queries.

    Raises ValueError for NaN among the scores; leave out queries without relevant documents.
    """
    scores = np.asarray(scores, dtype=np.float64)
    if np.isnan(scores).any():
        raise ValueError("scores must not be NaN: leave out queries without relevant documents")
    value, low, high = ratios(scores[:, None], np.ones((len(scores), 1)), seed)
    return Interval(float(value[0]), float(low[0]), float(high[0]))


def gain(a, b, seed=0) -> Interval:
    """The mean of ``a - b``, per-query scores of two methods on the same queries: a paired interval.

    Raises ValueError for unequal numbers of queries, or NaN.
    """
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if a.shape != b.shape:
        raise ValueError(f"expected two equal lists of scores, got shapes {a.shape} and {b.shape}")
    return interval(a - b, seed)


def ratios(found, worth, seed=0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """``(value, low, high)`` of sum of ``found`` / sum of ``worth`` over queries, for many columns at once.

    found, worth: float (n_queries, n_columns), for example the hits and the relevant documents of each
    query. For a mean over queries, ``worth`` is 1; a query that a column leaves out has 0 in both.
    Each result is float64 (n_columns,), NaN where all ``worth`` is 0.
    """
    found, worth = (np.asarray(side, dtype=np.float64) for side in (found, worth))
    drawn = np.concatenate([_ratio(counts @ found, counts @ worth) for counts in _draws(len(found), seed)])
    known = ~np.isnan(drawn)
    low, high = np.full((2, found.shape[1]), np.nan)
    for column in np.flatnonzero(known.any(axis=0)):
        # A draw may miss all of the few queries that a column counts.
        low[column], high[column] = np.percentile(drawn[known[:, column], column], [50 - LEVEL / 2, 50 + LEVEL / 2])
    return _ratio(found.sum(axis=0), worth.sum(axis=0)), low, high


def _draws(n, seed):
    """How often each of n queries was drawn, float64 (draws, n), in blocks of together ``SAMPLES`` draws."""
    rng = np.random.default_rng(seed)
    step = max(1, AT_ONCE // max(n, 1))
    for start in range(0, SAMPLES, step):
        rows = min(step, SAMPLES - start)
        drawn = rng.integers(n, size=(rows, n)) if n else np.empty((rows, 0), dtype=np.int64)
        drawn += n * np.arange(rows)[:, None]
        yield np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)


def _ratio(found, worth):
    return np.divide(found, worth, out=np.full(np.shape(found), np.nan), where=worth > 0)
