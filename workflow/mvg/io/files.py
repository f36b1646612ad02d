"""Atomic files: everything is written beside its final path, then renamed to it."""

import csv
import errno
import mmap
import os
import shutil
import uuid
from collections.abc import Iterable
from contextlib import contextmanager
from glob import escape
from pathlib import Path

import numpy as np

from .errors import DataError

ROOM = 2**20  # bytes; with fewer free, the disk counts as full


@contextmanager
def replacing(path):
    """Provide a temporary path beside ``path``; rename it to ``path`` if the block succeeds."""
    with _temporary(path) as temporary:
        yield temporary
        os.replace(temporary, path)


@contextmanager
def folder_beside(path):
    """Provide a temporary folder beside ``path``; it is removed after the block."""
    with _temporary(path) as temporary:
        temporary.mkdir()
        yield temporary


@contextmanager
def replacing_folder(path):
    """Provide a temporary folder beside ``path``; it replaces ``path`` if the block succeeds."""
    with folder_beside(path) as temporary:
        new = temporary / "new"
        new.mkdir()
        yield new
        if Path(path).exists():  # two renames, with nothing slow between them
            Path(path).rename(temporary / "old")
        new.rename(path)


@contextmanager
def _temporary(path):
    """A hidden path beside ``path``. It is removed after the block, and so is what a killed job left."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    for left in path.parent.glob(f".{escape(path.stem)}.{'[0-9a-f]' * 32}{escape(path.suffix)}"):
        _remove(left)
    temporary = path.with_name(f".{path.stem}.{uuid.uuid4().hex}{path.suffix}")
    try:
        yield temporary
    except DataError:
        raise
    except Exception as error:
        # numpy, torch, safetensors and faiss each raise their own error when the disk is full.
        if shutil.disk_usage(path.parent).free < ROOM:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), os.fspath(path)) from error
        if isinstance(error, OSError) and error.filename is None:
            error.filename = os.fspath(path)
        raise
    finally:
        _remove(temporary)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


@contextmanager
def text_writer(path):
    """Write a UTF-8 text file with ``\\n`` line ends, atomically."""
    with replacing(path) as temporary, open(temporary, "w", encoding="utf-8", newline="\n") as file:
        yield file


def write_rows(path, rows: list[dict]) -> None:
    """Write a csv with one column per key, in the order of the first row; None is an empty field."""
    with text_writer(path) as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def save_array(path, array: np.ndarray) -> None:
    """``np.save`` in C order, atomically."""
    with replacing(path) as temporary:
        np.save(temporary, np.ascontiguousarray(array), allow_pickle=False)


def save_blocks(path, shape: tuple, dtype, blocks: Iterable[np.ndarray]) -> None:
    """A ``.npy`` file from its rows, some at a time; atomically, and not through a map: a full disk would kill it."""
    header = {"descr": np.lib.format.dtype_to_descr(np.dtype(dtype)), "fortran_order": False, "shape": shape}
    with replacing(path) as temporary, open(temporary, "wb") as file:
        np.lib.format.write_array_header_1_0(file, header)
        for block in blocks:
            np.ascontiguousarray(block, dtype).tofile(file)


def save_arrays(path, **arrays: np.ndarray) -> None:
    """``np.savez``, atomically."""
    with replacing(path) as temporary:
        np.savez(temporary, allow_pickle=False, **arrays)


def load_array(path) -> np.ndarray:
    """``np.load`` without pickle, memory-mapped. Raises DataError for a damaged file."""
    return _load(path, ".npy", mmap_mode="r")


def take_rows(path, rows: np.ndarray) -> np.ndarray:
    """Some rows of a ``.npy`` file, in memory; little else of the file is in memory at any time."""
    mapped = load_array(path)
    taken = np.empty((len(rows), *mapped.shape[1:]), dtype=mapped.dtype)
    for start in range(0, len(rows), 256):  # the system may map 2 MiB for each row
        taken[start : start + 256] = mapped[rows[start : start + 256]]
        let_go(mapped)
    return taken


def let_go(*arrays) -> None:
    """Release the memory that mapped arrays hold; their pages are read again when needed.

    Not that of copy-on-write maps: what was written to them is nowhere else.
    """
    for array in arrays:
        mapped = getattr(array, "_mmap", None)
        if mapped is not None and array.mode != "c" and hasattr(mmap, "MADV_DONTNEED"):
            mapped.madvise(mmap.MADV_DONTNEED)


def load_arrays(path):
    """An open ``.npz`` file, a context manager. Raises DataError for a damaged file."""
    return _load(path, ".npz")


def _load(path, suffix: str, **options):
    try:
        return np.load(path, allow_pickle=False, **options)
    except (OSError, MemoryError):
        raise
    except Exception as error:  # numpy raises many types of error for damaged files
        raise DataError(str(path), "", f"expected a {suffix} file of numbers ({error})") from error
