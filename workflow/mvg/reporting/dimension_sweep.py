"""DSSM, MVG and their rivals against the dimension (the paper's section 6.4)."""

import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from .claims import Measured
from .labels import dataset_label, is_simulated, metric_label
from .style import legend_below, literal, method_look, panels, save

METRICS = ("recall", "map")
SERIES = {  # series -> (as which method it is drawn, line, label)
    "dssm": ("dssm", "-", "DSSM(r)"),
    "mvg+dssm": ("mvg+dssm", "-", "MVG + DSSM(r)"),
    "prior+dssm": ("prior+dssm", "-", "Prior + DSSM(r)"),
    "dssm(2r)": ("dssm", "--", "DSSM(2r)"),
    "dssm(equal)": ("dssm", ":", "DSSM of MVG's size"),
}


def measured(table: pd.DataFrame) -> dict[str, Measured]:
    """The paper's numbers at 32 and 64 dimensions, and whether recall never falls as r grows."""
    recall = table[table["dataset"] == "eurlex"].pivot(index="dimension", columns="series", values="recall")
    if recall.empty:
        return {}
    rising = recall[["dssm", "mvg+dssm"]].diff().dropna() >= 0
    found = {"dimension_recall_rises": Measured(bool(rising.all(axis=None)))}
    if 32 in recall.index:
        at = recall.loc[32]
        found |= {
            "dimension_dssm_32": Measured(at["dssm"]),
            "dimension_mvg_32": Measured(at["mvg+dssm"]),
            "dimension_gain_32": Measured(at["mvg+dssm"] - at["dssm"]),
            "dimension_dssm_64": Measured(at["dssm(2r)"]),
            "dimension_mvg_beats_doubling": Measured(at["mvg+dssm"] > at["dssm(2r)"]),
        }
    return found


def write(table: pd.DataFrame, facts: dict, stem) -> None:
    """Write ``stem.pdf`` and ``stem.png``: a row a dataset, recall beside MAP."""
    groups = list(table.groupby("dataset", sort=False))
    with panels(len(METRICS), height=2.5 * len(groups) + 0.5, rows=len(groups)) as (figure, axes):
        for dataset, part in groups:
            row, axes = axes[: len(METRICS)], axes[len(METRICS) :]
            for axis, metric in zip(row, METRICS):
                _plot(axis, part, metric)
            row[0].set_title(literal(dataset_label(dataset, is_simulated(facts, dataset))), loc="left")
        handles = [Line2D([], [], **_look(name)) for name in SERIES]
        size = table.groupby("series")["index_mfloats"].sum()
        labels = [f"{label}, {size[name] / size['dssm']:.2g}×" for name, (*_, label) in SERIES.items()]
        legend_below(figure, handles, labels)
        save(figure, stem)


def _look(series) -> dict:
    method, line, _ = SERIES[series]
    hollow = {} if line == "-" else {"markerfacecolor": "white"}
    return method_look(method)._asdict() | {"ls": line} | hollow


def _plot(axis, part, metric) -> None:
    for series in SERIES:
        curve = part[part["series"] == series].sort_values("dimension")
        axis.plot(curve["dimension"], curve[metric], **_look(series))
    plain = part[part["series"] == "dssm"]
    ratio = (plain["index_mfloats"] / plain["dimension"]).iloc[0]
    axis.set(xscale="log", xlabel="Dimension r", ylabel=f"{metric_label(metric, part['k'].iloc[0])} (%)")
    above = axis.secondary_xaxis("top", functions=(lambda r: r * ratio, lambda size: size / ratio))
    above.set_xlabel("Index of DSSM(r) (millions of floats)")
    ticks = sorted(plain["dimension"])
    axis.set_xticks(ticks, ticks)
    above.set_xticks([r * ratio for r in ticks], [f"{r * ratio:.2g}" for r in ticks])
    for x_axis in (axis.xaxis, above.xaxis):
        x_axis.set_minor_locator(NullLocator())
