"""The course of a run's trainings: loss, and recall and MAP on dev, by step."""

import pandas as pd
from matplotlib.lines import Line2D

from ..datasets.reading import load_facts
from ..reporting.labels import dataset_title, method_label
from ..reporting.style import BLACK, dataset_looks, legend_below, literal, panels, save
from ..reporting.tables import read_table, write_table

COLUMNS = ["dataset", "encoder", "step", "loss", "recall", "map"]
FEWEST = 3  # evaluations needed for a curve


def report(given, made, params, log) -> None:
    """One column of panels for each encoder that the run trained."""
    histories = dict(zip(map(tuple, params.trained), map(read_table, given.histories), strict=True))
    table = loss_curves(histories)
    write_table(table, made.csv)
    draw(table, load_facts(params.datasets, given.stats), made)


def loss_curves(histories: dict) -> pd.DataFrame:
    """One row per evaluation. ``histories``: (dataset, encoder) -> frame of its ``training.csv``."""
    parts = [frame.assign(dataset=dataset, encoder=encoder) for (dataset, encoder), frame in histories.items()]
    return pd.concat(parts or [pd.DataFrame(columns=COLUMNS)])[COLUMNS]


def draw(table: pd.DataFrame, facts: dict, made) -> None:
    """Write ``made.pdf`` and ``made.png``; ``facts``: dataset -> ``stats.json``."""
    encoders, short = with_and_without_a_curve(table)
    count = max(1, len(encoders))
    with panels(count, height=3.6, rows=2) as (figure, axes):
        axes = axes.reshape(2, count)
        if not encoders:
            axes[0][0].set_title(
                "No curve: no encoder was evaluated often enough." if short else "No encoder was trained."
            )
        if short:
            note = f"Evaluated fewer than {FEWEST} times, so not drawn: {', '.join(map(method_label, short))}"
            figure.suptitle(note, fontsize=7, parse_math=False)
        looks = dataset_looks(dict.fromkeys(table["dataset"]))
        for column, encoder in zip(axes.T, encoders, strict=False):
            plot_encoder(table[table["encoder"] == encoder], looks, *column)
            column[0].set_title(literal(method_label(encoder)))
        axes[0][0].set_ylabel("Training loss\n(share of the first)")
        axes[1][0].set_ylabel("Dev, at 100 (%)")
        handles = [Line2D([], [], **look._asdict()) for look in looks.values()]
        labels = [literal(dataset_title(facts, dataset)) for dataset in looks]
        handles += [Line2D([], [], color=BLACK, ls=style) for style in ("-", "--")]
        legend_below(figure, handles, [*labels, "Recall", "MAP"], columns=5)
        save(figure, made)


def with_and_without_a_curve(table: pd.DataFrame) -> tuple[list[str], list[str]]:
    """The encoders evaluated at least ``FEWEST`` times on a dataset, and the others."""
    counts = table.groupby(["encoder", "dataset"], sort=False).size().groupby("encoder", sort=False).max()
    return [*counts.index[counts >= FEWEST]], [*counts.index[counts < FEWEST]]


def plot_encoder(table: pd.DataFrame, looks: dict, loss_axes, dev_axes) -> None:
    """Draw loss above, recall and MAP below, a line per dataset."""
    for dataset, history in table.groupby("dataset", sort=False):
        look = looks[dataset]._asdict()
        loss_axes.plot(history["step"], history["loss"] / history["loss"].iloc[0], **look)
        dev_axes.plot(history["step"], history["recall"], **look)
        dev_axes.plot(history["step"], history["map"], color=look["color"], ls="--")
    loss_axes.set_ylim(0, 1.05 * max(loss_axes.dataLim.y1, 1))  # so that the first markers are not cut
    dev_axes.set(ylim=(0, 100), xlabel="Step")
