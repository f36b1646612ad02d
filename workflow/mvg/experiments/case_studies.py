"""The paper's case studies (section 6.5): where and how MVG helps.

Maps of two documents, gains in cosine, and training pairs that only MVG finds.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from ..datasets.pairs import of_queries, read_split
from ..datasets.reading import load_facts, load_texts
from ..io.files import load_array
from ..reporting.escapes import single_line
from ..reporting.labels import dataset_title, method_label
from ..reporting.style import BLUE, GREY, VERMILLION, legend_below, panels, save
from ..reporting.tables import Entry, Layout, simulated_note, write_layouts, write_table
from ..verdicts.claims import Measured

MOST_QUERIES = 5000  # training queries among which examples are sought
MOST_POINTS = 300  # queries of one document that are drawn
BEYOND = 100  # a pair ranked below this counts as not found
QUERIES_AT_ONCE = 250  # queries whose ranks are computed together
COLUMNS = ["dataset", "panel", "document", "queries", "views", "kept", "series", "x", "y"]
BIN = 0.05  # of cosine
HISTOGRAM = "gains"
# The base encoder and MVG have these colours in all figures.
LOOKS = {
    "query": dict(color=GREY, marker="o", ls="", ms=2.5, mew=0, alpha=0.6),
    "behavioural vector": dict(color=VERMILLION, marker="X", ls="", ms=7, mec="white", mew=0.6),
    "document vector": dict(color=BLUE, marker="D", ls="", ms=6, mec="white", mew=0.6),
    "relevant pairs": dict(color=VERMILLION),
    "same documents, other queries": dict(color=GREY, ls="--"),
}
LONGEST = 34  # letters of a title
SEVERAL = 2  # behavioural vectors, of the documents that are drawn if there are any
CASES = ("one cluster", "no cluster")
LONGEST_QUERY = 75
NONE = "MVG brings no training pair within rank 100 that the base encoder ranks beyond."


def report(given, made, params, log) -> None:
    """The figure with its numbers, and the table of examples."""
    documents, queries = load_array(given.documents), load_array(given.queries)
    behavioural = load_array(given.vectors), load_array(given.owner)
    titles, texts = load_texts(given.corpus)[1], load_texts(given.texts)[1]
    train, test = read_split(given.train), read_split(given.test)
    facts = load_facts(params.titles, [given.stats])
    numbers = case_study_numbers(params.dataset, documents, queries, train, test, behavioural, titles, params.seed)
    write_table(numbers, made.csv)
    draw(numbers, facts, made)
    table = example_table(
        params.dataset, params.encoder, documents, queries, train, behavioural, texts, titles, params.seed
    )
    write_table(table, made.examples)
    write_examples(table, facts, made)
    log(f"{len(numbers)} points, {len(table) // 2} examples")


class Cosines(NamedTuple):
    """For some pairs: cosine with the document's own vector, with the closest center, and which center that is."""

    base: np.ndarray  # float64 (n_pairs,)
    best: np.ndarray  # float64 (n_pairs,)
    center: np.ndarray  # int64 (n_pairs,), 0 for the document's own vector, as in Algorithm 1


class Example(NamedTuple):
    """A pair that only MVG finds."""

    query: int
    document: int
    base_similarity: float
    base_rank: int
    mvg_similarity: float
    mvg_rank: int


def cosines(documents, queries, pairs, behavioural) -> Cosines:
    """Similarities of ``pairs`` (query rows, document rows) without and with behavioural vectors.

    documents, queries: float32 (n, dim), unit rows; behavioural: ``(vectors, owner)``, sorted by owner
    """
    query, document = (np.asarray(side) for side in pairs)
    vectors, owner = behavioural
    result = Cosines(np.empty(len(query)), np.empty(len(query)), np.empty(len(query), dtype=np.int64))
    order = np.argsort(document, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(document[order])) + 1) if len(order) else []:
        own = document[rows[0]]
        views = vectors[slice(*np.searchsorted(owner, [own, own + 1]))]
        centers = np.vstack([documents[own][None], views]).astype(np.float64)
        similarity = queries[query[rows]].astype(np.float64) @ centers.T
        result.base[rows] = similarity[:, 0]
        result.best[rows] = similarity.max(axis=1)
        result.center[rows] = similarity.argmax(axis=1)
    return result


