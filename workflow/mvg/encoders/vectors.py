"""Vectors from elsewhere: the user's files, or the user's own encoder module."""

from importlib import import_module

import numpy as np

from ..io.errors import DataError
from ..io.files import load_array

ROWS = 1 << 16  # rows checked and scaled at a time


def read_pair(documents, queries, n_documents: int, n_queries: int) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors of all documents and of all queries from two ``.npy`` files; see :func:`unit_pair`."""
    names = str(documents), str(queries)
    return unit_pair(load_array(documents), load_array(queries), n_documents, n_queries, names)


def from_module(name: str, documents, queries, train, dev, seed: int, settings: dict):
    """The result of ``mvg.encoders.<name>.encode`` as two arrays. Raises DataError for any failure in it."""
    try:
        encode = import_module(f"{__package__}.{name}").encode
        of_documents, of_queries = encode(documents, queries, train, dev, seed, **settings)
        return np.asanyarray(of_documents), np.asanyarray(of_queries)
    except MemoryError:
        raise
    except (Exception, SystemExit) as error:
        expected = f"expected encode to give two matrices, but: {type(error).__name__}: {error}"
        raise DataError(f"workflow/mvg/encoders/{name}.py", "", expected) from error


def unit_pair(documents, queries, n_documents: int, n_queries: int, names) -> tuple[np.ndarray, np.ndarray]:
    """Both as float32 in unit norm, (n_documents, dim) and (n_queries, dim).

    In a row of zeros, such as that of a text without tokens, all coordinates become equal.
    names: their names in errors. Raises DataError for anything but a matrix of finite numbers, not all
    zero, with a row for each text, and for two different widths.
    """
    sides = [
        unit_rows(np.asanyarray(vectors), n, name, side)
        for vectors, n, name, side in zip(
            (documents, queries), (n_documents, n_queries), names, ("corpus.jsonl", "queries.jsonl"), strict=True
        )
    ]
    if sides[0].shape[1] != sides[1].shape[1]:
        expected = f"expected {sides[0].shape[1]} floats a vector, as the documents have, found {sides[1].shape[1]}"
        raise DataError(names[1], "", expected)
    return tuple(sides)


def unit_rows(vectors: np.ndarray, n: int, name: str, texts: str) -> np.ndarray:
    """``vectors`` (n, dim) as float32 in unit norm; ``texts``: the file whose lines they belong to."""
    if vectors.ndim != 2 or vectors.dtype.kind not in "fiu" or vectors.shape[1] == 0:
        raise DataError(name, "", f"expected a matrix of numbers, found {vectors.dtype} of shape {vectors.shape}")
    if len(vectors) != n:
        raise DataError(name, "", f"expected {n} rows, one for each line of {texts}, found {len(vectors)}")
    unit, all_zero = np.empty(vectors.shape, dtype=np.float32), n > 0
    for start in range(0, n, ROWS):
        block = np.asarray(vectors[start : start + ROWS], dtype=np.float64)
        wrong = np.flatnonzero(~np.isfinite(block).all(axis=1))
        if len(wrong):
            raise DataError(name, f"row {start + wrong[0]}", "expected finite numbers")
        # Divide by the largest coordinate first, because the square of 1e-200 would be zero.
        largest = np.abs(block).max(axis=1, keepdims=True)
        all_zero &= not largest.any()
        block = np.where(largest > 0, block, 1.0) / np.where(largest > 0, largest, 1.0)
        unit[start : start + ROWS] = block / np.linalg.norm(block, axis=1, keepdims=True)
    if all_zero:
        raise DataError(name, "", "expected vectors, found nothing but zeros")
    return unit
