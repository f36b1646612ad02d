"""Who wins and who loses: every method by the popularity of documents and by the novelty of queries.

Ours, not the paper's. Popular documents have most of the test pairs, so they dominate a mean over queries.
"""

import numpy as np

from ..datasets.pairs import of_queries, read_split
from ..datasets.reading import load_stats, load_texts
from ..evaluation.bootstrap import ratios
from ..evaluation.metrics import per_query, relevance
from ..evaluation.propensity import found_and_worth, inverse_propensity
from ..evaluation.traffic import NEAR, OVERALL, SEEN, UNSEEN, query_groups
from ..io.files import load_arrays
from ..lexical.popularity import training_popularity

COLUMNS = ["dataset", "encoder", "method", "part", "pairs", "metric", "k", "value", "low", "high"]
DOCUMENTS = {"head": "Head", "torso": "Torso", "tail": "Tail", "unseen": "Unseen"}
PAIRS = {"pairs_head": "First third of pairs", "pairs_torso": "Second third", "pairs_tail": "Last third"}
QUERIES = {"repeated": "Repeated queries", "near": "Near-duplicates", "new": "New queries"}
LABELS = DOCUMENTS | PAIRS | QUERIES
ALL, PROPENSITY = "all", "propensity_recall"


def measure(given, params, threads, log) -> list[dict]:
    """Every method on every part of one dataset."""
    train, test = read_split(given.train), read_split(given.test)
    texts = load_texts(given.queries)[1]
    parts = Parts(train, test, texts, load_stats(given.stats)["documents"])
    rows = []
    for method, file in zip(params.methods, given.rankings, strict=True):
        with load_arrays(file) as ranking:
            ranked = ranking["documents"]
        place = {"dataset": params.dataset, "encoder": method.rpartition("+")[2], "method": method}
        rows += [place | row for row in parts.scored(ranked, params.ks, params.metrics, params.seed)]
        log(method)
    return rows


class Parts:
    """The parts of a test split, and how well a ranking does on each.

    train, test: :class:`mvg.datasets.pairs.Split`; texts: of all queries
    """

    def __init__(self, train, test, texts, n_documents):
        popularity = training_popularity(train.pairs, n_documents)
        self.n_queries, self.n_documents = len(test.queries), n_documents
        self.relevant = of_queries(test.pairs, test.queries)
        self.documents = document_parts(popularity)
        self.inverse = inverse_propensity(popularity, len(train.queries))
        groups = query_groups([texts[row] for row in test.queries], [texts[row] for row in train.queries])
        known = {"repeated": groups[SEEN], "near": groups[NEAR], "new": groups[UNSEEN] & ~groups[NEAR]}
        self.queries = {ALL: groups[OVERALL], **known}

    def scored(self, ranked, ks, metrics, seed=0) -> list[dict]:
        """A row (``part, pairs, metric, k, value, low, high``) per non-empty part, metric and k, in percent.

        For parts of documents, recall over all pairs of the part together. For parts of queries, means over
        queries; ``all`` also has propensity-scored recall. ``pairs`` counts the relevant pairs of the part.
        """
        columns = [*self._of_queries(ranked, ks, metrics), *self._of_documents(ranked, ks)]
        places, found, worth = zip(*(column for column in columns if column[0]["pairs"]), strict=True)
        sides = np.stack(ratios(np.stack(found, axis=1), np.stack(worth, axis=1), seed), axis=1)
        return [
            place | dict(zip(("value", "low", "high"), row, strict=True))
            for place, row in zip(places, sides.tolist(), strict=True)
        ]

    def _of_queries(self, ranked, ks, metrics):
        """(place, score of each query, whether it counts) for each part, metric and k."""
        n_relevant = np.bincount(self.relevant[0], minlength=self.n_queries)
        scores = per_query(ranked, self.relevant, self.n_documents, ks, metrics)
        for part, mine in self.queries.items():
            for column, values in scores.items():
                metric, k = column.split("@")
                place = {"part": part, "pairs": int(n_relevant[mine].sum()), "metric": metric, "k": int(k)}
                yield place, np.where(mine, values, 0), mine

    def _of_documents(self, ranked, ks):
        """(place, worth of each query's hits in percent, of all its relevant documents) for each part and k."""
        hits = relevance(ranked, self.relevant, self.n_documents)
        weights = {(part, "recall"): mine for part, mine in self.documents.items()} | {(ALL, PROPENSITY): self.inverse}
        for (part, metric), weight in weights.items():
            pairs = int(np.count_nonzero(weight[self.relevant[1]]))
            for k in ks:
                found, worth = found_and_worth(hits[:, :k], ranked[:, :k], self.relevant, weight)
                yield {"part": part, "pairs": pairs, "metric": metric, "k": int(k)}, 100 * found, worth


