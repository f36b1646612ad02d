"""Choices on dev after encoding: the popularity prior and the bias of behavioural views.

``prior+x`` scores a document s + b log p(d), with p(d) = (n_d + 1) / (N + D) the smoothed training
popularity. With MVG, all behavioural vectors may get a bias c, or be left out. Both are ours, not the
paper's. In-batch negatives are drawn in proportion to popularity, so a softmax at scale s underrates
popular documents by log p(d) / s. So expect b near 1 / s there, and near 0 for an encoder trained
against the whole corpus.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..datasets.pairs import by_query, of_queries
from ..io.files import text_writer
from ..search.views import TokenViews
from .ranks import MOST_SCORES, dev_rows, recall_and_ap

PRIORS = (0, 0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15, 0.2, 0.3)
VIEW_BIASES = (None, -0.3, -0.2, -0.15, -0.1, -0.07, -0.05, -0.03, -0.015, 0.0, 0.03)
MOST_TOKEN_QUERIES = 500  # for token vectors, whose sum of max-sim is slow
BATCH, MOST_AT_ONCE = 500, 1 << 26  # queries, and scores: 256 MiB


class Choice(NamedTuple):
    """``prior`` b; ``view_bias`` c, or None for no behavioural vectors; one trial a grid point."""

    prior: float
    view_bias: float | None
    trials: list[dict]

    def save(self, path) -> None:
        """Write as JSON."""
        with text_writer(path) as file:
            json.dump(self._asdict(), file, indent=1)

    @classmethod
    def load(cls, path) -> "Choice":
        """Load what :meth:`save` wrote."""
        return cls(**json.loads(Path(path).read_text(encoding="utf-8")))

    def applied(self, popularity, behavioural=None) -> tuple:
        """``(behavioural, prior, view_bias)`` for :meth:`mvg.search.views.Views.of`; no views if dev chose none."""
        prior = self.prior * log_popularity(popularity)
        return (None if self.view_bias is None else behavioural), prior, self.view_bias

    def without_views(self) -> "Choice":
        """The choice of dev without views, from the first line of the grid."""
        trials = self.trials[: len(PRIORS)]
        return Choice(float(_best(trials)["prior"]), None, trials)


def rows_over(prior: Choice, both: Choice, popularity, behavioural) -> dict[str, tuple]:
    """For each row of an encoder, the further arguments of :meth:`mvg.search.views.Views.of`."""
    return {
        "plain": (),
        "prior": prior.applied(popularity),
        "mvg": (behavioural,),
        "both": both.applied(popularity, behavioural),
    }


def log_popularity(popularity) -> np.ndarray:
    """log p(d), float64 (n_documents,), p(d) = (n_d + 1) / (N + D)."""
    n = np.asarray(popularity, dtype=np.float64)
    return np.log((n + 1) / (n.sum() + len(n)))


def choose(documents, queries, split, popularity, k, behavioural=None, seed=0, progress=iter, worth=None) -> Choice:
    """The prior, and with ``behavioural`` the view bias, with the best Recall@k + MAP@k on dev.

    documents, queries: float32 (n, dim); split: the dev :class:`mvg.datasets.pairs.Split`
    behavioural: ``(vectors, owner)`` or None
    worth: (n_documents,) weight of a hit; if given, the best weighted recall instead (:mod:`mvg.evaluation.propensity`)
    """
    table = dev_scores(documents, queries, split, popularity, k, behavioural, seed, worth)
    return _best_of_grid(table, behavioural is not None, progress)


def dev_scores(documents, queries, split, popularity, k, behavioural=None, seed=0, worth=None) -> Callable:
    """(prior, view bias) -> mean (Recall@k, MAP@k) of dev, in percent; arguments as :func:`choose`.

    With ``worth``, recall is weighted by it, and MAP is 0.
    """
    rows = dev_rows(split, len(documents), seed)
    scores = _Scores(documents, queries[rows], behavioural)
    return _Table(scores, rows, split, log_popularity(popularity), k, worth)


def choose_over_tokens(
    tokens, starts, queries, split, popularity, k, behavioural=None, progress=iter, worth=None
) -> Choice:  # fmt: skip
    """The same for a vector a token; there a bias counts once for each vector of the query.

    tokens, starts: of the documents, as in :class:`mvg.search.views.TokenViews`
    queries: float (n, width, dim), of ``split.queries``; an evenly spaced sample is used
    """
    n = min(MOST_TOKEN_QUERIES, len(queries), max(1, MOST_SCORES // (len(starts) * len(VIEW_BIASES))))
    chosen = np.linspace(0, len(queries) - 1, n).astype(int)
    scores = _TokenScores(tokens, starts, queries[chosen], behavioural)
    table = _Table(scores, split.queries[chosen], split, queries.shape[1] * log_popularity(popularity), k, worth)
    return _best_of_grid(table, behavioural is not None, progress)


def _best_of_grid(table, with_views, progress) -> Choice:
    """Search one coordinate after the other, starting from no views and from unbiased views.

    ``prior+x`` and ``mvg+x`` are both among the trials, so on dev the choice is at least as good as
    either. Of equal scores the earlier trial wins.
    """
    trials = []

    def best(priors, view_biases):
        """Try a line of the grid; its best (prior, view bias)."""
        points = [(b, c) for b in priors for c in view_biases]
        for (b, c), (recall, average_precision) in zip(points, table.line(points, progress), strict=True):
            trials.append(dict(prior=b, view_bias=c, recall=recall, map=average_precision))
        return winner(trials[-len(points) :])

    def winner(some):
        trial = _best(some)
        return trial["prior"], trial["view_bias"]

    for start in [None, 0.0] if with_views else [None]:
        prior, _ = best(PRIORS, [start])
        if with_views:
            best([prior], VIEW_BIASES)
    if winner(trials)[1] is not None:
        best(PRIORS, [winner(trials)[1]])
    prior, view_bias = winner(trials)
    return Choice(float(prior), view_bias, trials)


def _best(trials: list[dict]) -> dict:
    return max(trials, key=lambda trial: trial["recall"] + trial["map"])


class _Table:
    """Mean recall and MAP of some queries of dev for a prior and a view bias."""

    def __init__(self, scores, rows, split, log_share, k, worth=None):
        self.scores, self.n_queries, self.k, self.map = scores, len(rows), k, worth is None
        self.log_share = log_share.astype(np.float32)
        self.relevant, self.excluded = (
            by_query(of_queries(pairs, rows), len(rows)) for pairs in (split.pairs, split.excluded)
        )
        self.worth = np.ones(len(log_share)) if worth is None else np.asarray(worth, dtype=np.float64)
        whole = np.add.reduceat(self.worth[self.relevant[1]], self.relevant[0][:-1])  # of each query
        self.whole = whole if self.map else np.full(len(whole), whole.mean())
        self.unseen = np.zeros(len(log_share))  # not counted here

    def __call__(self, prior, view_bias):
        return self.line([(prior, view_bias)])[0]

    def line(self, points, progress=iter) -> list[tuple[float, float]]:
        """(recall, MAP) of each (prior, view bias). Batch by batch, since each batch costs the products of vectors."""
        batch = max(1, min(BATCH, MOST_AT_ONCE // len(self.log_share)))
        values = np.empty((len(points), self.n_queries, 2))
        nothing, ones = np.empty((0, 0), dtype=np.float32), np.ones_like(self.log_share)
        for start in progress(range(0, self.n_queries, batch)):
            part = slice(start, start + batch)
            scores = self.scores(part)
            for (prior, view_bias), out in zip(points, values, strict=True):
                recall_and_ap(
                    scores(view_bias), nothing, nothing, np.float32(0), np.float32(prior) * self.log_share, ones,
                    np.float32(1), start, *self.relevant, *self.excluded, self.worth, self.whole[part], self.unseen,
                    self.k, out[part],
                )  # fmt: skip
        return [(float(recall), float(ap) if self.map else 0.0) for recall, ap in values.mean(axis=1)]


class _Scores:
    """Slice of ``queries`` -> view bias (None: no views) -> scores of all documents."""

    def __init__(self, documents, queries, behavioural):
        self.semantic, self.queries, self.views = np.asarray(documents), np.asarray(queries), None
        if behavioural is not None:
            self.views, owner = behavioural
            self.owners, self.first = np.unique(owner, return_index=True)

    def __call__(self, batch):
        queries = self.queries[batch]
        semantic = queries @ self.semantic.T
        best_view = None

        def scores(view_bias):
            nonlocal best_view
            if view_bias is None:
                return semantic
            if best_view is None:
                best_view = np.maximum.reduceat(queries @ self.views.T, self.first, axis=1)
            biased = semantic.copy()
            biased[:, self.owners] = np.maximum(biased[:, self.owners], best_view + np.float32(view_bias))
            return biased

        return scores


class _TokenScores:
    """The same for token vectors; scoring is slow, so the scores of a view bias are kept."""

    def __init__(self, tokens, starts, queries, behavioural):
        self.given, self.behavioural, self.kept = (tokens, starts), behavioural, {}
        self.queries = np.asarray(queries, dtype=np.float32)

    def __call__(self, batch):
        return lambda view_bias: self._all(view_bias)[batch]

    def _all(self, view_bias):
        if view_bias not in self.kept:
            from ..search import maxsim  # numba comes with it

            views = TokenViews.of(*self.given, None if view_bias is None else self.behavioural, None, view_bias)
            batches = np.array_split(self.queries, -(-len(self.queries) // maxsim.BATCH))
            self.kept[view_bias] = np.concatenate([maxsim.scores(views.extend(x), *views[:2]) for x in batches])
        return self.kept[view_bias]
