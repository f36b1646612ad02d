"""Tables: frames in and out of csv files, and the paper's layout as Markdown and as LaTeX."""

from typing import NamedTuple

import pandas as pd

from ..evaluation.metrics import METRICS
from ..io.errors import DataError
from ..io.files import text_writer
from .escapes import escape_latex, escape_markdown
from .html import document
from .labels import dataset_title, is_simulated, method_label, metric_label, split_method

MISSING = "–"
BOLD = "Bold: the best of the paper's rows, and any row of ours above them all."


# Columns of names, always read as text: a dataset may be called NA, a query 2024.
NAMES = ("dataset", "encoder", "method", "query", "document", "part", "a", "b")


def write_table(table: pd.DataFrame, path) -> None:
    """Write a tidy table as csv in full precision, atomically."""
    with text_writer(path) as file:
        table.to_csv(file, index=False, lineterminator="\n")


def read_table(path, needed=(), missing=None) -> pd.DataFrame:
    """A tidy table from csv. Names stay texts.

    needed: required columns
    missing: the columns in which an empty field is a missing value; by default all

    Raises DataError for a file that is no table, or lacks a column.
    """
    try:
        table = pd.read_csv(
            path,
            dtype=dict.fromkeys(NAMES, str),
            keep_default_na=False,
            na_values=[""] if missing is None else dict.fromkeys(missing, [""]),
        )
    except ValueError as error:  # also from pandas, for an empty file and for rows of unequal length
        raise DataError(path, "", f"expected a table of results, but: {error}: remove it, and run again") from error
    for name in needed:
        if name not in table:
            raise DataError(path, "", f"expected a column '{name}', found {', '.join(table)}: remove it, and run again")
    return table


def read_tables(paths) -> pd.DataFrame:
    """Several tidy tables, one below the other."""
    return pd.concat([read_table(path) for path in paths], ignore_index=True)


class Entry(NamedTuple):
    """One number of a table, and its marks."""

    text: str
    best: bool = False
    significant: bool = False


class Layout(NamedTuple):
    """A table before it becomes Markdown, LaTeX or HTML. Nothing in it is escaped yet."""

    caption: str
    metrics: list[str]  # heads, each over all datasets
    datasets: list[str]  # subheads, repeated below each metric
    groups: list[list[tuple[str, list[Entry]]]]  # rows as (label, entries), by row group
    head: str = "Method"  # of the labels


def write_layouts(title: str, layouts: list[Layout], made, nothing="") -> None:
    """Write ``made.md``, headed by ``title``, ``made.html``, and ``made.tex``, which needs booktabs and multirow.

    ``nothing``: the line shown instead of the tables if there are none.
    """
    with text_writer(made.md) as file:
        tables = [to_markdown(layout) for layout in layouts] or [escape_markdown(nothing)]
        file.write(f"# {title}\n\n" + "\n\n".join(tables) + "\n")
    with text_writer(made.tex) as file:
        file.write("% Needs \\usepackage{booktabs,multirow}\n")
        file.write("\n".join(map(to_latex, layouts)) or f"{escape_latex(nothing)}\n")
    with text_writer(made.html) as file:
        file.write(document(title, layouts, nothing))


def entries_of(table: pd.DataFrame) -> dict[tuple, Entry]:
    """(dataset, method, metric, k) -> entry, with the marks of the benchmark if the table has them."""
    return {
        (row.dataset, row.method, row.metric, None if pd.isna(row.k) else int(row.k)): Entry(
            format_number(row.value, row.metric), getattr(row, "best", False), getattr(row, "significant", False)
        )
        for row in table.itertuples()
    }


def simulated_note(datasets, facts) -> str:
    """A caption's sentence about the simulated ones among ``datasets``, with a leading space."""
    simulated = [dataset_title(facts, d) for d in datasets if is_simulated(facts, d)]
    if not simulated:
        return ""
    named = ", ".join(simulated)
    return f" Simulated data, a check of the code and no evidence for the method: {named}."


def layout(caption, columns, datasets, groups, entries, facts, label=method_label, head="Method") -> Layout:
    """Rows by group against columns ``(metric, k)``; ``entries``: (dataset, row, metric, k) -> Entry."""

    def row(name):
        cells = [entries.get((d, name, *c), Entry(MISSING)) for c in columns for d in datasets]
        return label(name), cells

    return Layout(
        caption=caption,
        metrics=[metric_label(*column) for column in columns],
        datasets=[dataset_title(facts, d) for d in datasets],
        groups=[[row(name) for name in group] for group in groups],
        head=head,
    )


def row_groups(benchmark: pd.DataFrame) -> list[list[str]]:
    """The methods of all datasets by row group, in the order of their first appearance."""
    return group_methods(dict.fromkeys(benchmark["method"]))


def group_methods(methods) -> list[list[str]]:
    """[bm25, popularity], then one group per base encoder; ColBERT is in the group of S.BERT.

    Groups are in the order of their first method; the order inside a group is kept.
    """
    groups: dict[str, list[str]] = {}
    for method in methods:
        groups.setdefault(row_group(method), []).append(method)
    return list(groups.values())


