"""What an index is made from: vectors of documents and of training queries, and which query led to which document."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..datasets.pairs import Split
from . import inputs
from .inputs import Pairs

HELD_OUT = 0.1  # of the training queries, where constants are chosen and no dev is given
NOTHING = np.empty(0, dtype=np.int64)


class Log(NamedTuple):
    """Rows of ``documents`` and ``queries`` are what pairs count in.

    ids: one a document, or None: documents are called by their rows
    document_texts, query_texts: for people to read, or None; a query's is None where it is not to be shown
    asked: int64 (n_queries,), how many times each query was asked
    """

    documents: np.ndarray  # float32 (n_documents, dim), unit rows
    queries: np.ndarray  # float32 (n_queries, dim), unit rows
    pairs: Pairs
    ids: list[str] | None
    document_texts: list[str] | None
    query_texts: list[str | None] | None
    asked: np.ndarray

    @classmethod
    def of(
        cls, documents, queries, pairs, weights=None, ids=None, document_texts=None, query_texts=None, asked=None,
        normalize=True,
    ) -> "Log":  # fmt: skip
        """Inputs in any form, checked. Raises ValueError for what is none; see :mod:`mvg.library.inputs`."""
        documents = inputs.vectors(documents, "documents", normalize)
        if not len(documents):
            raise ValueError("documents must be at least one")
        queries = inputs.vectors(queries, "queries", normalize, documents.shape[1])
        return cls(
            documents,
            queries,
            inputs.pairs(pairs, len(queries), len(documents), weights),
            _ids(_texts(ids, len(documents), "ids", "document")),
            _texts(document_texts, len(documents), "document_texts", "document"),
            _texts(query_texts, len(queries), "query_texts", "query"),
            _asked(asked, len(queries)),
        )

    def extended(self, new: "Log") -> "Log":
        """With the documents, queries and pairs of ``new``, whose documents are all, and whose queries are new ones."""
        old, added = self.pairs, new.pairs
        if (old.weights is None) != (added.weights is None) and len(added.queries):
            raise ValueError("weights must be given for all pairs or for none")
        weights = None if old.weights is None else np.concatenate([old.weights, added.weights])
        pairs = Pairs(
            np.concatenate([old.queries, added.queries + len(self.queries)]),
            np.concatenate([old.documents, added.documents]),
            weights,
        )
        texts = None
        if self.query_texts or new.query_texts:
            unknown = [None] * len(self.queries), [None] * len(new.queries)
            texts = [*(self.query_texts or unknown[0]), *(new.query_texts or unknown[1])]
        queries = np.concatenate([self.queries, new.queries]) if len(new.queries) else self.queries
        asked = np.concatenate([self.asked, new.asked])
        return new._replace(queries=queries, pairs=pairs, query_texts=texts, asked=asked)

    def with_dev(self, dev: "Dev | None", seed: int) -> tuple[np.ndarray, Pairs, Split]:
        """Queries of both kinds, the pairs to train on, and the split to choose on; rows are of these queries.

        Without dev a tenth of the queries is taken for it. More queries at the end of the log leave those before
        them where they are.
        """
        if dev is None:
            mine = (np.random.default_rng(seed).random(len(self.queries)) < HELD_OUT)[self.pairs.queries]
            if not mine.any() or mine.all():
                raise ValueError("too few queries to hold some out to choose constants on: give dev=(queries, pairs)")
            queries, train = self.queries, Pairs(*(None if side is None else side[~mine] for side in self.pairs))
            held, hidden = (self.pairs.queries[mine], self.pairs.documents[mine]), (NOTHING, NOTHING)
        else:
            queries, train = np.concatenate([self.queries, dev.queries]), self.pairs
            held, hidden = ((pairs[0] + len(self.queries), pairs[1]) for pairs in (dev.pairs, dev.excluded))
        return queries, train, Split(np.unique(held[0]), held, hidden)


class Dev(NamedTuple):
    """Queries to choose on, the documents that answer them, and those that are left out of their rankings."""

    queries: np.ndarray
    pairs: tuple[np.ndarray, np.ndarray]
    excluded: tuple[np.ndarray, np.ndarray] = (NOTHING, NOTHING)

    @classmethod
    def of(cls, given, log: Log, normalize=True) -> "Dev":
        """``(queries, pairs)`` in any form, checked."""
        if not isinstance(given, tuple) or len(given) != 2:
            raise ValueError("dev must be (queries, pairs)")
        queries = inputs.vectors(given[0], "dev queries", normalize, log.documents.shape[1])
        pairs = inputs.pairs(given[1], len(queries), len(log.documents))
        if not len(pairs.queries):
            raise ValueError("dev must have at least one pair")
        return cls(queries, (pairs.queries, pairs.documents))


def _texts(given: Sequence[str | None] | None, n: int, what: str, of: str) -> list | None:
    if given is None:
        return None
    if isinstance(given, str | bytes) or not hasattr(given, "__len__"):
        raise ValueError(f"{what} must be a list, one a {of}: found {type(given).__name__}")
    texts = [None if text is None else str(text) for text in given]
    if len(texts) != n:
        raise ValueError(f"{what} must be {n}, one a {of}: found {len(texts)}")
    return texts


def _ids(ids: list[str] | None) -> list[str] | None:
    """Refuse what cannot tell documents apart in a table."""
    if ids is not None:
        if len(set(ids)) < len(ids):
            raise ValueError("ids must be distinct")
        for row, id in enumerate(ids):
            if not id or any(c in "\t\n\r\0" or "\ud800" <= c <= "\udfff" for c in id):
                raise ValueError(f"ids must be texts that fit into a line of a table: row {row} is {id!r}")
    return ids


def _asked(given, n: int) -> np.ndarray:
    if given is None:
        return np.ones(n, dtype=np.int64)
    asked = np.asarray(given)
    if asked.shape != (n,) or asked.dtype.kind not in "iuf" or not np.isfinite(asked).all() or (asked < 0).any():
        raise ValueError(f"asked must be {n} numbers of at least 0, one a query")
    return asked.astype(np.int64)
