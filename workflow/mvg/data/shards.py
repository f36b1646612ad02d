"""Shards: consecutive rows, so that the parts of an array, one after the other, are the whole."""

import shutil
from contextlib import ExitStack
from typing import NamedTuple

import numpy as np

from .files import replacing, save_array, save_arrays

COPIED_AT_ONCE = 1 << 22  # bytes


class Shard(NamedTuple):
    """The part ``number`` of ``of``, counted from 1."""

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
    """Write the arrays of ``parts`` one after the other: of ``.npy`` files, or each of ``.npz`` files."""
    (_join_npz if str(whole).endswith(".npz") else _join_npy)(parts, whole)


def _join_npz(parts, whole) -> None:
    """Of what is one number and no array, the first."""
    loaded = [np.load(part, allow_pickle=False) for part in parts]
    joined = {name: [part[name] for part in loaded] for name in loaded[0]}
    save_arrays(whole, **{name: np.concatenate(all) if all[0].ndim else all[0] for name, all in joined.items()})


def _join_npy(parts, whole) -> None:
    """Copied as bytes, in next to no memory."""
    with ExitStack() as stack:
        files = [stack.enter_context(open(part, "rb")) for part in parts]
        headers = [_read_header(file) for file in files]
        shape = (sum(shape[0] for shape, _ in headers), *headers[0][0][1:])
        with replacing(whole) as temporary, open(temporary, "wb") as joined:
            header = {"descr": np.lib.format.dtype_to_descr(headers[0][1]), "fortran_order": False, "shape": shape}
            np.lib.format.write_array_header_1_0(joined, header)
            for file in files:
                shutil.copyfileobj(file, joined, COPIED_AT_ONCE)


def _read_header(file) -> tuple[tuple[int, ...], np.dtype]:
    """(shape, dtype) of a ``.npy`` that :func:`mvg.data.files.save_array` wrote; its values come next."""
    np.lib.format.read_magic(file)
    shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    return shape, dtype


def join_starts(parts, whole) -> None:
    """The same for ``starts`` (:class:`mvg.search.views.TokenViews`), which count within their part."""
    lengths = [np.diff(np.load(part, allow_pickle=False)) for part in parts]
    save_array(whole, np.concatenate([[0], np.cumsum(np.concatenate(lengths))]))
