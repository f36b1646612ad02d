"""Builds methods by name on one log: they learn from training pairs, and dev chooses their constants.

:class:`Log` builds any name of the grammar (:mod:`mvg.names`), and ``auto``: the simplest combination within a budget
that is as good as the best of them on dev.
"""

import json
import time
from typing import NamedTuple

import numpy as np

from ..io.files import text_writer
from ..lexical.popularity import training_popularity
from ..multiview import Addition, allocate, fit
from ..multiview.adapter import adapter
from ..multiview.addition import SOFTMAX, Votes, adapted
from ..multiview.clustering import group
from ..multiview.moved import moved, pefa_xs
from ..multiview.shared import centers_for, centers_of, knn, largest, pefa_xl
from ..multiview.tuned import MOST_DOCUMENTS, shared_tuned, tuned
from ..names import Method, stored_as
from .dev import Constants, Dev
from .propensity import worth

PRIORS = (0, 0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2, 0.3)
UNSEEN = (0, -1, -0.4, -0.2, -0.15, -0.1, -0.05, -0.025, 0.025, 0.05, 0.075, 0.1, 0.15)
LENGTHS = (1, 0.85, 0.7, 0.55)  # of documents without a query
VIEW_BIASES = (0, -0.3, -0.2, -0.1, -0.05, -0.02, 0.03)
VOTES = (0.1, 0.05, 0.2, 0.3, 0.5, 0.8, 1.2, 2.0)
LEARNED_VOTES = (1.0, 0.7, 0.85, 1.2, 1.5, 2.0)
NEAREST, TEMPERATURES = (10, 30), (0.02, 0.05)
MOVES = (0.5, 1, 2, 4, 8)
SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)
PEFA_NEAREST = (10, 30, 100)
WIDTH = 25  # documents that a shared view votes for
NEAR = 10  # shared views that vote if their weights are learned
# The simplest first: without learning before with it, one search before two.
CANDIDATES = (
    "", "prior", "moved", "prior+moved", "mvg+prior", "tuned", "prior+tuned", "mvg+prior+moved", "mvg+prior+tuned",
    "shared+prior+moved", "shared+prior+tuned", "shared+tuned", "knn+prior+moved@int8", "knn+prior+tuned@int8",
    "knn+prior+moved@int4", "knn+prior+tuned@int4",
)  # fmt: skip
MOST_MAP = 0.2  # points of MAP that simplicity may cost


class Built(NamedTuple):
    """A method over an encoder, ready to be searched."""

    method: str  # its name, without the encoder; for ``auto`` that of the chosen method
    addition: Addition
    chosen: dict  # constants, by name
    dev: np.ndarray  # float64 (n dev queries, 2): recall and AP at k, in percent
    seconds: float  # of training and choosing
    trials: tuple = ()  # of ``auto``: each candidate's name, size, and recall and MAP on dev

    def facts(self) -> dict:
        """The chosen constants and the scores on dev; for ``auto``, of all candidates."""
        recall, average_precision = self.dev.mean(axis=0).tolist()
        size = {"index_ratio": self.addition.index_ratio}
        return {"method": self.method, **size, "recall": recall, "map": average_precision, **self.chosen}

    def save(self, path) -> None:
        """Write :meth:`facts`, and those of the trials, as JSON."""
        with text_writer(path) as file:
            json.dump(self.facts() | {"trials": self.trials}, file, indent=1)


