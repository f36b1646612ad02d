"""What each part of MVG is worth, at the same budget, and two bounds without a budget.

Ours, not the paper's. Four variants are already rows of the benchmark: the base, the prior, MVG and both.
"""

import numpy as np

from ..datasets.pairs import of_queries, read_split
from ..evaluation.metrics import PAPER, per_query
from ..io.files import load_array
from ..lexical.popularity import training_popularity

NEIGHBOURS = 50  # training queries that vote
SCALE = 20.0  # inverse temperature of a vote's weight, as in the DSSM's training
CELLS = 20_000_000  # similarities of queries and pairs in memory at a time
COLUMNS = ["dataset", "encoder", "loss", "variant", "metric", "k", "value"]
VARIANTS = {
    "base": "document vectors alone",
    "random_queries": "random training queries",
    "free_centers": "centers, none of them fixed",
    "uniform_budget": "MVG, even budget (beta 0)",
    "mvg": "MVG",
    "proportional_budget": "MVG, budget by popularity (beta 1)",
    "view_bias": "MVG, a bias on views",
    "prior": "prior instead of MVG",
    "prior_and_views": "prior and MVG",
    "prior_and_view_bias": "prior and MVG, a bias on views or none",
    "all_queries": "all training queries",
    "query_vote": "vote of the 50 nearest training queries",
}
NONE = "This run has no encoder with one vector a document."
IN_BENCHMARK = {"base": "", "mvg": "mvg+", "prior": "prior+", "prior_and_view_bias": "mvg+prior+"}


def measure(given, params, threads, log) -> list[dict]:
    """The variants that are not in the benchmark, over one encoder on one dataset."""
    from ..multiview import Behavioural

    return ablations(
        load_array(given.documents),
        load_array(given.queries),
        *(read_split(file) for file in (given.train, given.dev, given.test)),
        load_array(given.counts),
        Behavioural.load(given.vectors, given.owner),
        params.ks,
        params.metrics,
        seed=params.seed,
        threads=threads,
    )


def ablations(
    documents, queries, train, dev, test, counts, behavioural, ks, metrics=PAPER, seed=0, threads=1
) -> list[dict]:
    """One row a variant, metric and k: ``variant, metric, k, value``, in percent.

    documents, queries: float32 (n, dim), unit rows; train, dev, test: :class:`mvg.datasets.pairs.Split`
    counts: int (n_documents,), the budget of MVG by document; behavioural: its ``(vectors, owner)``

    Search is exact. The size of each index, in millions of floats, is the metric ``index_mfloats`` with an empty k.
    """
    from ..search.index import Index

    relevant, excluded = (of_queries(pairs, test.queries) for pairs in (test.pairs, test.excluded))

    def scored(variant, ranked, n_floats):
        scores = per_query(ranked, relevant, len(documents), ks, metrics)
        for name, values in scores.items():
            metric, k = name.split("@")
            yield dict(variant=variant, metric=metric, k=int(k), value=float(np.nanmean(values)))
        yield dict(variant=variant, metric="index_mfloats", k=None, value=n_floats / 1e6)

    rows = []
    for variant, views in _indexes(documents, queries, train, dev, counts, behavioural, max(ks), seed, threads):
        ranking = Index(views, threads=threads).search(queries[test.queries], max(ks), excluded)
        rows += scored(variant, ranking.documents, views.n_floats)
    ranking = all_queries(documents, queries, train, test, max(ks))
    rows += scored("all_queries", ranking.documents, (len(documents) + len(train.pairs[0])) * queries.shape[1])
    ranking = query_vote(documents, queries, train, test, max(ks), threads=threads)
    rows += scored("query_vote", ranking.documents, (len(documents) + len(train.queries)) * queries.shape[1])
    return rows


def _indexes(documents, queries, train, dev, counts, behavioural, k, seed, threads):
    """(variant, views), one after the other, so that only one is in memory at a time."""
    from ..evaluation.choice import PRIORS, VIEW_BIASES, dev_scores, log_popularity
    from ..multiview import allocate, fit
    from ..multiview.clustering import group
    from ..search.views import Views

    groups = group(train.pairs, len(queries), len(documents))
    popularity = training_popularity(train.pairs, len(documents))

    def centers(counts, semantic=documents):
        return fit(semantic, queries, groups, counts, seed=seed, threads=threads)

    yield "random_queries", Views.of(documents, random_queries(queries, groups, counts, seed))
    # A center at the origin attracts no query with a positive similarity to another center.
    yield "free_centers", Views.of(documents, centers(counts, semantic=np.zeros_like(documents)))
    for variant, beta in (("uniform_budget", 0), ("proportional_budget", 1)):
        yield variant, Views.of(documents, centers(allocate(popularity, counts.sum(), beta)))

    scores = dev_scores(documents, queries, dev, popularity, k, behavioural, seed)
    bias = max((c for c in VIEW_BIASES if c is not None), key=lambda c: sum(scores(0, c)))
    yield "view_bias", Views.of(documents, behavioural, view_bias=bias)
    prior = max(PRIORS, key=lambda b: sum(scores(b, 0.0)))
    yield "prior_and_views", Views.of(documents, behavioural, prior * log_popularity(popularity))


def random_queries(queries, groups, counts, seed=0) -> tuple[np.ndarray, np.ndarray]:
    """``counts[d]`` training queries of each document d, drawn without replacement: ``(vectors, owner)``.

    groups: :class:`mvg.multiview.clustering.Groups`; counts: int (n_documents,), at most a document's queries
    """
    owner = np.repeat(np.arange(len(counts)), np.diff(groups.starts))
    shuffled = np.lexsort((np.random.default_rng(seed).random(len(owner)), owner))
    chosen = shuffled[np.arange(len(owner)) - groups.starts[owner] < counts[owner]]
    return queries[groups.queries[chosen]], owner[chosen].astype(np.int32)


