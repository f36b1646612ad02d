"""The relevant pairs of a prepared dataset by split, as rows of queries and documents."""

from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..io.errors import DataError
from ..io.files import load_arrays, save_arrays
from ..io.lists import in_lists
from .reading import open_binary
from .rows import Rows
from .splits import SPLITS

FILTER_HEADER = "query-id\tcorpus-id"
QRELS_HEADER = f"{FILTER_HEADER}\tscore"


class Split(NamedTuple):
    """One split of a prepared dataset; rows count the lines of the jsonl files from 0."""

    queries: np.ndarray  # (n,) int64: rows of the queries with relevant documents, sorted
    pairs: tuple[np.ndarray, np.ndarray]  # (query rows, document rows), int64, sorted by both
    excluded: tuple[np.ndarray, np.ndarray]  # the same for pairs to leave out


def load_splits(folder, splits=SPLITS) -> dict[str, Split]:
    """The ``splits`` of a BEIR folder as rows, by name; ``filters/<split>.tsv`` may be missing.

    Repeated pairs count once. Pairs with a score of 0 or less, and those in the filters, are not relevant.
    Raises DataError, naming the line, for an id that is not in the jsonl files and for a table that
    is not in BEIR's format; also for a split without relevant pairs.
    """
    folder = Path(folder)
    queries, documents = Rows(folder / "queries.jsonl"), Rows(folder / "corpus.jsonl")
    return {split: _split(folder, split, queries, documents) for split in splits}


def _split(folder: Path, split: str, queries: Rows, documents: Rows) -> Split:
    qrels, filters = folder / "qrels" / f"{split}.tsv", folder / "filters" / f"{split}.tsv"
    relevant = _pair_keys(qrels, QRELS_HEADER, queries, documents)
    excluded = np.zeros(0, dtype=np.int64)
    if filters.exists():
        excluded = _pair_keys(filters, FILTER_HEADER, queries, documents)
    pairs = np.divmod(np.setdiff1d(relevant, excluded, assume_unique=True), len(documents))
    if not pairs[0].size:
        raise DataError(qrels, "", "expected at least one relevant pair, found none")
    return Split(np.unique(pairs[0]), pairs, np.divmod(excluded, len(documents)))


def save_split(path, split: Split) -> None:
    """Write ``split`` as an ``.npz``, atomically."""
    save_arrays(
        path,
        queries=split.queries,
        pair_queries=split.pairs[0],
        pair_documents=split.pairs[1],
        excluded_queries=split.excluded[0],
        excluded_documents=split.excluded[1],
    )


def read_split(path) -> Split:
    """Read what :func:`save_split` wrote."""
    with load_arrays(path) as file:
        return Split(
            file["queries"],
            (file["pair_queries"], file["pair_documents"]),
            (file["excluded_queries"], file["excluded_documents"]),
        )


def of_queries(pairs, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The pairs whose query is in ``rows`` (sorted); query rows become positions in ``rows``."""
    queries, documents = (np.asarray(side, dtype=np.int64) for side in pairs)
    place = np.searchsorted(rows, queries)
    keep = place < len(rows)
    keep[keep] = rows[place[keep]] == queries[keep]
    return place[keep], documents[keep]


def by_query(pairs, n_queries: int) -> tuple[np.ndarray, np.ndarray]:
    """``(starts, documents)`` int64: those of query row i are ``documents[starts[i]:starts[i + 1]]``."""
    queries, documents = (np.asarray(side, dtype=np.int64) for side in pairs)
    order = np.argsort(queries, kind="stable")
    return np.searchsorted(queries[order], np.arange(n_queries + 1)), documents[order]


def _pair_keys(path: Path, header: str, queries: Rows, documents: Rows) -> np.ndarray:
    """The distinct pairs of a table, sorted, each as query row x number of documents + document row."""
    keys = array("q")
    for lines in in_lists(_relevant(path, header)):
        numbers, asked, found = zip(*lines, strict=True)
        rows = queries.of(asked), documents.of(found)
        if len(unknown := np.flatnonzero((rows[0] < 0) | (rows[1] < 0))):
            line = unknown[0]
            id, name = (asked[line], "queries") if rows[0][line] < 0 else (found[line], "corpus")
            raise DataError(path, f"line {numbers[line]}", f"expected an id of {name}.jsonl, found '{id}'")
        keys.frombytes((rows[0] * len(documents) + rows[1]).tobytes())
    keys = np.frombuffer(keys, dtype=np.int64)
    keys.sort()
    return keys[np.diff(keys, prepend=-1) > 0]


def _relevant(path: Path, header: str) -> Iterator[tuple[int, str, str]]:
    """(line number, query id, document id) of each line of a table, but for scores of 0 or less."""
    with open_binary(path) as file:
        if file.readline().rstrip(b"\r\n") != header.encode():
            raise DataError(path, "line 1", f"expected the header {header!r}")
        for number, line in enumerate(file, start=2):
            try:
                query, document, *score = line.rstrip(b"\r\n").decode().split("\t")
                if len(score) != header.count("\t") - 1:
                    raise ValueError
                relevant = all(float(value) > 0 for value in score)
            except ValueError:
                expected = f"expected {header!r}, separated by tabs, the score a number"
                raise DataError(path, f"line {number}", expected) from None
            if relevant:
                yield number, query, document
