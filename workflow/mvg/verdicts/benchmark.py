"""The benchmark: one tidy table with the paper's numbers beside ours, and the significance of every difference."""

from itertools import combinations

import numpy as np
import pandas as pd

from ..evaluation.metrics import PAPER
from ..evaluation.significance import SIGNIFICANT, sign_test
from ..io.errors import DataError
from ..reporting.labels import measures
from ..reporting.tables import (
    BOLD,
    Entry,
    Layout,
    best_rows,
    entries_of,
    format_number,
    group_methods,
    layout,
    metric_columns,
    read_table,
    row_groups,
    score_columns,
    simulated_note,
    write_layouts,
)
from .comparison import METRIC_SCALES, incomparable, verdict
from .paper import load_paper

COLUMNS = [
    "dataset", "method", "metric", "k", "value", "paper", "verdict",
    "best", "significant", "p_value", "n_queries",
]  # fmt: skip
MARKS = (
    f"{BOLD} Underlined: significantly better than the second best of its row group; a row of the paper is compared "
    "with the paper's rows (two-sided macro sign test, p below 0.001)."
)
AGAIN = "remove the file of one of them, and run again"


def benchmark_table(scores, sizes, facts, pretrained=None, paper=None) -> pd.DataFrame:
    """``benchmark.csv``: means, index sizes, the paper's numbers, verdicts and marks.

    ``scores``: dataset -> method -> frame of per-query scores in percent, index query id,
    columns ``recall@10, map@10, ...``; the methods of a dataset share their queries.
    ``sizes``: (dataset, method) -> millions of floats; None or absent if there is no index.
    ``facts``: dataset -> ``stats.json``. ``pretrained``: (dataset, encoder) -> model.

    The ``best`` of a row group are those of :func:`mvg.reporting.tables.best_rows`. Their ``p_value`` is that
    of the two-sided macro sign test against the second best, and they are ``significant`` if p < 0.001
    with more wins than losses. A method with exactly the same scores does not count as second best.
    Raises DataError for methods with different queries or columns.
    """
    paper = paper or load_paper()
    printed = paper.benchmark()
    rows = []
    for dataset, by_method in scores.items():
        _check_same_queries(dataset, by_method)
        marks = _marks(by_method)
        for method, frame in by_method.items():
            for metric, k, value in _values(frame, sizes.get((dataset, method))):
                theirs = printed.get((dataset, method, metric, k))
                row = {
                    "dataset": dataset, "method": method, "metric": metric, "k": k,
                    "value": value, "paper": theirs, "verdict": "",
                    "best": False, "significant": False, "p_value": None, "n_queries": len(frame),
                }  # fmt: skip
                if theirs is not None:
                    why_not = incomparable(dataset, method, metric, facts, pretrained, paper, sizes)
                    result = verdict(theirs, value, METRIC_SCALES[metric], why_not)
                    row["verdict"] = result.verdict
                rows.append(row | marks.get((method, metric, k), {}))
    types = {"k": "Int64", "paper": float, "p_value": float, "n_queries": int}
    return pd.DataFrame(rows, columns=COLUMNS).astype(types)


def significance_table(scores) -> pd.DataFrame:
    """``significance.csv``: the sign test of every two methods of a dataset, on each metric.

    ``scores`` as in ``benchmark_table``. ``wins`` counts the queries on which ``a`` is above ``b``.
    """
    rows = []
    for dataset, by_method in scores.items():
        _check_same_queries(dataset, by_method)
        for metric, k, column in score_columns(next(iter(by_method.values()))):
            for a, b in combinations(by_method, 2):
                test = _sign_test(by_method, column, a, b)
                rows.append([dataset, metric, k, a, b, *test])
    columns = ["dataset", "metric", "k", "a", "b", "wins", "losses", "ties", "p_value"]
    return pd.DataFrame(rows, columns=columns)


def read_scores(path) -> pd.DataFrame:
    """Per-query scores of one method, index query id, as for ``benchmark_table``."""
    scores = read_table(path, needed=["query"]).set_index("query")
    for column in scores.columns[scores.dtypes == "str"]:
        raise DataError(path, "", f"expected numbers in the column '{column}': remove it, and run again")
    return scores


