"""Figure 1 of the paper: the popularity of documents, and the diversity of their queries."""

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from ..datasets.pairs import read_split
from ..datasets.reading import load_facts
from ..evaluation.diversity import bounding_ball_diversity, bounding_box_diversity, random_ball, random_diversity
from ..io.files import load_array
from ..lexical.popularity import gini
from ..reporting.labels import dataset_title, method_label
from ..reporting.style import dataset_looks, legend_below, literal, log_ticks, panels, save
from ..reporting.tables import write_table
from ..verdicts.claims import PUBLIC, Measured

COLUMNS = ["dataset", "encoder", "series", "n", "value", "documents"]
BINS_PER_DECADE = 4
BALLS = 30  # documents of a bin whose balls are measured
PAPERS = "bertbase"  # the encoder of the paper's figure
MEASURES = {  # of diversity: series -> (its control, label)
    "diversity": ("control", "Side of the box (geometric mean)"),
    "ball": ("ball_control", "Radius of the ball"),
}


def report(given, made, params, log) -> None:
    """Three panels, a line per dataset."""
    facts, numbers = load_facts(params.datasets, given.stats), []
    for dataset, pairs, vectors in zip(params.datasets, given.pairs, given.vectors, strict=True):
        pairs = read_split(pairs).pairs
        n_documents = facts[dataset]["documents"]
        numbers.append(
            popularity_numbers(dataset, params.encoder, load_array(vectors), *pairs, n_documents, seed=params.seed)
        )
        log(f"{dataset}: {len(numbers[-1])} points")
    table = pd.concat(numbers, ignore_index=True)
    write_table(table, made.csv)
    draw(table, facts, made)


def popularity_numbers(
    dataset, encoder, vectors, pair_queries, pair_documents, n_documents, repeats=5, seed=0
) -> pd.DataFrame:
    """The numbers behind the figure for one dataset, with the columns ``COLUMNS``.

    vectors: float (n_queries, dim), all queries; pair_queries, pair_documents: int (n_pairs,),
    the training pairs. Five series:

    - ``rank``: ``documents`` documents have ``value`` queries each, down to rank ``n``;
    - ``diversity``: the size of the box around a document's queries, as a median over the ``documents``
      documents of a popularity bin; ``n`` is their median number of queries;
    - ``ball``: the same for the ball, over at most ``BALLS`` of them;
    - ``control``, ``ball_control``: the same over ``n`` random training queries; ``documents`` is empty.
    """
    keys = np.asarray(pair_documents, dtype=np.int64) * len(vectors) + pair_queries
    documents, queries = np.divmod(np.unique(keys), len(vectors))
    counts = np.bincount(documents, minlength=n_documents)
    chosen = _some_of_each_bin(counts, seed)
    balls = np.full(n_documents, np.nan)
    balls[chosen] = bounding_ball_diversity(vectors, queries, documents, chosen, seed)
    box, ball = (
        _binned(counts, bounding_box_diversity(vectors, queries, documents, n_documents)),
        _binned(counts, balls),
    )
    asked = np.unique(queries)
    series = {
        "rank": _ranked(counts),
        "diversity": box,
        "control": box.assign(value=random_diversity(vectors, asked, box["n"], repeats, seed), documents=pd.NA),
        "ball": ball,
        "ball_control": ball.assign(value=random_ball(vectors, asked, ball["n"], repeats, seed), documents=pd.NA),
    }
    table = pd.concat([frame.assign(series=name) for name, frame in series.items()])
    table = table.assign(dataset=dataset, encoder=encoder)[COLUMNS].reset_index(drop=True)
    return table.astype({"n": int, "value": float, "documents": "Int64"})


def _ranked(counts) -> pd.DataFrame:
    """One row for all documents with equally many queries, which loses nothing and keeps the tail short."""
    values, documents = np.unique(counts, return_counts=True)
    values, documents = values[::-1], documents[::-1]
    return pd.DataFrame({"n": np.cumsum(documents), "value": values, "documents": documents})


def _bin(counts) -> np.ndarray:
    """The log-spaced bin of each number of queries, from 2 on."""
    return np.floor(np.log10(np.asarray(counts) / 2) * BINS_PER_DECADE).astype(int)


def _some_of_each_bin(counts, seed) -> np.ndarray:
    several = np.random.default_rng(seed).permutation(np.flatnonzero(counts >= 2))
    return np.sort(pd.Series(several).groupby(_bin(counts[several])).head(BALLS).to_numpy(dtype=np.int64))


