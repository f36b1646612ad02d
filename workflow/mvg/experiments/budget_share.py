"""The shares of the budget that head, torso and tail get as beta goes from 0 to 1 (paper, section 6.4)."""

import numpy as np

from ..datasets.pairs import read_split
from ..datasets.reading import load_stats
from ..lexical.popularity import training_popularity
from ..verdicts.claims import Measured, not_public

THIRDS = ("head", "torso", "tail")
STYLES = {"share": "real-valued", "integer_share": "whole vectors"}
BETAS = np.linspace(0, 1, 21).round(2).tolist()


def measure(given, params, threads, log) -> list[dict]:
    """The shares of one dataset."""
    n_documents = load_stats(given.stats)["documents"]
    popularity = training_popularity(read_split(given.train).pairs, n_documents)
    total = round(params.m_avg * n_documents)
    log(f"{total} vectors over {(popularity > 0).sum()} documents with a training query")
    return [{"dataset": params.dataset} | row for row in budget_share(popularity, total, BETAS)]


def budget_share(popularity, total, betas) -> list[dict]:
    """Share of the budget that goes to head, torso and tail (paper, section 6.4).

    These are the top, middle and bottom third by n_d of the documents with a training query.
    popularity: (n_documents,) number of training queries; total: the budget, vectors

    A row for each beta and third: ``beta, third, documents, share, integer_share``; shares in percent of
    the real-valued budget and of the budget rounded to whole vectors.
    """
    from ..multiview import allocate, shares

    seen = np.flatnonzero(popularity)
    by_popularity = seen[np.argsort(-popularity[seen], kind="stable")]
    thirds = dict(zip(THIRDS, np.array_split(by_popularity, 3), strict=True))
    rows = []
    for beta in betas:
        real, whole = shares(popularity, total, beta), allocate(popularity, total, beta)
        for third, documents in thirds.items():
            rows.append(
                dict(
                    beta=beta,
                    third=third,
                    documents=len(documents),
                    share=100 * real[documents].sum() / max(real.sum(), 1),
                    integer_share=100 * whole[documents].sum() / max(whole.sum(), 1),
                )
            )
    return rows


def draw(table, facts: dict, made) -> None:
    """Write ``made.pdf`` and ``made.png``: a panel per dataset, shares of the budget by beta."""
    from matplotlib.lines import Line2D

    from ..reporting.labels import dataset_title
    from ..reporting.style import BLUE, GREEN, ORANGE, legend_below, literal, panels, save

    colors = dict(zip(THIRDS, (ORANGE, GREEN, BLUE), strict=True))
    datasets = table["dataset"].unique()
    with panels(len(datasets)) as (figure, axes):
        for axis, dataset in zip(axes, datasets, strict=True):
            for third, part in table[table["dataset"] == dataset].groupby("third"):
                axis.plot(part["beta"], part["share"], color=colors[third])
                # The dashes alternate, because two of the curves may coincide at zero.
                dashes = (3 * THIRDS.index(third), (3, 6))
                axis.plot(part["beta"], part["integer_share"], color=colors[third], ls=dashes)
            axis.set_title(literal(dataset_title(facts, dataset)))
            axis.set(xlabel=r"$\beta$", ylim=(-2, 102))
            if axis is not axes[0]:
                axis.tick_params(labelleft=False)
        axes[0].set_ylabel("Share of the budget (%)")
        handles = [Line2D([], [], color=color) for color in colors.values()]
        handles += [Line2D([], [], color="black", ls=line) for line in ("-", "--")]
        legend_below(figure, handles, [*colors, *STYLES.values()], columns=5)
        save(figure, made)


def claims(table) -> dict[str, Measured]:
    """Whether each third gets its share of the documents at beta 0, and the head's share at beta 1.

    The latter is that of the click log, which stands for the paper's product search, or else of the first dataset.
    """
    even = table[table["beta"] == 0]
    documents = even.groupby("dataset")["documents"].transform("sum")
    equal = bool(np.allclose(even["share"], 100 * even["documents"] / documents))
    dataset = "clicklog" if (table["dataset"] == "clicklog").any() else table["dataset"].iloc[0]
    head = table[(table["dataset"] == dataset) & (table["beta"] == 1) & (table["third"] == "head")]
    return {
        "budget_equal_at_beta_0": Measured(equal),
        "budget_head_share_at_beta_1": Measured(head["share"].iloc[0], not_public(dataset)),
    }
