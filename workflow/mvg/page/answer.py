"""The answer: what a log adds to each encoder, with an interval, and what follows from it."""

from typing import NamedTuple

import numpy as np

from ..evaluation.bootstrap import ratios
from ..reporting.labels import dataset_label, is_simulated, method_label, metric_label

CHOSEN = ("auto", "mvg+prior", "mvg", "prior")  # what dev chose, the first of these that a run has
USE, WEIGH, LEAVE = "use it", "weigh it", "leave it"


class Gain(NamedTuple):
    """A mean over queries of one row, what it gains over another, and who gains."""

    metric: str
    base: float
    value: float
    low: float  # the 95 % interval of value - base, by bootstrap over queries
    high: float
    wins: int
    losses: int
    queries: int

    @property
    def difference(self) -> float:
        return self.value - self.base

    @property
    def label(self) -> str:
        """``Recall@100``."""
        metric, _, k = self.metric.partition("@")
        return metric_label(metric, int(k))


class Answer(NamedTuple):
    """What the row that dev chose gains over one encoder on one dataset."""

    dataset: str
    encoder: str
    method: str
    gains: list[Gain]  # recall, then MAP, at the largest k
    over_prior: list[Gain]  # the same over the popularity prior alone; empty if that is the row, or was not run
    index_ratio: float  # size of the index over the encoder's
    prior_ratio: float


def answers(scores, sizes, seed=0) -> list[Answer]:
    """One a dataset and encoder that has something over it; on each dataset the best row first.

    scores: dataset -> method -> frame of per-query scores in percent, as in ``benchmark_table``
    sizes: (dataset, method) -> floats of the index, in any unit

    The rows come as dev chose them. Which encoder comes first goes by Recall + MAP on test: it is
    an order, and no choice among rows.
    """
    found = []
    for dataset, by_method in scores.items():
        rows = {x: chosen_row(x, by_method) for x in encoders_of(by_method)}
        priors = {x: f"prior+{x}" for x in rows if f"prior+{x}" in by_method and rows[x] != f"prior+{x}"}
        gained = gains([(x, rows[x]) for x in rows] + [(priors[x], rows[x]) for x in priors], by_method, seed)
        of_dataset = [
            Answer(
                dataset,
                encoder,
                method,
                gained[encoder, method],
                gained.get((priors.get(encoder), method), []),
                *(sizes.get((dataset, m), np.nan) / sizes[dataset, encoder] for m in (method, f"prior+{encoder}")),
            )
            for encoder, method in rows.items()
        ]
        found += sorted(of_dataset, key=lambda answer: -sum(gain.value for gain in answer.gains))
    return found


def encoders_of(methods) -> list[str]:
    """The encoders among ``methods`` with a row over them that dev chose."""
    return [x for x in methods if "+" not in x and chosen_row(x, methods)]


def chosen_row(encoder: str, methods) -> str | None:
    """The row over ``encoder`` that dev chose."""
    return next((f"{over}+{encoder}" for over in CHOSEN if f"{over}+{encoder}" in methods), None)


def gains(pairs, by_method, seed=0) -> dict[tuple[str, str], list[Gain]]:
    """What the second of each pair of methods gains over the first: recall and MAP at the largest k.

    Of a run without these two, its first two metrics. All pairs share their resamples.
    """
    columns = main_columns(next(iter(by_method.values())).columns)
    changes = [(by_method[row][c] - by_method[base][c]).to_numpy(dtype=float) for base, row in pairs for c in columns]
    if not pairs:
        return {}
    _, *ends = ratios(np.column_stack(changes), np.ones((len(changes[0]), 1)), seed)
    lows, highs = (list(side) for side in ends)
    found = {}
    for base, row in pairs:
        found[base, row] = []
        for column in columns:
            change = changes.pop(0)
            means = (float(by_method[method][column].mean()) for method in (base, row))
            counts = int((change > 0).sum()), int((change < 0).sum()), len(change)
            found[base, row].append(Gain(column, *means, float(lows.pop(0)), float(highs.pop(0)), *counts))
    return found


def main_columns(columns) -> list[str]:
    """``["recall@100", "map@100"]``: the two that the answer goes by, at the largest k."""
    k = max(int(column.partition("@")[2]) for column in columns)
    at_k = [column for column in columns if column.endswith(f"@{k}")]
    return [column for column in (f"recall@{k}", f"map@{k}") if column in at_k] or at_k[:2]


def advice(answer: Answer) -> str:
    """``use it`` if a metric gains and none loses, ``weigh it`` if one gains and one loses, else ``leave it``."""
    gained = any(gain.low > 0 for gain in answer.gains)
    lost = any(gain.high < 0 for gain in answer.gains)
    return (WEIGH if lost else USE) if gained else LEAVE


def headline(answer: Answer, facts: dict) -> str:
    """The gain in one sentence."""
    first = answer.gains[0]
    return (
        f"{dataset_label(answer.dataset, is_simulated(facts, answer.dataset))}: {method_label(answer.method)} has "
        f"{first.label} {first.value:.1f}, {signed(first.difference)} against {method_label(answer.encoder)} alone "
        f"(95 % interval {signed(first.low)} to {signed(first.high)}), with an index of {answer.index_ratio:.2f}x."
    )


def reason(answer: Answer) -> str:
    """What to do with the row, and why."""
    row, encoder, changes = method_label(answer.method), method_label(answer.encoder), _changes(answer.gains)
    said = {
        USE: f"Use {row} because it improves {encoder}: {changes}.",
        WEIGH: f"Weigh it: {row} wins on one metric and loses on the other: {changes}.",
        LEAVE: f"Leave it: {row} is no better than {encoder} alone: {changes}.",
    }[advice(answer)]
    if advice(answer) == LEAVE or not answer.over_prior:
        return said
    if any(gain.low > 0 for gain in answer.over_prior):
        return f"{said} Over the popularity prior alone it adds {_changes(answer.over_prior)}."
    return f"{said} The popularity prior alone is as good, with an index of {answer.prior_ratio:.2f}x."


def _changes(some: list[Gain]) -> str:
    return ", ".join(f"{gain.label} {signed(gain.difference)}" for gain in some)


def signed(points: float) -> str:
    """``6.21`` -> ``+6.2``, with a minus that is one."""
    return f"{points:+.1f}".replace("-", "−")
