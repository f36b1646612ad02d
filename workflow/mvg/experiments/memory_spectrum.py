"""Recall and MAP against the floats of an index: MVG's range, a token-level encoder's point (section 6.3)."""

import pandas as pd

from ..datasets.reading import load_facts
from ..reporting.labels import method_label, split_method
from ..reporting.metric_panels import METRICS, by_dataset, write_metric_panels
from ..reporting.style import log_ticks, method_look
from ..reporting.tables import read_table, write_table
from ..verdicts.benchmark import read_benchmark
from ..verdicts.claims import PUBLIC, Measured

COLUMNS = ["dataset", "method", "m_avg", "k", "index_mfloats", *METRICS]


def report(given, made, params, log) -> None:
    """One row of panels for each dataset."""
    sweeps, benchmark = read_table(given.sweeps), read_benchmark(given.benchmark)
    table = spectrum(sweeps, benchmark, params.beta, params.token_level)
    write_table(table, made.csv)
    draw(table, load_facts(params.datasets, given.stats), made)


def spectrum(sweeps: pd.DataFrame, benchmark: pd.DataFrame, beta, token_level) -> pd.DataFrame:
    """The plain encoders and MVG at ``beta`` out of the budget sweep, token-level encoders of the benchmark.

    sweeps: ``budget_sweep.csv``; benchmark: the frame of ``benchmark_table``; token_level: methods of
    it. Columns ``dataset, method, m_avg, k, index_mfloats, recall, map``; ``m_avg`` empty for the last.
    """
    curves = sweeps[sweeps["beta"].isna() | (sweeps["beta"] == beta)]
    curves = curves.assign(method=curves["encoder"].where(curves["beta"].isna(), "mvg+" + curves["encoder"]))
    deepest = benchmark["k"].isna() | (benchmark["k"] == benchmark["k"].max())
    points = benchmark[deepest & benchmark["method"].isin(token_level)]
    points = points.pivot(index=["dataset", "method"], columns="metric", values="value").reset_index()
    points = points.assign(k=benchmark["k"].max())
    return pd.concat([curves, points], ignore_index=True).reindex(columns=COLUMNS)


def draw(table: pd.DataFrame, facts: dict, made) -> None:
    """Write ``made.pdf`` and ``made.png``: a row a dataset, recall beside MAP."""
    legend = {method_label(method): method_look(method)._asdict() for method in table["method"].unique()}
    if not table["m_avg"].isna().any():
        legend["(no token-level encoder in this run)"] = {"ls": ""}
    write_metric_panels(made, by_dataset(table, facts), _plot, legend, columns=3)


def _plot(axis, part, metric) -> None:
    """A line through the budgets of each encoder, from the encoder alone; a mark for what has no budget."""
    for _, curve in part.groupby(part["method"].map(lambda method: split_method(method)[1]), sort=False):
        curve = curve.sort_values("index_mfloats")
        for method, points in curve.groupby("method"):
            look = method_look(method)
            line = curve if method.startswith("mvg+") else points
            axis.plot(line["index_mfloats"], line[metric], color=look.color, zorder=1)
            axis.plot(points["index_mfloats"], points[metric], **look._asdict(), ls="")
    axis.set(xscale="log", xlabel="Index (millions of floats)")
    log_ticks(axis.xaxis)


def claims(table: pd.DataFrame) -> dict[str, Measured]:
    """Whether MVG has several index sizes on each public dataset, and the token-level encoder one."""
    table = table[table["dataset"].isin(PUBLIC)]
    run = table["dataset"].nunique()
    if not run:
        return {}
    reason = "" if run == len(PUBLIC) else f"{run} of {len(PUBLIC)} datasets run"
    if not table["m_avg"].isna().any():
        reason = "no token-level encoder run"
    sizes = table.groupby([table["dataset"], table["m_avg"].isna()])["index_mfloats"].nunique()
    wider = all((count == 1) if token_level else (count > 1) for (_, token_level), count in sizes.items())
    return {"memory_spectrum_wider": Measured(wider, reason)}
