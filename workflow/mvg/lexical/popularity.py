"""The simplest use of behaviour: how many queries have led to a document so far."""

import numpy as np


def training_popularity(pairs, n_documents: int) -> np.ndarray:
    """Number of distinct training queries of each document, the paper's n_d (section 5.1).

    pairs: ``(query_rows, document_rows)``, two int lists; a repeated pair counts once.
    Returns int64 (n_documents,). ValueError: a document row out of range.
    """
    queries, documents = (np.asarray(side, dtype=np.int64) for side in pairs)
    if documents.size and (documents.min() < 0 or documents.max() >= n_documents):
        raise ValueError(f"document rows must lie in 0..{n_documents - 1}")
    pairs = queries * n_documents + documents
    if not (pairs[1:] > pairs[:-1]).all():  # those of a prepared dataset are in order, and distinct
        documents = np.unique(pairs) % max(n_documents, 1)
    return np.bincount(documents, minlength=n_documents)


def gini(popularity) -> float:
    """Of popularity over all documents: 0 = even, near 1 = one document has all queries. NaN if there are none."""
    values = np.sort(np.asarray(popularity, dtype=np.float64))
    if not values.sum():
        return float("nan")
    places = np.arange(1, len(values) + 1)
    return float(2 * (places * values).sum() / (len(values) * values.sum()) - (len(values) + 1) / len(values))
