"""What training needs to know of pairs: which documents are no negatives, and how dev is scored."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from scipy import sparse

from ..data.pairs import of_queries
from ..data.prepared import Split
from ..evaluation import metrics


@dataclass
class TrainingData:
    """Corpus and all queries, tokenized by the encoder, and the splits in their rows."""

    documents: Any  # of a length
    queries: Any
    train: Split
    dev: Split


def known_pairs(split: Split) -> tuple[np.ndarray, np.ndarray]:
    """Relevant and filtered pairs together: none of them is a negative."""
    return tuple(np.concatenate(sides) for sides in zip(split.pairs, split.excluded))


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


def recall_and_map(x: np.ndarray, y: np.ndarray, pairs, rows: np.ndarray, k: int = 100) -> tuple[float, float]:
    """Mean recall@k and MAP@k in percent, of queries ``rows`` (sorted) with vectors ``x`` over documents ``y``.

    pairs: (query rows, document rows), of these and maybe of other queries
    """
    documents = torch.from_numpy(y)
    parts = torch.from_numpy(x).split(1024)
    ranked = np.concatenate([(part @ documents.T).topk(min(k, len(y)), dim=1).indices.numpy() for part in parts])
    scores = metrics.per_query(ranked, of_queries(pairs, rows), len(y), [k])
    return float(scores[f"recall@{k}"].mean()), float(scores[f"map@{k}"].mean())
