"""The answer: what a log adds to each encoder, with an interval, and what follows from it."""

from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..evaluation.bootstrap import ratios
from ..evaluation.significance import sign_test
from ..reporting.escapes import single_line
from ..reporting.labels import dataset_title, is_simulated, method_label, metric_label

CHOSEN = ("auto", "mvg+prior", "mvg", "prior")  # what dev chose, the first of these that a run has
USE, WEIGH, LEAVE = "use", "weigh", "leave"
CHANCE = 0.05  # of the sign test, as of the 95 % intervals


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
    p_value: float  # of the sign test

    @property
    def difference(self) -> float:
        return self.value - self.base

    @property
    def label(self) -> str:
        """``Recall@100``."""
        metric, _, k = self.metric.partition("@")
        return metric_label(metric, int(k))

    @property
    def rises(self) -> bool:
        """By the mean, as far as its interval says."""
        return self.low > 0

    @property
    def most_lose(self) -> bool:
        """More queries lose than win, as far as the sign test says."""
        return self.losses > self.wins and self.p_value < CHANCE


class Answer(NamedTuple):
    """What the row that dev chose gains over one encoder on one dataset."""

    dataset: str
    encoder: str
    method: str  # that dev chose
    gains: list[Gain]  # recall, then MAP, at the largest k
    prior: list[Gain]  # the same of the popularity prior alone; empty if that is the row, or was not run
    over_prior: list[Gain]  # of the row over it
    index_ratio: float  # size of the index over the encoder's
    prior_ratio: float


class Part(NamedTuple):
    """A part of the test pairs, by the popularity of the document: recall of a row and of the encoder alone."""

    name: str
    pairs: int
    base: tuple[float, float, float]  # of the encoder: value, and the ends of its 95 % interval
    ours: tuple[float, float, float]  # of the row

    @property
    def change(self) -> float:
        return self.ours[0] - self.base[0]

    @property
    def interval(self) -> tuple[float, float]:
        """Of the change, as if the two were independent: wider than that of the paired difference."""
        width = np.hypot(*(high - low for _, low, high in (self.base, self.ours))) / 2
        return self.change - width, self.change + width


