"""The layout of sweep figures: one row per dataset, recall beside MAP, one legend below."""

from matplotlib.lines import Line2D

from .labels import dataset_title, metric_label
from .style import legend_below, literal, panels, save

METRICS = ("recall", "map")


def by_dataset(table, facts) -> dict:
    """The rows of each dataset under its label."""
    return {dataset_title(facts, name): part for name, part in table.groupby("dataset", sort=False)}


def write_metric_panels(made, rows: dict, plot, legend: dict, columns=4, height=2.1) -> None:
    """Write ``made.pdf`` and ``made.png``.

    rows: title -> table with a column ``k``; plot: called with ``(axis, table, metric)`` for each panel
    legend: label -> properties of its line; height: of a row, in inches
    """
    with panels(len(METRICS), height=height * len(rows) + 0.5, rows=len(rows)) as (figure, axes):
        for (title, table), row in zip(rows.items(), axes.reshape(len(rows), -1), strict=True):
            row[0].set_title(literal(title), loc="left")
            for axis, metric in zip(row, METRICS, strict=True):
                plot(axis, table, metric)
                axis.set_ylabel(f"{metric_label(metric, table['k'].iloc[0])} (%)")
        handles = [Line2D([], [], **properties) for properties in legend.values()]
        legend_below(figure, handles, [*legend], columns)
        save(figure, made)
