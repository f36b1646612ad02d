"""Where and how MVG helps: pairs that it brings closer, and documents that show why (section 6.5)."""

from typing import NamedTuple

import numpy as np

from ..datasets.pairs import of_queries

MOST_QUERIES = 5000  # of train, that examples are looked for in
MOST_POINTS = 300  # queries of one document that are drawn
BEYOND = 100  # a rank that nobody reads down to
BATCH = 250  # queries ranked at a time


class Cosines(NamedTuple):
    """Of some pairs: cosine with the document's own vector, with its closest center, and which that is."""

    base: np.ndarray  # float64 (n_pairs,)
    best: np.ndarray  # float64 (n_pairs,)
    center: np.ndarray  # int64 (n_pairs,), 0 for the document's own vector, as in Algorithm 1


class Example(NamedTuple):
    """A pair that is found with MVG only."""

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

    Algorithm 1 says which queries the document's own vector keeps beside the behavioural ones:
    ``one cluster`` is the document with the largest sum of gains over its queries among those whose
    own vector keeps a fair share, 1 / (m_d + 1), or more; ``no cluster`` among those whose keeps none.
    """
    n = np.bincount(pair_documents, minlength=n_documents)
    kept = np.bincount(pair_documents[found.center == 0], minlength=n_documents)
    gain = np.bincount(pair_documents, found.best - found.base, minlength=n_documents)
    centers = 1 + np.bincount(owner, minlength=n_documents)
    eligible = {"one cluster": kept * centers >= n, "no cluster": kept == 0}
    best = {name: int(np.argmax(np.where(some, gain, 0))) for name, some in eligible.items()}
    return {name: row for name, row in best.items() if eligible[name][row] and gain[row] > 0}


def project(document, views, queries, seed=0) -> np.ndarray:
    """t-SNE in two dimensions by cosine, float (1 + n_views + n_queries, 2), in this order."""
    from sklearn.manifold import TSNE

    points = np.vstack([document[None], views, queries]).astype(np.float64)
    perplexity = min(30, (len(points) - 1) / 3)
    # The exact method is the same for any number of threads.
    model = TSNE(2, perplexity=perplexity, metric="cosine", init="random", method="exact", random_state=seed)
    return model.fit_transform(points)


def other_pairs(pairs, seed=0) -> tuple[np.ndarray, np.ndarray]:
    """The documents of ``pairs`` with queries of other pairs, those left out that are relevant as well.

    So both kinds of pairs have the same documents, as popular and with as many behavioural vectors.
    """
    query, document = (np.asarray(side) for side in pairs)
    shuffled = np.random.default_rng(seed).permutation(query)
    width = document.max(initial=0) + 1
    other = ~np.isin(shuffled * width + document, query * width + document)
    return shuffled[other], document[other]


def examples(documents, queries, split, behavioural, count=5, seed=0) -> list[Example]:
    """Pairs that the base ranks beyond 100 and MVG within, by their gain in cosine, largest first.

    Of up to ``MOST_QUERIES`` random queries of ``split``; one pair a query and a document.
    """
    rows = split.queries
    if len(rows) > MOST_QUERIES:
        rows = np.sort(np.random.default_rng(seed).choice(rows, MOST_QUERIES, replace=False))
    position, document = of_queries(split.pairs, rows)
    hidden_at, hidden = of_queries(split.excluded, rows)
    found = []
    for start in range(0, len(rows), BATCH):
        base = queries[rows[start : start + BATCH]].astype(np.float64) @ np.asarray(documents, dtype=np.float64).T
        here = (hidden_at >= start) & (hidden_at < start + BATCH)
        base[hidden_at[here] - start, hidden[here]] = -np.inf
        mvg = _with_views(base, queries[rows[start : start + BATCH]], behavioural)
        for pair in np.flatnonzero((position >= start) & (position < start + BATCH)):
            at, own = position[pair] - start, document[pair]
            ranks = _rank(base[at], own), _rank(mvg[at], own)
            if ranks[0] > BEYOND >= ranks[1]:
                found.append(
                    Example(int(rows[position[pair]]), int(own), base[at, own], ranks[0], mvg[at, own], ranks[1])
                )
    found.sort(key=lambda example: example.base_similarity - example.mvg_similarity)
    return _distinct(found, count)


def _with_views(base, queries, behavioural) -> np.ndarray:
    """``base`` scores, each raised to the best behavioural vector's where that is higher."""
    vectors, owner = behavioural
    owners, first = np.unique(owner, return_index=True)
    scores = base.copy()
    best = np.maximum.reduceat(queries.astype(np.float64) @ np.asarray(vectors, dtype=np.float64).T, first, axis=1)
    visible = base[:, owners] > -np.inf
    scores[:, owners] = np.where(visible, np.maximum(base[:, owners], best), -np.inf)
    return scores


def _rank(scores, column) -> int:
    """From 1; equal scores go by column."""
    return 1 + int((scores > scores[column]).sum() + (scores[:column] == scores[column]).sum())


def _distinct(found, count) -> list[Example]:
    chosen = []
    for example in found:
        if all(example.query != other.query and example.document != other.document for other in chosen):
            chosen.append(example)
        if len(chosen) == count:
            break
    return chosen
