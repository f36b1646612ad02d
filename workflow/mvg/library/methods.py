"""From the name of a method to what an index holds: which vectors, whose they are, and what is added to scores."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..evaluation.choice import Choice, choose
from ..lexical.popularity import training_popularity
from ..multiview import Behavioural, allocate, fit
from .log import Dev, Log

PARTS = ("mvg", "prior")  # in the order in which a name has them


class Settings(NamedTuple):
    """What an index is built with, beside its log."""

    method: str
    budget: float = 1.3  # floats of the index, as a multiple of those of the documents
    beta: float = 0.5
    seed: int = 0
    k: int = 100  # depth at which dev compares
    constants: dict[str, Any] | None = None  # given instead of chosen


class Fitted(NamedTuple):
    """What stands in an index.

    method: its name, in the order of the grammar
    constants: what dev chose, or was given: ``prior`` b and ``view_bias`` c
    metrics: on dev, in percent: the plain encoder, and this method; empty where nothing was chosen
    documents: float32 (n_documents, dim); behavioural: own views, or None; counts: int64 (n_documents,), their budget
    prior: float64 (n_documents,), added to a document's scores, or None
    """

    method: str
    constants: dict[str, Any]
    metrics: dict[str, Any]
    documents: np.ndarray
    behavioural: Behavioural | None
    counts: np.ndarray
    prior: np.ndarray | None


def parse(method: str) -> tuple[str, ...]:
    """The parts of ``mvg+prior`` in the order of the grammar; none of ``plain``. ValueError for what is no part."""
    parts = [] if method == "plain" else method.split("+")
    if unknown := [part for part in parts if part not in PARTS]:
        raise ValueError(f"method must be plain, or parts of {'+'.join(PARTS)}: found '{unknown[0]}' in '{method}'")
    if len(set(parts)) < len(parts):
        raise ValueError(f"method '{method}' names a part twice")
    return tuple(part for part in PARTS if part in parts)


def fitted(log: Log, settings: Settings, dev: Dev | None, threads: int, progress: Callable, old=None) -> Fitted:
    """What ``settings.method`` makes of the log.

    dev: to choose constants on; None: a part of the log, which then counts again
    old: ``(log, fitted)`` of a shorter log with the same settings, whose own views are kept where nothing changed
    """
    parts = parse(settings.method)
    constants, metrics = settings.constants, {}
    if constants is None and "prior" in parts:
        part, held = (log, dev) if dev else log.held_out(settings.seed)
        constants, metrics = _chosen(part, settings, held, threads, progress)
    constants = constants or {}
    popularity = training_popularity(log.pairs[:2], len(log.documents))
    counts, behavioural = np.zeros(len(log.documents), dtype=np.int64), None
    if "mvg" in parts and constants.get("view_bias", 0.0) is not None:
        counts, behavioural = own_views(log, popularity, settings, threads, old)
    choice = Choice(constants.get("prior", 0.0), constants.get("view_bias", 0.0), [])
    prior = choice.applied(popularity)[1] if "prior" in parts else None
    return Fitted("+".join(parts) or "plain", constants, metrics, log.documents, behavioural, counts, prior)


def _chosen(log: Log, settings: Settings, dev: Dev, threads: int, progress: Callable) -> tuple[dict, dict]:
    """The constants that do best on dev over what the log gives, and how well."""
    parts = parse(settings.method)
    popularity = training_popularity(log.pairs[:2], len(log.documents))
    behavioural = own_views(log, popularity, settings, threads)[1] if "mvg" in parts else None
    choice = choose(
        log.documents, dev.queries, dev.split(), popularity, settings.k, behavioural, settings.seed,
        lambda items: progress(items, "dev"),
    )  # fmt: skip
    best = max(choice.trials, key=lambda trial: trial["recall"] + trial["map"])
    measured = {
        name: {f"recall@{settings.k}": trial["recall"], f"map@{settings.k}": trial["map"]}
        for name, trial in (("plain", choice.trials[0]), ("+".join(parts), best))
    }
    constants = {"prior": choice.prior} | ({"view_bias": choice.view_bias} if "mvg" in parts else {})
    return constants, measured


def own_views(log: Log, popularity, settings: Settings, threads: int, old=None) -> tuple[np.ndarray, Behavioural]:
    """MVG's step 1 and 2: the budget of each document, and its behavioural vectors.

    Documents are independent of each other: those whose queries and budget are as in ``old`` keep their vectors.
    """
    total = round((settings.budget - 1) * len(log.documents))
    counts = allocate(popularity, total, settings.beta)
    rows, weights = log.pairs[:2], log.pairs.weights
    if old is None or old[1].behavioural is None:
        return counts, fit(log.documents, log.queries, rows, counts, weights, settings.seed, threads)
    before, kept = old
    n_before = len(before.documents)
    changed = counts != np.pad(kept.counts, (0, len(counts) - n_before))
    changed[log.pairs.documents[log.pairs.queries >= len(before.queries)]] = True
    new = fit(log.documents, log.queries, rows, np.where(changed, counts, 0), weights, settings.seed, threads)
    stays = ~changed[kept.behavioural.owner]
    owner = np.concatenate([kept.behavioural.owner[stays], new.owner])
    order = np.argsort(owner, kind="stable")
    return counts, Behavioural(np.concatenate([kept.behavioural.vectors[stays], new.vectors])[order], owner[order])
