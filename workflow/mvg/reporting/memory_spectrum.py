"""Recall and MAP against the floats of an index: MVG's range, a token-level encoder's point (section 6.3)."""

import pandas as pd
from matplotlib.lines import Line2D

from .claims import PUBLIC, Measured
from .labels import dataset_label, is_simulated, method_label, metric_label, split_method
from .style import legend_below, literal, method_look, panels, save

METRICS = ("recall", "map")
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
    groups = list(table.groupby("dataset", sort=False))
    with panels(len(METRICS), height=2.1 * len(groups) + 0.5, rows=len(groups)) as (figure, axes):
        for dataset, part in groups:
            row, axes = axes[: len(METRICS)], axes[len(METRICS) :]
            for axis, metric in zip(row, METRICS):
                _plot(axis, part, metric)
            row[0].set_title(literal(dataset_label(dataset, is_simulated(facts, dataset))), loc="left")
        methods = table["method"].unique()
        handles = [Line2D([], [], **method_look(method)._asdict()) for method in methods]
        labels = [method_label(method) for method in methods]
        if not table["m_avg"].isna().any():
            handles.append(Line2D([], [], ls=""))
            labels.append("(no token-level encoder in this run)")
        legend_below(figure, handles, labels)
        save(figure, stem)


def _plot(axis, part, metric) -> None:
    """A line through the budgets of each encoder, from the encoder alone; a mark for what has no budget."""
    for _, curve in part.groupby(part["method"].map(lambda method: split_method(method)[1]), sort=False):
        curve = curve.sort_values("index_mfloats")
        for method, points in curve.groupby("method"):
            look = method_look(method)
            line = curve if method.startswith("mvg+") else points
            axis.plot(line["index_mfloats"], line[metric], color=look.color, zorder=1)
            axis.plot(points["index_mfloats"], points[metric], **look._asdict(), ls="")
    axis.set(xscale="log", xlabel="Index (millions of floats)", ylabel=f"{metric_label(metric, part['k'].iloc[0])} (%)")
