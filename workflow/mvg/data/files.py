"""Whole files or none: everything is written beside its place, then renamed into it."""

import csv
import os
import uuid
from contextlib import contextmanager
from pathlib import Path

import numpy as np


@contextmanager
def replacing(path):
    """Give a temporary path beside ``path``; rename it into place if the block succeeds."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.stem}.{uuid.uuid4().hex}{path.suffix}")
    try:
        yield temporary
        os.replace(temporary, path)
    except OSError as error:
        if error.filename is None:  # a full disk, say: tell whose
            error.filename = os.fspath(path)
        raise
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def text_writer(path):
    """A UTF-8 text file with ``\\n`` line ends, whole or not there at all."""
    with replacing(path) as temporary, open(temporary, "w", encoding="utf-8", newline="\n") as file:
        yield file


def save_rows(path, rows: list[dict]) -> None:
    """``rows``, at least one and all with the same keys, as a CSV file, whole or not at all."""
    with text_writer(path) as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def save_array(path, array: np.ndarray) -> None:
    """``np.save`` in C order, whole or not at all."""
    with replacing(path) as temporary:
        np.save(temporary, np.ascontiguousarray(array), allow_pickle=False)


def save_arrays(path, **arrays: np.ndarray) -> None:
    """``np.savez``, whole or not at all."""
    with replacing(path) as temporary:
        np.savez(temporary, allow_pickle=False, **arrays)


def load_array(path, mmap: bool = True) -> np.ndarray:
    """``np.load`` without pickle, memory-mapped unless told otherwise."""
    return np.load(path, mmap_mode="r" if mmap else None, allow_pickle=False)
