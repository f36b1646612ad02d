"""A linear map of the query, learned on frozen vectors; the documents do not change."""

import numpy as np

from .addition import Addition, led_to, unit
from .training import Adam, Recipe, gradient, train

ALONE = Recipe()


def adapter(documents, queries, pairs, on_dev=None, recipe=ALONE, seed=0, progress=iter) -> Addition:
    """q' = unit(A q) with A, dim x dim, learned from the training pairs; it starts as the identity.

    Loss, recipe and other arguments as for :func:`mvg.multiview.tuned.tuned`.
    """
    indicator = led_to(pairs, len(queries), len(documents))
    seen = np.flatnonzero(np.bincount(indicator.indices, minlength=len(documents)))
    rows, indicator = np.flatnonzero(np.diff(indicator.indptr)), indicator[:, seen]
    targets = np.asarray(documents[seen], dtype=np.float32)
    learned = Adam(np.eye(documents.shape[1], dtype=np.float32), recipe.learning_rate)

    def step(part):
        batch, relevant = np.asarray(queries[part], dtype=np.float32), indicator[part]
        mapped = batch @ learned.values.T
        norms = np.maximum(np.linalg.norm(mapped, axis=1, keepdims=True), 1e-12)
        mapped = unit(mapped)
        logits = (mapped @ targets.T) * np.float32(recipe.scale)
        gradient(logits, relevant.indptr, relevant.indices)
        back = (logits @ targets) * np.float32(recipe.scale)
        # Gradient through the norm: its component along q' has no effect.
        back = (back - (back * mapped).sum(axis=1, keepdims=True) * mapped) / norms
        learned.step(back.T @ batch)

    def result():
        return Addition(documents, adapter=learned.values.copy())

    return train(rows, step, result, on_dev, recipe, seed, progress)