def cases(found: Cosines, pair_documents, owner, n_documents) -> dict[str, int]:
    """The document row of each of the paper's two success stories, if the data have one.

    Algorithm 1 decides which queries the document's own vector keeps beside the behavioural ones.
    ``one cluster`` is the document with the largest sum of gains over its queries, among those whose
    own vector keeps at least a fair share, 1 / (m_d + 1); ``no cluster``, among those whose own vector keeps none.
    Documents with several behavioural vectors, as in the paper, are preferred; if none of them keeps a fair
    share, the one that comes closest to it is taken.
    """
    n = np.bincount(pair_documents, minlength=n_documents)
    kept = np.bincount(pair_documents[found.center == 0], minlength=n_documents)
    gain = np.bincount(pair_documents, found.best - found.base, minlength=n_documents)
    views = np.bincount(owner, minlength=n_documents)
    several = (gain > 0) & (views >= SEVERAL)
    some = several if several.any() else gain > 0
    share = np.where(some, kept * (1 + views) / np.maximum(n, 1), -1)  # 1 is a fair share
    one, none = some & (share >= 1), some & (kept == 0)
    found = {}
    if one.any():
        found["one cluster"] = int(np.argmax(np.where(one, gain, 0)))
    elif share.max(initial=-1) > 0:
        found["one cluster"] = int(np.argmax(share))
    if none.any():
        found["no cluster"] = int(np.argmax(np.where(none, gain, 0)))
    return found


def project(document, views, queries, seed=0) -> np.ndarray:
    """t-SNE in two dimensions by cosine, float (1 + n_views + n_queries, 2), in this order."""
    from sklearn.manifold import TSNE

    points = np.vstack([document[None], views, queries]).astype(np.float64)
    perplexity = min(30, (len(points) - 1) / 3)
    # The exact method gives the same result for any number of threads.
    model = TSNE(2, perplexity=perplexity, metric="cosine", init="random", method="exact", random_state=seed)
    return model.fit_transform(points)


def other_pairs(pairs, seed=0) -> tuple[np.ndarray, np.ndarray]:
    """The documents of ``pairs`` with queries of other pairs, without those that are relevant too.

    So both kinds of pairs have the same documents, equally popular and with as many behavioural vectors.
    """
    query, document = (np.asarray(side) for side in pairs)
    shuffled = np.random.default_rng(seed).permutation(query)
    width = document.max(initial=0) + 1
    other = ~np.isin(shuffled * width + document, query * width + document)
    return shuffled[other], document[other]


def examples(documents, queries, split, behavioural, count=5, seed=0) -> list[Example]:
    """Pairs that the base ranks beyond 100 and MVG within 100, by their gain in cosine, largest first.

    From up to ``MOST_QUERIES`` random queries of ``split``; at most one pair per query and per document.
    """
    rows = split.queries
    if len(rows) > MOST_QUERIES:
        rows = np.sort(np.random.default_rng(seed).choice(rows, MOST_QUERIES, replace=False))
    position, document = of_queries(split.pairs, rows)
    hidden_at, hidden = of_queries(split.excluded, rows)
    found = []
    for start in range(0, len(rows), QUERIES_AT_ONCE):
        base = (
            queries[rows[start : start + QUERIES_AT_ONCE]].astype(np.float64)
            @ np.asarray(documents, dtype=np.float64).T
        )
        here = (hidden_at >= start) & (hidden_at < start + QUERIES_AT_ONCE)
        base[hidden_at[here] - start, hidden[here]] = -np.inf
        mvg = _with_views(base, queries[rows[start : start + QUERIES_AT_ONCE]], behavioural)
        for pair in np.flatnonzero((position >= start) & (position < start + QUERIES_AT_ONCE)):
            at, own = position[pair] - start, document[pair]
            ranks = _rank(base[at], own), _rank(mvg[at], own)
            if ranks[0] > BEYOND >= ranks[1]:
                found.append(
                    Example(int(rows[position[pair]]), int(own), base[at, own], ranks[0], mvg[at, own], ranks[1])
                )
    found.sort(key=lambda example: example.base_similarity - example.mvg_similarity)
    return _distinct(found, count)


