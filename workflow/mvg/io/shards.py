"""Shards: consecutive rows, so that the parts of an array joined in order are the whole."""

from typing import NamedTuple

import numpy as np

from .files import load_array, load_arrays, save_array, save_arrays, save_blocks


class Shard(NamedTuple):
    """Part ``number`` of ``of``, counted from 1."""

    number: int = 1
    of: int = 1

    @classmethod
    def parse(cls, name: str) -> "Shard":
        """From a name such as ``2-of-3``."""
        return cls(*map(int, name.split("-of-")))

    def rows(self, n: int, multiple: int = 1) -> slice:
        """This shard's rows of ``n``; all shards but the last hold a multiple of ``multiple`` (or none)."""
        blocks = -(-n // multiple)
        first, last = (min(n, multiple * (blocks * i // self.of)) for i in (self.number - 1, self.number))
        return slice(first, last)


WHOLE = Shard()


def join(parts, whole) -> None:
    """Join the arrays of ``parts`` in order: the array of ``.npy`` files, or each array of ``.npz`` files."""
    (_join_npz if str(whole).endswith(".npz") else _join_npy)(parts, whole)


def _join_npz(parts, whole) -> None:
    """A single number is taken from the first part."""
    loaded = [load_arrays(part) for part in parts]
    joined = {name: [part[name] for part in loaded] for name in loaded[0]}
    save_arrays(whole, **{name: np.concatenate(all) if all[0].ndim else all[0] for name, all in joined.items()})


def _join_npy(parts, whole) -> None:
    arrays = [load_array(part) for part in parts]
    save_blocks(whole, (sum(len(array) for array in arrays), *arrays[0].shape[1:]), arrays[0].dtype, arrays)


def join_starts(parts, whole) -> None:
    """Join ``starts`` (:class:`mvg.search.views.TokenViews`), which count from 0 in each part."""
    lengths = [np.diff(load_array(part)) for part in parts]
    save_array(whole, np.concatenate([[0], np.cumsum(np.concatenate(lengths))]))
