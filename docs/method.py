"""Draws docs/method.png, the README's picture: what MVG adds to a document, and what that gains on EurLex.

python docs/method.py
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

# Recall@100 in docs/results.md: plain, with the prior, with MVG, with both.
GAINS = {
    "WordLlama\nas it comes": (30.7, 61.7, 83.8, 85.0),
    "MiniLM\nas it comes": (38.6, 68.9, 87.7, 89.0),
    "DSSM\nin-batch": (87.6, 93.8, 91.7, 93.8),
}
ROWS = {"encoder alone": "0.75", "+ prior, 1.0x": "#9ecae1", "+ MVG, 1.3x": "#3182bd", "+ both, 1.3x": "#08306b"}


def draw_method(axes):
    """A document's own vector, the queries that led to it, and the centers of their clusters."""
    random = np.random.default_rng(4)
    centers = np.array([[-1.2, 0.7], [0.9, 1.1], [1.2, -0.8]])
    for i, center in enumerate(centers):
        queries = center + random.normal(scale=0.22, size=(14, 2))
        axes.scatter(*queries.T, s=14, color="0.6", label="training queries that led to it" if i == 0 else None)
    axes.scatter(*centers.T, s=130, marker="*", color="#3182bd", label="behavioural vectors: their centers", zorder=3)
    axes.scatter(-0.3, -0.9, s=90, marker="s", color="#08306b", label="semantic vector of the document", zorder=3)
    new = np.array([1.05, 0.7])
    axes.scatter(*new, s=60, marker="X", color="#d95f02", label="new query: far from the document's text", zorder=3)
    axes.plot(*np.array([new, centers[1]]).T, color="#d95f02", lw=1.5)
    axes.plot(*np.array([new, [-0.3, -0.9]]).T, color="#d95f02", lw=1, ls=":")
    axes.set(title="One document in the index", xticks=[], yticks=[], xlim=(-2, 2), ylim=(-2.9, 1.8))
    axes.legend(loc="lower center", frameon=False, fontsize=8)


def draw_gains(axes):
    width = 0.2
    for i, (name, color) in enumerate(ROWS.items()):
        places = np.arange(len(GAINS)) + (i - 1.5) * width
        bars = axes.bar(places, [values[i] for values in GAINS.values()], width, color=color, label=name)
        axes.bar_label(bars, fmt="%.0f", fontsize=7)
    axes.set(title="EurLex, test", ylabel="Recall@100 (%)", ylim=(0, 118), yticks=range(0, 101, 25))
    axes.set_xticks(range(len(GAINS)), GAINS, fontsize=8)
    axes.legend(ncols=2, fontsize=7, frameon=False, loc="upper left")
    axes.spines[["top", "right"]].set_visible(False)


if __name__ == "__main__":
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.2), width_ratios=(1, 1.25), layout="constrained")
    draw_method(left)
    draw_gains(right)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=130)
