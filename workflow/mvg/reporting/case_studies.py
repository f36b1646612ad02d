"""The paper's case studies: two documents as maps, gains in cosine, and pairs found with MVG only."""

import numpy as np
import pandas as pd

from ..evaluation.case_studies import MOST_POINTS, cases, cosines, examples, other_pairs, project
from ..io.files import text_writer
from .claims import Measured
from .escapes import single_line
from .labels import dataset_label, is_simulated, method_label
from .style import BLUE, GREY, VERMILLION, legend_below, panels, save
from .tables import Entry, Layout, simulated_note, write_layouts

COLUMNS = ["dataset", "panel", "document", "queries", "views", "series", "x", "y"]
BIN = 0.05  # of cosine
HISTOGRAM = "gains"
# The colours are those of the base encoder and of MVG in all figures.
LOOKS = {
    "query": dict(color=GREY, marker="o", ls="", ms=2.5, mew=0, alpha=0.6),
    "behavioural vector": dict(color=VERMILLION, marker="X", ls="", ms=7, mec="white", mew=0.6),
    "document vector": dict(color=BLUE, marker="D", ls="", ms=6, mec="white", mew=0.6),
    "relevant pairs": dict(color=VERMILLION),
    "same documents, other queries": dict(color=GREY, ls="--"),
}
LONGEST = 40  # letters of a title
LONGEST_QUERY = 75
NONE = "MVG brings no training pair within rank 100 that the base encoder ranks beyond."


def case_study_numbers(dataset, documents, queries, train, test, behavioural, titles, seed=0) -> pd.DataFrame:
    """The numbers behind the figure: ``dataset, panel, document, queries, views, series, x, y``.

    documents, queries: float32 (n, dim), unit rows; train, test: :class:`mvg.datasets.pairs.Split`;
    behavioural: ``(vectors, owner)``; titles: text of each document.

    Panels ``one cluster`` and ``no cluster``, where the data have such a document: a point a vector, of
    which ``queries`` and ``views`` say how many there are. Panel ``gains``: the share ``y`` (percent) of
    test pairs whose cosine MVG raises by ``x`` to ``x`` + 0.05; the first bin has those it leaves.
    """
    vectors, owner = behavioural
    found = cosines(documents, queries, train.pairs, behavioural)
    parts = []
    for panel, row in cases(found, train.pairs[1], owner, len(documents)).items():
        own, views = train.pairs[0][train.pairs[1] == row], vectors[owner == row]
        shown = np.sort(np.random.default_rng(seed).permutation(own)[:MOST_POINTS])
        places = project(documents[row], views, queries[shown], seed)
        series = ["document vector", *["behavioural vector"] * len(views), *["query"] * len(shown)]
        points = pd.DataFrame({"series": series, "x": places[:, 0], "y": places[:, 1]})
        parts.append(points.assign(panel=panel, document=titles[row], queries=len(own), views=len(views)))
    for series, pairs in (
        ("relevant pairs", test.pairs),
        ("same documents, other queries", other_pairs(test.pairs, seed)),
    ):
        some = cosines(documents, queries, pairs, behavioural)
        shares = np.bincount(np.floor((some.best - some.base) / BIN).astype(int))
        shares = pd.DataFrame({"x": np.arange(len(shares)) * BIN, "y": 100 * shares / max(1, len(some.base))})
        parts.append(shares.assign(panel=HISTOGRAM, series=series))
    table = pd.concat(parts, ignore_index=True).assign(dataset=dataset).reindex(columns=COLUMNS)
    return table.astype({"queries": "Int64", "views": "Int64"})


def measured(table: pd.DataFrame) -> dict[str, Measured]:
    """Whether MVG raises relevant pairs more than others, by the mean gain of the histogram."""
    gains = table[table["panel"] == HISTOGRAM]
    relevant, others = (
        ((part["x"] + BIN / 2) * part["y"]).sum()
        for part in (gains[gains["series"] == series] for series in list(LOOKS)[-2:])
    )
    return {"relevant_boosted_more": Measured(bool(relevant > others))}