def all_queries(documents, queries, train, test, k):
    """Max-sim over a document's own vector and all its training queries, without a budget or learning."""
    known = np.asarray(queries[train.queries], dtype=np.float64)
    query, document = of_queries(train.pairs, train.queries)
    order = np.argsort(document, kind="stable")
    owners, first = np.unique(document[order], return_index=True)

    def score(_, batch, scores):
        best = np.maximum.reduceat((batch @ known.T)[:, query[order]], first, axis=1)
        scores[:, owners] = np.maximum(scores[:, owners], best)
        return scores

    return _ranked(score, documents, queries, test, k, batch=max(1, CELLS // len(query)))


def query_vote(documents, queries, train, test, k, neighbours=NEIGHBOURS, threads=1):
    """The nearest training queries vote for the documents they led to, and each document for itself.

    The weight of a vote is exp(SCALE * cosine): the softmax of the encoder's training, up to a constant.
    """
    from scipy import sparse

    from ..search.index import Index
    from ..search.views import Views

    nearest = Index(Views.of(queries[train.queries]), threads=threads).search(queries[test.queries], neighbours)
    row, place = (nearest.documents >= 0).nonzero()
    weights = sparse.csr_matrix(
        (np.exp(SCALE * nearest.scores[row, place]), (row, nearest.documents[row, place])),
        shape=(len(test.queries), len(train.queries)),
    )
    query, document = of_queries(train.pairs, train.queries)
    led_to = sparse.csr_matrix((np.ones(len(query)), (query, document)), shape=(len(train.queries), len(documents)))
    votes = weights @ led_to

    def score(positions, batch, scores):
        return votes[positions].toarray() + np.exp(SCALE * scores)

    return _ranked(score, documents, queries, test, k, batch=max(1, CELLS // len(documents)))


def _ranked(score, documents, queries, test, k, batch):
    """Rank by ``score(positions, query vectors, their similarities to all documents)``, in float64.

    Scores are rounded, so that those that differ only by the order of summation are equal and go by document row.
    """
    from ..search.ranking import rank_scores

    documents = np.asarray(documents, dtype=np.float64)

    def rows_scored(rows):
        batch = np.asarray(queries[rows], dtype=np.float64)
        return score(np.searchsorted(test.queries, rows), batch, batch @ documents.T).round(9)

    return rank_scores(rows_scored, test.queries, test.excluded, k, batch)


def report(given, made, params, log) -> None:
    """``ablations.csv`` and its two layouts."""
    from ..datasets.reading import load_facts
    from ..reporting.tables import read_table, write_table
    from ..verdicts.benchmark import read_benchmark

    measured = dict(zip(map(tuple, params.measured), map(read_table, given.measured), strict=True))
    table = ablations_table(read_benchmark(given.benchmark), measured, params.losses)
    write_table(table, made.csv)
    write_ablations(table, load_facts(params.datasets, given.stats), made, note=params.note)


def ablations_table(benchmark, measured, losses):
    """``ablations.csv``: ``dataset, encoder, loss, variant, metric, k, value``.

    ``benchmark``: the frame of ``benchmark_table``, which has four of the variants. ``measured``:
    (dataset, encoder) -> frame of the others, from :func:`ablations`. ``losses``: encoder -> its
    training loss, or an empty text for kinds with only one.
    """
    import pandas as pd

    parts = [pd.DataFrame(columns=COLUMNS)]
    for (dataset, encoder), others in measured.items():
        rows = benchmark[benchmark["dataset"] == dataset]
        known = [
            rows[rows["method"] == wrapper + encoder].assign(variant=variant)
            for variant, wrapper in IN_BENCHMARK.items()
        ]
        part = pd.concat([*known, others.assign(dataset=dataset)])
        part = part.assign(encoder=encoder, loss=losses.get(encoder, ""))
        parts.append(part.sort_values("variant", key=lambda names: names.map(list(VARIANTS).index), kind="stable"))
    return pd.concat(parts, ignore_index=True)[COLUMNS].astype({"k": "Int64", "value": float})


def write_ablations(table, facts, made, note="") -> None:
    """Write ``made.md`` and ``made.tex``: a group per encoder, at the largest k; one line if there is none."""
    from ..reporting.labels import method_label
    from ..reporting.tables import entries_of, layout, simulated_note, write_layouts

    if table.empty:
        return write_layouts("Ablations", [], made, nothing=NONE)
    datasets = list(dict.fromkeys(table["dataset"]))
    losses = dict(zip(table["encoder"], table["loss"], strict=True))
    k = int(table["k"].max())
    entries = entries_of(table.assign(method=list(zip(table["encoder"], table["variant"], strict=True))))

    def label(row):
        encoder, variant = row
        loss = f" ({losses[encoder]} softmax)" if variant == "base" and losses[encoder] else ""
        return f"{method_label(encoder)}{loss}: {VARIANTS[variant]}"

    caption = (
        f"Recall@{k} and MAP@{k} in percent. Random views, other clusterings and other budgets; biases are chosen "
        "on dev. The last two rows of an encoder are bounds: they keep every training query."
        f"{simulated_note(datasets, facts)} {note}"
    ).rstrip()
    groups = [[(encoder, variant) for variant in VARIANTS] for encoder in losses]
    tables = {caption: [("recall", k), ("map", k)], "Index size in millions of floats.": [("index_mfloats", None)]}
    layouts = [layout(says, columns, datasets, groups, entries, facts, label) for says, columns in tables.items()]
    write_layouts("Ablations", layouts, made)
