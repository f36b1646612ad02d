"""DSSM, MVG and their rivals against the dimension (the paper's section 6.4)."""

import pandas as pd
from matplotlib.ticker import NullLocator

from .claims import Measured
from .metric_panels import by_dataset, write_metric_panels
from .style import method_look

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
    size = table.groupby("series")["index_mfloats"].sum()
    legend = {f"{SERIES[name][2]}, {size[name] / size['dssm']:.2g}×": _look(name) for name in SERIES}
    write_metric_panels(stem, by_dataset(table, facts), _plot, legend, columns=3, height=2.5)


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
    axis.set(xscale="log", xlabel="Dimension r")
    above = axis.secondary_xaxis("top", functions=(lambda r: r * ratio, lambda size: size / ratio))
    above.set_xlabel("Index of DSSM(r) (millions of floats)")
    ticks = sorted(plain["dimension"])
    axis.set_xticks(ticks, ticks)
    above.set_xticks([r * ratio for r in ticks], [f"{r * ratio:.2g}" for r in ticks])
    for x_axis in (axis.xaxis, above.xaxis):
        x_axis.set_minor_locator(NullLocator())
