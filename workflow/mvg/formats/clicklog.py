"""A click log: rows of query, document, count and date -> weighted queries and the documents clicked.

The paper's product search set (section 6.1) is one: fourteen months of a search log, of which the last
two are test; metrics are weighted by traffic.
"""

import math
from array import array
from collections import Counter
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from ..datasets.records import Document, Fact, Query
from ..datasets.splits import SPLITS, eight_one_one
from ..datasets.texts import normalised
from ..io.archives import open_all
from ..io.errors import DataError
from ..io.fields import fit_id, new_id
from ..io.members import Member
from ..io.tables import TABLE, open_table
from .columns import WHAT, one_or_parts, place_of, text_of
from .format import Format

MAX_CLICKS = 10**9  # of a row
TEST_SHARE, DEV_SHARE = 1 / 7, 1 / 12  # of all days, and of the days before test: 2 of 14 months, 1 of 12


def read_clicklog(
    path, dropped: Counter, columns=None, split="date", dev_from=None, test_from=None,
    min_clicks=1, max_clicks=None, max_documents=None, weights="count",
) -> Iterator[Document | Query | Fact]:  # fmt: skip
    """The documents, then for each split its distinct queries with the documents clicked there.

    ``path`` is a table (CSV, TSV or Parquet), or a folder or zip with tables ``clicks*`` (a single table, or parts in
    Parquet, may have any name) and optionally ``documents*`` with the text of each document, a table or parts in
    Parquet. Without it the corpus is every document that was clicked, sorted, and a document's text is its name in
    the log.

    columns: names of the columns, by what they mean: query, document, count, date, text
    split: ``date`` or ``random``; dev_from, test_from: first day (YYYY-MM-DD) of a split by date
    min_clicks, max_clicks, max_documents: queries with fewer clicks in a split are dropped as
        rare, those with more clicks, or clicks on more documents, as bots
    weights: ``count`` (a query's clicks in its split) or ``log`` (log(1 + clicks))

    Counted in ``dropped``: rows without a query, a document or clicks, clicks on documents without
    a text, rare queries, bots. Raises DataError for a missing column, a count that is not a number of
    at least 0, and a wrong date.
    """
    import numpy as np

    given, log = columns or {}, _Log()
    wanted = ["query", "document", "count"] + ["date"] * (split == "date")
    with open_all(path, TABLE, f"click log ({WHAT})") as members:
        clicks, texts = _files(members, path)
        for document in _documents(texts, given):
            log.documents[document.id] = len(log.documents)
            yield document
        for member in clicks:
            with open_table(member, given.values()) as table:
                yield Fact("table", table.kind)
                hint = ", or set split: random (--split random)" * (split == "date")
                places = [place_of(table, meaning, given, hint * (meaning == "date")) for meaning in wanted]
                names = dict(zip(wanted, (table.first[place] for place in places), strict=True))
                for where, values in table.rows(places, has_header=True):
                    log.add(table.label, where, values, names, dropped, known=bool(texts))
    if not log.clicks:
        raise DataError(path, "", "expected at least one click, found none")
    if not texts:
        for name in sorted(log.documents):
            yield Document(name, name)
    if split == "random":
        split_of_row = _by_text(log)
    else:
        days, dev, test = _days(log, path, dev_from, test_from)
        yield from (
            Fact("dev_from", date.fromordinal(dev).isoformat()),
            Fact("test_from", date.fromordinal(test).isoformat()),
        )
        split_of_row = np.searchsorted([dev, test], days, side="right")
    for query in _queries(log, split_of_row):
        if query.clicks < min_clicks:
            dropped["rare_queries"] += 1
        elif query.clicks > (max_clicks or math.inf) or len(query.documents) > (max_documents or math.inf):
            dropped["bots"] += 1
        else:
            weight = query.clicks if weights == "count" else math.log1p(query.clicks)
            yield Query(query.id, query.text, query.split, query.documents, weight=weight)


def _files(members: list[Member], path) -> tuple[list[Member], list[Member]]:
    """The tables of clicks, and the one of document texts, which may be in parts or missing."""
    texts = [member for member in members if member.name.startswith("documents")] if len(members) > 1 else []
    others = [member for member in members if member not in texts]
    clicks = [member for member in others if member.name.startswith("clicks")]
    if not clicks and (len(others) == 1 or all(member.name.endswith(".parquet") for member in others)):
        clicks = others
    if not clicks:
        found = ", ".join(member.name for member in members[:5])
        raise DataError(path, "", f"expected tables clicks* and maybe documents*, found {found}")
    return clicks, one_or_parts(texts, "table documents*", path) if texts else []


def _documents(members: list[Member], given: dict) -> Iterator[Document]:
    seen = set()
    for member in members:
        with open_table(member, [given[name] for name in ("document", "text") if name in given]) as table:
            places = [place_of(table, meaning, given) for meaning in ("document", "text")]
            for where, values in table.rows(places, has_header=True):
                place = table.label, where
                id, text = (
                    text_of(value, table.first[column], *place) for value, column in zip(values, places, strict=True)
                )
                yield Document(new_id(id, seen, *place), "", text)


