"""Documents learned against a sample of the others, for corpora too large for a softmax over all documents.

The negatives are the documents that the batch led to, and random draws: half by popularity, half uniform. A score is
corrected by the log of the probability that its document is among them, so the sum over them estimates the sum over
all (Bengio and Senécal 2008). Only their rows move, by an Adam that counts the steps of each row.
"""

import numpy as np
from numba import njit

from .training import BETA1, BETA2, EPSILON, to_gradient


class RowAdam:
    """Like :class:`mvg.multiview.training.Adam`, for steps with a gradient for some rows only; moves ``values``."""

    def __init__(self, values: np.ndarray, learning_rate: float):
        self.values, self.rate = np.asarray(values, dtype=np.float32), learning_rate  # to be held once
        self.first, self.second = np.zeros_like(self.values), np.zeros_like(self.values)
        self.steps, self.turns = np.zeros(len(self.values), dtype=np.int32), np.zeros(1, dtype=np.int64)

    def step(self, rows: np.ndarray, gradient: np.ndarray) -> None:
        """One descent step of distinct ``rows`` along ``gradient``, float32 (n_rows, dim)."""
        self.turns += 1
        self.steps[rows] += 1
        steps = self.steps[rows]
        rates = self.rate * np.sqrt(1 - BETA2**steps) / (1 - BETA1**steps)
        _adam_rows(self.values, self.first, self.second, rows, gradient, rates.astype(np.float32))

    def state(self) -> dict[str, np.ndarray]:
        """Its own arrays, by name."""
        moments = {"first": self.first, "second": self.second}
        return {"values": self.values, **moments, "steps": self.steps, "turns": self.turns}


class Sampler:
    """Draws documents with replacement, and knows the probability that one is among the candidates of a batch.

    popularity: (n_documents,) queries that led to each; n_queries: number of queries; batch: queries in a batch
    """

    def __init__(self, popularity: np.ndarray, n_queries: int, batch: int, draws: int, seed: int = 0):
        popularity = np.asarray(popularity, dtype=np.float64)
        chance = 0.5 * popularity / popularity.sum() + 0.5 / len(popularity)
        self.cumulative, self.draws, self.seed = np.cumsum(chance), draws, seed
        log_missed = draws * np.log1p(-np.minimum(chance, 1 - 1e-9))
        log_missed += batch * np.log1p(-np.minimum(popularity / n_queries, 1 - 1e-9))
        self.log_chance = np.log(-np.expm1(log_missed)).astype(np.float32)

    def __call__(self, turn: int) -> np.ndarray:
        """Distinct rows, sorted: int64 (at most draws,); the same turn always gives the same rows."""
        random = np.random.default_rng([self.seed, turn])
        drawn = np.searchsorted(self.cumulative, random.random(self.draws) * self.cumulative[-1], side="right")
        return np.unique(np.minimum(drawn, len(self.cumulative) - 1))


def step(learned: RowAdam, batch, relevant, sampler: Sampler, scale: float) -> None:
    """One step on a batch of queries.

    batch: float32 (n, dim); relevant: CSR (n, n_documents), whose entries are the relevant documents
    """
    rows = np.union1d(sampler(int(learned.turns[0])), relevant.indices)
    columns = np.searchsorted(rows, relevant.indices)
    logits = (batch @ learned.values[rows].T) * np.float32(scale)
    at_relevant = logits[np.repeat(np.arange(len(batch)), np.diff(relevant.indptr)), columns]
    logits -= sampler.log_chance[rows]
    logits[np.repeat(np.arange(len(batch)), np.diff(relevant.indptr)), columns] = -np.inf
    to_gradient(logits, relevant.indptr, columns, at_relevant)
    learned.step(rows, (logits.T @ batch) * np.float32(scale))


@njit(cache=True, nogil=True, fastmath=True)
def _adam_rows(values, first, second, rows, gradient, rates):
    for i in range(len(rows)):
        row = rows[i]
        for c in range(values.shape[1]):
            g = gradient[i, c]
            first[row, c] = np.float32(BETA1) * first[row, c] + np.float32(1 - BETA1) * g
            second[row, c] = np.float32(BETA2) * second[row, c] + np.float32(1 - BETA2) * g * g
            values[row, c] -= rates[i] * first[row, c] / (np.sqrt(second[row, c]) + np.float32(EPSILON))
