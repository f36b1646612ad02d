"""Exact and approximate max-sim search with faiss, and index files.

faiss finds candidates. Their scores are computed again in float64, pair by pair, before the cut to k,
because faiss's own scores change with the batch size and the number of threads.
"""

import os
import re
from functools import cached_property

import faiss
import numpy as np
from numba import njit

from ..datasets.pairs import by_query
from ..io.errors import DataError
from ..io.files import let_go, replacing
from .parallel import in_parallel
from .product import dot, insert
from .ranking import Ranking, merge
from .storage import decoded, in_lists, opened
from .views import Views

BATCH = 4096  # queries searched at a time; faiss multiplies as many at a time
CANDIDATES = 1 << 22  # of a batch, at most
CHUNK = 64  # queries that a thread ranks at a time, at least
BLOCK = 1 << 26  # floats that exact search holds at a time; faiss holds a copy: 2 x 256 MiB
SPARE = 16  # candidates fetched beyond k, besides k / 3 in exact search; then few queries need a second round
# Numbers in a factory string that crash faiss or never end; the config's schema refuses them too.
UNSAFE = re.compile(r"(?<!\d)0+(?!\d)|(HNSW|NSG)0*1(?!\d)|\d{7}")


def search(
    documents, queries, k, behavioural=None, prior=None, view_bias=None, index="exact", excluded=None, threads=1,
    progress=iter, block=BLOCK,
) -> tuple[Ranking, int]:  # fmt: skip
    """The ranking by vectors that need not fit in memory, and the number of floats in their index.

    Exact search reads the documents block by block, without changing the result. An approximate
    index (a factory string as for :class:`Index`) is built over all of them.

    documents: float32 (n_documents, dim), memory-mapped or not
    behavioural, prior, view_bias: as for :meth:`mvg.search.views.Views.of`
    queries, k, excluded: as for :meth:`Index.search`
    """
    parts = blocks(documents, behavioural, block) if index == "exact" else [slice(0, len(documents))]
    ranking, n_floats = None, 0
    for part in parts:
        views = _views(documents, behavioural, prior, view_bias, part)
        hidden = None
        if excluded is not None:
            inside = (excluded[1] >= part.start) & (excluded[1] < part.stop)
            hidden = excluded[0][inside], excluded[1][inside] - part.start
        found = Index(views, index, threads).search(queries, k, hidden, progress)
        rows = np.where(found.documents < 0, -1, found.documents + np.int32(part.start))
        found = Ranking(rows, found.scores)
        ranking = found if ranking is None else merge(ranking, found)
        n_floats += views.n_floats
        let_go(documents, *(behavioural or ()))
    return ranking, n_floats


def _views(documents, behavioural, prior, view_bias, part) -> Views:
    """The views of some consecutive documents; their rows count from the first."""
    if behavioural is not None:
        vectors, owner = behavioural
        span = slice(*np.searchsorted(owner, [part.start, part.stop]))
        behavioural = vectors[span], owner[span] - np.int32(part.start)
    return Views.of(documents[part], behavioural, None if prior is None else prior[part], view_bias)


def blocks(documents, behavioural, block) -> list[slice]:
    """Slices of consecutive documents with about ``block`` floats each, behavioural vectors included."""
    counts = np.ones(len(documents), dtype=np.int64)
    if behavioural is not None:
        counts += np.bincount(behavioural[1], minlength=len(documents))
    number = (np.cumsum(counts) - 1) * documents.shape[1] // block
    edges = np.concatenate([[0], np.flatnonzero(np.diff(number)) + 1, [len(documents)]])
    return [slice(int(a), int(b)) for a, b in zip(edges[:-1], edges[1:], strict=True)]


