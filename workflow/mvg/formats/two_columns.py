"""Two columns of text: a query, and a document that answers it. CSV, TSV or Parquet."""

import hashlib
import math
from collections import Counter
from collections.abc import Iterator

from ..datasets.records import Document, Fact, Query
from ..datasets.splits import eight_one_one
from ..datasets.texts import canonical, normalised
from ..io.errors import DataError
from ..io.tables import TABLE, Table, open_table
from .columns import open_tables, place_of, recognised, text_of
from .format import Format


def read_csv(path, dropped: Counter, columns: dict | None = None) -> Iterator[Document | Query | Fact]:
    """The pairs of a table: rows with the same text are one query, or one document.

    ``path`` is a file, or a folder or zip with one table (Parquet may be in parts). ``columns`` names its columns,
    ``{"query": …, "document": …, "relevance": …}``. Without it, a first row with usual names of query and document
    is the header; otherwise the table must have two columns, query first. Rows whose ``relevance`` is 0 or less (or
    false) are skipped; in a table without such a column, every row is a pair. Outer whitespace is stripped.

    Texts that differ only in inner white space or in how letters are composed are one text, in its first spelling.
    Its id is the first 16 hex digits of the sha256 of its canonical form. The corpus is sorted by id, which says
    nothing about popularity. The split depends on the query without letter case, so all its spellings share one.

    Counted in ``dropped``: rows without a query or a document, rows of relevance 0 or less. Raises DataError for
    anything else.
    """
    queries, relevant = {}, {}  # id -> text, id -> ids of documents
    documents: dict[str, str] = {}  # id -> text
    with open_tables(path) as members:
        for member in members:
            with open_table(member, (columns or {}).values()) as table:
                yield Fact("table", table.kind)
                for query, document in _pairs(table, columns or {}, dropped):
                    id, document_id = (text_id(canonical(text)) for text in (query, document))
                    queries.setdefault(id, query)
                    documents.setdefault(document_id, document)
                    relevant.setdefault(id, []).append(document_id)
    for id, text in queries.items():
        yield Query(id, text, eight_one_one(text_id(normalised(text))), tuple(relevant[id]))
    for id in sorted(documents):
        yield Document(id, documents[id])


def text_id(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _pairs(table: Table, given: dict, dropped: Counter) -> Iterator[tuple[str, str]]:
    """(query, document) of each relevant row."""
    places, has_header = _places(table, given)
    for where, (query, document, *relevance) in table.rows(places, has_header):
        place = table.label, where
        query, document = text_of(query, "query", *place), text_of(document, "document", *place)
        if not (query and document):
            dropped["rows_without_query_or_document"] += 1
        elif relevance and _relevance(relevance[0], table.first[places[2]], *place) <= 0:
            dropped["rows_of_relevance_0_or_less"] += 1
        else:
            yield query, document


def _places(table: Table, given: dict) -> tuple[list[int], bool]:
    """The positions of query, document and maybe relevance, and whether the first row is a header."""
    named = given or not table.place or all(recognised(table.first, meaning) for meaning in ("query", "document"))
    if not named:
        if len(table.first) != 2:
            expected = "expected two columns, or the names of columns under 'columns' in the config"
            flags = "--query, --document; of a click log --count and --date as well"
            raise DataError(table.label, table.place, f"{expected} ({flags}), found {len(table.first)}")
        return [0, 1], False
    places = [place_of(table, meaning, given) for meaning in ("query", "document")]
    # A number of clicks serves as well: 0 clicks mean no pair.
    for meaning in ("relevance", "count"):
        if meaning in given or recognised(table.first, meaning):
            return [*places, place_of(table, meaning, given)], True
    return places, True


def _relevance(value, name: str, file, where) -> float:
    try:
        relevance = float({"true": 1, "false": 0}.get(str(value).strip().lower(), value))
    except (TypeError, ValueError):
        relevance = math.nan
    if not math.isfinite(relevance):
        expected = f"expected '{name}' to be a number, 0 or less for no pair, found {str(value)[:80]!r}"
        raise DataError(file, where, f"{expected}: rename the column if it means something else")
    return relevance


_NAME = {"type": "string", "minLength": 1}

FORMAT = Format(
    "csv",
    read_csv,
    split_rule=(
        "sha256 of the query's text (without letter case) as a fraction of its range: below 0.8 train, "
        "below 0.9 dev, else test"
    ),
    sign=TABLE,
    options={
        "columns": {
            "description": "Names of the columns, where they are not query and document.",
            "type": "object",
            "additionalProperties": False,
            "required": ["query", "document"],
            "properties": {
                "query": _NAME | {"description": "Text of the query."},
                "document": _NAME | {"description": "Text of the document."},
                "relevance": _NAME | {"description": "A number; rows with 0 or less are skipped."},
            },
        }
    },
)
