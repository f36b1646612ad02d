"""Recall and MAP against the budget, a curve a beta (the paper's section 6.4)."""

import matplotlib
import pandas as pd

from .budget_share import not_public
from .claims import Measured
from .comparison import POINTS
from .labels import dataset_label, is_simulated, method_label
from .metric_panels import write_metric_panels
from .style import GREY, MARKERS, Look, log_ticks


def measured(table: pd.DataFrame) -> dict[str, Measured]:
    """What the paper reads off its figure of a dataset that isn't public, from ours of the first one.

    Like the paper's, the best point is that of the figure, on test: nothing is chosen by it. A fall
    is one of more than 0.5 points, from a curve's best to the largest budget.
    """
    dataset, encoder = table[["dataset", "encoder"]].iloc[0]
    table = table[(table["dataset"] == dataset) & (table["encoder"] == encoder)]
    base = table.loc[table["beta"].isna(), "recall"].iloc[0]
    points = table.dropna(subset="beta")
    best = points.loc[points["recall"].idxmax()]
    curves = points.pivot(index="beta", columns="m_avg", values="recall")
    falls = curves.max(axis=1) - curves.iloc[:, -1]
    values = {
        "budget_best_beta": best["beta"],
        "budget_best_m_avg": best["m_avg"],
        "budget_recall_falls_beyond_best": falls[best["beta"]] > POINTS,
        "budget_large_beta_falls_faster": falls.iloc[-1] > falls.iloc[0] + POINTS,
        "budget_never_below_base": points["recall"].min() >= base - POINTS,
    }
    return {name: Measured(value, not_public(dataset)) for name, value in values.items()}


def write(table: pd.DataFrame, facts: dict, stem) -> None:
    """Write ``stem.pdf`` and ``stem.png``: a row a dataset and encoder, recall beside MAP."""
    looks = beta_looks(table["beta"].dropna().unique())
    rows = {
        f"{dataset_label(dataset, is_simulated(facts, dataset))}, MVG + {method_label(encoder)}": part
        for (dataset, encoder), part in table.groupby(["dataset", "encoder"], sort=False)
    }
    legend = {rf"$\beta$ = {beta:g}": look._asdict() for beta, look in looks.items()}
    legend["encoder alone"] = {"color": GREY, "ls": "--"}
    write_metric_panels(stem, rows, lambda *panel: _plot(*panel, looks), legend)


def beta_looks(betas) -> dict[float, Look]:
    """From dark to light as beta rises: an order, where other figures' colours are kinds."""
    colors = matplotlib.colormaps["viridis"]
    betas = sorted(betas)
    shades = [0.9 * i / max(len(betas) - 1, 1) for i in range(len(betas))]
    return {b: Look(matplotlib.colors.to_hex(colors(s)), m) for b, s, m in zip(betas, shades, MARKERS)}


def _plot(axis, part, metric, looks) -> None:
    for beta, look in looks.items():
        curve = part[part["beta"] == beta].sort_values("m_avg")
        axis.plot(curve["m_avg"], curve[metric], **look._asdict())
    axis.axhline(part.loc[part["beta"].isna(), metric].iloc[0], color=GREY, ls="--")
    axis.set(xscale="log", xlabel="Behavioural vectors a document")
    log_ticks(axis.xaxis)
