"""Vectors from elsewhere: the user's files, or the user's own encoder module."""

from collections.abc import Iterator
from importlib import import_module

import numpy as np

from ..io.errors import DataError
from ..io.files import let_go, load_array, save_blocks

ROWS = 1 << 16  # rows checked and scaled at a time


def import_pair(given, written, n_documents: int, n_queries: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Write unit vectors of two ``.npy`` files as two others, some rows at a time; see :func:`unit_pair`.

    given, written: the paths of documents and of queries. Returns both shapes.
    """
    names = [str(path) for path in given]
    sides = [load_array(path) for path in given]
    check_pair(sides, (n_documents, n_queries), names)
    for vectors, path, name in zip(sides, written, names, strict=True):
        save_blocks(path, vectors.shape, np.float32, unit_blocks(vectors, name))
    return tuple(vectors.shape for vectors in sides)


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
    check_pair([np.asanyarray(side) for side in (documents, queries)], (n_documents, n_queries), names)
    return tuple(_unit(np.asanyarray(side), name) for side, name in zip((documents, queries), names, strict=True))


def _unit(vectors: np.ndarray, name: str) -> np.ndarray:
    unit, start = np.empty(vectors.shape, dtype=np.float32), 0
    for block in unit_blocks(vectors, name):
        unit[start : start + len(block)] = block
        start += len(block)
    return unit


def check_pair(sides, sizes, names) -> None:
    """Raise DataError for anything but two matrices of numbers, of these sizes and of one width."""
    texts = "corpus.jsonl", "queries.jsonl"
    for vectors, n, name, file in zip(sides, sizes, names, texts, strict=True):
        if vectors.ndim != 2 or vectors.dtype.kind not in "fiu" or vectors.shape[1] == 0:
            raise DataError(name, "", f"expected a matrix of numbers, found {vectors.dtype} of shape {vectors.shape}")
        if len(vectors) != n:
            raise DataError(name, "", f"expected {n} rows, one for each line of {file}, found {len(vectors)}")
    if sides[0].shape[1] != sides[1].shape[1]:
        expected = f"expected {sides[0].shape[1]} floats a vector, as the documents have, found {sides[1].shape[1]}"
        raise DataError(names[1], "", expected)


def unit_blocks(vectors: np.ndarray, name: str) -> Iterator[np.ndarray]:
    """``vectors`` (n, dim) as float32 in unit norm, some rows at a time."""
    all_zero = len(vectors) > 0
    for start in range(0, len(vectors), ROWS):
        block = np.asarray(vectors[start : start + ROWS], dtype=np.float64)
        wrong = np.flatnonzero(~np.isfinite(block).all(axis=1))
        if len(wrong):
            raise DataError(name, f"row {start + wrong[0]}", "expected finite numbers")
        # Divide by the largest coordinate first, because the square of 1e-200 would be zero.
        largest = np.abs(block).max(axis=1, keepdims=True)
        all_zero &= not largest.any()
        block = np.where(largest > 0, block, 1.0) / np.where(largest > 0, largest, 1.0)
        yield (block / np.linalg.norm(block, axis=1, keepdims=True)).astype(np.float32)
        let_go(vectors)
    if all_zero:
        raise DataError(name, "", "expected vectors, found nothing but zeros")
