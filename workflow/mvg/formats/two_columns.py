"""Two columns of text: a query, and a document that answers it. CSV, TSV, or either as ``.gz``."""

import csv
import hashlib
from collections import Counter
from collections.abc import Iterator
from itertools import chain

from ..datasets.records import Document, Query
from ..datasets.splits import eight_one_one
from ..io.archives import open_one
from ..io.errors import DataError
from ..io.text import MAX_LINE, text_lines
from .format import Format

COLUMNS = {"query": "query", "document": "document"}
DELIMITERS = ",\t;"


def read_csv(path, dropped: Counter, columns: dict | None = None) -> Iterator[Document | Query]:
    """The pairs of a table: rows with the same text are one query, or one document.

    ``path`` is a file, or a folder or zip with one. ``columns`` names its columns, ``{"query": …,
    "document": …}``; without it, a first row that holds ``query`` and ``document`` (in any case) is
    the header, and otherwise the table has two columns, query first. Cells are separated by comma,
    tab or semicolon, whichever cuts the first line into the right columns. Outer whitespace is stripped.

    The id of a text is the first 16 hex digits of its sha256. The corpus is sorted by id, which
    says nothing about popularity. Counted in ``dropped``: rows without a query or a document.
    Raises DataError for whatever is not as said.
    """
    relevant: dict[str, list[str]] = {}  # query text -> document ids
    documents: dict[str, str] = {}  # id -> text
    with open_table(path) as table, table.open_text() as file:
        for _, query, document in pairs(file, file.label, columns):
            if not (query and document):
                dropped["rows_without_query_or_document"] += 1
                continue
            id = text_id(document)
            documents[id] = document
            relevant.setdefault(query, []).append(id)
    for text, ids in relevant.items():
        id = text_id(text)
        yield Query(id, text, eight_one_one(id), tuple(ids))
    for id in sorted(documents):
        yield Document(id, documents[id])


def open_table(path):
    """The one table that ``path`` is or holds, as a context that gives its :class:`Member`."""
    return open_one(path, r".*\.[ct]sv(\.gz)?", ".csv or .tsv")


def text_id(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def pairs(file, name, columns: dict | None = None) -> Iterator[tuple[str, str, str]]:
    """("line n", query, document) of each row of a binary ``file``, stripped."""
    places = None
    for where, row in rows(file, name, columns):
        if places is None:
            places, is_header = _places(row, columns, name, where)
            if is_header:
                width = len(row)
                continue
            width = 2
        if not row:
            continue
        if len(row) != width:
            raise DataError(name, where, f"expected {width} columns, as in line 1, found {len(row)}")
        yield where, row[places[0]].strip(), row[places[1]].strip()


def rows(file, name, columns: dict | None = None) -> Iterator[tuple[str, list[str]]]:
    """("line n", cells) of each row of a binary CSV ``file``; a quoted cell may hold line breaks."""
    lines = (line for _, line in text_lines(file, name))
    first = next(lines, None)
    if first is None:
        raise DataError(name, "", "expected a table, found an empty file")
    csv.field_size_limit(MAX_LINE)
    table = csv.reader(chain([first], lines), delimiter=_delimiter(first, columns), strict=True)
    while True:
        try:
            row = next(table, None)
        except csv.Error as error:
            raise DataError(name, f"line {table.line_num}", f"expected a row of a table, but: {error}") from error
        if row is None:
            return
        yield f"line {table.line_num}", row


def _delimiter(first: str, columns: dict | None) -> str:
    """The delimiter that gives the named columns, or two; the most frequent if none does."""
    for delimiter in DELIMITERS:
        try:
            header = next(csv.reader([first], delimiter=delimiter), [])
        except csv.Error:
            continue
        names = {cell.strip().lower() for cell in header}
        wanted = {name.strip().lower() for name in (columns or COLUMNS).values()}
        if wanted <= names or (not columns and len(header) == 2):
            return delimiter
    return max(DELIMITERS, key=first.count)


def _places(header: list[str], columns: dict | None, name, where) -> tuple[tuple[int, int], bool]:
    """The places of query and document in a row, and whether ``header`` is one."""
    cells = [cell.strip() for cell in header]
    if columns:
        for column in (columns["query"], columns["document"]):
            if cells.count(column) != 1:
                raise DataError(name, where, f"expected one column '{column}', found {', '.join(cells[:20])}")
        return (cells.index(columns["query"]), cells.index(columns["document"])), True
    lower = [cell.lower() for cell in cells]
    if all(lower.count(column) == 1 for column in COLUMNS.values()):
        return (lower.index("query"), lower.index("document")), True
    if len(cells) != 2:
        expected = f"expected two columns, or the names of columns under 'columns' in the config, found {len(cells)}"
        raise DataError(name, where, expected)
    return (0, 1), False


FORMAT = Format(
    "csv",
    read_csv,
    split_rule="sha256 of the query id as a fraction of its range: below 0.8 train, below 0.9 dev, else test",
    sign=r".*\.[ct]sv(\.gz)?",
    options={
        "columns": {
            "description": "Names of the two columns, where the table has others than query and document.",
            "type": "object",
            "additionalProperties": False,
            "required": ["query", "document"],
            "properties": {
                "query": {"description": "Text of the query.", "type": "string", "minLength": 1},
                "document": {"description": "Text of the document.", "type": "string", "minLength": 1},
            },
        }
    },
)
