"""Recall and MAP against the floats of an index: a range for MVG, a point for a token-level encoder (section 6.3)."""

import pandas as pd

from ..datasets.reading import load_facts
from ..reporting.labels import method_label, split_method
from ..reporting.metric_panels import METRICS, by_dataset, write_metric_panels
from ..reporting.style import GREY, PAPERS, log_ticks, method_look
from ..reporting.tables import read_tables, write_table
from ..verdicts.benchmark import read_benchmark
from ..verdicts.claims import PUBLIC, Measured, has_points
from ..verdicts.paper import load_paper

COLUMNS = ["dataset", "method", "m_avg", "k", "index_mfloats", *METRICS]


def report(given, made, params, log) -> None:
    """One row of panels for each dataset."""
    sweeps, benchmark = read_tables(given.sweeps), read_benchmark(given.benchmark)
    table = spectrum(sweeps, benchmark, params.beta, params.token_level)
    write_table(table, made.csv)
    draw(table, load_facts(params.datasets, given.stats), made)


def spectrum(sweeps: pd.DataFrame, benchmark: pd.DataFrame, beta, token_level) -> pd.DataFrame:
    """The plain encoders and MVG at ``beta`` from the budget sweep, token-level encoders from the benchmark.

    sweeps: rows of the budget sweep; benchmark: the frame of ``benchmark_table``; token_level: its token-level
    methods. Columns ``dataset, method, m_avg, k, index_mfloats, recall, map``; ``m_avg`` is empty for these.
    """
    curves = sweeps[sweeps["beta"].isna() | (sweeps["beta"] == beta)]
    curves = curves.assign(method=curves["encoder"].where(curves["beta"].isna(), "mvg+" + curves["encoder"]))
    deepest = benchmark["k"].isna() | (benchmark["k"] == benchmark["k"].max())
    points = benchmark[deepest & benchmark["method"].isin(token_level)]
    points = points.pivot(index=["dataset", "method"], columns="metric", values="value").reset_index()
    points = points.assign(k=benchmark["k"].max())
    return pd.concat([curves, points], ignore_index=True).reindex(columns=COLUMNS)


def draw(table: pd.DataFrame, facts: dict, made) -> None:
    """Write ``made.pdf`` and ``made.png``: a row per dataset, recall beside MAP."""
    legend = {method_label(method): method_look(method)._asdict() for method in table["method"].unique()}
    if not table["m_avg"].isna().any():
        legend["(no token-level encoder in this run)"] = {"ls": ""}
    papers = papers_points(table, facts)
    if papers:
        legend["the paper's"] = {"color": GREY, "marker": "o"} | PAPERS

    def plot(axis, part, metric):
        _plot(axis, part, metric)
        for method, point in papers.get(part["dataset"].iloc[0], {}).items():
            axis.plot(point["index_mfloats"], point[metric], **method_look(method)._asdict() | PAPERS)
        axis.set(xscale="log", xlabel="Index (millions of floats)")
        log_ticks(axis.xaxis)

    write_metric_panels(made, by_dataset(table, facts), plot, legend, columns=4)


def papers_points(table, facts: dict) -> dict[str, dict[str, dict]]:
    """dataset -> method -> the paper's size, recall and MAP at 100, for what both the paper and the figure have."""
    found = {}
    for place, printed in load_paper().benchmark().items():
        dataset, method, metric, _ = place
        rows = table[(table["dataset"] == dataset) & (table["method"] == method)]
        if len(rows) and has_points(facts, dataset) and (rows["k"] == 100).all():
            found.setdefault(dataset, {}).setdefault(method, {})[metric] = printed
    return found


def _plot(axis, part, metric) -> None:
    """Draw a line through the budgets of each encoder, from the plain encoder on; a mark for methods without one."""
    for _, curve in part.groupby(part["method"].map(lambda method: split_method(method)[1]), sort=False):
        curve = curve.sort_values("index_mfloats")
        for method, points in curve.groupby("method"):
            look = method_look(method)
            line = curve if method.startswith("mvg+") else points
            axis.plot(line["index_mfloats"], line[metric], color=look.color, zorder=1)
            axis.plot(points["index_mfloats"], points[metric], **look._asdict(), ls="")


def claims(table: pd.DataFrame) -> dict[str, Measured]:
    """Whether MVG has several sizes where ColBERT has one, and whether it is better at a smaller size.

    MVG is over S.BERT on the public datasets, as in the paper; another encoder of the run is not compared.
    """
    table = table[table["dataset"].isin(PUBLIC)]
    tokens, views = table[table["m_avg"].isna()], table[table["method"].str.startswith("mvg+")]
    run = [dataset for dataset in PUBLIC if {dataset} <= {*tokens["dataset"]} & {*views["dataset"]}]
    if not run:
        return {}
    encoder = "mvg+sbert" if (views["method"] == "mvg+sbert").any() else views["method"].iloc[0]
    reason = "" if len(run) == len(PUBLIC) else f"{len(run)} of {len(PUBLIC)} datasets run"
    if encoder != "mvg+sbert":
        reason = f"another encoder ({method_label(encoder)} against MVG + S.BERT)"
    wider, better = [], []
    for dataset in run:
        ours = views[(views["dataset"] == dataset) & (views["method"] == encoder)]
        theirs = tokens[tokens["dataset"] == dataset].iloc[0]
        wider.append(ours["index_mfloats"].nunique() > 1)
        above = (ours["index_mfloats"] < theirs["index_mfloats"]) & (ours["recall"] > theirs["recall"])
        better.append(bool((above & (ours["map"] > theirs["map"])).any()))
    return {
        "memory_spectrum_wider": Measured(all(wider), reason),
        "memory_spectrum_better_and_smaller": Measured(all(better), reason),
    }
