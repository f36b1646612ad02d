"""Propensity-scored recall: what finding a rare document is worth beside a popular one.

A document that few queries led to may have been right more often than anybody noted. The model of Jain et al. (KDD
2016) gives the chance p(d) that a relevant document is noted as such; a hit counts 1 / p(d).
"""

import numpy as np

from . import metrics

A, B = 0.55, 1.5  # as Jain et al. have them where nothing else is known


def inverse_propensity(popularity, n_queries: int) -> np.ndarray:
    """1 / p(d) = 1 + C (n_d + B)^-A, C = (log N - 1)(B + 1)^A; float64 (n_documents,), at least 1.

    popularity: (n_documents,) training queries of each document, n_d; n_queries: training queries, N
    """
    constant = max(np.log(max(n_queries, 1)) - 1, 0) * (B + 1) ** A  # below e queries p would exceed 1
    return 1 + constant * (np.asarray(popularity, dtype=np.float64) + B) ** -A


def worth(objective: str, popularity, n_queries: int) -> np.ndarray:
    """What a hit counts under ``multiview.objective``: 1 for ``mean``, 1 / p(d) for ``propensity``."""
    if objective == "mean":
        return np.ones(len(popularity))
    return inverse_propensity(popularity, n_queries)


def weighted_recall(ranked, pairs, worth, k: int) -> np.ndarray:
    """Worth of the hits in the top k / worth of all relevant documents, in percent: float64 (n_queries,).

    ranked, pairs: as in :func:`mvg.evaluation.metrics.relevance`; worth: (n_documents,) what a hit counts.
    NaN for a query without relevant documents.
    """
    ranked, worth = np.asarray(ranked), np.asarray(worth, dtype=np.float64)
    hits = metrics.relevance(ranked, pairs, len(worth))[:, :k]
    keys = np.unique(np.asarray(pairs[0], dtype=np.int64) * len(worth) + pairs[1])  # repeated pairs count once
    queries, documents = np.divmod(keys, max(len(worth), 1))
    found = (hits * worth[ranked[:, :k]]).sum(axis=1)
    total = np.bincount(queries, worth[documents], minlength=len(ranked))
    return np.divide(100 * found, total, out=np.full(len(found), np.nan), where=total > 0)
