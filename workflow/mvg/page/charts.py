"""What the page draws: the frontier and the sweeps as plain data, which page.js hands to Chart.js."""

from math import isfinite
from typing import NamedTuple

import pandas as pd

from ..reporting.labels import dataset_title, method_label, metric_label, split_method
from ..reporting.style import BLACK, GREY, added_looks, method_look, ordered_looks

METRICS = ("recall", "map")


class Sweep(NamedTuple):
    """How the csv of an experiment becomes lines: its column on the x axis, and the one that names a line."""

    x: str
    label: str
    line: str
    log: bool = True


SWEEPS = {
    "budget_sweep": Sweep("m_avg", "Behavioural vectors a document", "beta"),
    "dimension_sweep": Sweep("dimension", "Dimension r", "series"),
    "training_sweep": Sweep("epochs", "Epochs of training", "method", log=False),
    "memory_spectrum": Sweep("index_mfloats", "Index (millions of floats)", "method"),
}


def sweep(name: str, table: pd.DataFrame, facts: dict) -> dict:
    """The chart of one of ``SWEEPS``: a facet a dataset (and encoder, where the table names some).

    A chart is ``{x, log, facets: [{label, panels: [{y, series}]}]}``, and a series
    ``{label, color, marker, dash, joined, points: [{x, y, note}]}``.
    """
    shape = SWEEPS[name]
    keys = ["dataset"] + ["encoder"] * (name == "budget_sweep")
    facets = []
    for key, part in table.groupby(keys, sort=False):
        label = ", ".join([dataset_title(facts, key[0]), *map(method_label, key[1:])])
        k = int(part["k"].iloc[0])
        panels = [{"y": f"{metric_label(m, k)} (%)", "series": _lines(name, part, m)} for m in METRICS if m in part]
        facets.append({"label": label, "panels": panels})
    return {"x": shape.label, "log": shape.log, "facets": facets}


def _lines(name, part, metric) -> list[dict]:
    shape = SWEEPS[name]
    shades = ordered_looks(part["beta"].dropna().unique()) if shape.line == "beta" else {}
    series = []
    for key, rows in part.groupby(shape.line, sort=False, dropna=False):
        points = [
            {"x": row[shape.x], "y": row[metric], "note": f"{row['index_mfloats']:.3g} million floats"}
            for _, row in rows.sort_values(shape.x).iterrows()
        ]
        if pd.isna(key):  # the encoder alone, which has no budget: a level across the chart
            across = sorted(part.loc[part[shape.x] > 0, shape.x])
            points = [points[0] | {"x": x} for x in (across[:1] + across[-1:])]
            series.append(_series("encoder alone", GREY, "", points, dash=True))
        elif shades:
            series.append(_series(f"β = {key:g}", *shades[key], points))
        else:  # dssm(2r) is a DSSM again, of another size
            method, rival, size = key.partition("(")
            series.append(_series(method_label(method) + rival + size, *method_look(method), points, dash=bool(rival)))
    return series


def frontier(table: pd.DataFrame, facts: dict) -> dict:
    """The chart of ``frontier.csv``: a facet a dataset and encoder, a line a method with several budgets."""
    table = table[table["k"] == table["k"].max()]
    looks, facets = added_looks(split_method(method)[0] for method in table["method"]), []
    for (dataset, encoder), part in table.groupby(["dataset", "encoder"], sort=False):
        panels = []
        for metric, rows in part.groupby("metric", sort=False):
            if metric in METRICS:
                series = [
                    _series(method_label(method), *looks[split_method(method)[0]], _points(some, "index_ratio"))
                    for method, some in rows.groupby("method", sort=False)
                ]
                y = f"{metric_label(metric, int(rows['k'].iloc[0]))} (%)"
                panels.append({"y": y, "series": [*series, hull(series)]})
        facets.append({"label": f"{dataset_title(facts, dataset)}, {method_label(encoder)}", "panels": panels})
    return {"x": "Index (times the encoder's)", "log": True, "facets": facets}


def benchmark(table: pd.DataFrame, facts: dict) -> dict:
    """The same from ``benchmark.csv``, for a run without a frontier: all its rows by the floats of their index."""
    facets = []
    for dataset, part in table.groupby("dataset", sort=False):
        sizes = part[part["metric"] == "index_mfloats"].set_index("method")["value"]
        k, panels = part["k"].max(), []
        for metric in METRICS:
            rows = part[(part["metric"] == metric) & (part["k"] == k) & part["method"].isin(sizes.index)]
            rows = rows.assign(size=rows["method"].map(sizes))
            series = [
                _series(method_label(method), *method_look(method), _points(some, "size"))
                for method, some in rows.groupby("method", sort=False)
            ]
            if series:
                panels.append({"y": f"{metric_label(metric, int(k))} (%)", "series": [*series, hull(series)]})
        if panels:
            facets.append({"label": dataset_title(facts, dataset), "panels": panels})
    return {"x": "Index (millions of floats)", "log": True, "facets": facets}


def hull(series: list[dict]) -> dict:
    """The best value at each size or below: what is below this line is beaten by something smaller."""
    points = sorted(
        ((p["x"], p["y"]) for one in series for p in one["points"]), key=lambda point: (point[0], -point[1])
    )
    best, corners = float("-inf"), []
    for x, y in points:
        if y > best:
            corners += [{"x": x, "y": best, "note": ""}] * bool(corners) + [{"x": x, "y": y, "note": ""}]
            best = y
    if points:
        corners.append({"x": points[-1][0], "y": best, "note": ""})
    return _series("best at this size", BLACK, "", corners, dash=True)


def _points(rows, x) -> list[dict]:
    notes = [_note(row) for row in rows.to_dict("records")]
    points = [{"x": a, "y": b, "note": note} for a, b, note in zip(rows[x], rows["value"], notes, strict=True)]
    return sorted((p for p in points if p["x"] > 0), key=lambda point: point["x"])


def _note(row: dict) -> str:
    """What a point says beside its place: how it was made, and how it does against the reference row."""
    templates = {
        "p_value": "p = {p_value:.2g}",
        "wins": "{wins:g} wins, {losses:g} losses",
        "train_s": "trained in {train_s:.3g} s",
        "latency_ratio": "latency {latency_ratio:.2g}x",
    }
    parts = [text.format(**row) for name, text in templates.items() if not pd.isna(row.get(name))]
    return "; ".join(parts)


def _series(label, color, marker, points, dash=False) -> dict:
    points = [point for point in points if isfinite(point["x"]) and isfinite(point["y"])]  # JSON has no NaN
    joined = len({point["x"] for point in points}) > 1
    return {"label": label, "color": color, "marker": marker, "dash": dash, "joined": joined, "points": points}
