"""The two-sided macro sign test, which marks the paper's tables."""

from typing import NamedTuple

import numpy as np
from scipy.stats import binom

SIGNIFICANT = 0.001  # the paper's level


class SignTest(NamedTuple):
    """How often a beat b, query by query, and how likely that split is by chance."""

    wins: int
    losses: int
    ties: int
    p_value: float


def sign_test(a, b) -> SignTest:
    """Macro sign test of two methods on the same queries (Yang and Liu, SIGIR 1999).

    a, b: float (n_queries,), the per-query scores of one metric, in the same order. Ties are
    dropped; the p-value is the exact two-sided binomial(wins + losses, 1/2), and 1 if every query
    ties. Raises ValueError for shapes that differ or are not one-dimensional, and for NaN.

    A small p-value says that the methods differ; only wins > losses says that a is better.
    """
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(f"expected two equal lists of scores, got shapes {a.shape} and {b.shape}")
    if np.isnan(a).any() or np.isnan(b).any():
        raise ValueError("scores must not be NaN: leave out queries without relevant documents")
    wins, losses = int(np.count_nonzero(a > b)), int(np.count_nonzero(a < b))
    untied = wins + losses
    fewer = min(wins, losses)
    # Both tails of a symmetric distribution; scipy's binomtest would search for the start of the other tail.
    p_value = min(1.0, float(binom.cdf(fewer, untied, 0.5) + binom.sf(untied - fewer - 1, untied, 0.5)))
    return SignTest(wins, losses, len(a) - untied, p_value)
