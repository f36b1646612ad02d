"""Tables in the forms people have them: CSV and TSV, gzipped or not, and Parquet. Streamed, a row at a time."""

import csv
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain, count
from typing import NamedTuple

from .errors import DataError
from .members import FAULTS, Member, check_size
from .text import MAX_LINE, text_lines

TABLE = r".*\.([ct]sv(\.gz)?|parquet)"  # names of such files, in any case
DELIMITERS = {"\t": "tab", ";": "semicolon", ",": "comma"}  # in order of preference
SAMPLE_ROWS, SAMPLE_CHARACTERS = 1000, 2**22  # the sample that decides the delimiter
PARQUET_ROWS = 2**16  # in memory at a time

Rows = Iterator[tuple[str, list]]  # (place, cells) of each row: strings, or Python values from Parquet


class Table(NamedTuple):
    """An open table: its first row, which may be a header, and a way to read the rest.

    label: its file, for messages; kind: how it is written, for people
    first, place: the stripped cells of the first row, and its place; for Parquet, the names of the columns
    below: reads the columns with the given positions from the rows below; to be called once
    """

    label: str
    kind: str
    first: list[str]
    place: str
    below: Callable[[list[int]], Rows]

    def rows(self, columns: list[int], has_header: bool) -> Rows:
        """(place, values) of each row; the place is ``line 7``, or ``row 7`` in Parquet."""
        first = [] if has_header else [(self.place, [self.first[column] for column in columns])]
        return chain(first, self.below(columns))


@contextmanager
def open_table(member: Member, names: Iterable[str] = ()) -> Iterator[Table]:
    """The table in ``member``.

    names: expected columns; a delimiter that yields them in the first row is the right one

    In a ``.tsv`` file, tabs separate the cells. In any other file it is the tab, semicolon or comma that splits most
    of the first rows into as many cells as the first one. A line ``sep=;`` before the table, as Excel writes it,
    takes precedence. Blank lines and PowerShell's ``#TYPE …`` before the table are skipped.

    Between tabs, quotes are ordinary characters; only a cell that is entirely in quotes loses them, because
    spreadsheets write it so. Other delimiters use the quoting of CSV (RFC 4180): a quoted cell may contain delimiters
    and line breaks. Blank lines are skipped. Raises DataError for an empty file, a row of another width than the
    first, and a damaged file.
    """
    if member.name.endswith(".parquet"):
        with _open_parquet(member) as table:
            yield table
        return
    with member.open_text() as file:
        lines = text_lines(file, file.label)
        number, separator, sample = _head(lines, file.label)
        if member.name.removesuffix(".gz").endswith(".tsv"):
            separator = "\t"
        separator = separator or _delimiter(sample, {_plain(name) for name in names})
        cut = _tsv if separator == "\t" else _csv
        rows = cut(chain(sample, (line for _, line in lines)), separator, file.label, number)
        place, first = next(rows)

        def below(columns: list[int]) -> Rows:
            for where, row in rows:
                if row and len(row) != len(first):
                    expected = f"expected {len(first)} columns, as in {place}, found {len(row)}"
                    raise DataError(file.label, where, expected)
                if row:
                    yield where, [row[column] for column in columns]

        kind = f"separated by {DELIMITERS.get(separator, repr(separator))}"
        yield Table(file.label, kind, [cell.strip() for cell in first], place, below)


def _head(lines: Iterator[tuple[int, str]], label: str) -> tuple[int, str, list[str]]:
    """The number of a table's first line, the separator named before it (or ""), and its first lines."""
    start, separator, sample, size = 0, "", [], 0
    for number, line in lines:
        if sample or (line.strip() and not line.startswith("#TYPE ")):
            if not sample and (named := re.fullmatch(r'"?sep=(.)"?', line.rstrip("\r\n"), re.I)):
                separator = named[1]
                continue
            start, size = start or number, size + len(line)
            sample.append(line)
            if len(sample) == SAMPLE_ROWS or size > SAMPLE_CHARACTERS:
                break
    if not sample:
        raise DataError(label, "", "expected a table, found an empty file")
    return start, separator, sample


def _delimiter(sample: list[str], names: set[str]) -> str:
    """The delimiter that fits the first lines best; the most frequent one if none fits."""

    def merit(delimiter: str) -> tuple:
        try:
            rows = [row for row in csv.reader(sample, delimiter=delimiter) if row]
        except csv.Error:
            return False, 0, False
        width = len(rows[0])
        alike = sum(len(row) == width for row in rows) if width > 1 else 0
        return bool(names) and names <= {_plain(cell) for cell in rows[0]}, alike, width == 2

    csv.field_size_limit(MAX_LINE)
    best = max(DELIMITERS, key=merit)
    return best if any(merit(best)) else max(DELIMITERS, key=sample[0].count)


def _plain(name: str) -> str:
    return name.strip().lower()


def _csv(lines: Iterator[str], delimiter: str, label: str, start: int) -> Rows:
    csv.field_size_limit(MAX_LINE)
    table = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        first = start + table.line_num
        try:
            row = next(table, None)
        except csv.Error as error:
            raise DataError(label, f"line {first}", f"expected a row of a table, but: {error}") from error
        if row is None:
            return
        yield f"line {first}", row


_QUOTED = re.compile(r'"((?:[^"]|"")*)"')


def _tsv(lines: Iterator[str], delimiter: str, label: str, start: int) -> Rows:
    for number, line in enumerate(lines, start):
        cells = line.rstrip("\r\n").split(delimiter)
        quoted = map(_QUOTED.fullmatch, cells)
        cells = [it[1].replace('""', '"') if it else cell for it, cell in zip(quoted, cells, strict=True)]
        yield f"line {number}", cells if line.strip() else []


@contextmanager
def _open_parquet(member: Member) -> Iterator[Table]:
    with ExitStack() as stack:
        with _faults_of_parquet(member.label):
            from pyarrow import parquet  # takes half a second to import, which CSV files need not wait for

            file = stack.enter_context(member.opener())
            table = stack.enter_context(parquet.ParquetFile(file))
            groups = [table.metadata.row_group(i) for i in range(table.metadata.num_row_groups)]
            check_size(member.label, sum(group.total_byte_size for group in groups), file.seek(0, 2))
            names = table.schema_arrow.names

        def below(columns: list[int]) -> Rows:
            numbers = count(1)
            with _faults_of_parquet(member.label):
                for batch in table.iter_batches(PARQUET_ROWS, columns=[names[column] for column in columns]):
                    values = [_in_python(batch[names[column]]) for column in columns]
                    for row in zip(*values, strict=True):
                        yield f"row {next(numbers)}", list(row)

        yield Table(member.label, "Parquet", [name.strip() for name in names], "", below)


@contextmanager
def _faults_of_parquet(label: str) -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        raise DataError(label, "", "expected pyarrow, to read Parquet: pip install 'mvg[data]'") from error
    except DataError:
        raise
    except (*FAULTS, ArithmeticError, LookupError, TypeError, ValueError) as error:  # also pyarrow's own errors
        raise DataError(label, "", f"expected a whole Parquet file, but: {error}") from error


def _in_python(column) -> list:
    """The values of an Arrow column, None for a missing one. Nanoseconds, which Python lacks, are cut off."""
    import pyarrow

    if pyarrow.types.is_timestamp(column.type) and column.type.unit == "ns":
        column = column.cast(pyarrow.timestamp("us", column.type.tz), safe=False)
    return column.to_pylist()
