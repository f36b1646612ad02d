"""Every number of the paper, ours beside it, and a verdict."""

from collections import Counter

import pandas as pd

from ..io.files import text_writer
from ..reporting.escapes import escape_markdown
from ..reporting.html import document
from ..reporting.labels import dataset_label, is_simulated, method_label, metric_label
from ..reporting.tables import Entry, Layout, pipe_table, write_table
from .claims import POINTS, PUBLIC, analytic, as_measured, counted, derive, sign_tests
from .comparison import (
    COUNT_TOLERANCE,
    METRIC_SCALES,
    NOT_COMPARABLE,
    SIZE,
    VERDICTS,
    WORSE,
    Scale,
    Verdict,
    incomparable,
    other_data,
    verdict,
)
from .paper import load_paper

COLUMNS = [
    "id", "section", "dataset", "queries", "method", "metric", "k",
    "says", "unit", "paper", "compared", "ours", "verdict", "reason",
]  # fmt: skip
UNIT_TOLERANCES = {  # unit of a statement -> (tolerance, relative)
    "points": (POINTS, False),
    "percent": (POINTS, False),
    "times": (SIZE, True),
    "count": (COUNT_TOLERANCE, True),
    "value": (0.0, False),
    "yes/no": (0.0, False),
}


def verdicts_table(benchmark, facts, measured=None, pretrained=None, paper=None, significance=None) -> pd.DataFrame:
    """One row per number of the paper: its tables first, then the statements of its text.

    ``benchmark``: the frame of ``benchmark_table``. ``facts``: dataset -> ``stats.json``.
    ``measured``: id -> value (or ``Measured``) from other experiments, for cells of the other
    tables and for statements. ``pretrained``: (dataset, encoder) -> model of this run.
    ``significance``: the frame of ``significance_table``. Raises KeyError for an id that the paper doesn't have.

    ``paper`` is the printed number, ``compared`` the one that ours is compared with; usually they are the same.
    """
    paper = paper or load_paper()
    measured = dict(measured or {})
    unknown = measured.keys() - {c.id for c in paper.cells} - {s.id for s in paper.statements}
    if unknown:
        raise KeyError(f"no such number in paper.yaml: {', '.join(sorted(unknown))}")

    ours = benchmark_values(benchmark)
    sizes = {(d, method): value for (d, method, metric, _), value in ours.items() if metric == "index_mfloats"}

    def why_not(dataset, method, metric):
        return incomparable(dataset, method, metric, facts, pretrained, paper, sizes)

    # The benchmark may also have cells of other tables, such as EurLex rows of a pretrained encoder.
    in_benchmark = {cell.id: ours[cell.place] for cell in paper.cells if cell.place in ours}
    derived = derive(ours, why_not, sign_tests(significance))
    measured = in_benchmark | derived | counted(facts) | analytic() | measured
    rows = [_cell_row(cell, measured.get(cell.id), why_not) for cell in paper.cells]
    rows += [_count_row(count, measured.get(count.id), facts) for count in paper.counts]
    rows += [_statement_row(s, measured.get(s.id), facts, paper) for s in paper.statements]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"k": "Int64"})


def benchmark_values(benchmark: pd.DataFrame) -> dict[tuple, float]:
    """``benchmark.csv`` as (dataset, method, metric, k) -> value; k is None for sizes."""
    return {
        (row.dataset, row.method, row.metric, None if pd.isna(row.k) else int(row.k)): row.value
        for row in benchmark.itertuples()
    }


def _cell_row(cell, ours, why_not) -> dict:
    value, reason = _value_and_reason(ours, lambda: why_not(*cell.place[:3]), cell.dataset)
    result = verdict(cell.printed, value, METRIC_SCALES.get(cell.metric), reason)
    place = {name: getattr(cell, name) for name in ("queries", "method", "metric", "k")}
    return _row(cell, cell.printed, value, result, place)


def _count_row(count, ours, facts) -> dict:
    """A different count means different data, neither better nor worse."""
    value, reason = as_measured(ours)
    reason = "simulated data" if is_simulated(facts, count.dataset) else reason
    result = verdict(count.target, value, statement_scale(count), reason, count.inconsistent)
    if result.verdict == WORSE:
        result = Verdict(NOT_COMPARABLE, "other data")
    return _row(count, count.target, value, result._replace(reason=result.reason or count.why))


def _statement_row(statement, ours, facts, paper) -> dict:
    value, reason = _value_and_reason(ours, lambda: _other_data(statement.dataset, facts, paper), statement.dataset)
    scale = statement_scale(statement)
    result = verdict(statement.target, value, scale, reason, statement.inconsistent, statement.by_definition)
    return _row(statement, statement.target, value, result)


def statement_scale(statement) -> Scale:
    """The scale of the statement's unit, unless it has its own tolerance."""
    if statement.tolerance is not None:
        return Scale(statement.better, statement.tolerance)
    return Scale(statement.better, *UNIT_TOLERANCES[statement.unit])


def _row(number, compared, ours, result, place=None) -> dict:
    """A row of the table for ``number``, a ``Cell`` or a ``Statement``."""
    empty = {"queries": "", "method": "", "metric": "", "k": None}
    return {
        "id": number.id,
        "section": number.section,
        "dataset": number.dataset,
        **(place or empty),
        "says": getattr(number, "says", ""),
        "unit": getattr(number, "unit", ""),
        "paper": _text(number.printed),
        "compared": _text(compared),
        "ours": _text(ours),
        **result._asdict(),
    }


