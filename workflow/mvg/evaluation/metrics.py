"""Recall, average precision, nDCG and reciprocal rank of ranked documents, per query, in percent.

It imports only numpy, and nothing else of mvg, because encoders score dev with it.
"""

import numpy as np

AT_ONCE = 1 << 18  # ranks compared at a time: they stay in the cache


def relevance(ranked, pairs, n_documents: int) -> np.ndarray:
    """Which of the ranked documents are relevant.

    ranked: int (n_queries, k), document rows, best first and distinct within a query; -1 = no
    document. pairs: ``(query_positions, document_rows)``, the relevant documents; a position is
    a row of ``ranked``. Returns bool (n_queries, k). Raises ValueError for a row or position out of range.
    """
    ranked = _ranked(ranked, n_documents)
    return _hits(ranked, *_distinct(pairs, len(ranked), n_documents))


def recall(hits, n_relevant, k: int) -> np.ndarray:
    """Recall@k: hits in the top k / all relevant documents.

    hits: bool (n_queries, any depth), as from :func:`relevance`; n_relevant: int (n_queries,).
    Returns float64 (n_queries,) percent, NaN for a query without relevant documents.
    """
    row, _ = np.asarray(hits)[:, :k].nonzero()
    return _percent(np.bincount(row, minlength=len(hits)), n_relevant)


def average_precision(hits, n_relevant, k: int) -> np.ndarray:
    """AP@k: the sum of the precision at each hit in the top k / all relevant documents.

    The divisor is the number of relevant documents, not ``min(k, relevant)``, as in trec_eval's
    ``map_cut``. Arguments and result as in :func:`recall`.
    """
    hits = np.asarray(hits)[:, :k]
    row, rank = hits.nonzero()
    counts = np.bincount(row, minlength=len(hits))
    found = np.flatnonzero(counts)
    # Few ranks are hits, so precision is computed only for those.
    nth = np.arange(len(row)) - np.repeat(counts[found].cumsum() - counts[found], counts[found]) + 1
    precision = np.zeros((len(found), hits.shape[1]))
    precision[np.repeat(np.arange(len(found)), counts[found]), rank] = nth / (rank + 1)
    sums = np.zeros(len(hits))
    sums[found] = precision.sum(axis=1)
    return _percent(sums, n_relevant)


def ndcg(hits, n_relevant, k: int) -> np.ndarray:
    """nDCG@k of binary relevance: hits discounted by log2(rank + 1) / the same of the best ranking.

    The best ranking has min(k, relevant) hits first, as in trec_eval's ``ndcg_cut`` (Järvelin and
    Kekäläinen, TOIS 2002). Arguments and result as in :func:`recall`.
    """
    hits = np.asarray(hits)[:, :k]
    discounts = 1 / np.log2(np.arange(k) + 2)
    best = np.concatenate([[0], discounts.cumsum()])[np.minimum(n_relevant, k)]
    return _percent(hits @ discounts[: hits.shape[1]], best)


def reciprocal_rank(hits, n_relevant, k: int) -> np.ndarray:
    """RR@k: 1 / the rank of the first hit in the top k, 0 without one. Arguments and result as in :func:`recall`."""
    row, rank = np.asarray(hits)[:, :k].nonzero()
    row, first = np.unique(row, return_index=True)
    found = np.zeros(len(hits))
    found[row] = 1 / (rank[first] + 1)
    return _percent(found, np.minimum(n_relevant, 1))


METRICS = {"recall": recall, "map": average_precision, "ndcg": ndcg, "mrr": reciprocal_rank}  # in the order of tables
PAPER = ("recall", "map")  # the metrics that the paper reports


def per_query(ranked, pairs, n_documents: int, ks, metrics=PAPER) -> dict[str, np.ndarray]:
    """All metrics of a run: ``{"recall@10": float64 (n_queries,), …, "map@10": …}``.

    For each of ``metrics`` (names of ``METRICS``), at every k of ``ks``. The mean over queries of AP is
    MAP, that of RR is MRR. Other arguments as in :func:`relevance`; repeated pairs count once. A query
    without relevant documents gets NaN, for the caller to leave out and count; an empty result gets 0.
    """
    ranked = _ranked(ranked, n_documents)
    queries, documents = _distinct(pairs, len(ranked), n_documents)
    hits, n_relevant = _hits(ranked, queries, documents), np.bincount(queries, minlength=len(ranked))
    return {f"{metric}@{k}": METRICS[metric](hits, n_relevant, k) for metric in metrics for k in ks}


def _ranked(ranked, n_documents: int) -> np.ndarray:
    ranked = np.asarray(ranked)
    if ranked.dtype != np.int32:  # in a smaller type, a row beyond its range would pass for another
        ranked = ranked.astype(np.int64, copy=False)
    if ranked.ndim != 2:
        raise ValueError(f"ranked must be (n_queries, k), got shape {ranked.shape}")
    _check_range("ranked", ranked, -1, n_documents)
    return ranked


def _distinct(pairs, n_queries: int, n_documents: int) -> tuple[np.ndarray, np.ndarray]:
    """Each distinct (query, document) once, by query and then document."""
    queries, documents = (np.asarray(side, dtype=np.int64) for side in pairs)
    if queries.shape != documents.shape or queries.ndim != 1:
        raise ValueError(f"pairs must be two equal lists, got {queries.shape}, {documents.shape}")
    _check_range("query positions", queries, 0, n_queries)
    _check_range("document rows", documents, 0, n_documents)
    return np.divmod(np.unique(queries * n_documents + documents), n_documents)


def _hits(ranked, queries, documents) -> np.ndarray:
    """Look up each pair in its query's ranking; a query has far fewer relevant documents than ranks."""
    hits = np.zeros(ranked.shape, dtype=bool)
    step = max(1, AT_ONCE // max(1, ranked.shape[1]))
    for start in range(0, len(queries), step):
        query, document = queries[start : start + step], documents[start : start + step]
        pair, rank = (ranked[query] == document.astype(ranked.dtype)[:, None]).nonzero()
        hits[query[pair], rank] = True
    return hits


def _check_range(name: str, values: np.ndarray, low: int, end: int) -> None:
    if values.size and (values.min() < low or values.max() >= end):
        raise ValueError(f"{name} must lie in {low}..{end - 1}")


def _percent(found, n_relevant) -> np.ndarray:
    n_relevant = np.asarray(n_relevant)
    scores = np.full(len(n_relevant), np.nan)
    return np.divide(100.0 * found, n_relevant, out=scores, where=n_relevant > 0)
