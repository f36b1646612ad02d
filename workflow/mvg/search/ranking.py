"""Rankings: the k best documents of each query, ties by document row."""

from typing import NamedTuple

import numpy as np

from ..datasets.pairs import of_queries


class Ranking(NamedTuple):
    """``documents`` int32 (n_queries, k), best first, -1 for none; ``scores`` float64."""

    documents: np.ndarray
    scores: np.ndarray


def top_k(scores: np.ndarray, k: int) -> Ranking:
    """The k best columns of each row; equal scores go by column. -inf is never returned."""
    n, width = scores.shape
    k_found = min(k, width)
    documents = np.full((n, k), -1, dtype=np.int32)
    best = np.full((n, k), -np.inf)
    threshold = np.partition(scores, width - k_found, axis=1)[:, width - k_found]
    for i, (row, least) in enumerate(zip(scores, threshold, strict=True)):
        above = np.flatnonzero(row > least)
        equal = np.flatnonzero(row == least)[: k_found - len(above)]
        chosen = np.concatenate([above[np.argsort(-row[above], kind="stable")], equal])
        chosen = chosen[row[chosen] > -np.inf]
        documents[i, : len(chosen)] = chosen
        best[i, : len(chosen)] = row[chosen]
    return Ranking(documents, best)


def rank_scores(score, rows, excluded, k, batch, progress=iter) -> Ranking:
    """Rank by a function that computes dense scores, ``batch`` queries at a time.

    score: int rows (n,) -> float (n, n_documents); rows: sorted query rows to rank
    excluded: (query_rows, document_rows) to leave out of rankings
    """
    hidden_at, hidden = of_queries(excluded, rows)
    parts = []
    for start in progress(range(0, len(rows), batch)):
        scores = score(rows[start : start + batch])
        inside = (hidden_at >= start) & (hidden_at < start + len(scores))
        scores[hidden_at[inside] - start, hidden[inside]] = -np.inf
        parts.append(top_k(scores, k))
    return Ranking(*(np.concatenate(side) for side in zip(*parts, strict=True)))


def merge(a: Ranking, b: Ranking) -> Ranking:
    """The ranking by two sets of vectors together, from the ranking by each; all have k documents.

    A document counts once, with the better of its scores; equal scores go by document row. The result is
    exact: a document among the k best owes its score to one of the sets, and is among its k best as well.
    """
    k = a.documents.shape[1]
    documents = np.concatenate([a.documents, b.documents], axis=1)
    scores = np.concatenate([a.scores, b.scores], axis=1)
    # Sorted by document, its better score first, so that its second entry is a repetition.
    order = np.lexsort((-scores, documents))
    documents, scores = (np.take_along_axis(side, order, axis=1) for side in (documents, scores))
    again = np.diff(documents, axis=1, prepend=-1) == 0
    scores[again] = -np.inf  # comes after -1 among those without a score, so it is cut off
    order = np.lexsort((documents, -scores))[:, :k]
    return Ranking(*(np.take_along_axis(side, order, axis=1) for side in (documents, scores)))
