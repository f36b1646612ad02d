"""Propensity-scored recall, in which finding a rare document counts more than finding a popular one.

A rare document may have been relevant more often than was recorded. The model of Jain et al. (KDD 2016) gives the
probability p(d) that a relevant document is recorded as such; a hit counts 1 / p(d).
"""

import numpy as np

from . import metrics

A, B = 0.55, 1.5  # the defaults of Jain et al.


def inverse_propensity(popularity, n_queries: int) -> np.ndarray:
    """1 / p(d) = 1 + C (n_d + B)^-A, C = (log N - 1)(B + 1)^A; float64 (n_documents,), at least 1.

    popularity: (n_documents,) training queries of each document, n_d; n_queries: training queries, N
    """
    constant = max(np.log(max(n_queries, 1)) - 1, 0) * (B + 1) ** A  # below e queries p would exceed 1
    return 1 + constant * (np.asarray(popularity, dtype=np.float64) + B) ** -A


def worth(objective: str, popularity, n_queries: int) -> np.ndarray | None:
    """The weight of a hit in choices on dev: 1 / p(d) for ``multiview.objective: propensity``, None for ``mean``."""
    return inverse_propensity(popularity, n_queries) if objective == "propensity" else None


def weighted_recall(ranked, pairs, worth, k: int) -> np.ndarray:
    """The worth of each query's hits in the top k, in percent of the average worth of a query's relevant documents.

    float64 (n_queries,). Their mean is the propensity-scored recall@k: worth of all hits / worth of all
    relevant documents. It is a ratio of sums, because a mean of ratios would count a query's only
    relevant document as 1, rare or not.

    ranked, pairs: as in :func:`mvg.evaluation.metrics.relevance`; worth: (n_documents,) weight of a hit
    """
    ranked = np.asarray(ranked)[:, :k]
    found, total = found_and_worth(metrics.relevance(ranked, pairs, len(worth)), ranked, pairs, worth)
    return 100 * found / total.mean()


def found_and_worth(hits, ranked, pairs, worth) -> tuple[np.ndarray, np.ndarray]:
    """Both sums of that ratio for each query: float64 (n_queries,), worth of its hits and of its relevant documents.

    hits: bool, in the shape of ``ranked``: whether each is relevant (:func:`mvg.evaluation.metrics.relevance`)
    """
    worth = np.asarray(worth, dtype=np.float64)
    keys = np.unique(np.asarray(pairs[0], dtype=np.int64) * len(worth) + pairs[1])  # repeated pairs count once
    queries, documents = np.divmod(keys, max(len(worth), 1))
    query, place = hits.nonzero()
    found = np.bincount(query, worth[ranked[query, place]], minlength=len(ranked))
    return found, np.bincount(queries, worth[documents], minlength=len(ranked))