class _Log:
    """The rows of a log as numbers; each text is stored once."""

    def __init__(self):
        self.queries: dict[str, int] = {}
        self.documents: dict[str, int] = {}
        self.query, self.document, self.clicks, self.day = array("q"), array("q"), array("d"), array("q")

    def add(self, file, place, values: list, names: dict, dropped: Counter, known: bool) -> None:
        """Add a row of query, document, count and optionally date. If documents are ``known``, others are dropped."""
        row = dict(zip(names, values, strict=True))
        query, document = (text_of(row[meaning], names[meaning], file, place) for meaning in ("query", "document"))
        clicks = _clicks(row["count"], names["count"], file, place)
        day = _day(row["date"], names["date"], file, place) if "date" in row else 0
        if not query:
            dropped["rows_without_query"] += 1
        elif not document:
            dropped["rows_without_document"] += 1
        elif not clicks:
            dropped["rows_without_clicks"] += 1
        elif known and document not in self.documents:
            dropped["rows_of_documents_without_text"] += 1
        else:
            if document not in self.documents:
                fit_id(document, file, place)
            self.query.append(self.queries.setdefault(query, len(self.queries)))
            self.document.append(self.documents.setdefault(document, len(self.documents)))
            self.clicks.append(clicks)
            self.day.append(day)


def _clicks(value, name: str, file, place) -> float:
    try:
        clicks = float(value) if isinstance(value, str | int | float | Decimal) else math.nan
    except (ValueError, OverflowError):
        clicks = math.nan
    if not 0 <= clicks < math.inf:
        raise DataError(file, place, f"expected '{name}' to be a number of at least 0, found {str(value)!r}")
    if clicks > MAX_CLICKS:
        raise DataError(file, place, f"expected '{name}' to be at most {MAX_CLICKS:,}, found {str(value)!r}")
    return clicks


def _day(value, name: str, file, place) -> int:
    """The ordinal (days since the year 1) of a date, or of a text that begins with one."""
    try:
        return (value if isinstance(value, date) else date.fromisoformat(value.strip()[:10])).toordinal()
    except (ValueError, AttributeError, TypeError) as error:
        expected = f"expected '{name}' to begin with a date YYYY-MM-DD, found {str(value)!r}"
        raise DataError(file, place, expected) from error


def _days(log: _Log, path, dev_from: str | None, test_from: str | None):
    """The day of each row, int64 (n_rows,), and the first days of dev and of test."""
    import numpy as np

    days = np.array(log.day)
    first, end = int(days.min()), int(days.max()) + 1
    test = end - math.ceil(TEST_SHARE * (end - first))
    if test_from:
        test = _day(test_from, "test_from", "config", "sources")
    dev = test - math.ceil(DEV_SHARE * (test - first))
    if dev_from:
        dev = _day(dev_from, "dev_from", "config", "sources")
    if not first < dev < test < end:
        first, last, dev, test = map(date.fromordinal, (first, end - 1, dev, test))
        expected = "expected days for train, dev and test (or split: random)"
        raise DataError(path, "", f"{expected}, found {first} to {last}, dev from {dev}, test from {test}")
    return days, dev, test


def _by_text(log: _Log):
    """The split of each row as an index of ``SPLITS``: random, but the same for all spellings of a query."""
    import numpy as np

    splits = np.array([SPLITS.index(eight_one_one(normalised(text))) for text in log.queries])
    return splits[np.array(log.query)]


class _Clicked(NamedTuple):
    """One query of a split: the number of its clicks, and the documents clicked."""

    id: str
    text: str
    split: str
    documents: tuple[str, ...]
    clicks: float


def _queries(log: _Log, split_of_row) -> Iterator[_Clicked]:
    """Split by split, in order of first appearance in the log."""
    import numpy as np

    texts, documents = list(log.queries), list(log.documents)
    owners = split_of_row * len(texts) + np.array(log.query)  # a query in a split
    pairs, place = np.unique(owners * len(documents) + np.array(log.document), return_inverse=True)
    clicks = np.bincount(place, weights=log.clicks)
    owners, rows = np.divmod(pairs, len(documents))
    owners, starts = np.unique(owners, return_index=True)
    for owner, first, end in zip(owners.tolist(), starts.tolist(), [*starts[1:].tolist(), len(pairs)], strict=True):
        split, row = SPLITS[owner // len(texts)], owner % len(texts)
        clicked = tuple(documents[document] for document in rows[first:end])
        yield _Clicked(f"{split}-{row}", texts[row], split, clicked, float(clicks[first:end].sum()))


_DAY = {"description": "A day.", "type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}\Z"}
_COUNT = {"type": "integer", "minimum": 1}
_NAME = {"type": "string", "minLength": 1}

FORMAT = Format(
    "clicklog",
    read_clicklog,
    split_rule=(
        "by date: test from test_from (the last seventh of the days), dev from dev_from (the last twelfth before it); "
        "split: random: sha256 of the query's text as a fraction of its range, below 0.8 train, below 0.9 dev, "
        "else test"
    ),
    options={
        "columns": {
            "description": "Names of the columns, where the log's differ from the format's.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "query": _NAME | {"description": "Text of the query."},
                "document": _NAME | {"description": "Id of the document."},
                "count": _NAME | {"description": "Number of clicks."},
                "date": _NAME | {"description": "YYYY-MM-DD, optionally followed by a time."},
                "text": _NAME | {"description": "Text of a document, in the file of documents."},
            },
        },
        "split": {
            "description": "date: the last days are test; random: by the text of the query.",
            "enum": ["date", "random"],
        },
        "dev_from": _DAY | {"description": "First day of dev; the last twelfth before test if missing."},
        "test_from": _DAY | {"description": "First day of test; the last seventh if missing."},
        "min_clicks": _COUNT | {"description": "Queries with fewer clicks in a split are dropped as rare."},
        "max_clicks": _COUNT | {"description": "Queries with more clicks in a split are dropped as bots."},
        "max_documents": _COUNT
        | {"description": "Queries with clicks on more documents in a split are dropped as bots."},
        "weights": {
            "description": "Traffic weight of a query: its clicks, or log(1 + clicks).",
            "enum": ["count", "log"],
        },
    },
)
