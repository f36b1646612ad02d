"""An index as people use it: search, explain, update, save."""

import os
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..search.combined import Combined
from . import folder as folders
from . import inputs
from .log import Dev, Log
from .methods import Fitted, Settings, fitted, kept_from

MOST_RESULTS = 1_000_000  # of a query; more if there are more documents
LASTING = ("encoder", "min_count")  # facts that an update leaves true


class Nearest(NamedTuple):
    """A training query: its row, its text if there is one, and its similarity with the vector that matched."""

    row: int
    text: str | None
    similarity: float


class Explanation(NamedTuple):
    """Why a document has its score.

    document: its id, or its row
    score: of the query for the document: ``similarity`` + ``bias`` + ``votes``
    vector: row in the index of the vector that matched; kind: ``document`` or ``behavioural``
    similarity: of the query with that vector; bias: what the method adds for it, such as b log p(d)
    votes: what the query's nearest shared views add for the document
    queries: training queries of the document, the nearest to that vector first
    """

    document: Any
    score: float
    vector: int
    kind: str
    similarity: float
    bias: float
    votes: float
    queries: list[Nearest]


class MultiViewIndex:
    """Documents with what a log adds to them, searched exactly (or by a faiss factory string). See :func:`mvg.build`.

    method, constants, metrics: what was built, what dev chose for it, and how well it did there in percent
    ids, texts: of the documents, or None
    facts: what :meth:`save` was given for the manifest, such as ``encoder``: how to encode a query
    """

    def __init__(self, log: Log | None, settings: Settings, dev: Dev | None, made: Fitted, index: Combined, factory):
        self._log, self._settings, self._dev = log, settings, dev
        self._fitted, self._index, self._factory = made, index, factory
        self.ids, self.texts = (None, None) if log is None else (log.ids, log.document_texts)
        self.facts: dict[str, Any] = {}

    @classmethod
    def built(cls, log: Log, settings: Settings, dev, factory: str, threads, progress, kept=None) -> "MultiViewIndex":
        """Fit and index; ``kept`` as of :func:`mvg.library.methods.kept_from`."""
        threads = cores() if threads is None else inputs.whole(threads, "threads", 1)
        made = fitted(log, settings, dev, threads, progress, kept, codes=factory == "exact")
        return cls(log, settings, dev, made, Combined(made.addition, factory, threads), factory)

    @property
    def method(self) -> str:
        return self._fitted.method

    @property
    def constants(self) -> dict[str, Any]:
        return self._fitted.constants

    @property
    def metrics(self) -> dict[str, Any]:
        return self._fitted.metrics

    @property
    def dimension(self) -> int:
        """Floats of a query."""
        return self._fitted.addition.documents.shape[1]

    def __len__(self) -> int:
        """Documents."""
        return len(self._fitted.addition.documents)

    def __repr__(self) -> str:
        addition, size = self._fitted.addition, f"{len(self)} documents, {len(self._index.views.owner)} vectors"
        votes = f", {len(addition.votes.centers)} shared views" if addition.votes else ""
        return f"MultiViewIndex({self.method}: {size} of {self.dimension} floats{votes})"

    def search(self, queries, k: int = 10, ids: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """The k best documents of each query, each once, best first.

        queries: (n_queries, dim) in any form, or one vector (dim,)
        ids: the documents' ids instead of their rows

        Returns rows int32 and scores float64, both (n_queries, k), or (k,) for one vector; -1 (id None) and -inf
        where there are fewer documents. Equal scores go by row. ValueError: wrong queries, or k below 1.

        >>> import mvg
        >>> index = mvg.build([[1, 0], [0, 1]], [[3, 4]], [(0, 1)], method="plain")
        >>> rows, scores = index.search([[5, 0], [3, 4]], k=2)
        >>> rows.tolist(), scores.round(2).tolist()
        ([[0, 1], [1, 0]], [[1.0, 0.0], [0.8, 0.6]])
        """
        if inputs.whole(k, "k", 1) > max(len(self), MOST_RESULTS):
            raise ValueError(f"k must be at most {max(len(self), MOST_RESULTS):,}, not {k:,}")
        queries, single = self._queries(queries)
        found = self._index.search(queries, int(k))
        if ids and self.ids is None:
            raise ValueError("this index has no ids: build it with ids=[…]")
        documents = np.array([*self.ids, None], dtype=object)[found.documents] if ids else found.documents
        return (documents[0], found.scores[0]) if single else (documents, found.scores)

    def explain(self, query, document, n: int = 5, min_count: int = 1) -> Explanation:
        """Which vector of a document matches a query best, how well, and the training queries nearest to it.

        query: one vector (dim,); document: its row, or its id if documents have ids
        n: training queries at most; min_count: those asked fewer times than that are left out, since a query
            that one person asked may say who that is. An index that was saved without its log has none

        ValueError: no such document, or a wrong query.

        >>> import mvg
        >>> index = mvg.build([[1, 0], [0, 1]], [[3, 4]], [(0, 0)], budget=1.5, query_texts=["red shoes"])
        >>> found = index.explain([3, 4], 0)
        >>> found.kind, round(found.score, 2), found.queries[0].text
        ('behavioural', 1.0, 'red shoes')
        """
        n, row = inputs.whole(n, "n", 0), self._row(document)
        min_count = inputs.number(min_count, "min_count", 0, 2**53)
        given, views = self._queries(query)[0], self._index.views
        if len(given) != 1:
            raise ValueError(f"query must be one vector: found {len(given)}")
        query = self._fitted.addition.queries(given)[0]
        # Semantic vectors come first, a row a document; the others are sorted by owner.
        own = len(self) + np.arange(*np.searchsorted(views.owner[len(self) :], [row, row + 1]))
        rows = np.concatenate([[row], own])
        vectors = views.vectors[rows].astype(np.float64)
        bias = vectors[:, -1] if views.biased else np.zeros(len(rows))
        similarity = vectors[:, : self.dimension] @ query.astype(np.float64)
        best, votes = int(np.argmax(similarity + bias)), self._index.votes(query[None])[0, [row]].sum()
        return Explanation(
            self.ids[row] if self.ids else row,
            float(similarity[best] + bias[best] + votes),
            int(rows[best]),
            "behavioural" if best else "document",
            float(similarity[best]),
            float(bias[best]),
            float(votes),
            _nearest(self._log, row, vectors[best, : self.dimension], n, min_count) if self._log else [],
        )

    def update(
        self, documents=None, queries=None, pairs=(), weights=None, ids=None, document_texts=None, query_texts=None,
        asked=None, normalize=True, threads=None, progress: Callable | None = None,
    ) -> None:  # fmt: skip
        """Add documents and queries; the index is then that of a fresh build of all, bit for bit.

        documents, queries: new ones, in any form
        pairs: their query rows count from the first new query on, their document rows all documents
        weights, ids, document_texts, query_texts, asked: of what is new, as for :func:`mvg.build`

        Own views are fitted anew only where a document's vector, queries or budget changed; what is learned or shared
        is made anew, and constants are chosen again. ValueError as of :func:`mvg.build`; the index stays as it was.

        >>> import mvg
        >>> index = mvg.build([[1, 0], [0, 1]], [[3, 4]], [(0, 0)], budget=1.5)
        >>> index.update(documents=[[-1, 0]], queries=[[-3, 1]], pairs=[(0, 2)])
        >>> len(index), index.search([-1, 0], k=1)[0].tolist()
        (3, [2])
        """
        old = self._log
        if old is None:
            raise ValueError("this index was saved without its log, which updates need")
        dimension = self.dimension
        everything = old.documents
        if documents is not None:
            new = inputs.vectors(documents, "documents", normalize, dimension)
            everything = np.concatenate([everything, new])
        ids = _joined(old.ids, ids, len(everything) - len(self), "ids")
        document_texts = _joined(old.document_texts, document_texts, len(everything) - len(self), "document_texts")
        queries = np.empty((0, dimension), dtype=np.float32) if queries is None else queries
        new = Log.of(everything, queries, pairs, weights, ids, document_texts, query_texts, asked, normalize)
        again = self.built(
            old.extended(new), self._settings, self._dev, self._factory, threads, progress or _silent,
            kept_from(old, self._settings, self._dev, self._fitted),
        )  # fmt: skip
        again.facts = {name: fact for name, fact in self.facts.items() if name in LASTING}
        self.__dict__.update(again.__dict__)

    def save(self, folder: str | os.PathLike, log: bool = True, **facts: Any) -> None:
        """Write a folder for :func:`mvg.load`, whole or not at all; one that was saved before is replaced.

        log: with what :meth:`explain` and :meth:`update` need, the training queries among it
        facts: for ``manifest.json``, such as ``encoder={…}``: how to encode a query. Those of the folder that an index
            was loaded from stay; an update keeps ``encoder`` and ``min_count``, and counts and metrics end with it

        OSError; ValueError for facts that are no JSON; DataError (a ValueError) for a folder that is something else.

        >>> import mvg, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     mvg.build([[1, 0], [0, 1]], [[3, 4]], [(0, 0)]).save(f"{folder}/index", encoder={"kind": "mine"})
        ...     mvg.load(f"{folder}/index").facts
        {'encoder': {'kind': 'mine'}}
        """
        folders.save(self, folder, log, self.facts | facts)

    def _row(self, document) -> int:
        if isinstance(document, str) and self.ids is not None and document in self.ids:
            return self.ids.index(document)
        if isinstance(document, int | np.integer) and not isinstance(document, bool) and 0 <= document < len(self):
            return int(document)
        raise ValueError(f"document must be an id, or a row below {len(self)}: found {document!r}")

    def _queries(self, given) -> tuple[np.ndarray, bool]:
        plain = isinstance(given, list | tuple) and len(given) and np.isscalar(given[0])
        single = bool(plain) or getattr(given, "ndim", 2) == 1
        return inputs.vectors([given] if single else given, "queries", dimension=self.dimension), single


def load(folder: str | os.PathLike, check: bool = True, threads: int | None = None) -> MultiViewIndex:
    """The index that :meth:`MultiViewIndex.save` wrote; its arrays are memory-mapped.

    check: compare each file with its checksum, which reads all of them once

    Raises DataError (a ValueError) for a folder that is none, and for a file that is missing or altered.

    >>> import mvg, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mvg.build([[1, 0], [0, 1]], [[3, 4]], [(0, 0)], budget=1.5).save(f"{folder}/index")
    ...     mvg.load(f"{folder}/index").search([3, 4], k=1)[0].tolist()
    [0]
    """
    threads = cores() if threads is None else inputs.whole(threads, "threads", 1)
    *parts, ids, texts, facts = folders.read(folder, check, threads)
    index = MultiViewIndex(*parts)
    index.ids, index.texts, index.facts = ids, texts, facts
    return index


def _joined(old: list | None, new, n: int, what: str) -> list | None:
    """Of all documents, where those of the old ones are known; ValueError if they are of the new ones only."""
    if new is not None and len(new) != n:
        raise ValueError(f"{what} must be {n}, one a new document: found {len(new)}")
    if (old is None) != (new is None) and n:
        raise ValueError(f"{what} must be given for all documents or for none")
    return None if old is None else [*old, *(new or [])]


def _nearest(log: Log, document: int, vector, n: int, min_count: int) -> list[Nearest]:
    """Training queries of a document, the most similar to a vector first."""
    rows = log.pairs.queries[log.pairs.documents == document]
    rows = rows[log.asked[rows] >= min_count]
    similarity = log.queries[rows].astype(np.float64) @ vector
    best = np.argsort(-similarity, kind="stable")[:n]
    return [
        Nearest(int(rows[i]), log.query_texts[rows[i]] if log.query_texts else None, float(similarity[i])) for i in best
    ]


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _silent(items, label: str):
    return items
