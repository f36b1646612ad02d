"""Training of vectors on a log: Adam, a softmax over documents, and the best epoch on dev.

For a query and each of its documents r, the loss is log(1 + exp(logsumexp of the scores of all other documents - score
of r)). "Other" excludes the query's other relevant documents: they are not negatives. All is numpy and numba; the same
seed and number of threads give the same bytes.
"""

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit

from ..io.files import load_arrays, save_arrays

BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8  # of Adam
PATIENCE = 2  # epochs without a gain on dev before training stops


class Recipe(NamedTuple):
    """How to train; ``start`` is the weight of a share P(d | s) at the start."""

    scale: float = 20.0
    learning_rate: float = 0.002
    batch: int = 256
    epochs: int = 6
    votes_learning_rate: float = 0.02
    start: float = 0.5
    sampled: int = 0  # draws of negatives a batch (:mod:`mvg.multiview.sampled`); 0: all documents


def train(
    rows, step: Callable, result: Callable, on_dev: Callable | None, recipe: Recipe, seed=0, progress=iter,
    checkpoint: "Checkpoint | None" = None,
):  # fmt: skip
    """The ``result()`` of the best epoch on dev; without ``on_dev``, of the last epoch.

    rows: of the training queries; ``step`` gets them in batches, in a new order each epoch
    on_dev: a result -> a number, larger is better
    checkpoint: stores every epoch; an interrupted training resumes from it, with the same result
    """
    random, best, best_score, since, done = np.random.default_rng(seed), None, -np.inf, 0, 0
    if checkpoint is not None:
        best, best_score, since, done = checkpoint.load()
    for epoch in progress(range(recipe.epochs)):
        order = random.permutation(rows)
        if epoch < done:
            continue
        if since == PATIENCE:
            break
        for batch in np.array_split(order, max(1, round(len(rows) / recipe.batch))):
            step(batch)
        if on_dev is not None:
            now = result()
            score = on_dev(now)
            best, best_score, since = (now, score, 0) if score > best_score else (best, best_score, since + 1)
        if checkpoint is not None:
            checkpoint.save(best, best_score, since, epoch + 1)
    if checkpoint is not None:
        checkpoint.clear()
    return result() if best is None else best


class Checkpoint:
    """A folder with everything that a training needs to resume.

    arrays: returns the trained arrays by name, to be read and written in place
    key: a fingerprint of data and settings; a checkpoint with another key is ignored
    result_type: of results; has ``save`` and ``load``, like :class:`mvg.multiview.Addition`
    """

    def __init__(self, folder, arrays: Callable, key: str, result_type):
        self.folder, self.arrays, self.key, self.result_type = Path(folder), arrays, key, result_type

    def load(self):
        """``(best result, its score, epochs without a gain, epochs done)``; initial values if nothing fits."""
        file = self.folder / "state.npz"
        if not file.exists():
            return None, -np.inf, 0, 0
        with load_arrays(file) as kept:
            if str(kept["key"]) != self.key:
                return None, -np.inf, 0, 0
            for name, array in self.arrays().items():
                array[...] = kept[name]
            score, since, done = float(kept["score"]), int(kept["since"]), int(kept["done"])
        return (
            self.result_type.load(self.folder / f"best.{done - since}.npz") if score > -np.inf else None,
            score,
            since,
            done,
        )

    def save(self, best, score, since, done) -> None:
        """Write the best result, then the state that names it; a stop in between leaves the previous epoch."""
        self.folder.mkdir(parents=True, exist_ok=True)
        file = self.folder / f"best.{done - since}.npz"
        if best is not None and not since:
            best.save(file)
        numbers = {"score": np.float64(score), "since": np.int64(since), "done": np.int64(done)}
        save_arrays(self.folder / "state.npz", key=np.array(self.key), **numbers, **self.arrays())
        for other in self.folder.glob("best.*.npz"):
            if other != file:
                other.unlink()

    def clear(self) -> None:
        """Remove the checkpoint."""
        shutil.rmtree(self.folder, ignore_errors=True)


def fingerprint(*parts) -> str:
    """A digest of arrays and settings, which identifies a checkpoint."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(np.ascontiguousarray(part).data if isinstance(part, np.ndarray) else repr(part).encode())
    return digest.hexdigest()


class Adam:
    """Values and their moments; :meth:`step` moves the values in place."""

    def __init__(self, values: np.ndarray, learning_rate: float):
        self.values, self.rate, self.steps = np.array(values, dtype=np.float32), learning_rate, np.zeros(1, np.int64)
        self.first, self.second = np.zeros_like(self.values), np.zeros_like(self.values)

    def step(self, gradient: np.ndarray) -> None:
        """One descent step along ``gradient``, which has the shape of the values."""
        self.steps += 1
        steps = int(self.steps[0])
        rate = self.rate * np.sqrt(1 - BETA2**steps) / (1 - BETA1**steps)
        arrays = (array.reshape(-1) for array in (self.values, self.first, self.second, gradient))
        _adam(*arrays, np.float32(rate))

    def state(self) -> dict[str, np.ndarray]:
        """Its own arrays, by name."""
        return {"values": self.values, "first": self.first, "second": self.second, "steps": self.steps}


@njit(cache=True, nogil=True, fastmath=True)
def _adam(values, first, second, gradient, rate):
    for i in range(len(values)):
        first[i] = np.float32(BETA1) * first[i] + np.float32(1 - BETA1) * gradient[i]
        second[i] = np.float32(BETA2) * second[i] + np.float32(1 - BETA2) * gradient[i] * gradient[i]
        values[i] -= rate * first[i] / (np.sqrt(second[i]) + np.float32(EPSILON))


def gradient(logits, starts, relevant) -> None:
    """Turn logits (n, n_documents) into the gradient of the loss summed over all pairs, in place."""
    to_gradient(logits, starts, relevant, logits[np.repeat(np.arange(len(logits)), np.diff(starts)), relevant])


def to_gradient(logits, starts, relevant, at_relevant) -> None:
    """The same, with separate logits of the relevant documents, float32 (n_pairs,)."""
    largest = np.maximum(logits.max(axis=1, keepdims=True), np.float32(-1e30))  # all may be relevant
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
