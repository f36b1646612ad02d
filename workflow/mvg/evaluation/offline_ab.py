"""The part of the paper's A/B test (section 6.2) that needs no live traffic: sparse results and latency."""

from time import perf_counter

import numpy as np

from ..search.index import Index
from ..search.views import Views
from .significance import sign_test
from .traffic import weighted_mean

SPARSE_BELOW = 16  # documents above the threshold, as in the paper
SPARSE_ON_DEV = 0.1  # share of dev traffic with sparse results, which sets the threshold
K = 100  # of the searches that are timed
TIMED, REPEATS = 300, 3  # queries drawn by traffic, and searches of each, of which the fastest counts


def offline_ab(documents, behavioural, queries, dev, test, weights, seed=0) -> dict:
    """Sparse results and latency of MVG against its base encoder.

    documents, queries: float32 (n, dim); behavioural: ``(vectors, owner)``; dev, test: query rows;
    weights: (n_queries,) traffic of all queries

    A query's results are sparse if fewer than 16 distinct documents score above a threshold. At this
    threshold the base has sparse results on a tenth of dev traffic. A document's score over a superset
    of vectors is never lower, so with one threshold for both, MVG cannot have more sparse results,
    however good or bad it is. ``own_threshold`` applies the same rule to MVG's own scores.

    Returns ``{"threshold": {"base", "mvg"}, "sparse_results_percent": {"base", "mvg", "mvg_own_threshold"},
    "wins", "losses", "p_value", "latency_ratio": {"p50", "p90", "p99"}}``: percent of the traffic, and
    the sign test over queries that are sparse with the base alone (wins) or with MVG alone (losses).
    """
    indexes = {"base": Index(Views.of(documents)), "mvg": Index(Views.of(documents, behavioural))}

    def weakest(name, rows):
        """Score of the last of 16 documents; -inf if there are fewer."""
        return indexes[name].search(queries[rows], SPARSE_BELOW).scores[:, -1]

    threshold = {name: weighted_quantile(weakest(name, dev), weights[dev], SPARSE_ON_DEV) for name in indexes}
    scores = {name: weakest(name, test) for name in indexes}
    sparse = {
        "base": scores["base"] < threshold["base"],
        "mvg": scores["mvg"] < threshold["base"],
        "mvg_own_threshold": scores["mvg"] < threshold["mvg"],
    }
    test_of_both = sign_test(sparse["base"], sparse["mvg"])
    return {
        "threshold": threshold,
        "sparse_results_percent": {name: 100 * weighted_mean(some, weights[test]) for name, some in sparse.items()},
        "wins": test_of_both.wins,
        "losses": test_of_both.losses,
        "p_value": test_of_both.p_value,
        "latency_ratio": latency_ratio(indexes["mvg"], indexes["base"], queries, test, weights[test], seed),
    }


def weighted_quantile(values, weights, share) -> float:
    """The smallest value such that at least ``share`` of the weight is at or below it."""
    order = np.argsort(values, kind="stable")
    cumulative = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(cumulative, share * cumulative[-1])])


def latency_ratio(index, base, queries, rows, weights, seed=0) -> dict[str, float]:
    """Percentiles of the time of ``index`` for a single query, divided by those of ``base``; one thread.

    Queries are drawn by traffic. The two indexes take turns, so that a busy machine slows both.
    """
    drawn = np.random.default_rng(seed).choice(rows, TIMED, p=weights / weights.sum())
    seconds = np.empty((2, REPEATS, TIMED))
    for repeat in range(REPEATS):
        for i, row in enumerate(drawn):
            for which, searched in enumerate((index, base)):
                start = perf_counter()
                searched.search(queries[row : row + 1], K)
                seconds[which, repeat, i] = perf_counter() - start
    ours, theirs = np.percentile(seconds.min(axis=1), [50, 90, 99], axis=1).T
    return dict(zip(("p50", "p90", "p99"), (ours / theirs).tolist(), strict=True))
