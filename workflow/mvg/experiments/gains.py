"""What each addition gains over the simpler method: the mean difference, its interval, and the sign test.

Ours, not the paper's, which only marks significance.
"""

import pandas as pd

from ..datasets.reading import load_facts
from ..evaluation.bootstrap import gain
from ..evaluation.significance import SIGNIFICANT, sign_test
from ..reporting.labels import measures, method_label, split_method
from ..reporting.tables import (
    Entry,
    layout,
    metric_columns,
    score_columns,
    simulated_note,
    write_layouts,
    write_table,
)
from ..verdicts.benchmark import read_scores

COLUMNS = ["dataset", "encoder", "a", "b", "metric", "k", "difference", "low", "high", "wins", "losses", "p_value"]
# Each addition, and the simpler method it is compared with.
COMPARED = (
    ("mvg", ""),
    ("prior", ""),
    ("mvg+prior", "prior"),
    ("auto", ""),
    ("auto", "prior"),
    ("auto", "mvg+prior"),
)
NONE = "This run has no encoder."


def report(given, made, params, log) -> None:
    """``gains.csv`` and its layouts."""
    scores = {dataset: {} for dataset in params.datasets}
    for (dataset, method), file in zip(params.rows, given.scores, strict=True):
        scores[dataset][method] = read_scores(file)
    table = gains_table(scores, params.seed)
    write_table(table, made.csv)
    write_gains(table, load_facts(params.datasets, given.stats), made, note=params.note)


def gains_table(scores, seed=0) -> pd.DataFrame:
    """``gains.csv``: method ``a`` against ``b`` over each encoder, on each metric.

    ``scores`` as in :func:`mvg.verdicts.benchmark.benchmark_table`. ``difference``: mean of a - b over
    queries, in points; ``low`` and ``high``: its paired 95 % bootstrap interval. ``wins`` counts the
    queries on which ``a`` is above ``b``; ``p_value`` is that of the sign test. The pairs are those of
    ``COMPARED`` that the run has.
    """
    rows = []
    for dataset, by_method in scores.items():
        for encoder in dict.fromkeys(split_method(method)[1] for method in by_method):
            for pair in COMPARED:
                a, b = (f"{over}+{encoder}".lstrip("+") for over in pair)
                if a in by_method and b in by_method:
                    rows += [[dataset, encoder, a, b, *row] for row in _compared(by_method[a], by_method[b], seed)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _compared(a, b, seed):
    for metric, k, column in score_columns(a):
        ours, theirs = a[column].to_numpy(), b[column].to_numpy()
        test = sign_test(ours, theirs)
        yield metric, k, *gain(ours, theirs, seed), test.wins, test.losses, test.p_value


def write_gains(table: pd.DataFrame, facts: dict, made, note="") -> None:
    """Write ``made.md``, ``.tex`` and ``.html``: a group per encoder, at the largest k."""
    datasets = list(dict.fromkeys(table["dataset"]))
    layouts = []
    if datasets:
        columns = metric_columns(table, int(table["k"].max()))
        entries = {(row.dataset, (row.a, row.b), row.metric, row.k): _entry(row) for row in table.itertuples()}
        rows = {
            encoder: dict.fromkeys(zip(part["a"], part["b"], strict=True))
            for encoder, part in table.groupby("encoder", sort=False)
        }
        caption = (
            f"Difference in {measures(columns)}, in points, with its 95 % bootstrap interval over queries. Underlined: "
            f"the sign test agrees, p below {SIGNIFICANT}.{simulated_note(datasets, facts)} {note}"
        ).rstrip()
        groups = [list(group) for group in rows.values()]
        layouts.append(layout(caption, columns, datasets, groups, entries, facts, _label, head="Methods"))
    write_layouts("Gains", layouts, made, nothing=NONE)


def _entry(row) -> Entry:
    agrees = row.p_value < SIGNIFICANT and (row.wins - row.losses) * row.difference > 0
    return Entry(f"{row.difference:+.2f} [{row.low:+.2f}, {row.high:+.2f}]", significant=agrees)


def _label(pair) -> str:
    a, b = map(method_label, pair)
    return f"{a} against {b}"
