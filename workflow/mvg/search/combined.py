"""One search for everything that a log adds to an encoder: an index of vectors, and one of the centers that vote.

The vectors are searched like any others; biases are one more dimension. Votes are sums over a few centers, so they
reach few documents. These are scored pair by pair, along with the best of the others. All scores are float64.
"""

import numpy as np
from numba import njit
from scipy import sparse

from ..multiview.addition import Addition
from .index import Index, hidden_by_query
from .product import dot, insert
from .ranking import Ranking
from .views import Views

BATCH = 1024  # queries searched at a time


class Combined:
    """An index over an :class:`mvg.multiview.addition.Addition`.

    factory: of the index of vectors, as for :class:`mvg.search.index.Index`; the index of centers is exact, or has the
        lists of its codes
    index: of the vectors, if it exists already
    """

    def __init__(self, addition: Addition, factory: str = "exact", threads: int = 1, index: Index | None = None):
        self.addition = addition
        if index is None:
            views = Views.of(addition.documents, addition.views, addition.bias, addition.view_bias)
            index = Index(views, factory, threads, None if addition.codes is None else addition.codes.vectors)
        self.index, self.views = index, index.views
        self.centers = None
        if addition.votes is not None:
            codes = None if addition.codes is None else addition.codes.centers
            self.centers = Index(Views.of(addition.votes.centers), threads=threads, codes=codes)
            order = np.argsort(self.views.owner, kind="stable")
            starts = np.searchsorted(self.views.owner[order], np.arange(len(addition.documents) + 1))
            self._vectors_of = starts.astype(np.int64), order.astype(np.int64)
            shares = addition.votes.shares.tocsr()
            self._shares = shares.indptr.astype(np.int64), shares.indices, shares.data.astype(np.float64)

    @property
    def n_floats(self) -> int:
        """Floats stored, see :attr:`mvg.multiview.addition.Addition.n_floats`."""
        return self.addition.n_floats

    def search(self, queries, k, excluded=None, progress=iter) -> Ranking:
        """The k best distinct documents of each query; arguments and order as for :meth:`Index.search`."""
        queries = np.ascontiguousarray(self.addition.queries(queries), dtype=np.float32)
        if self.centers is None:
            return self.index.search(queries, k, excluded, progress)
        first_hidden, hidden = hidden_by_query(excluded, len(queries), len(self.addition.documents))
        parts = []
        for start in progress(range(0, len(queries), BATCH)):
            part = slice(start, start + BATCH)
            parts.append(self._search_batch(queries[part], k, first_hidden[start : start + BATCH + 1], hidden))
        if not parts:
            return Ranking(np.empty((0, k), dtype=np.int32), np.empty((0, k)))
        return Ranking(*(np.concatenate(side) for side in zip(*parts, strict=True)))

    def votes(self, queries) -> sparse.csr_matrix:
        """What the nearest centers add to the score of each document: float64 (n_queries, n_documents)."""
        shape = len(queries), len(self.addition.documents)
        if self.addition.votes is None:
            return sparse.csr_matrix(shape)
        starts, documents, values = self._votes(queries)
        return sparse.csr_matrix((values, documents, starts), shape)

    def _votes(self, queries) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The same as starts, documents and values; the documents of a query in no order."""
        votes = self.addition.votes
        near = self.centers.search(queries, min(votes.nearest, len(votes.centers)))
        return _sum_votes(near.documents, votes.weights(near.scores), *self._shares, len(self.addition.documents))

    def _search_batch(self, queries, k, first_hidden, hidden) -> Ranking:
        """All documents with a vote, and the best by vectors, until k of these have lost nothing by votes."""
        starts, _, values = votes = self._votes(queries)
        lost = np.diff(np.searchsorted(np.flatnonzero(values < 0), starts))
        wide = min(k + int(lost.max(initial=0)), len(self.addition.documents))
        positions = np.repeat(np.arange(len(queries)), np.diff(first_hidden))
        found = self.index.search(queries, wide, (positions, hidden[first_hidden[0] : first_hidden[-1]]))
        documents, scores = np.full((len(queries), k), -1, dtype=np.int32), np.full((len(queries), k), -np.inf)
        _with_votes(
            self.views.extend(queries), self.views.vectors, *self._vectors_of, *found, *votes, first_hidden, hidden,
            documents, scores,
        )  # fmt: skip
        return Ranking(documents, scores)


@njit(nogil=True, cache=True, error_model="numpy")
def _sum_votes(near, weights, starts, columns, values, n_documents):
    """Votes of near centers, summed by document: starts (n_queries + 1,), documents, and values.

    It is fast because each query touches only what its centers vote for, and because no branch depends on whether a
    document was seen before.
    """
    most = 0
    for i in range(len(near)):
        for j in range(near.shape[1]):
            if near[i, j] >= 0:
                most += starts[near[i, j] + 1] - starts[near[i, j]]
    total, seen = np.zeros(n_documents), np.zeros(n_documents, dtype=np.bool_)  # of one query; cleared after it
    found, sums, first = np.empty(most, dtype=np.int32), np.empty(most), np.zeros(len(near) + 1, dtype=np.int64)
    n = 0
    for i in range(len(near)):
        for j in range(near.shape[1]):
            if near[i, j] < 0:
                continue
            weight = weights[i, j]
            for s in range(starts[near[i, j]], starts[near[i, j] + 1]):
                document = columns[s]
                total[document] += weight * values[s]
                found[n] = document
                n += not seen[document]
                seen[document] = True
        for place in range(first[i], n):
            document = found[place]
            sums[place], total[document], seen[document] = total[document], 0, False
        first[i + 1] = n
    return first, found[:n], sums[:n]


@njit(nogil=True, cache=True, error_model="numpy")
def _with_votes(
    queries, vectors, first_vector, vector, found, found_scores, first_vote, voted, votes, first_hidden, hidden,
    documents, scores,
):  # fmt: skip
    """Add votes to the scores of candidates, score documents that only got votes, keep the best k."""
    n_documents = len(first_vector) - 1
    known = np.full(n_documents, -1, dtype=np.int64)  # document -> its position among the candidates
    candidates = np.empty(found.shape[1] + n_documents, dtype=np.int64)
    values = np.empty(len(candidates))
    for i in range(len(queries)):
        n = 0
        for j in range(found.shape[1]):
            if found[i, j] >= 0:
                candidates[n], values[n], known[found[i, j]] = found[i, j], found_scores[i, j], n
                n += 1
        for h in range(first_hidden[i], first_hidden[i + 1]):
            known[hidden[h]] = -2
        for j in range(first_vote[i], first_vote[i + 1]):
            d = np.int64(voted[j])
            if known[d] == -1:
                best = -np.inf
                for v in range(first_vector[d], first_vector[d + 1]):
                    best = max(best, dot(queries[i], vectors[vector[v]]))
                candidates[n], values[n], known[d] = d, best, n
                n += 1
            if known[d] >= 0:
                values[known[d]] += votes[j]
        kept = 0
        for j in range(n):
            kept = insert(documents[i], scores[i], kept, candidates[j], values[j])
        for j in range(n):
            known[candidates[j]] = -1
        for h in range(first_hidden[i], first_hidden[i + 1]):
            known[hidden[h]] = -1
