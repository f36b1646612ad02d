"""The splits, and how a query of a raw format without them gets one."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator

from .records import Document, Query

SPLITS = ("train", "dev", "test")


def hashed_fraction(id: str) -> float:
    """A number in [0, 1) from the sha256 of ``id``: the same in every run, for every seed."""
    return int.from_bytes(hashlib.sha256(id.encode()).digest()[:6], "big") / 2**48


def eight_one_one(id: str) -> str:
    """80 % train, 10 % dev, 10 % test, by :func:`hashed_fraction`."""
    fraction = hashed_fraction(id)
    return "train" if fraction < 0.8 else "dev" if fraction < 0.9 else "test"


def thinned(
    records: Iterable[Document | Query], keep: dict[str, float], dropped: Counter
) -> Iterator[Document | Query]:
    """A reader's records, but of each split in ``keep`` only that share of its queries; the others are counted.

    By a hash of the id (not that of :func:`eight_one_one`), so that a query stays with every seed.
    """
    for record in records:
        if isinstance(record, Query) and hashed_fraction(f"keep {record.id}") >= keep.get(record.split, 1):
            dropped[f"{record.split}_queries_beyond_keep"] += 1
        else:
            yield record