def write_case_studies(table: pd.DataFrame, facts: dict, stem) -> None:
    """Write ``stem.csv``, ``stem.pdf`` and ``stem.png`` for the frame of ``case_study_numbers``."""
    with text_writer(f"{stem}.csv") as file:
        table.to_csv(file, index=False, lineterminator="\n")
    names = list(dict.fromkeys(table["panel"]))
    with panels(len(names), height=2.9) as (figure, axes):
        for name, panel in zip(names, axes):
            numbers = table[table["panel"] == name]
            (_plot_gains if name == HISTOGRAM else _plot_map)(panel, numbers)
        dataset = table["dataset"].iloc[0]
        figure.suptitle(dataset_label(dataset, is_simulated(facts, dataset)), fontsize=9, parse_math=False)
        shown = [series for series in LOOKS if series in set(table["series"])]
        handles = [axes[0].plot([], [], **LOOKS[series])[0] for series in shown]
        legend_below(figure, handles, shown, columns=5)
        save(figure, stem)


def _plot_map(axes, numbers) -> None:
    for series, look in LOOKS.items():
        points = numbers[numbers["series"] == series]
        axes.plot(points["x"], points["y"], **look)
    first = numbers.iloc[0]
    title = f"{shortened(first['document'])}\ntraining queries: {first['queries']}, views: {first['views']}"
    axes.set_title(title, parse_math=False)
    axes.set(xlabel="t-SNE 1 (no unit)", ylabel="t-SNE 2 (no unit)", xticks=[], yticks=[])


def _plot_gains(axes, numbers) -> None:
    for series, shares in numbers.groupby("series", sort=False):
        edges = np.append(shares["x"], shares["x"].iloc[-1] + BIN)
        axes.stairs(shares["y"], edges, lw=1.4, **LOOKS[series])
    axes.set(xlabel="Gain in cosine by MVG", ylabel="Share of pairs (%)", title="Test pairs")


def example_table(dataset, encoder, documents, queries, train, behavioural, query_texts, titles, seed=0):
    """Training pairs that the base ranks beyond 100 and MVG within, as the paper's example table.

    A frame ``dataset, query, document, method, similarity, rank``, two rows a pair.
    """
    rows = []
    for example in examples(documents, queries, train, behavioural, seed=seed):
        texts = dataset, query_texts[example.query], titles[example.document]
        rows.append([*texts, encoder, example.base_similarity, example.base_rank])
        rows.append([*texts, f"mvg+{encoder}", example.mvg_similarity, example.mvg_rank])
    return pd.DataFrame(rows, columns=["dataset", "query", "document", "method", "similarity", "rank"])


def write_examples(table: pd.DataFrame, facts: dict, stem) -> None:
    """Write ``stem.csv``, ``stem.md`` and ``stem.tex`` for the frame of ``example_table``."""
    with text_writer(f"{stem}.csv") as file:
        table.to_csv(file, index=False, lineterminator="\n")
    methods = list(table.itertuples())
    rows = [
        (
            f"{shortened(base.query, LONGEST_QUERY)} — {shortened(base.document)}",
            [Entry(text) for row in (base, mvg) for text in (f"{row.similarity:.2f}", str(row.rank))],
        )
        for base, mvg in zip(methods[::2], methods[1::2])
    ]
    caption = "Training pairs that the base encoder ranks beyond 100 and MVG within, by their gain in cosine."
    layout = Layout(
        caption + simulated_note(dict.fromkeys(table["dataset"]), facts),
        [method_label(method) for method in dict.fromkeys(table["method"])],
        ["Similarity", "Rank"],
        [rows],
        head="Query — document",
    )
    write_layouts("Case studies", [layout] if rows else [], stem, nothing=NONE)


def shortened(text: str, longest=LONGEST) -> str:
    """``text`` on one line, cut to ``longest`` letters."""
    line = single_line(text)
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"