class Log:
    """An encoder's vectors and the log. It builds methods, and keeps what several of them use.

    documents, queries: float32 (n, dim), unit rows; train, dev: :class:`mvg.datasets.pairs.Split`
    k: the cut-off of the scores on dev; budget: the largest index without biases, relative to one vector a document
    m_avg, beta: of own views over the encoder's vectors, as in the paper
    objective: of the choices on dev, ``mean`` or ``propensity``; see :class:`mvg.evaluation.dev.Dev`
    views: own views over the encoder's vectors for ``m_avg`` and ``beta``, if they exist already
    fit: makes own views, called like :func:`mvg.multiview.fit`
    checkpoint: a folder from which an interrupted training of documents resumes
    codes: whether ``auto`` may store vectors in fewer bytes, which only exact search can do
    """

    def __init__(
        self, documents, queries, train, dev, k, budget=1.3, m_avg=0.3, beta=0.5, seed=0, threads=1,
        objective="mean", views=None, progress=iter, fit=fit, checkpoint=None, codes=True,
    ):  # fmt: skip
        self.documents, self.all_queries, self.pairs = documents, queries, train.pairs
        self.popularity = training_popularity(train.pairs, len(documents))
        weights = worth(objective, self.popularity, len(train.queries))
        self.dev = Dev(queries, dev, self.popularity, k, seed, weights, threads)
        self.budget, self.m_avg, self.beta = budget, m_avg, beta
        self.seed, self.threads, self.progress, self.fit = seed, threads, progress, fit
        self.checkpoint, self.codes = checkpoint, codes
        self._made, self._used, self._fresh = {}, {}, set()
        if views is not None:
            self._made["views", "", "", "", round(m_avg * len(documents))] = (beta, views), 0.0

    def build(self, name: str, budget: float | None = None) -> Built:
        """The method ``name``, with or without an encoder at its end; within ``budget`` if it can grow.

        ``@int8`` and the like (:mod:`mvg.search.storage`) may follow: then what can grow has more vectors, in the same
        bytes. Raises ValueError for a name outside the grammar.
        """
        name, how = stored_as(name)
        method = Method.parse(name) if name else NOTHING
        if budget is None:
            budget = self.budget if method.documents or method.votes or method.alone or how else 1 + self.m_avg
        if method.alone == "auto":
            return self.auto(budget)
        if how and (method.votes or method.views):
            from ..search.storage import room_for

            budget = room_for(method, budget, how, *self.documents.shape, WIDTH)
        started, self._used, self._fresh = time.perf_counter(), {}, set()
        queries, matrix = self._queries(method)
        if method.alone:
            addition, chosen = self._pefa(method, queries)
        else:
            addition, chosen = self._combined(method, queries, budget)
        addition = addition._replace(adapter=matrix)
        if how:
            from ..search.storage import stored

            addition = stored(addition, how)
        # The time for parts that an earlier method made counts too.
        seconds = time.perf_counter() - started + sum(self._used.values())
        return Built("@".join(filter(None, (method.added, how))), addition, chosen, self.dev.scores(addition), seconds)

    def auto(self, budget: float | None = None, candidates=CANDIDATES) -> Built:
        """The simplest candidate that fits the budget and is as good as the best on dev, by one standard error.

        That is, the mean of the paired difference from the best is at most its standard error, and MAP is at most
        ``MOST_MAP`` below that of the best.
        """
        budget, started = self.budget if budget is None else budget, time.perf_counter()
        fitting = [name for name in candidates if self._may_fit(name, budget)]
        built = [found for name in self.progress(fitting) if fits((found := self.build(name, budget)).addition, budget)]
        trials = tuple(method.facts() for method in built)
        return choose(built, self.dev)._replace(seconds=time.perf_counter() - started, trials=trials)

    def _may_fit(self, name: str, budget: float) -> bool:
        """Whether it is worth building; of the forms of ``knn`` the first that fits."""
        name, how = stored_as(name)
        method = Method.parse(name) if name else NOTHING
        if method.votes == "knn":
            return self.codes and how == self._form_of_knn(budget)
        if method.votes == "shared":
            return self._n_centers(method, budget) > 0
        return budget > 1 or not method.views

    def _form_of_knn(self, budget) -> str | None:
        """In how few bytes all training queries fit."""
        from ..search.storage import size_of_knn

        size = len(self.documents), len(np.unique(self.pairs[0])), len(self.pairs[0]), self.documents.shape[1]
        return next((how for how in ("int8", "int4") if size_of_knn(how, *size) <= budget), None)

    def _extra(self, method, budget) -> float:
        """What own views may take, and shared views as well, relative to one vector a document."""
        return (budget - 1) / (2 if method.votes == "shared" and method.views else 1)

    def _n_centers(self, method, budget) -> int:
        """How many shared views fit."""
        return centers_for(1 + self._extra(method, budget), *self.documents.shape, WIDTH)

    def _once(self, key, make):
        """The result of ``make``, made once for all methods; its time is recorded."""
        if key not in self._made:
            started = time.perf_counter()
            self._made[key] = make(), time.perf_counter() - started
            self._fresh.add(key)
        elif key not in self._fresh:
            self._used[key] = self._made[key][1]
        return self._made[key][0]

    def _queries(self, method):
        """The queries for everything else, and the adapter, if there is one."""
        if not method.adapter:
            return self.all_queries, None
        learned = self._once("adapter", lambda: self._learn(adapter, self.documents, self.all_queries)).adapter
        return self._once("adapted", lambda: adapted(self.all_queries, learned)), learned

    def _learn(self, learner, documents, queries, matrix=None, **options):
        def on_dev(addition):
            return self.dev(addition if matrix is None else addition._replace(adapter=matrix))

        return learner(documents, queries, self.pairs, on_dev=on_dev, seed=self.seed, **options)

    def _combined(self, method, queries, budget):
        key, chosen = method.adapter, {}
        matrix = self._once("adapter", None).adapter if key else None
        together = method.votes == "shared" and method.documents == "tuned" and len(self.documents) <= MOST_DOCUMENTS
        extra, n_centers = self._extra(method, budget), self._n_centers(method, budget)
        if method.votes == "shared" and not n_centers:
            raise ValueError(f"'{method.added}': expected a budget with room for a shared view, not {budget:g}")
        grids = {"prior": PRIORS} if method.prior else {}
        if method.documents == "tuned":
            grids |= {"unseen": UNSEEN, "length": LENGTHS}

        if together:
            addition = self._once(("together", key, n_centers), lambda: self._learn(
                shared_tuned, self.documents, queries, matrix, n_centers=n_centers, width=WIDTH, nearest=NEAR,
                clustered=self._centers(key, queries, n_centers),
            ))  # fmt: skip
            grids["votes"] = LEARNED_VOTES
        elif method.documents == "tuned":
            addition = self._once(("tuned", key), lambda: self._learn(
                tuned, self.documents, queries, matrix, checkpoint=None if key else self.checkpoint,
            ))  # fmt: skip
        elif method.documents == "moved":
            weight, addition = self._once(
                ("moved", key, method.prior), lambda: self._moved(queries, matrix, dict(grids))
            )
            chosen["moved"] = weight
        else:
            addition = Addition(self.documents)
        addition = addition._replace(adapter=matrix)

        if method.views:
            beta, views = self._views(method, queries, addition, extra, grids)
            addition, chosen["beta"] = addition._replace(views=views), beta
            grids["view_bias"] = VIEW_BIASES if method.prior or method.documents else (0,)
        if method.votes and not together:
            addition = addition._replace(votes=self._votes(method, key, queries, n_centers, addition))
            chosen |= {"nearest": addition.votes.nearest, "temperature": addition.votes.temperature}
            grids["votes"] = VOTES
        constants = self.dev.choose(addition, grids) if grids else Constants()
        return self.dev.applied(addition, constants), chosen | constants._asdict()

    def _moved(self, queries, matrix, grids):
        """The best weight of the move on dev; each is tried with the best other constants."""

        def tried(weight):
            addition = moved(self.documents, queries, self.pairs, weight)._replace(adapter=matrix)
            constants = self.dev.choose(addition, grids) if grids else Constants()
            return self.dev(self.dev.applied(addition, constants)), weight, addition

        return max(map(tried, MOVES), key=lambda trial: trial[0])[1:]

    def _views(self, method, queries, addition, extra, grids):
        """Own views: over the encoder's vectors as in the paper, over others with the better of two betas."""
        paper = not method.documents
        total = round(extra * len(self.documents))
        groups = self._once("groups", lambda: group(self.pairs, len(queries), len(self.documents)))

        def tried(beta):
            counts = allocate(self.popularity, total, beta)
            views = self.fit(addition.documents, queries, groups, counts, seed=self.seed, threads=self.threads)
            with_views = addition._replace(views=views)
            constants = self.dev.choose(with_views, grids) if grids and not paper else Constants()
            return self.dev(self.dev.applied(with_views, constants)), beta, views

        key = ("views", method.adapter, method.documents, "" if paper else method.prior, total)
        betas = (self.beta,) if paper else dict.fromkeys((self.beta, 1))
        return self._once(key, lambda: max(map(tried, betas), key=lambda trial: trial[0])[1:])

    def _centers(self, key, queries, n_centers):
        return self._once(
            ("centers", key, n_centers),
            lambda: centers_of(queries, self.pairs, len(self.documents), n_centers, self.seed),
        )

    def _votes(self, method, key, queries, n_centers, addition) -> Votes:
        """Votes with the best number of near centers and the best temperature on dev."""
        if method.votes == "knn":
            all_votes = self._once(("knn", key), lambda: knn(self.documents, queries, self.pairs).votes)
        else:
            centers, shares = self._centers(key, queries, n_centers)
            all_votes = Votes(centers, largest(shares, WIDTH), NEAR, SOFTMAX)

        def tried(nearest, temperature):
            votes = all_votes._replace(nearest=nearest, temperature=temperature)
            with_votes = addition._replace(votes=votes)
            return self.dev(self.dev.applied(with_votes, self.dev.choose(with_votes, {"votes": VOTES}))), votes

        trials = [tried(nearest, temperature) for nearest in NEAREST for temperature in TEMPERATURES]
        return max(trials, key=lambda trial: trial[0])[1]

    def _pefa(self, method, queries):
        """PEFA as published, with its constants from dev."""
        if method.alone == "pefa-xs":
            points = {(share,): pefa_xs(self.documents, queries, self.pairs, share) for share in SHARES}
        else:
            points = {
                (share, nearest): pefa_xl(self.documents, queries, self.pairs, share, nearest)
                for share in SHARES
                for nearest in PEFA_NEAREST
            }
        best = max(points, key=lambda point: self.dev(points[point]))
        return points[best], dict(zip(("share", "nearest"), best, strict=False))


NOTHING = Method("", "", "", "", "", "", "")


def fits(addition: Addition, budget: float) -> bool:
    """Whether an index is within a budget, not counting one bias for each vector."""
    width = addition.documents.shape[1]
    return addition.index_ratio <= budget * (width + 1) / width + 1e-9


def choose(built: list[Built], dev: Dev) -> Built:
    """The first of ``built``, ordered from simple to complex, within one standard error of the best."""
    values = [dev.value(method.dev) for method in built]
    best = int(np.argmax([value.mean() for value in values]))
    return next(method for method in built if dev.as_good(built[best].dev, method.dev, MOST_MAP))