class Index:
    """A faiss index over :class:`Views`.

    factory: ``exact``, or a faiss factory string such as ``HNSW32`` or ``IVF256,Flat``. Parameters of faiss's
        ``ParameterSpace`` may follow after a space: ``IVF256,Flat nprobe=16`` searches 16 of the 256
        lists (faiss's default is 1), ``HNSW32 efSearch=64``. A bias is one more dimension, which rules out
        factory strings that divide the dimension (``PQ8``).
    codes: a serialised faiss index that stores the vectors in fewer bytes (:mod:`mvg.search.storage`), or None. What
        it decodes to is searched, exactly if it has no lists; the codes are what is written.

    Raises ValueError if faiss cannot build it.
    """

    def __init__(self, views: Views, factory: str = "exact", threads: int = 1, codes: np.ndarray | None = None):
        faiss.omp_set_num_threads(threads)
        if codes is not None:
            if factory != "exact":
                raise ValueError(f"vectors in fewer bytes are searched exactly: expected index exact, not {factory}")
            views = views._replace(vectors=decoded(codes))
        self.views, self.exact, self.threads, self.codes = views, factory == "exact", threads, codes
        if codes is not None and in_lists(coded := opened(codes)):
            self.faiss, self.exact = coded, False
            return
        vectors = np.ascontiguousarray(views.vectors, dtype=np.float32)
        if not len(vectors) or not np.isfinite(vectors).all():
            raise ValueError("an index needs at least one vector, of finite numbers")
        if UNSAFE.search(factory):
            raise ValueError(f"'{factory}': expected numbers from 1, of HNSW and NSG from 2, and below 10,000,000")
        kind, _, parameters = ("Flat" if self.exact else factory).partition(" ")
        try:
            self.faiss = faiss.index_factory(vectors.shape[1], kind, faiss.METRIC_INNER_PRODUCT)
            if parameters:
                faiss.ParameterSpace().set_index_parameters(self.faiss, parameters)
            if not self.faiss.is_trained:
                self.faiss.train(vectors)
            self.faiss.add(vectors)
        except RuntimeError as error:
            what = f"build '{factory}' over {len(vectors)} vectors of {vectors.shape[1]} dimensions"
            raise ValueError(f"faiss cannot {what}: {_reason(error)}") from error
        if self.exact:
            self.views = views._replace(vectors=_held(self.faiss))  # so that they are in memory only once

    @classmethod
    def read(cls, path, owner, biased: bool, vectors=None, threads: int = 1) -> "Index":
        """The index in a faiss file, mapped from disk if faiss can do so.

        owner, biased: as in :class:`Views`; vectors: None for an exact index, which contains them
        Raises DataError for a file that faiss cannot read.
        """
        faiss.omp_set_num_threads(threads)
        index = cls.__new__(cls)
        try:
            index.faiss = faiss.read_index(os.fspath(path), faiss.IO_FLAG_MMAP)
        except RuntimeError as error:
            raise DataError(path, "", f"expected an index of faiss, but: {_reason(error)}") from error
        index.exact, index.threads, index.codes = vectors is None, threads, None
        if index.exact and not hasattr(index.faiss, "get_xb"):
            index.codes = faiss.serialize_index(index.faiss)
            index.faiss = faiss.IndexFlatIP(index.faiss.d)
            index.faiss.add(decoded(index.codes))
        index.views = Views(_held(index.faiss) if index.exact else vectors, owner, biased)
        return index

    def search(self, queries, k, excluded=None, progress=iter) -> Ranking:
        """The k best distinct documents of each query, as many as the corpus has.

        queries: float32 (n_queries, dim), without the bias dimension
        excluded: ``(query_positions, document_rows)`` that no ranking may hold, or None

        Exact search returns the true top k by float64 scores, for vectors of any norm; equal scores go by
        document row. Raises ValueError for queries of another width, or with NaN, and if faiss fails.

        >>> views = Views.of(np.eye(2), (np.array([[0.6, 0.8]]), np.array([0])))
        >>> found = Index(views).search([[0.6, 0.8]], k=2)
        >>> found.documents.tolist(), found.scores.round(1).tolist()
        ([[0, 1]], [[1.0, 0.8]])
        """
        queries = np.ascontiguousarray(self.views.extend(np.asarray(queries, dtype=np.float32)))
        if not np.isfinite(queries).all():
            raise ValueError("queries must be finite numbers")
        first_hidden, hidden = hidden_by_query(excluded, len(queries), self._n_documents)
        batches, batch = [], max(1, min(BATCH, CANDIDATES // (k + SPARE)))
        for start in progress(range(0, len(queries), batch)):
            part = slice(start, start + batch)
            batches.append(self._search_batch(queries[part], k, first_hidden[start : start + batch + 1], hidden))
        if not batches:
            return Ranking(np.empty((0, k), dtype=np.int32), np.empty((0, k)))
        return Ranking(*(np.concatenate(side) for side in zip(*batches, strict=True)))

    def _search_batch(self, queries, k, first_hidden, hidden):
        """Fetch more and more candidates for the queries whose ranking is not yet certain."""
        documents = np.full((len(queries), k), -1, dtype=np.int32)
        scores = np.full((len(queries), k), -np.inf)
        vectors, owner = self._arrays
        todo, fetch = np.arange(len(queries)), k + SPARE + (k // 3 if self._faithful else 0)
        while len(todo):
            fetch = min(fetch, self.faiss.ntotal)
            try:
                found_scores, found = self.faiss.search(queries[todo], fetch)
            except RuntimeError as error:
                raise ValueError(f"faiss cannot search: {_reason(error)}") from error
            certain = np.zeros(len(todo), dtype=np.bool_)

            def rank(part, todo=todo, found=found, found_scores=found_scores, certain=certain):
                place = np.zeros(self._n_documents, dtype=np.int32)
                _rank(
                    queries[todo[part]], vectors, owner, found[part], found_scores[part], self._close, first_hidden,
                    hidden, todo[part], self.exact, self._faithful, place, documents, scores, certain[part],
                )  # fmt: skip

            in_parallel(rank, len(todo), self.threads, CHUNK)
            if fetch == self.faiss.ntotal:
                break
            todo, fetch = todo[~certain], 2 * fetch
        return documents, scores

    @cached_property
    def _arrays(self) -> tuple:
        return _constant(self.views.vectors), _constant(self.views.owner)

    @cached_property
    def _faithful(self) -> bool:
        """Whether faiss's scores are those of the vectors, but for rounding."""
        store = faiss.downcast_index(self.faiss.storage) if hasattr(self.faiss, "storage") else self.faiss
        return isinstance(store, faiss.IndexFlat | faiss.IndexIVFFlat)

    @cached_property
    def _n_documents(self) -> int:
        return int(self.views.owner.max()) + 1

    @cached_property
    def _close(self) -> float:
        """If two faiss scores of a query of norm 1 differ by more than this, they are in the right order.

        It is twice the largest error of a sum of float32 products, in any order of summation (Higham 2002, 3.1).
        """
        squares = np.einsum("ij,ij->i", self.views.vectors, self.views.vectors, dtype=np.float64)
        return self.views.vectors.shape[1] * 2.0**-23 * float(np.sqrt(squares.max()))

    def save(self, path) -> None:
        """Write the faiss index and, beside it, ``<path>.owner.npy`` with the document of each vector.

        :func:`faiss.read_index` and :func:`numpy.load` read them. A faiss search returns vectors, and
        ``owner`` maps them to documents; of several vectors of a document the first counts.
        """
        self.write(path)
        with replacing(f"{path}.owner.npy") as temporary:
            np.save(temporary, self.views.owner)

    def write(self, path) -> None:
        """Write only the faiss index."""
        with replacing(path) as temporary:
            if self.codes is None:
                faiss.write_index(self.faiss, os.fspath(temporary))
            else:
                self.codes.tofile(temporary)


def hidden_by_query(excluded, n_queries: int, n_documents: int) -> tuple[np.ndarray, np.ndarray]:
    """What no ranking of a query may hold, as :func:`mvg.datasets.pairs.by_query` returns it.

    excluded: as for :meth:`Index.search`; documents that are no row are left out. Raises ValueError for other queries.
    """
    if excluded is None or not len(excluded[0]):
        return np.zeros(n_queries + 1, dtype=np.int64), np.empty(0, dtype=np.int64)
    positions, documents = (np.asarray(side, dtype=np.int64) for side in excluded)
    if not 0 <= positions.min() <= positions.max() < n_queries:
        raise ValueError(f"excluded queries must be rows of the {n_queries} queries")
    known = (documents >= 0) & (documents < n_documents)
    return by_query((positions[known], documents[known]), n_queries)


def _held(flat) -> np.ndarray:
    """The vectors of a flat index, without a copy: float32 (n_vectors, dim)."""
    return faiss.rev_swig_ptr(flat.get_xb(), flat.ntotal * flat.d).reshape(flat.ntotal, flat.d)


def _constant(array: np.ndarray) -> np.ndarray:
    """The array as read-only, like a mapped one: numba sees one type and compiles once."""
    array = np.asarray(array).view()
    array.flags.writeable = False
    return array


def _reason(error: RuntimeError) -> str:
    return re.sub(r"Error in .*?\.cpp:\d+: ", "", str(error)).replace("\n", " ")


@njit(nogil=True, cache=True, error_model="numpy")
def _rank(
    queries, vectors, owner, found, approximate, close, first_hidden, hidden, rows, exact, faithful, place,
    documents, scores, certain,
):  # fmt: skip
    """Score candidates in float64, keep the best of each document, sort, cut to k.

    It is fast because it stops at the first candidate that no longer matters, where faiss's scores are
    faithful, and because faiss's candidates are nearly in order. ``place``: zeros (n_documents,); holds the position
    of a document among the candidates of a query, from 1, or -1 for a hidden document.
    """
    k, width = documents.shape[1], found.shape[1]
    candidates, values, first = np.empty(width, np.int64), np.empty(width), np.empty(width)
    query = np.empty(queries.shape[1])  # in float64 once, not for each candidate
    for i in range(len(rows)):
        query[:], row = queries[i], rows[i]
        margin = close * np.sqrt(dot(query, query))
        for h in range(first_hidden[row], first_hidden[row + 1]):
            place[hidden[h]] = -1
        n, least = 0, -np.inf
        for j in range(width):
            if found[i, j] < 0:
                continue
            if faithful and approximate[i, j] < least:  # nor do candidates that were not fetched matter
                certain[i] = True
                break
            document = owner[found[i, j]]
            at = place[document] - 1
            if at == -1:
                candidates[n], first[n] = document, approximate[i, j]
                values[n] = dot(query, vectors[found[i, j]])
                n += 1
                place[document] = n
                if n == k:
                    least = approximate[i, j] - margin
            elif at >= 0 and not (faithful and approximate[i, j] < first[at] - margin):
                values[at] = max(values[at], dot(query, vectors[found[i, j]]))
        # If an approximate index finds fewer than it was asked for, there are no more to find.
        certain[i] = certain[i] or (not exact and (n >= k or found[i, width - 1] < 0))
        for a in range(n):
            place[candidates[a]] = 0
        for h in range(first_hidden[row], first_hidden[row + 1]):
            place[hidden[h]] = 0
        kept = 0
        for a in range(n):
            kept = insert(documents[row], scores[row], kept, candidates[a], values[a])
