"""Recall and MAP against the floats of an index: MVG's range, a token-level encoder's point (section 6.3)."""

import pandas as pd

from .claims import PUBLIC, Measured
from .labels import method_label, split_method
from .metric_panels import METRICS, by_dataset, write_metric_panels
from .style import log_ticks, method_look

COLUMNS = ["dataset", "method", "m_avg", "k", "index_mfloats", *METRICS]


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


def measured(table: pd.DataFrame) -> dict[str, Measured]:
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


def write(table: pd.DataFrame, facts: dict, stem) -> None:
    """Write ``stem.pdf`` and ``stem.png``: a row a dataset, recall beside MAP."""
    legend = {method_label(method): method_look(method)._asdict() for method in table["method"].unique()}
    if not table["m_avg"].isna().any():
        legend["(no token-level encoder in this run)"] = {"ls": ""}
    write_metric_panels(stem, by_dataset(table, facts), _plot, legend, columns=3)


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
