"""One encoder with many budgets of MVG, searched on test."""

import numpy as np

from ..datasets.pairs import of_queries
from ..lexical.popularity import training_popularity
from ..multiview import allocate, fit
from ..multiview.clustering import group
from ..search.index import Index
from ..search.ranking import Ranking, merge
from ..search.views import Views
from . import metrics
from .choice import choose, log_popularity


class Budgets:
    """One encoder on test: plain, with MVG at any budget, and with the popularity prior.

    The grouping of the training pairs and the search over the semantic vectors are shared by all
    budgets. Each budget's search over its behavioural vectors is merged with the latter, which gives
    the rankings of one search over both.

    documents, queries: float32 (n, dim), unit rows; train, test: :class:`mvg.datasets.pairs.Split`
    k: the cut-off of all scores
    weights: (n_test_queries,) traffic, the weights of the mean; None: equal weights
    """

    def __init__(self, documents, queries, train, test, k, seed=0, threads=1, weights=None):
        self.weights = weights
        self.documents, self.queries = documents, queries
        self.k, self.seed, self.threads = k, seed, threads
        self.popularity = training_popularity(train.pairs, len(documents))
        self.groups = group(train.pairs, len(queries), len(documents))
        self.test_queries = np.asarray(queries[test.queries])
        self.relevant, self.excluded = (of_queries(pairs, test.queries) for pairs in (test.pairs, test.excluded))
        self.semantic = self._search(Views.of(documents))

    def plain(self) -> dict:
        """``index_mfloats, recall, map`` at k of the encoder alone; in millions of floats and percent."""
        return self._scores(self.semantic, self.documents.size)

    def mvg(self, beta, m_avg) -> dict:
        """The same with behavioural vectors, ``m_avg`` a document on average, allocated by n_d^beta."""
        counts = allocate(self.popularity, round(m_avg * len(self.documents)), beta)
        vectors, owner = fit(self.documents, self.queries, self.groups, counts, seed=self.seed, threads=self.threads)
        ranking = merge(self.semantic, self._search(Views(vectors, owner))) if len(owner) else self.semantic
        return self._scores(ranking, self.documents.size + vectors.size)

    def prior(self, dev) -> dict:
        """The same with the popularity prior that ``dev`` chooses."""
        choice = choose(self.documents, self.queries, dev, self.popularity, self.k, seed=self.seed)
        views = Views.of(self.documents, prior=choice.prior * log_popularity(self.popularity))
        return self._scores(self._search(views), views.n_floats)

    def _search(self, views) -> Ranking:
        return Index(views, threads=self.threads).search(self.test_queries, self.k, self.excluded)

    def _scores(self, ranking, n_floats) -> dict:
        scores = metrics.per_query(ranking.documents, self.relevant, len(self.documents), [self.k])
        means = {
            name: float(np.average(scores[f"{name}@{self.k}"], weights=self.weights)) for name in ("recall", "map")
        }
        return {"k": self.k, "index_mfloats": n_floats / 1e6} | means
