"""Rows of named columns from a CSV file, gzipped or not, or from a Parquet file."""

import csv
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from ..io.errors import DataError
from ..io.members import check_size, loose
from ..io.text import MAX_LINE, text_lines

SUFFIXES = (".csv", ".csv.gz", ".parquet")
PARQUET_ROWS = 2**16  # in memory at a time


def read_columns(path: Path, columns: list[str]) -> Iterator[tuple[str, tuple]]:
    """(place, values of ``columns``) of each row, streamed.

    A CSV file has a header and gives texts; its blank lines are passed over. A Parquet file gives
    what its types are in Python, None for a missing value. The place is ``line 7`` or ``row 7``.
    Raises DataError for a column that is not there or is there twice, and for a damaged file.
    """
    if path.name.endswith(".parquet"):
        yield from _parquet_rows(path, columns)
    else:
        yield from _csv_rows(path, columns)


def _csv_rows(path: Path, columns: list[str]) -> Iterator[tuple[str, tuple]]:
    csv.field_size_limit(MAX_LINE)
    with loose(path).open_text() as file:
        rows = csv.reader((line for _, line in text_lines(file, file.label)), strict=True)
        try:
            header = next(rows, [])
            places = _places(header, columns, path)
            for row in rows:
                if row and len(row) != len(header):
                    expected = f"expected {len(header)} columns, as in the header, found {len(row)}"
                    raise DataError(path, f"line {rows.line_num}", expected)
                if row:
                    yield f"line {rows.line_num}", tuple(row[place] for place in places)
        except csv.Error as error:
            raise DataError(path, f"line {rows.line_num}", f"expected CSV, but: {error}") from error


def _parquet_rows(path: Path, columns: list[str]) -> Iterator[tuple[str, tuple]]:
    try:
        import pyarrow  # half a second to import, and a CSV file does without
        from pyarrow import parquet
    except ModuleNotFoundError as error:
        raise DataError(path, "", "expected pyarrow, to read Parquet: pip install 'mvg[data]'") from error

    try:
        with parquet.ParquetFile(path) as file:
            _places(file.schema_arrow.names, columns, path)
            groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
            check_size(str(path), sum(group.total_byte_size for group in groups), path.stat().st_size)
            numbers = count(1)
            for batch in file.iter_batches(PARQUET_ROWS, columns=columns):
                for values in zip(*(batch[name].to_pylist() for name in columns), strict=True):
                    yield f"row {next(numbers)}", values
    except DataError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as error:  # the last two: dates, texts
        raise DataError(path, "", f"expected a whole Parquet file, but: {error}") from error


def _places(header: list[str], columns: list[str], path) -> list[int]:
    for name in columns:
        if header.count(name) != 1:
            found = f"found {', '.join(header)[:200] or 'none'}"
            raise DataError(path, "", f"expected one column '{name}', {found}")
    return [header.index(name) for name in columns]