def read_benchmark(path) -> pd.DataFrame:
    """``benchmark.csv`` as the frame of ``benchmark_table``."""
    return read_table(path, missing=["k", "paper", "p_value"]).astype({"k": "Int64"})


def write_benchmark_layouts(benchmark: pd.DataFrame, facts: dict, made, paper=None, note="") -> None:
    """Write ``made.md`` and ``made.tex`` for the frame of ``benchmark_table``.

    ``facts``: dataset -> ``stats.json``, which says what is simulated. ``note``: the settings behind our
    numbers, for the end of captions.
    """
    write_layouts("Benchmark", benchmark_layouts(benchmark, facts, paper, note), made)


def benchmark_layouts(benchmark: pd.DataFrame, facts: dict, paper=None, note="") -> list[Layout]:
    """Ours at the largest k with the index sizes, as in the paper; at smaller k; the paper's."""
    datasets = list(dict.fromkeys(benchmark["dataset"]))
    entries, groups = entries_of(benchmark), row_groups(benchmark)
    ks = sorted(benchmark["k"].dropna().astype(int).unique(), reverse=True)
    layouts = []
    for k in ks:
        columns = metric_columns(benchmark, k)
        says = f"{measures(columns)} in percent"
        if k == ks[0]:
            columns.append(("index_mfloats", None))
            says += ", index size in millions of floats"
        caption = f"{says}. {MARKS}{simulated_note(datasets, facts)} {note}".rstrip()
        layouts.append(layout(caption, columns, datasets, groups, entries, facts))
    printed = _paper_layout(datasets, paper or load_paper())
    return layouts + ([printed] if printed else [])


def _paper_layout(datasets, paper) -> Layout | None:
    """The paper's own numbers for the datasets of this run."""
    cells = [cell for cell in paper.cells if cell.table == "benchmark" and cell.dataset in datasets]
    if not cells:
        return None
    datasets = [d for d in datasets if any(cell.dataset == d for cell in cells)]
    entries = {c.place: Entry(format_number(c.printed, c.metric), c.bold, c.underlined) for c in cells}
    methods = dict.fromkeys(cell.method for cell in cells)
    columns = [(metric, 100) for metric in PAPER]
    caption = f"The numbers that the paper prints. {measures(columns)} in percent, index size in millions of floats."
    columns.append(("index_mfloats", None))
    return layout(caption, columns, datasets, group_methods(methods), entries, facts={})


def _values(frame, size):
    """(metric, k, value) by metric and k, then the index size if there is one."""
    for metric, k, column in score_columns(frame):
        yield metric, k, float(frame[column].mean())
    if size is not None:
        yield "index_mfloats", None, float(size)


def _marks(by_method) -> dict:
    """(method, metric, k) -> best, significant and p_value, for the bold rows of each group."""
    marks = {}
    for metric, k, column in score_columns(next(iter(by_method.values()))):
        for methods in group_methods(by_method):
            for best, others in best_rows(methods, lambda method: by_method[method][column].mean()):
                mark = {"best": True}
                if others:
                    # Where dev chose no views, mvg+prior+x equals prior+x, which is then not the second best.
                    scores = by_method[best][column]
                    rivals = [m for m in others if not by_method[m][column].equals(scores)] or others
                    test = _sign_test(by_method, column, best, rivals[0])
                    significant = test.p_value < SIGNIFICANT and test.wins > test.losses
                    mark |= {"significant": significant, "p_value": test.p_value}
                marks[best, metric, k] = mark
    return marks


def _sign_test(by_method, column, a, b):
    return sign_test(by_method[a][column].to_numpy(), by_method[b][column].to_numpy())


def _check_same_queries(dataset, by_method) -> None:
    """Tests compare query by query, so all methods must have the same queries."""
    first, *others = by_method.items()
    for method, frame in others:
        if not np.array_equal(frame.index, first[1].index):
            raise DataError(dataset, "scores", f"{method} and {first[0]} were scored on other queries: {AGAIN}")
        if set(frame.columns) != set(first[1].columns):
            raise DataError(dataset, "scores", f"{method} and {first[0]} have other metrics: {AGAIN}")
