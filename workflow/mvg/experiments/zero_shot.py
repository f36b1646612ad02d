"""Pretrained encoders without fine-tuning, with and without MVG: the paper's zero-shot table."""

import pandas as pd

from ..datasets.reading import load_facts
from ..reporting.tables import (
    Entry,
    entries_of,
    format_number,
    group_methods,
    layout,
    metric_columns,
    row_groups,
    simulated_note,
    write_layouts,
    write_table,
)
from ..verdicts.benchmark import read_benchmark
from ..verdicts.paper import load_paper

COLUMNS = ["dataset", "method", "metric", "k", "value"]
NONE = "This run has no encoder of kind pretrained: name one under encoders, such as wordllama or minilm."


def report(given, made, params, log) -> None:
    """``zero_shot.csv`` and its two layouts."""
    table = zero_shot_table(read_benchmark(given.benchmark), params.encoders)
    write_table(table, made.csv)
    write_zero_shot(table, load_facts(params.datasets, given.stats), made, note=params.note)


def zero_shot_table(benchmark: pd.DataFrame, encoders: list[str]) -> pd.DataFrame:
    """The benchmark's rows of ``encoders``, ``dataset, method, metric, k, value``, without the index sizes."""
    bases = benchmark["method"].str.rpartition("+")[2]
    return benchmark.loc[bases.isin(encoders) & benchmark["k"].notna(), COLUMNS].reset_index(drop=True)


def write_zero_shot(table: pd.DataFrame, facts: dict, made, paper=None, note="") -> None:
    """Write ``made.md`` and ``made.tex``: ours, then the paper's if its dataset is among ours.

    One line says so if the run has no such encoder.
    """
    datasets = list(dict.fromkeys(table["dataset"]))
    layouts = []
    if datasets:
        columns = metric_columns(table, *map(int, sorted(table["k"].unique())))
        caption = f"Encoders without fine-tuning, in percent.{simulated_note(datasets, facts)} {note}".rstrip()
        layouts.append(layout(caption, columns, datasets, row_groups(table), entries_of(table), facts))
    cells = [c for c in (paper or load_paper()).cells if c.table == "zero_shot" and c.dataset in datasets]
    if cells:
        entries = {cell.place: Entry(format_number(cell.printed, cell.metric)) for cell in cells}
        columns = list(dict.fromkeys((cell.metric, cell.k) for cell in cells))
        groups = group_methods(dict.fromkeys(cell.method for cell in cells))
        names = list(dict.fromkeys(cell.dataset for cell in cells))
        layouts.append(layout("The numbers that the paper prints.", columns, names, groups, entries, facts={}))
    write_layouts("Zero-shot", layouts, made, nothing=NONE)