class Advice(NamedTuple):
    """What to do, with which row, and why."""

    what: str
    method: str
    gains: list[Gain]
    index_ratio: float
    why: str


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
        pairs = [(x, rows[x]) for x in rows]
        pairs += [pair for x in priors for pair in ((x, priors[x]), (priors[x], rows[x]))]
        gained = gains(pairs, by_method, seed)
        of_dataset = [
            Answer(
                dataset,
                encoder,
                method,
                gained[encoder, method],
                gained.get((encoder, priors.get(encoder)), []),
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
    sides = [[by_method[m][c].to_numpy(dtype=float) for m in (row, base)] for base, row in pairs for c in columns]
    if not pairs:
        return {}
    changes = np.column_stack([a - b for a, b in sides])
    _, lows, highs = ratios(changes, np.ones((len(changes), 1)), seed)
    found = defaultdict(list)
    places = [(base, row, column) for base, row in pairs for column in columns]
    for (base, row, column), (a, b), low, high in zip(places, sides, lows, highs, strict=True):
        test = sign_test(a, b)
        means, interval = (float(b.mean()), float(a.mean())), (float(low), float(high))
        found[base, row].append(Gain(column, *means, *interval, test.wins, test.losses, len(a), test.p_value))
    return found


def main_columns(columns) -> list[str]:
    """``["recall@100", "map@100"]``: the two that the answer goes by, at the largest k."""
    k = max(int(column.partition("@")[2]) for column in columns)
    at_k = [column for column in columns if column.endswith(f"@{k}")]
    return [column for column in (f"recall@{k}", f"map@{k}") if column in at_k] or at_k[:2]


def judged(some: list[Gain]) -> str:
    """``use`` if a metric rises and nothing speaks against it, ``weigh`` if something does, else ``leave``.

    Against it: a metric that falls, or on which more queries lose than win, whatever their mean.
    """
    if not any(gain.rises for gain in some):
        return LEAVE
    return WEIGH if any(gain.high < 0 or gain.most_lose for gain in some) else USE


def advice(answer: Answer, parts: Callable[[str], list[Part]] = lambda method: []) -> Advice:
    """What to do: the popularity prior goes before a row that adds nothing to it.

    parts: gives the parts of the test pairs for a method; a row that costs one of them is weighed, whatever its means
    """
    found = _by_means(answer)
    losing = [part for part in parts(found.method) if part.interval[1] < 0]
    if found.what == LEAVE or not losing:
        return found
    lost = ", ".join(f"{part.name} {signed(part.change)}" for part in losing)
    return found._replace(what=WEIGH, why=f"{found.why} Parts of the documents lose, in points of recall: {lost}.")


def _by_means(answer: Answer) -> Advice:
    row, encoder = method_label(answer.method), method_label(answer.encoder)
    if answer.prior and judged(answer.prior) != LEAVE and judged(answer.over_prior) == LEAVE:
        why = f"{_because(answer.prior)} {row}, dev's choice, {_beside_the_prior(answer)}"
        return Advice(judged(answer.prior), f"prior+{answer.encoder}", answer.prior, answer.prior_ratio, why)
    what = judged(answer.gains)
    if what == LEAVE:
        worse = "worse" if any(gain.high < 0 for gain in answer.gains) else "no better"
        why = f"{row}, dev's choice, is {worse} than {encoder} alone."
    else:
        why = _because(answer.gains)
        if answer.over_prior:
            why += f" Over the popularity prior alone: {_changes(answer.over_prior)}."
            what = WEIGH if judged(answer.over_prior) == WEIGH else what
    return Advice(what, answer.method, answer.gains, answer.index_ratio, why)


def _because(some: list[Gain]) -> str:
    """What speaks for a row, and what against."""
    rising = [gain.label for gain in some if gain.rises]
    against = [f"{gain.label} falls" for gain in some if gain.high < 0] + [
        f"on {gain.label} more queries lose ({gain.losses:,}) than win ({gain.wins:,})"
        for gain in some
        if gain.most_lose and gain.high >= 0
    ]
    rest = f", but {' and '.join(against)}" if against else ""
    if not against and all(gain.wins > gain.losses for gain in some):
        rest = ", and more queries win than lose"
    return f"{' and '.join(rising)} {'rises' if len(rising) == 1 else 'rise'}{rest}."


def _beside_the_prior(answer: Answer) -> str:
    if not any(gain.wins or gain.losses for gain in answer.over_prior):
        return "is the same."
    return f"adds nothing to it: {_changes(answer.over_prior)}, with an index of {answer.index_ratio:.2f}x."


def headline(answer: Answer, found: Advice, facts: dict) -> str:
    """An answer and its advice in one line; of simulated data it says first that they are no evidence."""
    encoder = method_label(answer.encoder)
    first = found.gains[0]
    told = {USE: "use {}", WEIGH: "weigh {}", LEAVE: f"leave {encoder} alone, {{}} is no better"}[found.what]
    simulated = "Simulated data, no evidence for the method. " if is_simulated(facts, answer.dataset) else ""
    return (
        f"{simulated}{single_line(dataset_title(facts, answer.dataset))}: {told.format(method_label(found.method))}. "
        f"{first.label} {first.value:.1f}, {signed(first.difference)} against {encoder} alone "
        f"(95 % interval {signed(first.low)} to {signed(first.high)}), with an index of {found.index_ratio:.2f}x."
    )


def _changes(some: list[Gain]) -> str:
    return ", ".join(f"{gain.label} {signed(gain.difference)}" for gain in some)


def signed(points: float) -> str:
    """``6.21`` -> ``+6.2``, with a minus that is one."""
    return f"{points:+.1f}".replace("-", "−")