def _binned(counts, diversity) -> pd.DataFrame:
    """Median diversity by bins of popularity, without documents that have no diversity, and without empty bins."""
    several = np.flatnonzero((counts >= 2) & ~np.isnan(diversity))
    documents = pd.DataFrame({"n": counts[several], "value": diversity[several], "bin": _bin(counts[several])})
    grouped = documents.groupby("bin", sort=True)
    return pd.DataFrame(
        {
            "n": grouped["n"].median().astype(int),
            "value": grouped["value"].median(),
            "documents": grouped.size(),
        }
    )


def draw(table: pd.DataFrame, facts: dict, made) -> None:
    """Write ``made.pdf`` and ``made.png`` for the numbers of all datasets.

    ``table``: concatenated frames of ``popularity_numbers``. ``facts``: dataset -> ``stats.json``,
    which says what is simulated.
    """
    with panels(1 + len(MEASURES)) as (figure, axes):
        plot_popularity(table, facts, figure, axes)
        save(figure, made)


def plot_popularity(table, facts, figure, axes) -> None:
    """Draw popularity by rank into the first of ``axes``, diversity by popularity into the others."""
    left, *others = axes
    looks = dataset_looks(dict.fromkeys(table["dataset"]))
    for dataset, look in looks.items():
        numbers = table[table["dataset"] == dataset].set_index("series")
        _plot_ranks(left, numbers.loc[["rank"]], look)
        for axis, (measure, (control, _)) in zip(others, MEASURES.items(), strict=True):
            axis.plot("n", "value", data=_series(numbers, measure), **look._asdict())
            axis.plot("n", "value", data=_series(numbers, control), color=look.color, ls="--", lw=1)
    left.set(xscale="log", yscale="log", xlabel="Document rank", ylabel="Training queries", title="Popularity")
    encoder = method_label(table["encoder"].iloc[0])
    for axis, (_, label) in zip(others, MEASURES.values(), strict=True):
        axis.set(xscale="log", xlabel="Training queries of a document", ylabel=label)
        axis.set_title(literal(f"Query diversity, {encoder}"))
    for axis in (left.xaxis, left.yaxis, *(axis.xaxis for axis in others)):
        low, high = axis.get_view_interval()
        if high < 100 * low:
            log_ticks(axis)
    handles = [Line2D([], [], **look._asdict()) for look in looks.values()]
    labels = [dataset_title(facts, dataset) for dataset in looks]
    handles.append(Line2D([], [], color="black", ls="--", lw=1))
    labels.append("as many random queries")
    legend_below(figure, handles, [literal(label) for label in labels], columns=4)


def _plot_ranks(axes, ranks, look) -> None:
    """Draw a line through the first and last rank of each number of queries above zero, which has no logarithm."""
    ranks = ranks[ranks["value"] > 0]
    first = ranks["n"] - ranks["documents"] + 1
    x = np.column_stack([first, ranks["n"]]).ravel()
    y = np.repeat(ranks["value"].to_numpy(), 2)
    axes.plot(x, y, color=look.color)


def _series(numbers, name) -> pd.DataFrame:
    return numbers[numbers.index == name]


def claims(table: pd.DataFrame) -> dict[str, Measured]:
    """The paper's statements about its figure, from the numbers behind ours.

    More diverse: the median of the most popular bin is above that of the least popular. Skew: Gini.
    """
    table = table[table["dataset"].isin(PUBLIC)]
    run = list(dict.fromkeys(table["dataset"]))
    if not run:
        return {}
    partial = "" if len(run) == len(PUBLIC) else f"{len(run)} of {len(PUBLIC)} datasets run"
    encoder = table["encoder"].iloc[0]
    other = "" if encoder == PAPERS else f"another encoder ({method_label(encoder)} against {method_label(PAPERS)})"
    series = {key: numbers for key, numbers in table.groupby(["dataset", "series"], sort=False)}
    found = {}
    for id, measure in (("head_more_diverse", "diversity"), ("head_more_diverse_ball", "ball")):
        bins = [series[dataset, measure]["value"].to_numpy() for dataset in run if (dataset, measure) in series]
        found[id] = Measured(all(values[-1] > values[0] for values in bins), partial or other)
    if not partial:
        ranks = {dataset: series[dataset, "rank"] for dataset in run}
        skew = {x: gini(np.repeat(rank["value"], rank["documents"].astype(int))) for x, rank in ranks.items()}
        found["wikiseealso_least_skewed"] = Measured(min(skew, key=skew.get) == "wikiseealso")
    return found
