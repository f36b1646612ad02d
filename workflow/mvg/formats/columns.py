"""The meaning of a table's columns: by the names that the user gives, or by usual names."""

from collections.abc import Iterator
from contextlib import contextmanager

from ..io.archives import open_all, the_one
from ..io.errors import DataError
from ..io.members import Member
from ..io.tables import TABLE, Table

WHAT = ".csv, .tsv or .parquet"
# Meaning of a column -> its usual names, in any case; the first that occurs is used.
USUAL = {
    "query": ("query", "search_query", "search_term", "query_text", "keyword", "question", "q"),
    "document": (
        *("document", "doc", "product", "item", "passage", "answer", "url"),
        *("product_title", "product_name", "item_title", "item_name", "document_title", "product_id", "item_id"),
    ),
    "count": ("count", "clicks", "n_clicks", "click_count", "frequency"),
    "date": ("date", "day", "timestamp", "time", "click_date", "event_date", "event_time"),
    "text": ("text", "title"),
    "relevance": ("relevance", "relevant", "label", "score", "grade"),
}


def recognised(header: list[str], meaning: str) -> list[int]:
    """The positions of the columns named by the first usual name of ``meaning`` that occurs."""
    names = ["_".join(name.lower().replace("-", " ").split()) for name in header]
    usual = next((name for name in USUAL[meaning] if name in names), None)
    return [place for place, name in enumerate(names) if name == usual]


def place_of(table: Table, meaning: str, given: dict, hint: str = "") -> int:
    """The position of the one column of ``meaning``. Raises DataError if there is none, or more than one.

    given: meaning -> the name that the user gives; hint: another remedy, for the message
    """
    name = given.get(meaning)
    places = recognised(table.first, meaning)
    if name is not None:
        places = [place for place, cell in enumerate(table.first) if cell == name]
    if len(places) != 1:
        found = f"found {', '.join(table.first)[:200] or 'none'}"
        how = "" if name else f": name yours under columns, or with --{meaning}{hint}"
        raise DataError(table.label, table.place, f"expected one column '{name or meaning}', {found}{how}")
    return places[0]


def text_of(value, name: str, file, place) -> str:
    """A cell as text, stripped. Ids may be numbers; a missing cell is an empty text."""
    if type(value) is str:
        return value.strip()
    if value is None:
        return ""
    if type(value) is not int:
        raise DataError(file, place, f"expected '{name}' to be a text, found {type(value).__name__}")
    return str(value)


@contextmanager
def open_tables(path) -> Iterator[list[Member]]:
    """The one table that ``path`` is or holds, as a list. If all tables are Parquet, they are its parts."""
    with open_all(path, TABLE, WHAT) as found:
        yield one_or_parts(found, WHAT, path)


def one_or_parts(found: list[Member], what: str, path) -> list[Member]:
    """The parts of a table if they are Parquet; otherwise the only table. DataError if there are others."""
    parts = all(member.name.endswith(".parquet") for member in found)
    return found if parts else [the_one(found, what, path)]
