"""Vectors and pairs in whatever form people have them, as the arrays that the rest of the package works on."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

ROWS = 1 << 16  # checked and scaled at a time
UNIT = 1e-4  # a norm nearer than this to 1 counts as 1


class Pairs(NamedTuple):
    """Distinct pairs: query rows and document rows, int64 (n_pairs,), and weights, float64, or None for all 1."""

    queries: np.ndarray
    documents: np.ndarray
    weights: np.ndarray | None


def whole(value, name: str, least: int) -> int:
    """``value`` as an int; ValueError for what is no whole number of at least ``least`` that fits into int64."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not least <= value < 2**63:
        raise ValueError(f"{name} must be a whole number of at least {least}, not {value!r}")
    return int(value)


def number(value, name: str, least: float, most: float) -> float:
    """``value``; ValueError for what is no number from ``least`` to ``most``."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not least <= value <= most:
        raise ValueError(f"{name} must be a number from {least:,} to {most:,}, not {value!r}")
    return value


def vectors(given, name: str, normalize: bool = True, dimension: int | None = None) -> np.ndarray:
    """``given`` as unit vectors, float32 (n, dim), C order.

    given: a matrix of numbers: numpy of any type, a torch tensor, nested lists, a pandas or polars frame, a
        sparse matrix. Float32 that already is in unit norm is taken as it is, memory-mapped or not.
    normalize: False refuses vectors that are not in unit norm
    dimension: what a row must have

    Raises ValueError for texts, another shape, NaN and infinity, and rows of zeros, which have no direction.
    """
    matrix = _array(given, name)
    are_texts = isinstance(given, str) or (matrix.ndim and matrix.dtype.kind in "OSUT")
    hint = ": encode the texts first" if are_texts else ""
    if dimension is not None and matrix.shape == (0,):  # an empty list
        return np.empty((0, dimension), dtype=np.float32)
    if matrix.ndim != 2 or not matrix.shape[1]:
        raise ValueError(f"{name} must be a matrix of a row a text: found {_form(matrix, given)}{hint}")
    if matrix.dtype.kind not in "fiu":
        raise ValueError(f"{name} must be numbers, found {matrix.dtype}{hint}")
    if dimension is not None and matrix.shape[1] != dimension:
        raise ValueError(f"{name} must have {dimension} dimensions, found {matrix.shape[1]}")
    if matrix.dtype == np.float32 and matrix.flags.c_contiguous and _are_unit(matrix, name):
        return matrix
    unit = np.empty(matrix.shape, dtype=np.float32)
    for start in range(0, len(matrix), ROWS):
        block = np.asarray(matrix[start : start + ROWS], dtype=np.float64)
        norms = _norms(block, name, start)
        if not normalize and (wrong := np.flatnonzero(abs(norms - 1) > UNIT)).size:
            row = start + wrong[0]
            raise ValueError(f"{name} must be in unit norm: that of row {row} is {norms[wrong[0]]:.4g}")
        unit[start : start + ROWS] = block / norms[:, None]
    return unit


def pairs(given, n_queries: int, n_documents: int, weights=None) -> Pairs:
    """Which query led to which document, each pair once.

    given: an (n, 2) array, list or frame of (query row, document row); a tuple of two columns; or a sparse
        matrix of queries x documents, in which what is stored and not 0 is a pair
    weights: one a pair, at least 0; those of a repeated pair add up, and pairs of weight 0 are left out.
        Without, each pair counts 1 however often it occurs.

    Raises ValueError for any other form, rows that are not whole numbers or outside of the vectors, and
    weights that do not fit.
    """
    if sparse.issparse(given):
        if given.shape != (n_queries, n_documents):
            expected = f"a matrix of queries x documents, {n_queries} x {n_documents}"
            raise ValueError(f"pairs must be {expected}: found the shape {given.shape}")
        if weights is not None:
            raise ValueError("weights go with lists of pairs: a sparse matrix says what is a pair, no more")
        query_rows, document_rows = given.nonzero()
    else:
        query_rows, document_rows = _columns(given)
    query_rows = _rows(query_rows, "query", n_queries)
    document_rows = _rows(document_rows, "document", n_documents)
    if len(query_rows) != len(document_rows):
        raise ValueError(f"pairs have {len(query_rows)} query rows, but {len(document_rows)} document rows")
    keys, place = np.unique(query_rows * n_documents + document_rows, return_inverse=True)
    summed = None
    if weights is not None:
        weights = np.asarray(_array(weights, "weights"))
        if weights.shape != query_rows.shape or weights.dtype.kind not in "fiub":
            raise ValueError(f"weights must be {len(query_rows)} numbers, one a pair: {weights.dtype} {weights.shape}")
        if not np.isfinite(weights).all() or (weights < 0).any():
            raise ValueError("weights must be finite, and at least 0")
        summed = np.bincount(place, weights=weights, minlength=len(keys))
        with np.errstate(over="ignore"):
            if not np.isfinite(summed.sum()):
                raise ValueError("weights must have a finite sum")
        keys, summed = keys[summed > 0], summed[summed > 0]
    return Pairs(keys // n_documents, keys % n_documents, summed)


def _array(given, name: str) -> np.ndarray:
    """As a numpy array, without a copy where it is one. ValueError for rows of unequal length."""
    if sparse.issparse(given):
        return given.toarray()
    if isinstance(given, np.ma.MaskedArray):
        return given.astype(float).filled(np.nan)
    if hasattr(given, "detach"):  # torch: a tensor that is sparse, on a GPU, or has a gradient gives no array by itself
        given = given.detach().cpu().to_dense()
        given = given.float() if str(given.dtype) == "torch.bfloat16" else given
    if hasattr(given, "to_numpy"):  # pandas, polars
        return given.to_numpy()
    try:
        return np.asanyarray(given)
    except ValueError as error:
        raise ValueError(f"{name} must have rows of one length") from error


def _form(array: np.ndarray, given) -> str:
    """What was found in place of a table, in words."""
    return f"the shape {array.shape}" if array.ndim else type(given).__name__


def _columns(given) -> tuple[np.ndarray, np.ndarray]:
    """Query rows and document rows of a list of pairs, or of two columns."""
    if isinstance(given, tuple) and len(given) == 2 and all(np.ndim(_array(side, "pairs")) == 1 for side in given):
        return tuple(_array(side, "pairs") for side in given)
    table = _array(given, "pairs")
    if table.size == 0:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    if table.ndim != 2 or table.shape[1] != 2:
        hint = ", or a tuple of two columns" if table.ndim == 2 and table.shape[0] == 2 else ""
        raise ValueError(f"pairs must be rows of (query row, document row){hint}: found {_form(table, given)}")
    return table[:, 0], table[:, 1]


def _rows(rows, what: str, size: int) -> np.ndarray:
    """Row numbers as int64. ValueError for what is none of 0..size - 1."""
    rows = np.asarray(rows)
    if rows.size and rows.dtype.kind not in "fiu":
        raise ValueError(f"{what} rows of the pairs must be row numbers of the {what} vectors, found {rows.dtype}")
    if not (np.isfinite(rows) & (rows == np.floor(rows))).all():
        raise ValueError(f"{what} rows of the pairs must be whole numbers")
    if (outside := (rows < 0) | (rows >= size)).any():
        raise ValueError(f"{what} row {rows[outside][0]:.0f} of the pairs lies outside of the {size} {what} vectors")
    return rows.astype(np.int64)


def _are_unit(matrix: np.ndarray, name: str) -> bool:
    """Whether all rows are in unit norm, to within rounding; ValueError for NaN, infinity and zeros."""
    for start in range(0, len(matrix), ROWS):
        block = np.asarray(matrix[start : start + ROWS], dtype=np.float64)
        if (abs(_norms(block, name, start) - 1) > 1e-6).any():
            return False
    return True


def _norms(block: np.ndarray, name: str, start: int) -> np.ndarray:
    """Norms of float64 rows; ``start`` is the number of the first one."""
    if (wrong := np.flatnonzero(~np.isfinite(block).all(axis=1))).size:
        raise ValueError(f"{name} must be finite numbers: row {start + wrong[0]} is not")
    # The largest coordinate first: the square of 1e-200 would be zero.
    largest = np.abs(block).max(axis=1, initial=0)
    if (wrong := np.flatnonzero(largest == 0)).size:
        raise ValueError(f"{name} must have a direction: row {start + wrong[0]} is all zeros")
    return largest * np.linalg.norm(block / largest[:, None], axis=1)
