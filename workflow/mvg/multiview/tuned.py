"""Documents learned on frozen query vectors, alone or together with the weights of shared views.

A softmax over the documents at a fixed scale (:mod:`mvg.multiview.training`): one classifier per document, which starts
at its vector. Documents without a training query do not move and are left out of the softmax. A step is two matrix
products; for large corpora, over a sample of the documents.
"""

from collections.abc import Callable

import numpy as np
from numba import njit
from scipy import sparse

from .addition import SUM, Addition, Votes, led_to
from .sampled import RowAdam, Sampler
from .sampled import step as sampled_step
from .shared import BLOCK, centers_of, largest
from .training import Adam, Checkpoint, Recipe, fingerprint, gradient, train

ALONE, TOGETHER = Recipe(), Recipe(epochs=9)
AT_SCALE = Recipe(sampled=2048, epochs=4)
MOST_DOCUMENTS = 1 << 16  # in a softmax over all of them


def tuned(
    documents, queries, pairs, on_dev: Callable | None = None, recipe: Recipe | None = None, seed=0, progress=iter,
    checkpoint=None,
) -> Addition:  # fmt: skip
    """Documents d' learned from the training pairs; a score is q . d'.

    documents, queries: float32 (n, dim); pairs: ``(query_rows, document_rows)``, repeated pairs count once
    on_dev: :class:`Addition` -> a number, larger is better; the best epoch is returned, without it the last
    recipe: None for the default; above ``MOST_DOCUMENTS`` documents it samples negatives
    checkpoint: a folder from which an interrupted training resumes, with the same bytes
    """
    if recipe is None:
        recipe = ALONE if len(documents) <= MOST_DOCUMENTS else AT_SCALE
    return _train(documents, queries, pairs, None, None, on_dev, recipe, seed, progress, checkpoint)


def shared_tuned(
    documents, queries, pairs, n_centers, width=25, nearest=10, on_dev=None, recipe=TOGETHER, seed=0,
    progress=iter, clustered=None,
) -> Addition:  # fmt: skip
    """Documents and the weights of shared views learned in one training.

    A score is q . d' + the sum of W(d | s) over the ``nearest`` centers s of the query. W has an entry where P(d | s)
    is among the ``width`` largest of its center, and starts at ``recipe.start`` times P, over the scale.

    clustered: ``(centers, P)`` of :func:`mvg.multiview.shared.centers_of`, if they are at hand
    """
    if clustered is None:
        clustered = centers_of(queries, pairs, len(documents), n_centers, seed)
    votes = Votes(clustered[0], largest(clustered[1], width), nearest, SUM)
    near = _near(queries, np.unique(pairs[0]), votes)
    return _train(documents, queries, pairs, votes, near, on_dev, recipe, seed, progress)


def _near(queries, rows, votes: Votes) -> np.ndarray:
    """The nearest centers of some queries, in no order: int32 (n_queries, nearest), zeros for all others."""
    nearest = min(votes.nearest, len(votes.centers))
    near = np.zeros((len(queries), nearest), dtype=np.int32)
    for part in np.array_split(rows, -(-len(rows) * len(votes.centers) // BLOCK) or 1):
        similarity = np.asarray(queries[part]) @ votes.centers.T
        near[part] = np.argpartition(-similarity, nearest - 1, axis=1)[:, :nearest]
    return near


def _train(documents, queries, pairs, votes, near, on_dev, recipe, seed, progress, checkpoint=None) -> Addition:
    indicator = led_to(pairs, len(queries), len(documents))
    seen = np.flatnonzero(np.bincount(indicator.indices, minlength=len(documents)))
    rows, indicator = np.flatnonzero(np.diff(indicator.indptr)), indicator[:, seen]
    learned = (RowAdam if recipe.sampled else Adam)(documents[seen], recipe.learning_rate)
    sampler = None
    if recipe.sampled:
        sampler = Sampler(np.bincount(indicator.indices), len(rows), recipe.batch, recipe.sampled, seed)
    weights, columns = None, None
    if votes is not None:
        columns = np.searchsorted(seen, votes.shares.indices)
        weights = Adam(np.float32(recipe.start) * votes.shares.data, recipe.votes_learning_rate)

    def addition():
        everything = np.array(documents, dtype=np.float32)
        everything[seen] = learned.values
        if votes is None:
            return Addition(everything)
        values = weights.values / np.float32(recipe.scale)
        shares = sparse.csr_matrix((values, votes.shares.indices, votes.shares.indptr), votes.shares.shape)
        return Addition(everything, votes=votes._replace(shares=shares))

    def step(part):
        batch, relevant = np.asarray(queries[part], dtype=np.float32), indicator[part]
        if sampler is not None:
            return sampled_step(learned, batch, relevant, sampler, recipe.scale)
        logits = (batch @ learned.values.T) * np.float32(recipe.scale)
        if votes is not None:
            voters = near[part], votes.shares.indptr, columns
            _add_votes(logits, *voters, weights.values)
        gradient(logits, relevant.indptr, relevant.indices)
        learned.step((logits.T @ batch) * np.float32(recipe.scale))
        if votes is not None:
            weights.step(_votes_gradient(logits, *voters, len(weights.values)))

    kept = None
    if checkpoint is not None:
        key = fingerprint(recipe, seed, *(np.asarray(side) for side in pairs), documents, queries[rows[:1000]])
        kept = Checkpoint(checkpoint, learned.state, key, Addition)
    return train(rows, step, addition, on_dev, recipe, seed, progress, kept)


@njit(cache=True, nogil=True)
def _add_votes(logits, near, starts, columns, weights):
    for i in range(len(near)):
        for center in near[i]:
            for j in range(starts[center], starts[center + 1]):
                logits[i, columns[j]] += weights[j]


@njit(cache=True, nogil=True)
def _votes_gradient(gradient, near, starts, columns, n_weights):
    result = np.zeros(n_weights, dtype=np.float32)
    for i in range(len(near)):
        for center in near[i]:
            for j in range(starts[center], starts[center + 1]):
                result[j] += gradient[i, columns[j]]
    return result
