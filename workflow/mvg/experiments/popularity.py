"""Figure 1 of the paper: how popular documents are, and how diverse the queries for them."""

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from ..datasets.pairs import read_split
from ..datasets.reading import load_facts
from ..evaluation.diversity import bounding_box_diversity, random_diversity
from ..io.files import load_array
from ..lexical.popularity import gini
from ..reporting.labels import dataset_label, is_simulated
from ..reporting.style import dataset_looks, legend_below, literal, log_ticks, panels, save
from ..reporting.tables import write_table
from ..verdicts.claims import PUBLIC, Measured

COLUMNS = ["dataset", "series", "n", "value", "documents"]
BINS_PER_DECADE = 4


def report(given, made, params, log) -> None:
    """Two panels, a line a dataset."""
    facts, numbers = load_facts(params.datasets, given.stats), []
    for dataset, pairs, vectors in zip(params.datasets, given.pairs, given.vectors, strict=True):
        pairs = read_split(pairs).pairs
        n_documents = facts[dataset]["documents"]
        numbers.append(popularity_numbers(dataset, load_array(vectors), *pairs, n_documents, seed=params.seed))
        log(f"{dataset}: {len(numbers[-1])} points")
    table = pd.concat(numbers, ignore_index=True)
    write_table(table, made.csv)
    draw(table, facts, made)


def popularity_numbers(dataset, vectors, pair_queries, pair_documents, n_documents, repeats=5, seed=0) -> pd.DataFrame:
    """The numbers behind the figure for one dataset: ``dataset, series, n, value, documents``.

    vectors: float (n_queries, dim), all queries; pair_queries, pair_documents: int (n_pairs,),
    the training pairs. Three series:

    - ``rank``: ``documents`` documents have ``value`` queries each, down to rank ``n``;
    - ``diversity``: the median over the ``documents`` documents of a popularity bin, ``n`` the
      median number of queries there;
    - ``control``: the same measure over ``n`` random training queries, ``documents`` empty.
    """
    keys = np.asarray(pair_documents, dtype=np.int64) * len(vectors) + pair_queries
    documents, queries = np.divmod(np.unique(keys), len(vectors))
    counts = np.bincount(documents, minlength=n_documents)
    binned = _binned(counts, bounding_box_diversity(vectors, queries, documents, n_documents))
    control = random_diversity(vectors, np.unique(queries), binned["n"], repeats, seed)
    series = {
        "rank": _ranked(counts),
        "diversity": binned,
        "control": pd.DataFrame({"n": binned["n"], "value": control, "documents": pd.NA}),
    }
    table = pd.concat([frame.assign(series=name) for name, frame in series.items()])
    table = table.assign(dataset=dataset)[COLUMNS].reset_index(drop=True)
    return table.astype({"n": int, "value": float, "documents": "Int64"})


def _ranked(counts) -> pd.DataFrame:
    """Documents with equally many queries in one row: nothing is lost, and a tail is short."""
    values, documents = np.unique(counts, return_counts=True)
    values, documents = values[::-1], documents[::-1]
    return pd.DataFrame({"n": np.cumsum(documents), "value": values, "documents": documents})


def _binned(counts, diversity) -> pd.DataFrame:
    """Median diversity over log-spaced bins of popularity; bins without documents are left out."""
    several = np.flatnonzero(counts >= 2)
    bins = np.floor(np.log10(counts[several] / 2) * BINS_PER_DECADE).astype(int)
    documents = pd.DataFrame({"n": counts[several], "value": diversity[several], "bin": bins})
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

    ``table``: frames of ``popularity_numbers``, one below the other. ``facts``: dataset ->
    ``stats.json``, which says what is simulated.
    """
    with panels(2) as (figure, (left, right)):
        plot_popularity(table, facts, figure, left, right)
        save(figure, made)


def plot_popularity(table, facts, figure, left, right) -> None:
    """Popularity by rank into ``left``, diversity by popularity into ``right``."""
    looks = dataset_looks(dict.fromkeys(table["dataset"]))
    for dataset, look in looks.items():
        numbers = table[table["dataset"] == dataset].set_index("series")
        _plot_ranks(left, numbers.loc[["rank"]], look)
        right.plot("n", "value", data=_series(numbers, "diversity"), **look._asdict())
        right.plot("n", "value", data=_series(numbers, "control"), color=look.color, ls="--", lw=1)
    left.set(xscale="log", yscale="log", xlabel="Document rank", ylabel="Training queries")
    right.set(xscale="log", xlabel="Training queries of a document")
    for axis in (left.xaxis, left.yaxis, right.xaxis):
        low, high = axis.get_view_interval()
        if high < 100 * low:
            log_ticks(axis)
    right.set_ylabel("Query diversity\n(geometric-mean side)")
    left.set_title("Popularity")
    right.set_title("Diversity")
    handles = [Line2D([], [], **look._asdict()) for look in looks.values()]
    labels = [dataset_label(dataset, is_simulated(facts, dataset)) for dataset in looks]
    handles.append(Line2D([], [], color="black", ls="--", lw=1))
    labels.append("as many random queries")
    legend_below(figure, handles, [literal(label) for label in labels], columns=4)


def _plot_ranks(axes, ranks, look) -> None:
    """A line through the first and last rank of each number of queries; zero has no logarithm."""
    ranks = ranks[ranks["value"] > 0]
    first = ranks["n"] - ranks["documents"] + 1
    x = np.column_stack([first, ranks["n"]]).ravel()
    y = np.repeat(ranks["value"].to_numpy(), 2)
    axes.plot(x, y, color=look.color)


def _series(numbers, name) -> pd.DataFrame:
    return numbers[numbers.index == name]


def claims(table: pd.DataFrame) -> dict[str, Measured]:
    """The two statements that the paper makes of its figure, from the numbers behind ours.

    More diverse: the most popular bin's median is above the least popular one's. Skew: Gini.
    """
    table = table[table["dataset"].isin(PUBLIC)]
    run = list(dict.fromkeys(table["dataset"]))
    if not run:
        return {}
    partial = "" if len(run) == len(PUBLIC) else f"{len(run)} of {len(PUBLIC)} datasets run"
    series = {key: numbers for key, numbers in table.groupby(["dataset", "series"], sort=False)}
    bins = [series[dataset, "diversity"]["value"].to_numpy() for dataset in run if (dataset, "diversity") in series]
    found = {"head_more_diverse": Measured(all(values[-1] > values[0] for values in bins), partial)}
    if not partial:
        ranks = {dataset: series[dataset, "rank"] for dataset in run}
        skew = {x: gini(np.repeat(rank["value"], rank["documents"].astype(int))) for x, rank in ranks.items()}
        found["wikiseealso_least_skewed"] = Measured(min(skew, key=skew.get) == "wikiseealso")
    return found
