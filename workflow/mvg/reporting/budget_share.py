"""Head, torso and tail: who gets the budget as beta goes from 0 to 1 (the paper's section 6.4)."""

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from .claims import Measured
from .labels import dataset_label, is_simulated
from .style import BLUE, GREEN, ORANGE, legend_below, literal, panels, save

COLORS = {"head": ORANGE, "torso": GREEN, "tail": BLUE}
STYLES = {"share": ("-", "real-valued"), "integer_share": ("--", "whole vectors")}


def measured(table: pd.DataFrame) -> dict[str, Measured]:
    """Equal budgets at beta 0: each third has the share of the budget that it has of the documents.

    The head's share at beta 1 is of the first dataset: the paper's is not public.
    """
    even = table[table["beta"] == 0]
    documents = even.groupby("dataset")["documents"].transform("sum")
    equal = bool(np.allclose(even["share"], 100 * even["documents"] / documents))
    dataset = table["dataset"].iloc[0]
    head = table[(table["dataset"] == dataset) & (table["beta"] == 1) & (table["third"] == "head")]
    return {
        "budget_equal_at_beta_0": Measured(equal),
        "budget_head_share_at_beta_1": Measured(head["share"].iloc[0], not_public(dataset)),
    }


def not_public(dataset) -> str:
    """Why a number of ours for a statement about ProdSearch can't be compared."""
    return f"dataset not public; ours is of {dataset_label(dataset)}"


def write(table: pd.DataFrame, facts: dict, stem) -> None:
    """Write ``stem.pdf`` and ``stem.png``: a panel a dataset, shares of the budget by beta."""
    datasets = table["dataset"].unique()
    with panels(len(datasets)) as (figure, axes):
        for axis, dataset in zip(axes, datasets):
            for third, part in table[table["dataset"] == dataset].groupby("third"):
                for column, (line, _) in STYLES.items():
                    axis.plot(part["beta"], part[column], color=COLORS[third], ls=line)
            axis.set_title(literal(dataset_label(dataset, is_simulated(facts, dataset))))
            axis.set(xlabel=r"$\beta$", ylim=(-2, 102))
        axes[0].set_ylabel("Share of the budget (%)")
        handles = [Line2D([], [], color=color) for color in COLORS.values()]
        handles += [Line2D([], [], color="black", ls=line) for line, _ in STYLES.values()]
        legend_below(figure, handles, [*COLORS, *(label for _, label in STYLES.values())], columns=3)
        save(figure, stem)
