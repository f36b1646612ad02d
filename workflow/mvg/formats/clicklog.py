"""A click log: rows of query, document, count and date -> weighted queries and what was clicked.

The paper's product search set (section 6.1) is one: fourteen months of a search log, the last two
for testing, the metrics weighted by traffic.
"""

import math
from array import array
from collections import Counter
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from ..datasets.records import Document, Query
from ..datasets.splits import SPLITS, eight_one_one
from ..datasets.texts import normalised
from ..io.errors import DataError
from ..io.fields import fit_id, new_id
from .columns import SUFFIXES, read_columns
from .format import Format

MAX_CLICKS = 10**9  # of a row
COLUMNS = {"query": "query", "document": "document", "count": "count", "date": "date", "text": "text"}
TEST_SHARE, DEV_SHARE = 1 / 7, 1 / 12  # of the days, and of those before: two months of fourteen, one of twelve


def read_clicklog(
    path, dropped: Counter, columns=None, split="date", dev_from=None, test_from=None,
    min_clicks=1, max_clicks=None, max_documents=None, weights="count",
) -> Iterator[Document | Query]:  # fmt: skip
    """The documents, then for each split its distinct queries with the documents clicked there.

    ``path`` is a CSV (also .gz) or Parquet file, or a folder with files ``clicks*`` of these kinds
    and, maybe, one ``documents*`` with the text of each document. Without it the corpus is what was
    clicked, sorted, and a document's text is its name in the log.

    columns: names of the columns, where they differ from ``COLUMNS``
    split: ``date`` or ``random``; dev_from, test_from: first day (YYYY-MM-DD) of a split by date
    min_clicks, max_clicks, max_documents: queries with fewer clicks in a split are dropped as
        rare, those with more clicks, or clicks on more documents, as bots
    weights: ``count`` (a query's clicks in its split) or ``log`` (log(1 + clicks))

    Counted in ``dropped``: rows without a query, a document or clicks, clicks on documents that
    have no text, rare queries, bots. Raises DataError for a missing column, a count that is no
    number of at least 0, a date that is none.
    """
    names = COLUMNS | (columns or {})
    clicks, texts = _files(Path(path))
    log = _Log()
    if texts:
        for document in _documents(texts, names):
            log.documents[document.id] = len(log.documents)
            yield document
    wanted = [names[name] for name in ("query", "document", "count")] + [names["date"]] * (split == "date")
    for file in clicks:
        for place, values in read_columns(file, wanted):
            log.add(file, place, dict(zip(wanted, values, strict=True)), names, dropped, known=texts is not None)
    if not log.clicks:
        raise DataError(path, "", "expected at least one click, found none")
    if not texts:
        for name in sorted(log.documents):
            yield Document(name, name)
    by_row = _by_text(log) if split == "random" else _by_date(log, path, dev_from, test_from)
    for query in _queries(log, by_row):
        if query.clicks < min_clicks:
            dropped["rare_queries"] += 1
        elif query.clicks > (max_clicks or math.inf) or len(query.documents) > (max_documents or math.inf):
            dropped["bots"] += 1
        else:
            weight = query.clicks if weights == "count" else math.log1p(query.clicks)
            yield Query(query.id, query.text, query.split, query.documents, weight=weight)


def _files(path: Path) -> tuple[list[Path], Path | None]:
    """The files of clicks, by name, and the one of document texts."""
    if path.suffix == ".zip":
        raise DataError(path, "", "a click log is not read from a zip: unpack it")
    if path.is_file():
        return [path], None
    files = [file for file in sorted(path.glob("*")) if file.name.endswith(SUFFIXES)]
    clicks = [file for file in files if file.name.startswith("clicks")]
    texts = [file for file in files if file.name.startswith("documents")]
    if not clicks or len(texts) > 1:
        kinds = "|".join(SUFFIXES)
        raise DataError(path, "", f"expected a click log, or a folder with clicks*({kinds}), one documents*({kinds})")
    return clicks, texts[0] if texts else None


def _documents(file: Path, names: dict) -> Iterator[Document]:
    seen = set()
    for place, values in read_columns(file, [names["document"], names["text"]]):
        id, text = (_text(value, name, file, place) for value, name in zip(values, ("document", "text"), strict=True))
        yield Document(new_id(id, seen, file, place), "", text)


class _Log:
    """The rows of a log as numbers; each text is held once."""

    def __init__(self):
        self.queries: dict[str, int] = {}
        self.documents: dict[str, int] = {}
        self.query, self.document, self.clicks, self.day = array("q"), array("q"), array("d"), array("q")

    def add(self, file, place, row: dict, names: dict, dropped: Counter, known: bool) -> None:
        """Add a row; with ``known`` documents, no others."""
        query, document = (_text(row[names[name]], names[name], file, place) for name in ("query", "document"))
        clicks = _clicks(row[names["count"]], names["count"], file, place)
        day = _day(row[names["date"]], names["date"], file, place) if names["date"] in row else 0
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


def _text(value, name: str, file, place) -> str:
    """An id or a text; ids may be numbers, and nothing is an empty text."""
    if value is None:
        return ""
    if type(value) not in (str, int):
        raise DataError(file, place, f"expected '{name}' to be a text, found {type(value).__name__}")
    return str(value).strip()


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
    """Days since the year 1, of a date or of a text that begins with one."""
    try:
        return (value if isinstance(value, date) else date.fromisoformat(value.strip()[:10])).toordinal()
    except (ValueError, AttributeError, TypeError) as error:
        expected = f"expected '{name}' to begin with a date YYYY-MM-DD, found {str(value)!r}"
        raise DataError(file, place, expected) from error


def _by_date(log: _Log, path, dev_from: str | None, test_from: str | None):
    """The split of each row, as its place in ``SPLITS``: int64 (n_rows,)."""
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
    return np.searchsorted([dev, test], days, side="right")


def _by_text(log: _Log):
    """The same at random: all rows of a query, however it is written, go into one split."""
    import numpy as np

    splits = np.array([SPLITS.index(eight_one_one(normalised(text))) for text in log.queries])
    return splits[np.array(log.query)]


class _Clicked(NamedTuple):
    """One query of a split: all its clicks, and on what."""

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
    sign=r"clicks.*\.csv(\.gz)?|.*\.parquet",
    options={
        "columns": {
            "description": "Names of the columns, where the log has others than the format's own.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "query": _NAME | {"description": "Text of the query."},
                "document": _NAME | {"description": "Id of the document."},
                "count": _NAME | {"description": "Number of clicks."},
                "date": _NAME | {"description": "YYYY-MM-DD, maybe with a time behind it."},
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
