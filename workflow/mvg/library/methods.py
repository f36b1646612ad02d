"""From the name of a method to what stands in an index: constants chosen on dev, what was learned, how well it does."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..datasets.pairs import Split
from ..evaluation import combinations
from ..lexical.popularity import training_popularity
from ..multiview import Addition, Behavioural, allocate, fit
from ..multiview.clustering import Groups, group
from ..names import Method, stored_as
from . import inputs
from .log import Dev, Log

PLAIN = "plain"
MOST_BUDGET = 1_000_000
NOTHING = np.empty(0, dtype=np.int64)


class Settings(NamedTuple):
    """What an index is built with, beside its log."""

    method: str
    budget: float = 1.3  # floats of the index, as a multiple of those of the documents
    beta: float = 0.5
    seed: int = 0
    k: int = 100  # depth at which dev compares
    m_avg: float | None = None  # own views a document over the encoder's vectors; None: what the budget leaves
    objective: str = "mean"  # of the choices on dev; see mvg.evaluation.dev.Dev

    @property
    def views_a_document(self) -> float:
        return self.budget - 1 if self.m_avg is None else self.m_avg

    @classmethod
    def of(cls, method, budget, seed, k, beta=0.5) -> "Settings":
        """Checked: ValueError for what is none."""
        budget = inputs.number(budget, "budget", 1, MOST_BUDGET)
        beta = inputs.number(beta, "beta", 0, 100)
        return cls(method, budget, beta, inputs.whole(seed, "seed", 0), inputs.whole(k, "k", 1))


class Fitted(NamedTuple):
    """What stands in an index.

    method: its name; of ``auto``, what dev chose
    constants: what dev chose, by name
    metrics: on dev: ``k``, ``queries``, and in percent the recall and MAP of ``plain`` and of the method; or empty
    counts: int64 (n_documents,), the budget of the own views, if there are any
    """

    method: str
    constants: dict[str, Any]
    metrics: dict[str, Any]
    addition: Addition
    counts: np.ndarray | None


class Kept(NamedTuple):
    """Own views of an earlier build, and what they were fitted to."""

    documents: np.ndarray
    groups: Groups
    counts: np.ndarray
    views: Behavioural


def check_method(method: str, weighted: bool = False) -> None:
    """Raise ValueError for a name that the grammar does not have, and for weights where nothing takes them."""
    if not isinstance(method, str) or not method.isprintable() or method.endswith("+"):
        raise ValueError(f"method must be a name such as mvg+prior, not {method!r}")
    parts = () if method == PLAIN else _parsed(method).parts
    if weighted and not set(parts) <= {"mvg", "prior"}:
        raise ValueError(f"weights go with the methods mvg and mvg+prior: '{method}' counts each pair once")


def _parsed(method: str) -> Method:
    found = Method.parse(stored_as(method)[0])
    if found.encoder:
        raise ValueError(f"method '{method}' names an encoder: expected what goes over it, such as mvg+prior")
    return found


def fitted(
    log: Log, settings: Settings, dev: Dev | None, threads: int, progress: Callable, kept=None, codes=True,
) -> Fitted:  # fmt: skip
    """What ``settings.method`` makes of the log; constants are chosen on ``dev``, or on a tenth of the log.

    codes: as for :class:`mvg.evaluation.combinations.Log`
    """
    name = settings.method
    if dev is None and name in (PLAIN, "mvg"):  # nothing is chosen
        views, counts = _paper_views(log, settings, threads, kept) if name == "mvg" else (None, None)
        return Fitted(name, {}, {}, Addition(log.documents, views), counts)
    queries, train, held = log.with_dev(dev, settings.seed)
    if not len(train.queries) and name not in (PLAIN, "mvg"):
        raise ValueError(f"method '{name}' learns from pairs: expected at least one")
    refit = Refit(group(train[:2], len(queries), len(log.documents), train.weights), kept)
    builder = combinations.Log(
        log.documents, queries, Split(np.unique(train.queries), train[:2], (NOTHING, NOTHING)), held,
        settings.k, settings.budget, settings.views_a_document, settings.beta, settings.seed, threads,
        settings.objective, progress=lambda items: progress(items, "methods"), fit=refit, codes=codes,
    )  # fmt: skip
    built = builder.build("" if name == PLAIN else name)
    plain = builder.dev.scores(Addition(log.documents))
    means = {
        method: dict(zip(("recall", "map"), scores.mean(axis=0).tolist(), strict=True))
        for method, scores in ((PLAIN, plain), (built.method or PLAIN, built.dev))
    }
    metrics = {"k": settings.k, "queries": len(plain)} | means
    counts = refit.counts.get(id(built.addition.views))
    return Fitted(built.method or PLAIN, built.chosen, metrics, built.addition, counts)


def kept_from(log: Log, settings: Settings, dev: Dev | None, made: Fitted) -> Kept | None:
    """What an update need not fit again, of an index and its log; nothing where an adapter changes all queries."""
    addition = made.addition
    if addition.views is None or made.counts is None or addition.adapter is not None or addition.codes is not None:
        return None
    train = log.with_dev(dev, settings.seed)[1] if made.metrics else log.pairs
    groups = group(train[:2], len(log.queries), len(log.documents), train.weights)
    return Kept(np.asarray(made.addition.documents), groups, made.counts, made.addition.views)


def _paper_views(log: Log, settings: Settings, threads: int, kept) -> tuple[Behavioural, np.ndarray]:
    """MVG's step 1 and 2: own views over the encoder's vectors, and the budget of each document."""
    popularity = training_popularity(log.pairs[:2], len(log.documents))
    counts = allocate(popularity, round(settings.views_a_document * len(log.documents)), settings.beta)
    groups = group(log.pairs[:2], len(log.queries), len(log.documents), log.pairs.weights)
    return Refit(groups, kept)(log.documents, log.queries, groups, counts, settings.seed, threads), counts


class Refit:
    """:func:`mvg.multiview.fit`, but documents for which nothing changed keep their vectors.

    Documents are independent of each other: vectors follow from the document's own, its queries and its budget.
    groups: the queries of each document with their weights, in place of those that it is called with
    """

    def __init__(self, groups: Groups, kept: Kept | None):
        self.groups, self.kept, self.counts = groups, kept, {}
        self._made = []  # so that no two have one id

    def __call__(self, documents, queries, groups, counts, seed=0, threads=1) -> Behavioural:
        counts = np.asarray(counts)
        changed = np.ones(len(documents), dtype=bool) if self.kept is None else self._changed(documents, counts)
        views = fit(documents, queries, self.groups, np.where(changed, counts, 0), seed=seed, threads=threads)
        if self.kept is not None:
            old = self.kept.views
            stays = ~changed[old.owner]
            owner = np.concatenate([old.owner[stays], views.owner])
            order = np.argsort(owner, kind="stable")
            views = Behavioural(np.concatenate([old.vectors[stays], views.vectors])[order], owner[order])
        self.counts[id(views)] = counts
        self._made.append(views)
        return views

    def _changed(self, documents, counts) -> np.ndarray:
        """Which documents have another vector, budget or set of queries than before, bool (n_documents,)."""
        before, n = self.kept, len(self.kept.documents)
        changed = np.ones(len(documents), dtype=bool)
        sizes, old_sizes = np.diff(self.groups.starts)[:n], np.diff(before.groups.starts)
        same = (counts[:n] == before.counts) & (sizes == old_sizes)
        same &= (np.asarray(documents[:n]) == before.documents).all(axis=1)
        now, then = (np.repeat(same, side) for side in (sizes, old_sizes))
        end = self.groups.starts[n]
        differs = self.groups.queries[:end][now] != before.groups.queries[then]
        differs |= self.groups.weights[:end][now] != before.groups.weights[then]
        owner = np.repeat(np.arange(n)[same], sizes[same])
        same[owner[differs]] = False
        changed[:n] = ~same
        return changed
