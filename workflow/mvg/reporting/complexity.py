"""The paper's related-work table, measured: sizes and times of each way to represent documents."""

import pandas as pd

from .claims import Measured
from .labels import dataset_label
from .tables import MISSING, Entry, Layout, simulated_note, write_layouts

REPRESENTATIONS = {
    "single_vector": "One vector",
    "fixed_vectors": "Four vectors",
    "mvg": "MVG",
    "token_level": "A vector a token",
}
NEGLIGIBLE = 0.1  # of a query's median latency
HEADS = ["Mfloats", "MB", "Build", "p50", "p90", "p99", "Rate", "Dedup."]
CAPTION = (
    "Index size in millions of floats and in MB on disk, seconds to build; p50, p90 and p99: latency of a query as a "
    "multiple of the single vector's median with the same index; rate: queries a second, likewise; dedup.: share of "
    "the median latency, in percent. Ratios of times hold for this run only."
)


def complexity_table(measured: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """``complexity.csv`` from the frames of :func:`mvg.evaluation.complexity.complexity` by dataset.

    Columns up to ``mbytes`` are the same in every run; those from ``build_s`` on are times. The last,
    ``latency_ratio``, is the median latency as a multiple of the single vector's with the same index.
    """
    table = pd.concat([frame.assign(dataset=dataset) for dataset, frame in measured.items()], ignore_index=True)
    table = table[["dataset", *table.columns.drop("dataset")]]
    return table.assign(latency_ratio=table["p50_ms"] / _single(table)["p50_ms"])


def measured(table: pd.DataFrame) -> dict[str, Measured]:
    """Whether deduplication takes less than a tenth of a query's median latency, in every index of MVG."""
    mvg = table[table["representation"] == "mvg"]
    return {"deduplication_negligible": Measured(bool((mvg["deduplication_ms"] < NEGLIGIBLE * mvg["p50_ms"]).all()))}


def write_complexity(table: pd.DataFrame, facts: dict, stem) -> None:
    """Write ``stem.md`` and ``stem.tex`` for the frame of ``complexity_table``: a table a dataset."""
    times = ["p50_ms", "p90_ms", "p99_ms", "queries_per_s"]
    single = _single(table)
    shown = table[["mfloats", "mbytes", "build_s"]].copy()
    shown[times] = table[times].div(single["p50_ms"], axis=0)
    shown["queries_per_s"] = table["queries_per_s"] / single["queries_per_s"]
    shown["deduplication"] = 100 * table["deduplication_ms"] / table["p50_ms"]
    places = zip(table["dataset"], table["representation"], table["index"])
    entries = {place: [Entry(_number(value)) for value in row] for place, row in zip(places, shown.to_numpy())}
    indexes = list(dict.fromkeys(table["index"]))
    layouts = []
    for dataset, part in table.groupby("dataset", sort=False):
        rows = [
            (
                REPRESENTATIONS[name],
                [e for index in indexes for e in entries.get((dataset, name, index), [Entry(MISSING)] * len(HEADS))],
            )
            for name in dict.fromkeys(part["representation"])
        ]
        caption = f"{dataset_label(dataset)}. {CAPTION}{simulated_note([dataset], facts)}"
        layouts.append(Layout(caption, indexes, HEADS, [rows], head="Documents have"))
    write_layouts("Complexity", layouts, stem)


def _single(table) -> pd.DataFrame:
    """For each row the row of the single vector with the same index, of the same dataset."""
    single = table[table["representation"] == "single_vector"].set_index(["dataset", "index"])
    return single.loc[list(zip(table["dataset"], table["index"]))].reset_index(drop=True)


def _number(value) -> str:
    """Three significant digits, without an exponent."""
    if pd.isna(value):
        return MISSING
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:#.3g}".rstrip(".")
