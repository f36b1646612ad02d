"""The rows of ids, in an eighth of the memory of a dict."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from ..io.errors import DataError
from ..io.fields import fit_id, repeated, text_field
from ..io.lists import in_lists
from ..io.text import json_lines
from .reading import open_binary


class Rows:
    """Row of each id of a ``corpus.jsonl`` or ``queries.jsonl``, by two 64-bit hashes: 24 bytes an id.

    Two ids out of 2^50 would share both hashes with a chance of one in 2^28.
    Raises DataError, naming the line, for a line that is not in BEIR's format and for a repeated id.
    """

    def __init__(self, path: Path):
        hashes = np.concatenate([np.empty((2, 0), np.int64), *map(_hashes, in_lists(_ids(path)))], axis=1)
        if not hashes.size:
            raise DataError(path, "", "expected at least one line")
        self._rows = np.lexsort(hashes[::-1])
        self._first, self._second = hashes[:, self._rows]
        same = (self._first[1:] == self._first[:-1]) & (self._second[1:] == self._second[:-1])
        if same.any():
            row = int(self._rows[1:][same].min())
            id = next(islice(_ids(path), row, None))
            raise repeated(id, path, f"line {row + 1}")

    def __len__(self) -> int:
        return len(self._rows)

    def of(self, ids: Sequence[str]) -> np.ndarray:
        """The row of each id, int64; -1 if it has none."""
        first, second = _hashes(ids)
        order = np.argsort(first)  # neighbours are then looked up in the same part of memory
        place = np.empty(len(ids), np.int64)
        place[order] = np.searchsorted(self._first, first[order])
        while True:
            inside = np.minimum(place, len(self) - 1)
            alike = (self._first[inside] == first) & (place < len(self))
            right = alike & (self._second[inside] == second)
            if (alike == right).all():
                return np.where(right, self._rows[inside], -1)
            place += alike & ~right


def _ids(path: Path) -> Iterator[str]:
    with open_binary(path) as file:
        for number, record in json_lines(file, path):
            place = path, f"line {number}"
            yield fit_id(text_field(record, "_id", *place), *place)


def _hashes(ids: Sequence[str]) -> np.ndarray:
    """Two independent hashes of each id, int64 (2, n)."""
    return np.array([list(map(hash, ids)), [hash(f"{id}\n") for id in ids]], np.int64)
