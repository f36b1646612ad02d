"""How vectors are trained on a log: Adam, a softmax over documents, and the epoch that is best on dev.

For a query and each of its documents r, the loss is log(1 + exp(logsumexp of the scores of all other documents - score
of r)): the other relevant documents are no negatives. In numpy and numba: the same bytes from the same seed and number
of threads.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit

BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8  # of Adam
PATIENCE = 2  # epochs without a gain on dev before training stops


class Recipe(NamedTuple):
    """How to train; ``start`` is the weight of a share P(d | s) at the start."""

    scale: float = 20.0
    learning_rate: float = 0.002
    batch: int = 256
    epochs: int = 6
    votes_learning_rate: float = 0.02
    start: float = 4.0


def train(rows, step: Callable, result: Callable, on_dev: Callable | None, recipe: Recipe, seed=0, progress=iter):
    """The ``result()`` of the epoch that is best on dev; of the last one without ``on_dev``.

    rows: of the training queries, which go to ``step`` in batches, in another order each epoch
    on_dev: a result -> a number, larger is better
    """
    random, best, best_score, since = np.random.default_rng(seed), None, -np.inf, 0
    for _ in progress(range(recipe.epochs)):
        for batch in np.array_split(random.permutation(rows), max(1, round(len(rows) / recipe.batch))):
            step(batch)
        if on_dev is None:
            continue
        now = result()
        score = on_dev(now)
        if score > best_score:
            best, best_score, since = now, score, 0
        elif (since := since + 1) == PATIENCE:
            break
    return result() if best is None else best


class Adam:
    """Values and their moments; :meth:`step` moves the values in place."""

    def __init__(self, values: np.ndarray, learning_rate: float):
        self.values, self.rate, self.steps = np.array(values, dtype=np.float32), learning_rate, 0
        self.first, self.second = np.zeros_like(self.values), np.zeros_like(self.values)

    def step(self, gradient: np.ndarray) -> None:
        """One step down ``gradient``, which has the shape of the values."""
        self.steps += 1
        rate = self.rate * np.sqrt(1 - BETA2**self.steps) / (1 - BETA1**self.steps)
        arrays = (array.reshape(-1) for array in (self.values, self.first, self.second, gradient))
        _adam(*arrays, np.float32(rate))


@njit(cache=True, nogil=True, fastmath=True)
def _adam(values, first, second, gradient, rate):
    for i in range(len(values)):
        first[i] = np.float32(BETA1) * first[i] + np.float32(1 - BETA1) * gradient[i]
        second[i] = np.float32(BETA2) * second[i] + np.float32(1 - BETA2) * gradient[i] * gradient[i]
        values[i] -= rate * first[i] / (np.sqrt(second[i]) + np.float32(EPSILON))


def gradient(logits, starts, relevant) -> None:
    """Turn logits (n, n_documents) into the gradient of the loss summed over all pairs, in place."""
    at_relevant = logits[np.repeat(np.arange(len(logits)), np.diff(starts)), relevant]
    largest = logits.max(axis=1, keepdims=True)
    logits -= largest
    np.exp(logits, out=logits)
    _to_gradient(logits, largest[:, 0], starts, relevant, at_relevant)


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _to_gradient(exponentials, largest, starts, relevant, at_relevant):
    """d loss / d logit: sum over r of sigmoid(L - s_r) * softmax of the others, and -sigmoid(L - s_r) at r."""
    for i in range(len(exponentials)):
        row, span = exponentials[i], range(starts[i], starts[i + 1])
        for j in span:
            row[relevant[j]] = 0
        total = 0.0
        for d in range(len(row)):
            total += row[d]
        missed = 0.0
        for j in span:
            # sigmoid(log total + largest - s_r), written so that nothing overflows.
            missing = total / (total + np.exp(np.float64(at_relevant[j]) - largest[i]))
            missed += missing
            at_relevant[j] = -missing
        factor = np.float32(missed / max(total, 1e-30))
        for d in range(len(row)):
            row[d] *= factor
        for j in span:
            row[relevant[j]] = at_relevant[j]
