"""The splits, and how they are assigned in a raw format without them."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator

from .records import Document, Query

SPLITS = ("train", "dev", "test")


def hashed_fraction(id: str) -> float:
    """A number in [0, 1) from the sha256 of ``id``; the same in every run and for every seed."""
    return int.from_bytes(hashlib.sha256(id.encode()).digest()[:6], "big") / 2**48


def eight_one_one(id: str) -> str:
    """80 % train, 10 % dev, 10 % test, by :func:`hashed_fraction`."""
    fraction = hashed_fraction(id)
    return "train" if fraction < 0.8 else "dev" if fraction < 0.9 else "test"


def thinned(
    records: Iterable[Document | Query], keep: dict[str, float], dropped: Counter
) -> Iterator[Document | Query]:
    """A reader's records, with only a share of the queries of each split in ``keep``; dropped queries are counted.

    A hash of the id decides (not that of :func:`eight_one_one`), so every seed keeps the same queries.
    """
    for record in records:
        if isinstance(record, Query) and hashed_fraction(f"keep {record.id}") >= keep.get(record.split, 1):
            dropped[f"{record.split}_queries_beyond_keep"] += 1
        else:
            yield record