def _value_and_reason(ours, why_not, dataset):
    """Our number and why it isn't comparable; for a private dataset there is always a reason."""
    if ours is None:
        return None, why_not() if dataset == "prodsearch" else ""
    value, reason = as_measured(ours)
    return value, reason or why_not()


def _other_data(dataset, facts, paper) -> str:
    """Why a statement about ``dataset`` can't be compared: the first reason of several."""
    if dataset == "analytic":
        return ""
    if dataset != "public":
        return other_data(dataset, facts, paper)
    for name in PUBLIC:
        if reason := other_data(name, facts, paper):
            return f"{dataset_label(name)}: {reason}"
    return ""


def _text(value) -> str:
    """A number as text: yes/no for claims, full precision otherwise, empty if there is none."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else repr(value)


def write_verdicts(table: pd.DataFrame, made) -> None:
    """Write ``made.csv``, ``made.md`` and ``made.html``: a count by verdict, the benchmark, then all the rest."""
    write_table(table, made.csv)
    with text_writer(made.md) as file:
        file.write(verdicts_markdown(table))
    with text_writer(made.html) as file:
        file.write(document("Verdicts", verdicts_layouts(table)))


def verdicts_layouts(table: pd.DataFrame) -> list[Layout]:
    """The verdicts as tables for HTML: of the paper's tables, then of its text."""
    is_statement = table["says"] != ""
    heads = ["Verdict", "Paper", "Ours", "Unit", "Section", "Reason"]
    parts = {
        f"{summary(table['verdict'])} First those of the paper's tables.": table[~is_statement],
        "Those of its text.": table[is_statement],
    }
    return [
        Layout(said, heads, [""], [list(map(_html_row, rows.itertuples()))], "Number") for said, rows in parts.items()
    ]


def _html_row(row) -> tuple[str, list[Entry]]:
    metric = metric_label(row.metric, None if pd.isna(row.k) else int(row.k))
    said = row.says or f"{_dataset_and_queries(row)}, {method_label(row.method)}, {metric}"
    paper = row.paper if row.compared == row.paper else f"{row.paper} (compared with {row.compared})"
    cells = (row.verdict, paper, _rounded(row.ours), row.unit, row.section, row.reason)
    return said, [Entry(str(cell)) for cell in cells]


def verdicts_markdown(table: pd.DataFrame) -> str:
    """The verdicts as a page: summary line, the paper's tables, then its statements."""
    is_statement = table["says"] != ""
    is_benchmark = table["id"].str.startswith("benchmark/")
    parts = [
        "# The paper's numbers and ours",
        summary(table["verdict"]),
        "Match: within 0.5 points, or 2 % for sizes. Where the paper's text disagrees with its own "
        "table or formula, the table counts. What holds by definition is not a match, because it could not have come "
        "out otherwise. The paper has no numbers for your own data, so they are not listed here.",
        "## Benchmark",
        _cells_markdown(table[is_benchmark]),
        "## Other tables",
        _cells_markdown(table[~is_benchmark & ~is_statement]),
        "## Statements",
        _statements_markdown(table[is_statement]),
    ]
    return "\n\n".join(parts) + "\n"


def summary(verdicts) -> str:
    """``Of 190 numbers: 3 match, 4 better, ...``, every verdict named."""
    counts = Counter(verdicts)
    listed = ", ".join(f"{counts[name]} {name}" for name in VERDICTS)
    return f"Of {counts.total()} numbers: {listed}."


def _cells_markdown(rows: pd.DataFrame) -> str:
    heads = ["Dataset", "Method", "Metric", "Paper", "Ours", "Verdict", "Reason"]
    cells = [
        [
            escape_markdown(_dataset_and_queries(row)),
            escape_markdown(method_label(row.method)),
            escape_markdown(metric_label(row.metric, None if pd.isna(row.k) else int(row.k))),
            *_compared(row),
        ]
        for row in rows.itertuples()
    ]
    return pipe_table(heads, cells, align="lllrrll")


def _statements_markdown(rows: pd.DataFrame) -> str:
    heads = ["Section", "Statement", "Unit", "Paper", "Ours", "Verdict", "Reason"]
    cells = [[row.section, escape_markdown(row.says), row.unit, *_compared(row)] for row in rows.itertuples()]
    return pipe_table(heads, cells, align="lllrrll")


def _dataset_and_queries(row) -> str:
    return ", ".join(part for part in (dataset_label(row.dataset), row.queries) if part)


def _compared(row) -> list[str]:
    paper = row.paper if row.compared == row.paper else f"{row.paper} (compared with {row.compared})"
    return [
        escape_markdown(paper),
        escape_markdown(_rounded(row.ours)),
        row.verdict,
        escape_markdown(row.reason),
    ]


def _rounded(text: str) -> str:
    """Two decimals for a fraction, or two digits if it is smaller; counts, yes and no as they are."""
    if "." not in text:
        return text
    value = float(text)
    return f"{value:.2g}" if 0 < abs(value) < 0.01 else f"{value:.2f}"
