"""What is chosen on dev after encoding: the popularity prior and the bias of behavioural views.

``prior+x`` scores a document s + b log p(d), with p(d) = (n_d + 1) / (N + D) the smoothed training
popularity; with MVG, every behavioural vector may carry one more bias c, or be left out at all.
Both are ours, not the paper's. In-batch negatives come in proportion to popularity, so a softmax at
scale s underrates popular documents by log p(d) / s: expect b near 1 / s there, and near 0 for an
encoder that was trained against the whole corpus.
"""

from typing import NamedTuple

import numpy as np

from ..data.pairs import of_queries
from ..search.ranking import rank_scores
from . import metrics

PRIORS = (0, 0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15, 0.2, 0.3)
VIEW_BIASES = (None, -0.3, -0.2, -0.15, -0.1, -0.07, -0.05, -0.03, -0.015, 0.0, 0.03)
MOST_QUERIES = 2000  # of dev: enough to choose two numbers
BATCH = 500


class Choice(NamedTuple):
    """``prior`` b; ``view_bias`` c, or None for no behavioural vectors; one trial a grid point."""

    prior: float
    view_bias: float | None
    trials: list[dict]


def log_popularity(popularity) -> np.ndarray:
    """log p(d), float64 (n_documents,), p(d) = (n_d + 1) / (N + D)."""
    n = np.asarray(popularity, dtype=np.float64)
    return np.log((n + 1) / (n.sum() + len(n)))


def choose(documents, queries, split, popularity, k, behavioural=None, seed=0, progress=iter) -> Choice:
    """The prior, and with ``behavioural`` the view bias, with the best Recall@k + MAP@k on dev.

    documents, queries: float32 (n, dim); split: the dev :class:`mvg.data.Split`
    behavioural: ``(vectors, owner)`` or None

    One coordinate after the other, from no views and from unbiased views: the grid's ends of
    ``prior+x`` and ``mvg+x`` are both among the trials, so on dev the choice is at least as good as
    either. Equal scores go to the earlier trial.
    """
    table = DevScores(documents, queries, split, popularity, k, behavioural, seed)
    trials = []

    def best(priors, view_biases):
        """Try a line of the grid; its best (prior, view bias)."""
        for b, c in progress([(b, c) for b in priors for c in view_biases]):
            recall, average_precision = table(b, c)
            trials.append(dict(prior=b, view_bias=c, recall=recall, map=average_precision))
        return winner(trials[-len(priors) * len(view_biases) :])

    def winner(some):
        trial = max(some, key=lambda trial: trial["recall"] + trial["map"])
        return trial["prior"], trial["view_bias"]

    for start in [None] if behavioural is None else [None, 0.0]:
        prior, _ = best(PRIORS, [start])
        if behavioural is not None:
            best([prior], VIEW_BIASES)
    if winner(trials)[1] is not None:
        best(PRIORS, [winner(trials)[1]])
    prior, view_bias = winner(trials)
    return Choice(float(prior), view_bias, trials)


class DevScores:
    """Mean (Recall@k, MAP@k) of dev, in percent, for a prior and a view bias; arguments as :func:`choose`."""

    def __init__(self, documents, queries, split, popularity, k, behavioural=None, seed=0):
        rows = split.queries
        if len(rows) > MOST_QUERIES:
            rows = np.sort(np.random.default_rng(seed).choice(rows, MOST_QUERIES, replace=False))
        self.rows, self.k, self.log_share = rows, k, log_popularity(popularity).astype(np.float32)
        self.queries = np.asarray(queries[rows])
        self.semantic, self.views, self.owners = np.asarray(documents), None, None
        if behavioural is not None:
            self.views, owner = behavioural
            self.owners, self.first = np.unique(owner, return_index=True)
        self.relevant, self.excluded = of_queries(split.pairs, rows), split.excluded

    def __call__(self, prior, view_bias):
        ranking = rank_scores(
            lambda rows: self._score(np.searchsorted(self.rows, rows), prior, view_bias),
            self.rows,
            self.excluded,
            self.k,
            BATCH,
        )
        scores = metrics.per_query(ranking.documents, self.relevant, len(self.semantic), [self.k])
        return float(scores[f"recall@{self.k}"].mean()), float(scores[f"map@{self.k}"].mean())

    def _score(self, positions, prior, view_bias):
        queries = self.queries[positions]
        scores = queries @ self.semantic.T
        if view_bias is not None:
            best_view = np.maximum.reduceat(queries @ self.views.T, self.first, axis=1)
            scores[:, self.owners] = np.maximum(scores[:, self.owners], best_view + np.float32(view_bias))
        return scores + np.float32(prior) * self.log_share