def _with_views(base, queries, behavioural) -> np.ndarray:
    """``base`` scores, each replaced by the best behavioural vector's score if that is higher."""
    vectors, owner = behavioural
    owners, first = np.unique(owner, return_index=True)
    scores = base.copy()
    best = np.maximum.reduceat(queries.astype(np.float64) @ np.asarray(vectors, dtype=np.float64).T, first, axis=1)
    visible = base[:, owners] > -np.inf
    scores[:, owners] = np.where(visible, np.maximum(base[:, owners], best), -np.inf)
    return scores


def _rank(scores, column) -> int:
    """The rank of ``column``, from 1; equal scores go by column."""
    return 1 + int((scores > scores[column]).sum() + (scores[:column] == scores[column]).sum())


def _distinct(found, count) -> list[Example]:
    chosen = []
    for example in found:
        if all(example.query != other.query and example.document != other.document for other in chosen):
            chosen.append(example)
        if len(chosen) == count:
            break
    return chosen


def case_study_numbers(dataset, documents, queries, train, test, behavioural, titles, seed=0) -> pd.DataFrame:
    """The numbers behind the figure: ``dataset, panel, document, queries, views, kept, series, x, y``.

    documents, queries: float32 (n, dim), unit rows; train, test: :class:`mvg.datasets.pairs.Split`;
    behavioural: ``(vectors, owner)``; titles: text of each document.

    Panels ``one cluster`` and ``no cluster``, if the data have such a document: a point per vector;
    ``queries`` and ``views`` are the numbers of vectors, ``kept`` is the number of queries nearest to the
    document's own vector. Panel ``gains``: the share ``y`` (percent) of test pairs whose cosine MVG raises by
    ``x`` to ``x`` + 0.05; the first bin has unchanged pairs.
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
        kept = int((found.center[train.pairs[1] == row] == 0).sum())
        parts.append(points.assign(panel=panel, document=titles[row], queries=len(own), views=len(views), kept=kept))
    for series, pairs in (
        ("relevant pairs", test.pairs),
        ("same documents, other queries", other_pairs(test.pairs, seed)),
    ):
        some = cosines(documents, queries, pairs, behavioural)
        shares = np.bincount(np.floor((some.best - some.base) / BIN).astype(int))
        shares = pd.DataFrame({"x": np.arange(len(shares)) * BIN, "y": 100 * shares / max(1, len(some.base))})
        parts.append(shares.assign(panel=HISTOGRAM, series=series))
    table = pd.concat(parts, ignore_index=True).assign(dataset=dataset).reindex(columns=COLUMNS)
    return table.astype({"queries": "Int64", "views": "Int64", "kept": "Int64"})


def draw(table: pd.DataFrame, facts: dict, made) -> None:
    """Write ``made.pdf`` and ``made.png`` for the frame of ``case_study_numbers``."""
    names = list(dict.fromkeys(table["panel"]))
    with panels(len(names), height=2.9) as (figure, axes):
        for name, panel in zip(names, axes, strict=True):
            numbers = table[table["panel"] == name]
            (_plot_gains if name == HISTOGRAM else _plot_map)(panel, numbers)
            panel.title.set_fontsize(7)
        dataset = table["dataset"].iloc[0]
        figure.suptitle(dataset_title(facts, dataset), fontsize=9, parse_math=False)
        shown = [series for series in LOOKS if series in set(table["series"])]
        handles = [axes[0].plot([], [], **LOOKS[series])[0] for series in shown]
        legend_below(figure, handles, shown, columns=5)
        save(figure, made)


def _plot_map(axes, numbers) -> None:
    for series, look in LOOKS.items():
        points = numbers[numbers["series"] == series]
        axes.plot(points["x"], points["y"], **look)
    first = numbers.iloc[0]
    views = f"{first['views']} behavioural vector{'' if first['views'] == 1 else 's'}"
    kept = first["kept"] or "none"
    title = (
        f"{shortened(first['document'])}\nIts own vector keeps {kept} of {first['queries']} queries,\nbeside {views}"
    )
    axes.set_title(title, parse_math=False)
    axes.set(xlabel="t-SNE 1 (no unit)", ylabel="t-SNE 2 (no unit)", xticks=[], yticks=[])


def _plot_gains(axes, numbers) -> None:
    for series, shares in numbers.groupby("series", sort=False):
        edges = np.append(shares["x"], shares["x"].iloc[-1] + BIN)
        axes.stairs(shares["y"], edges, lw=1.4, **LOOKS[series])
    relevant, others = _mean_gains(numbers)
    which = "relevant pairs gain" if relevant > others else "here other queries gain"
    title = f"Test pairs: {which} more,\n{max(relevant, others):.2f} in cosine against {min(relevant, others):.2f}"
    axes.set(xlabel="Gain in cosine by MVG", ylabel="Share of pairs (%)", title=title)


def _mean_gains(numbers) -> tuple[float, float]:
    """The mean gains of relevant pairs and of other pairs, from the middles of the bins."""
    means = [
        float(((part["x"] + BIN / 2) * part["y"]).sum() / max(part["y"].sum(), 1e-9))
        for part in (numbers[numbers["series"] == series] for series in list(LOOKS)[-2:])
    ]
    return means[0], means[1]


def example_table(dataset, encoder, documents, queries, train, behavioural, query_texts, titles, seed=0):
    """Training pairs that the base ranks beyond 100 and MVG within 100, as in the paper's example table.

    A frame ``dataset, query, document, method, similarity, rank``, with two rows per pair.
    """
    rows = []
    for example in examples(documents, queries, train, behavioural, seed=seed):
        texts = dataset, query_texts[example.query], titles[example.document]
        rows.append([*texts, encoder, example.base_similarity, example.base_rank])
        rows.append([*texts, f"mvg+{encoder}", example.mvg_similarity, example.mvg_rank])
    return pd.DataFrame(rows, columns=["dataset", "query", "document", "method", "similarity", "rank"])


def write_examples(table: pd.DataFrame, facts: dict, made) -> None:
    """Write ``made.md`` and ``made.tex`` for the frame of ``example_table``."""
    methods = list(table.itertuples())
    rows = [
        (
            f"{shortened(base.query, LONGEST_QUERY)} — {shortened(base.document)}",
            [Entry(text) for row in (base, mvg) for text in (f"{row.similarity:.2f}", str(row.rank))],
        )
        for base, mvg in zip(methods[::2], methods[1::2], strict=True)
    ]
    caption = "Training pairs that the base encoder ranks beyond 100 and MVG within 100, by their gain in cosine."
    layout = Layout(
        caption + simulated_note(dict.fromkeys(table["dataset"]), facts),
        [method_label(method) for method in dict.fromkeys(table["method"])],
        ["Similarity", "Rank"],
        [rows],
        head="Query — document",
    )
    write_layouts("Case studies", [layout] if rows else [], made, nothing=NONE)


def shortened(text: str, longest=LONGEST) -> str:
    """``text`` on one line, cut to ``longest`` letters."""
    line = single_line(text)
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"


def claims(table: pd.DataFrame) -> dict[str, Measured]:
    """Whether MVG raises relevant pairs more than other pairs, by the mean gain of the histogram."""
    relevant, others = _mean_gains(table[table["panel"] == HISTOGRAM])
    return {"relevant_boosted_more": Measured(relevant > others)}
