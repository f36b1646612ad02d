"""The influence of the seed: mean and spread of trained encoders over several seeds."""

import numpy as np
import pandas as pd

from ..datasets.reading import load_facts
from ..reporting.labels import measures
from ..reporting.tables import (
    Entry,
    layout,
    metric_columns,
    row_groups,
    score_columns,
    simulated_note,
    write_layouts,
    write_table,
)
from ..verdicts.benchmark import read_scores

COLUMNS = ["dataset", "method", "metric", "k", "mean", "sd", "n_seeds"]
NONE = "This run repeats nothing with other seeds: list some under seeds."


def report(given, made, params, log) -> None:
    """``seeds.csv`` and its two layouts."""
    scores = {}
    for place, file in zip(params.rows, given.scores, strict=True):
        scores.setdefault(tuple(place), []).append(read_scores(file))
    table = seeds_table(scores)
    write_table(table, made.csv)
    write_seeds(table, load_facts(params.datasets, given.stats), made, note=params.note)


def seeds_table(scores) -> pd.DataFrame:
    """``seeds.csv``: ``dataset, method, metric, k, mean, sd, n_seeds``, in percent.

    ``scores``: (dataset, method) -> frames of per-query scores, one per seed, as in ``benchmark_table``.
    ``sd`` is the sample standard deviation (n - 1), NaN for a single seed.
    """
    rows = []
    for (dataset, method), frames in scores.items():
        for metric, k, column in score_columns(frames[0]):
            values = np.array([frame[column].mean() for frame in frames])
            sd = values.std(ddof=1) if len(values) > 1 else np.nan
            rows.append([dataset, method, metric, k, values.mean(), sd, len(values)])
    return pd.DataFrame(rows, columns=COLUMNS)


def write_seeds(table: pd.DataFrame, facts: dict, made, note="") -> None:
    """Write ``made.md`` and ``made.tex``: mean ± standard deviation at the largest k, or one line if there is none."""
    datasets = list(dict.fromkeys(table["dataset"]))
    layouts = []
    if datasets:
        entries = {
            (row.dataset, row.method, row.metric, row.k): Entry(f"{row.mean:.2f} ± {row.sd:.2f}")
            for row in table.itertuples()
        }
        counts = " or ".join(map(str, sorted(table["n_seeds"].unique())))
        columns = metric_columns(table, int(table["k"].max()))
        caption = (
            f"{measures(columns)} in percent, mean ± standard deviation over {counts} seeds of training and "
            f"clustering on the same data.{simulated_note(datasets, facts)} {note}"
        ).rstrip()
        layouts.append(layout(caption, columns, datasets, row_groups(table), entries, facts))
    write_layouts("Seeds", layouts, made, nothing=NONE)
