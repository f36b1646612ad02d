"""Whether a number of ours reproduces the paper's, and when the two can't be compared."""

import math
from typing import NamedTuple

from ..reporting.labels import split_method
from .claims import POINTS
from .paper import load_paper

MATCH = "match"
BETTER = "better"
WORSE = "worse"
NOT_COMPARABLE = "not comparable"
INCONSISTENT = "inconsistent in paper"
BY_DEFINITION = "by definition"
VERDICTS = (MATCH, BETTER, WORSE, NOT_COMPARABLE, INCONSISTENT, BY_DEFINITION)

COUNT_TOLERANCE = 0.02  # the paper rounds its counts to two or three digits
RUN_AS = {"msmarco": "flat"}  # the paper's dataset -> ours of the same kind, used if the former is not run


class Scale(NamedTuple):
    """How two numbers of one kind compare."""

    better: str  # higher, lower or none
    tolerance: float
    relative: bool = False  # the tolerance is a share of the paper's number


class Verdict(NamedTuple):
    verdict: str
    reason: str = ""


SIZE = 0.02
METRIC_SCALES = {
    "recall": Scale("higher", POINTS),
    "map": Scale("higher", POINTS),
    "index_mfloats": Scale("lower", SIZE, relative=True),
}


def verdict(paper, ours, scale: Scale, not_comparable="", inconsistent="", by_definition="") -> Verdict:
    """Compare ``ours`` with the paper's number.

    ``match`` within the tolerance (0.5 points; 2 % for sizes), else ``better`` or ``worse`` by
    the scale's direction. If neither direction is better, or if a claim doesn't hold, the verdict is
    ``worse``: not as stated. ``ours`` None or NaN is a number not measured.
    ``not_comparable``, ``inconsistent`` and ``by_definition`` are reasons, empty if they don't apply.
    What holds by definition is not a match, because it could not have come out otherwise.
    """
    if inconsistent:
        return Verdict(INCONSISTENT, inconsistent)
    measured = ours is not None and not math.isnan(ours)
    if by_definition and measured and _within(paper, ours, scale):
        return Verdict(BY_DEFINITION, by_definition)
    if not_comparable:
        return Verdict(NOT_COMPARABLE, not_comparable)
    if not measured:
        return Verdict(NOT_COMPARABLE, "not run")
    if _within(paper, ours, scale):
        return Verdict(MATCH)
    if scale.better == "none":
        return Verdict(WORSE, "not as stated")
    return Verdict(BETTER if (ours > paper) == (scale.better == "higher") else WORSE)


def _within(paper, ours, scale: Scale) -> bool:
    allowed = scale.tolerance * (abs(paper) if scale.relative else 1)
    # The margin only allows for float noise: 67.70 against 67.20 is exactly 0.5 points.
    return abs(float(ours) - float(paper)) <= allowed + 1e-9


def incomparable(dataset, method, metric, facts, pretrained=None, paper=None, sizes=None) -> str:
    """Why a benchmark number of ours can't be compared with the paper's; empty if it can.

    ``facts`` maps datasets to their ``stats.json``, ``pretrained`` maps (dataset, encoder) to the model
    that the run starts from, ``sizes`` maps (dataset, method) to the floats of its index. For an index
    size, query counts don't matter, nor does the budget, since the size itself shows it.
    """
    paper = paper or load_paper()
    is_size = metric == "index_mfloats"
    encoder = split_method(method)[1]
    return (
        other_data(dataset, facts, paper, documents_only=is_size)
        or _other_model(dataset, encoder, pretrained or {}, paper)
        or ("" if is_size else _other_budget(dataset, method, sizes or {}, paper))
    )


def other_data(dataset, facts, paper, documents_only=False) -> str:
    """Why our ``dataset`` isn't the paper's: not run, not public, simulated, of another size."""
    if dataset == "prodsearch":
        return "dataset not public"
    stats = facts.get(dataset) or facts.get(RUN_AS.get(dataset))
    if stats is None:
        return "not run"
    if stats.get("simulated"):
        return "simulated data"
    theirs = paper.sizes.get(dataset)
    if theirs is None:
        return "the paper gives no counts to compare"
    counts = [("documents", stats["documents"], theirs["documents"])]
    if not documents_only:
        splits = [split for split in ("train", "test") if split in theirs]
        counts += [(f"{split} queries", stats["queries"][split], theirs[split]) for split in splits]
    differing = [
        f"{ours:,} {what} against {theirs:,}"
        for what, ours, theirs in counts
        if abs(ours - theirs) > COUNT_TOLERANCE * theirs
    ]
    return ", ".join(differing)


def _other_model(dataset, encoder, pretrained, paper) -> str:
    theirs = paper.pretrained_model(dataset, encoder)
    ours = pretrained.get((dataset, encoder))
    if theirs is None or ours == theirs:
        return ""
    return f"another pretrained model ({ours or 'not stated'} against {theirs})"


def _other_budget(dataset, method, sizes, paper) -> str:
    wrapper, encoder = split_method(method)
    with_views, without = sizes.get((dataset, method)), sizes.get((dataset, encoder))
    if wrapper != "mvg" or not with_views or not without:
        return ""
    theirs, ours = 1 + paper.multiview["m_avg"], with_views / without
    return "" if abs(ours - theirs) <= SIZE * theirs else f"an index of {ours:.2f}x against {theirs}x"
