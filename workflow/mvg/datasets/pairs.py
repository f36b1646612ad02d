"""The relevant pairs of a prepared dataset by split, as rows of queries and documents."""

from array import array
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..io.errors import DataError
from ..io.fields import new_id, text_field
from ..io.files import load_arrays, save_arrays
from ..io.text import json_lines
from .reading import open_binary
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
    queries, documents = _rows(folder / "queries.jsonl"), _rows(folder / "corpus.jsonl")
    return {split: _split(folder, split, queries, documents) for split in splits}


def _split(folder: Path, split: str, queries: dict, documents: dict) -> Split:
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


def _rows(path: Path) -> dict[str, int]:
    """Id -> row of a jsonl file."""
    seen: set[str] = set()
    rows = {}
    with open_binary(path) as file:
        for number, record in json_lines(file, path):
            place = path, f"line {number}"
            rows[new_id(text_field(record, "_id", *place), seen, *place)] = number - 1
    if not rows:
        raise DataError(path, "", "expected at least one line")
    return rows


def _pair_keys(path: Path, header: str, queries: dict, documents: dict) -> np.ndarray:
    """The distinct pairs of a table, sorted, each as query row x number of documents + document row."""
    keys = array("q")
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
                for id, rows, file_name in (query, queries, "queries"), (document, documents, "corpus"):
                    if id not in rows:
                        expected = f"expected an id of {file_name}.jsonl, found '{id}'"
                        raise DataError(path, f"line {number}", expected)
                keys.append(queries[query] * len(documents) + documents[document])
    return np.unique(np.frombuffer(keys, dtype=np.int64))