def score_columns(frame):
    """(metric, k, column) of per-query scores in the order of a table's rows: by metric, then k."""
    found = [(*column.split("@"), column) for column in frame.columns if "@" in column]
    found = [(metric, int(k), column) for metric, k, column in found if metric in METRICS]
    return sorted(found, key=lambda place: (list(METRICS).index(place[0]), place[1]))


def metric_columns(table: pd.DataFrame, *ks: int) -> list[tuple[str, int]]:
    """(metric, k) of each metric that a tidy table has, at each of ``ks``: the columns of its layout."""
    return [(metric, k) for metric in METRICS if metric in set(table["metric"]) for k in ks]


def row_group(method: str) -> str:
    """The row group of a method; the best of a group is bold."""
    base = method.rpartition("+")[2]
    return {"bm25": "lexical", "popularity": "lexical", "colbert": "sbert"}.get(base, base)


def is_papers(method: str) -> bool:
    """Whether the paper has such a row: an encoder or baseline alone, or MVG over a bi-encoder."""
    wrapper, base = split_method(method)
    return not wrapper or (wrapper == "mvg" and base != "colbert")


def best_rows(methods, mean) -> list[tuple[str, list[str]]]:
    """The bold rows of a row group, each with the rows that it beats, the nearest first.

    They are the best of the rows that the paper has, and any row of ours above them all.
    ``mean``: called with a method. Of equal rows the paper's is best, then the first.
    """
    ranked = sorted(methods, key=lambda method: (-mean(method), not is_papers(method)))
    papers = [method for method in ranked if is_papers(method)]
    contests = [papers] if ranked[:1] == papers[:1] else [papers, ranked]
    return [(rows[0], rows[1:]) for rows in contests if rows]


def format_number(value: float, metric: str) -> str:
    """Two decimals; sizes below one million floats with three significant digits."""
    if pd.isna(value):
        return MISSING
    if metric == "index_mfloats" and 0 < abs(value) < 1:
        return f"{value:#.3g}"
    return f"{value:.2f}"


def to_markdown(layout: Layout) -> str:
    """A caption and a pipe table, one column per metric and dataset."""
    heads = [
        f"{escape_markdown(metric)}<br>{escape_markdown(dataset)}"
        for metric in layout.metrics
        for dataset in layout.datasets
    ]
    rows = [
        [escape_markdown(method), *map(_markdown_entry, entries)]
        for group in layout.groups
        for method, entries in group
    ]
    table = pipe_table([escape_markdown(layout.head), *heads], rows, align="l" + "r" * len(heads))
    return f"{escape_markdown(layout.caption)}\n\n{table}"


def _markdown_entry(entry: Entry) -> str:
    text = f"**{entry.text}**" if entry.best else entry.text
    return f"<ins>{text}</ins>" if entry.significant else text


def pipe_table(heads: list[str], rows: list[list[str]], align: str) -> str:
    """A GitHub pipe table of escaped cells, padded to read well as text.

    ``align``: ``l`` or ``r`` for each column.
    """
    widths = [max(3, *map(len, column)) for column in zip(heads, *rows, strict=True)]
    rule = ["-" * (w - 1) + (":" if a == "r" else "-") for w, a in zip(widths, align, strict=True)]

    def line(cells):
        padded = (c.rjust(w) if a == "r" else c.ljust(w) for c, w, a in zip(cells, widths, align, strict=True))
        return f"| {' | '.join(padded)} |"

    return "\n".join(map(line, [heads, rule, *rows]))


def to_latex(layout: Layout) -> str:
    """A ``table*`` with one span per metric and one column per dataset below it."""
    n = len(layout.datasets)
    spans = [rf"\multicolumn{{{n}}}{{c}}{{{escape_latex(metric)}}}" for metric in layout.metrics]
    rules = [rf"\cmidrule(lr){{{2 + i * n}-{1 + (i + 1) * n}}}" for i in range(len(spans))]
    subheads = [_latex_subhead(dataset) for dataset in layout.datasets] * len(spans)
    groups = [
        "\n".join(_latex_row([escape_latex(method), *map(_latex_entry, entries)]) for method, entries in group)
        for group in layout.groups
    ]
    body = "\n\\midrule\n".join(groups)
    return "\n".join(
        [
            r"\begin{table*}",
            r"\centering",
            rf"\caption{{{escape_latex(layout.caption)}}}",
            r"\scriptsize",
            r"\setlength{\tabcolsep}{3pt}",
            rf"\begin{{tabular}}{{l{'r' * len(subheads)}}}",
            r"\toprule",
            _latex_row([rf"\multirow{{2}}{{*}}{{{escape_latex(layout.head)}}}", *spans]),
            "".join(rules),
            _latex_row(["", *subheads]),
            r"\midrule",
            body,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table*}",
            "",
        ]
    )


def _latex_row(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def _latex_subhead(dataset: str) -> str:
    """``EurLex (simulated)`` on two lines, because nine side by side don't fit on a page."""
    name, simulated, _ = dataset.partition(" (simulated)")
    if not simulated:
        return escape_latex(dataset)
    return rf"\shortstack[r]{{{escape_latex(name)}\\(simulated)}}"


def _latex_entry(entry: Entry) -> str:
    text = escape_latex(entry.text)
    text = rf"\textbf{{{text}}}" if entry.best else text
    return rf"\underline{{{text}}}" if entry.significant else text