def document_parts(popularity) -> dict[str, np.ndarray]:
    """Which documents are in each part, bool (n_documents,).

    Documents with a training query are ordered by popularity (equal ones by row). Parts are thirds of these
    documents, and thirds of their training pairs, where the first pair of a document decides. Last come the
    documents without a training query.
    """
    popularity = np.asarray(popularity)
    order = np.argsort(-popularity, kind="stable")[: np.count_nonzero(popularity)]
    before = popularity[order].cumsum() - popularity[order]
    thirds = {
        **dict(zip(DOCUMENTS, np.array_split(order, 3), strict=False)),
        "unseen": np.flatnonzero(popularity == 0),
        **{name: order[(3 * before // max(popularity.sum(), 1)) == i] for i, name in enumerate(PAIRS)},
    }
    rows = np.arange(len(popularity))
    return {name: np.isin(rows, thirds[name]) for name in (*DOCUMENTS, *PAIRS)}


def report(given, made, params, log) -> None:
    """``breakdown.csv``, its layouts and the figure."""
    from ..datasets.reading import load_facts
    from ..reporting.tables import read_tables, write_table

    table = read_tables(given.measured)[COLUMNS]
    facts = load_facts(params.datasets, given.stats)
    write_table(table, made.table)
    write_breakdown(table, facts, made, note=params.note)
    drawn = table[
        (table["encoder"] == params.encoder) & table["part"].isin([*DOCUMENTS]) & (table["k"] == table["k"].max())
    ]
    write_table(drawn, made.csv)
    draw(drawn, facts, made)


def write_breakdown(table, facts, made, note="") -> None:
    """Write ``made.md``, ``.tex`` and ``.html``: recall at the largest k, a table per dataset."""
    from ..reporting.labels import dataset_title, method_label, metric_label
    from ..reporting.tables import Entry, Layout, format_number, row_groups, simulated_note, write_layouts

    k = int(table["k"].max())
    shown = table[(table["k"] == k) & table["metric"].isin(["recall", PROPENSITY])]
    layouts = []
    for dataset, rows in shown.groupby("dataset", sort=False):
        values = {(row.method, row.part, row.metric): row.value for row in rows.itertuples()}
        pairs = dict(zip(rows["part"], rows["pairs"], strict=True))
        columns = [(ALL, PROPENSITY), *((part, "recall") for part in (ALL, *LABELS) if part in pairs)]
        heads = [
            LABELS[part] + f" ({pairs[part]:,})" if part in LABELS else metric_label(metric, k)
            for part, metric in columns
        ]
        groups = [
            [
                (method_label(m), [Entry(format_number(values.get((m, *place)), "recall")) for place in columns])
                for m in group
            ]
            for group in row_groups(rows)
        ]
        caption = (
            f"{metric_label('recall', k)} in percent by part of the test split; the number of pairs is in brackets. "
            "Parts of documents: recall over all pairs of the part together. "
            f"Parts of queries: means over queries.{simulated_note([dataset], facts)} {note}"
        ).rstrip()
        layouts.append(Layout(caption, heads, [dataset_title(facts, dataset)], groups))
    write_layouts("Breakdown", layouts, made)


def draw(table, facts, made) -> None:
    """Write ``made.pdf`` and ``made.png``: recall by popularity of the document, a panel per dataset."""
    from ..reporting.labels import dataset_title, method_label
    from ..reporting.style import legend_below, literal, method_look, panels, save

    by_dataset = table.groupby("dataset", sort=False)
    with panels(len(by_dataset), height=2.8) as (figure, axes):
        for axis, (dataset, rows) in zip(axes, by_dataset, strict=True):
            parts = [part for part in DOCUMENTS if part in set(rows["part"])]
            methods = rows.groupby("method", sort=False)
            for i, (method, line) in enumerate(methods):
                line = line.set_index("part").loc[parts]
                places = np.arange(len(parts)) + 0.6 * (i / max(len(methods) - 1, 1) - 0.5)
                error = np.abs(line[["low", "high"]].to_numpy().T - line["value"].to_numpy())
                axis.errorbar(
                    places, line["value"], error, label=method_label(method), ls="", **method_look(method)._asdict()
                )
            axis.set_xticks(range(len(parts)), [DOCUMENTS[part] for part in parts])
            axis.set_title(literal(dataset_title(facts, dataset)))
            axis.set(ylabel="Recall of test pairs (%)")
        legend_below(figure, *axes[0].get_legend_handles_labels(), columns=6)
        save(figure, made)
