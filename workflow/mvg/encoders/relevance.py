"""Pairs in training: which documents are not negatives, and how dev is scored."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from scipy import sparse

from ..datasets.pairs import Split, of_queries
from ..evaluation import metrics

DEV_BATCH = 64  # queries scored at a time on dev: 256 MB for a million documents


@dataclass
class TrainingData:
    """Corpus and all queries, as texts or tokenized by the encoder, and the splits in their rows."""

    documents: Any  # has a length
    queries: Any
    train: Split
    dev: Split


def known_pairs(split: Split) -> tuple[np.ndarray, np.ndarray]:
    """Relevant and filtered pairs together: none of them may be a negative."""
    return tuple(np.concatenate(sides) for sides in zip(split.pairs, split.excluded, strict=True))


def pair_matrix(pairs, n_queries: int, n_documents: int) -> sparse.csr_matrix:
    """Pairs as a bool matrix of queries x documents."""
    return sparse.csr_matrix((np.ones(len(pairs[0]), dtype=bool), pairs), shape=(n_queries, n_documents))


def dense_rows(matrix: sparse.csr_matrix, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """``matrix[rows][:, columns]`` as a dense bool array, for sorted ``columns``."""
    selected = matrix[rows]
    place = np.searchsorted(columns, selected.indices)
    place[place == len(columns)] = 0
    inside = columns[place] == selected.indices
    row = np.repeat(np.arange(len(rows)), np.diff(selected.indptr))
    dense = np.zeros((len(rows), len(columns)), dtype=bool)
    dense[row[inside], place[inside]] = True
    return dense


def softmax_loss(logits: torch.Tensor, relevant: torch.Tensor, known: torch.Tensor) -> torch.Tensor:
    """Mean over relevant pairs of -log softmax against the documents not known to be relevant.

    logits (queries, documents); relevant, known: bool of that shape; known includes relevant
    """
    negatives = logits.masked_fill(known, -torch.inf).logsumexp(1, keepdim=True)
    return (torch.logaddexp(logits, negatives) - logits)[relevant].mean()


def evenly_spaced(rows: np.ndarray, n: int) -> np.ndarray:
    """``n`` of ``rows`` (all, if fewer), evenly spaced."""
    return rows[np.linspace(0, len(rows) - 1, min(n, len(rows))).astype(int)]


def recall_and_map(score, pairs, rows: np.ndarray, n_documents: int, k: int = 100) -> tuple[float, float]:
    """Mean recall@k and MAP@k in percent of some queries of dev.

    score: slice of ``rows`` -> float tensor (n, n_documents)
    pairs: (query rows, document rows), of these and possibly other queries; rows: sorted
    """
    ranked = []
    for start in range(0, len(rows), DEV_BATCH):
        scores = score(slice(start, start + DEV_BATCH))
        ranked.append(scores.topk(min(k, n_documents), dim=1).indices.cpu().numpy())
    scores = metrics.per_query(np.concatenate(ranked), of_queries(pairs, rows), n_documents, [k])
    return float(np.nanmean(scores[f"recall@{k}"])), float(np.nanmean(scores[f"map@{k}"]))
