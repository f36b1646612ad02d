"""Two columns of text: a query, and a document that answers it. CSV, TSV or Parquet."""

import hashlib
import math
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence

from ..datasets.records import Document, Fact, Query
from ..datasets.splits import eight_one_one
from ..datasets.texts import canonical, normalised
from ..io.errors import DataError
from ..io.lists import in_lists
from ..io.tables import TABLE, Table, open_table
from .columns import open_tables, place_of, recognised, text_of
from .format import Format

LATELY = 1 << 27  # characters of the latest texts that stay in memory


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
    log = _Log()
    with open_tables(path) as members:
        for member in members:
            with open_table(member, (columns or {}).values()) as table:
                yield Fact("table", table.kind)
                for some in in_lists(_pairs(table, columns or {}, dropped)):
                    log.add(*zip(*some, strict=True))
    yield from log.queries()
    yield from log.documents()


class _Log:
    """Pairs of texts, any number of them: what does not fit into memory lies in temporary files."""

    def __init__(self):
        from ..io.sorting import Sorter  # numpy comes with it, which a registry does without

        self._pairs = Sorter(3)  # (id of the query, place of its text, id of the document)
        self._queries, self._documents = _Texts(), _Texts()

    def add(self, queries: Sequence[str], documents: Sequence[str]) -> None:
        import numpy as np

        columns = *self._queries.known(queries), self._documents.known(documents)[0]
        self._pairs.extend(np.column_stack(columns))

    def queries(self) -> Iterator[Query]:
        """The queries in order of their first rows, each with its documents in order of their rows."""
        import numpy as np

        from ..io.sorting import Sorter, starts_of_groups

        by_place = Sorter(3)  # (place of a query's first text, id of the query, id of the document)
        for block in self._pairs.blocks():
            starts = starts_of_groups(block[:, 0])
            first = np.repeat(block[starts, 1], np.diff(starts, append=len(block)))
            by_place.extend(np.column_stack([first, block[:, 0], block[:, 2]]))
        for block in by_place.blocks():
            starts = starts_of_groups(block[:, 0])
            firsts, ends = block[starts, :2].tolist(), [*starts[1:].tolist(), len(block)]
            documents = [f"{id:016x}" for id in block[:, 2].tolist()]
            for (place, id), start, end in zip(firsts, starts.tolist(), ends, strict=True):
                text = self._queries.text(place)
                split = eight_one_one(text_id(normalised(text)))
                yield Query(f"{id:016x}", text, split, tuple(documents[start:end]))

    def documents(self) -> Iterator[Document]:
        for id, place in self._documents.first_places():
            yield Document(f"{id:016x}", self._documents.text(place))


class _Texts:
    """The ids of texts, and where the first spelling of each is kept. The latest texts are known at once."""

    def __init__(self):
        from ..io.sorting import Sorter, Texts

        self._kept, self._places = Texts(), Sorter(2)  # (id, place of the text)
        self._forget()

    def _forget(self) -> None:
        self._lately: dict[str, int] = {}  # text -> position in the arrays
        self._ids, self._at = array("Q"), array("Q")
        self._characters = 0

    def known(self, texts: Sequence[str]) -> tuple:
        """The id of each text, and a place of it, uint64: the first text with its id comes before all others."""
        import numpy as np

        if self._characters > LATELY:
            self._forget()
        positions = list(map(self._lately.get, texts))
        for i, text in enumerate(texts):
            if positions[i] is None:
                positions[i] = self._lately.get(text)
            if positions[i] is None:
                positions[i] = self._new(text)
        return np.frombuffer(self._ids, np.uint64)[positions], np.frombuffer(self._at, np.uint64)[positions]

    def _new(self, text: str) -> int:
        id, place = int(text_id(canonical(text)), 16), self._kept.add(text)
        self._places.add((id, place))
        self._characters += len(text) + 200  # what an entry takes besides
        self._lately[text] = len(self._ids)
        self._ids.append(id)
        self._at.append(place)
        return len(self._ids) - 1

    def first_places(self) -> Iterator[tuple[int, int]]:
        """(id, place of its first spelling) by id."""
        from ..io.sorting import starts_of_groups

        for block in self._places.blocks():
            yield from block[starts_of_groups(block[:, 0])].tolist()

    def text(self, place: int) -> str:
        return self._kept[place]


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
