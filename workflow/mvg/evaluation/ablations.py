"""What each part of MVG is worth, at the same budget, and two bounds that memory does not limit.

Ours, not the paper's. What the benchmark has anyway (the base, prior, MVG and both) is not here.
"""

import numpy as np
from scipy import sparse

from ..datasets.pairs import of_queries
from ..lexical.popularity import training_popularity
from ..multiview import allocate, fit
from ..multiview.clustering import group
from ..search.index import Index
from ..search.ranking import Ranking, rank_scores
from ..search.views import Views
from .choice import PRIORS, VIEW_BIASES, dev_scores, log_popularity
from .metrics import per_query

NEIGHBOURS = 50  # training queries that vote
SCALE = 20.0  # inverse temperature of a vote's weight, as in the DSSM's training
CELLS = 20_000_000  # similarities of queries and pairs held at a time


def ablations(documents, queries, train, dev, test, counts, behavioural, ks, seed=0, threads=1) -> list[dict]:
    """One row a variant, metric and k: ``variant, metric, k, value``, in percent.

    documents, queries: float32 (n, dim), unit rows; train, dev, test: :class:`mvg.datasets.pairs.Split`
    counts: int (n_documents,), the budget of MVG by document; behavioural: its ``(vectors, owner)``

    All by exact search. The size of each index, in millions of floats, is the metric ``index_mfloats`` with an empty k.
    """
    relevant, excluded = (of_queries(pairs, test.queries) for pairs in (test.pairs, test.excluded))

    def scored(variant, ranked, n_floats):
        scores = per_query(ranked, relevant, len(documents), ks)
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
    """(variant, views), one after the other: a single one is in memory at a time."""
    groups = group(train.pairs, len(queries), len(documents))
    popularity = training_popularity(train.pairs, len(documents))

    def centers(counts, semantic=documents):
        return fit(semantic, queries, groups, counts, seed=seed, threads=threads)

    yield "random_queries", Views.of(documents, random_queries(queries, groups, counts, seed))
    # A center at the origin attracts no query that has any other center on its side.
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

    groups: :class:`mvg.multiview.clustering.Groups`; counts: int (n_documents,), at most the queries there are
    """
    owner = np.repeat(np.arange(len(counts)), np.diff(groups.starts))
    shuffled = np.lexsort((np.random.default_rng(seed).random(len(owner)), owner))
    chosen = shuffled[np.arange(len(owner)) - groups.starts[owner] < counts[owner]]
    return queries[groups.queries[chosen]], owner[chosen].astype(np.int32)


def all_queries(documents, queries, train, test, k) -> Ranking:
    """Max-sim over a document's own vector and all its training queries: no budget, nothing to learn."""
    known = np.asarray(queries[train.queries], dtype=np.float64)
    query, document = of_queries(train.pairs, train.queries)
    order = np.argsort(document, kind="stable")
    owners, first = np.unique(document[order], return_index=True)

    def score(_, batch, scores):
        best = np.maximum.reduceat((batch @ known.T)[:, query[order]], first, axis=1)
        scores[:, owners] = np.maximum(scores[:, owners], best)
        return scores

    return _ranked(score, documents, queries, test, k, batch=max(1, CELLS // len(query)))


def query_vote(documents, queries, train, test, k, neighbours=NEIGHBOURS, threads=1) -> Ranking:
    """The nearest training queries vote for the documents they led to, and each document for itself.

    A vote weighs exp(SCALE * cosine): the softmax of the encoder's training, up to a constant.
    """
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


def _ranked(score, documents, queries, test, k, batch) -> Ranking:
    """Rank by ``score(positions, query vectors, their similarities to all documents)``, in float64.

    Rounded, so that what is equal but for the order of summation is equal, and goes by document row.
    """
    documents = np.asarray(documents, dtype=np.float64)

    def rows_scored(rows):
        batch = np.asarray(queries[rows], dtype=np.float64)
        return score(np.searchsorted(test.queries, rows), batch, batch @ documents.T).round(9)

    return rank_scores(rows_scored, test.queries, test.excluded, k, batch)
