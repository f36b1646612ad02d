"""The splits, and how a query of a raw format without them gets one."""

import hashlib

SPLITS = ("train", "dev", "test")


def hashed_fraction(id: str) -> float:
    """A number in [0, 1) from the sha256 of ``id``: the same in every run, for every seed."""
    return int.from_bytes(hashlib.sha256(id.encode()).digest()[:6], "big") / 2**48


def eight_one_one(id: str) -> str:
    """80 % train, 10 % dev, 10 % test, by :func:`hashed_fraction`."""
    fraction = hashed_fraction(id)
    return "train" if fraction < 0.8 else "dev" if fraction < 0.9 else "test"
