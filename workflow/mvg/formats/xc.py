"""The raw format of the Extreme Classification Repository: title -> labels by index.

LF-WikiSeeAlso-320K has this format: title of a page -> titles of its "See also" pages.
Only titles are used, as in LF-WikiSeeAlsoTitles.
"""

from collections import Counter
from collections.abc import Iterator

from ..datasets.records import Document, Query
from ..datasets.splits import hashed_fraction
from ..io.archives import find, need, open_members
from ..io.errors import DataError
from ..io.fields import id_field, list_field, new_id, text_field
from ..io.members import Member, Stream
from ..io.text import json_lines, lines
from .format import Format

DEV_SHARE = 0.1


def read_xc(path, dropped: Counter, dev_share: float = DEV_SHARE) -> Iterator[Document | Query]:
    """All labels of ``lbl.json.gz``, then the queries of ``trn.json.gz`` and ``tst.json.gz``.

    ``path`` is a zip, or a folder with one zip or with the loose files. An id is the ``uid``. Without
    one, the id of a label is its 0-based line, that of a query is ``trn-`` or ``tst-`` and its 0-based line.
    The pairs of ``filter_labels_{train,test}.txt`` (lines ``query_index label_index``, 0-based; the
    files are optional) become ``Query.excluded``. Train queries whose sha256 of the id is below
    ``dev_share`` of its range become dev. Nothing is dropped here. Raises DataError for anything else.
    """
    with open_members(path) as members:
        labels: dict[str, None] = {}
        for label in _labels(need(members, "lbl.json.gz", path)):
            labels[label.id] = None
            yield label
        if not labels:
            raise DataError(f"{path}/lbl.json.gz", "", "expected at least one label, found none")
        label_ids, seen = list(labels), set()
        for name, split in ("trn", "train"), ("tst", "test"):
            filters = _Filters(find(members, f"filter_labels_{split}.txt", path), label_ids)
            member = need(members, f"{name}.json.gz", path)
            share = dev_share if split == "train" else 0
            yield from _queries(member, name, split, share, seen, label_ids, filters)


def _labels(member: Member) -> Iterator[Document]:
    seen = set()
    with member.open_gzip() as file:
        for number, record in json_lines(file, file.label):
            place = file.label, f"line {number}"
            id = new_id(_uid(record, str(number - 1), *place), seen, *place)
            yield Document(id, text_field(record, "title", *place))


def _queries(member: Member, name, split, dev_share, seen: set, labels, filters) -> Iterator[Query]:
    number = 0
    with member.open_gzip() as file:
        for number, record in json_lines(file, file.label):
            place = file.label, f"line {number}"
            id = new_id(_uid(record, f"{name}-{number - 1}", *place), seen, *place)
            yield Query(
                id,
                text_field(record, "title", *place),
                "dev" if hashed_fraction(id) < dev_share else split,
                _targets(record, labels, *place),
                filters.pop(number - 1),
            )
    filters.expect_none_left(number)


def _uid(record: dict, default: str, file, where) -> str:
    return id_field(record, "uid", file, where) if "uid" in record else default


def _targets(record: dict, labels: list[str], file, where) -> tuple[str, ...]:
    targets = list_field(record, "target_ind", int, file, where)
    for target in targets:
        if not 0 <= target < len(labels):
            expected = f"expected 'target_ind' from 0 to {len(labels) - 1}, found {target}"
            raise DataError(file, where, expected)
    return tuple(labels[target] for target in targets)


class _Filters:
    """The pairs to leave out, by query index; empty for a missing file."""

    def __init__(self, member: Member | None, labels: list[str]):
        self._labels = labels
        self._label = member.label if member else ""
        self._pairs: dict[int, list[int]] = {}  # query index -> its first line, label indices
        if member:
            with member.open() as file:
                self._read(file)

    def _read(self, file: Stream) -> None:
        for number, line in lines(file, self._label):
            values = line.split()
            if not values:
                continue
            if len(values) != 2 or not all(value.isdigit() and len(value) < 10 for value in values):
                raise self._error(number, "expected two whole numbers, query_index label_index")
            query, label = map(int, values)
            if label >= len(self._labels):
                last = len(self._labels) - 1
                raise self._error(number, f"expected label indices up to {last}, found {label}")
            self._pairs.setdefault(query, [number]).append(label)

    def pop(self, query: int) -> tuple[str, ...]:
        return tuple(self._labels[label] for label in self._pairs.pop(query, ())[1:])

    def expect_none_left(self, n_queries: int) -> None:
        for query, (line, *_) in self._pairs.items():
            last = n_queries - 1
            raise self._error(line, f"expected query indices up to {last}, found {query}")

    def _error(self, line: int, expected: str) -> DataError:
        return DataError(self._label, f"line {line}", expected)


FORMAT = Format(
    "xc",
    read_xc,
    split_rule="test as distributed; dev from train: sha256 of the query id below 0.1 (or dev_share) of its range",
    sign=r"lbl\.json\.gz",
    options={
        "dev_share": {
            "description": "Share of the training queries that become dev; 0.1 by default.",
            "type": "number",
            "exclusiveMinimum": 0,
            "exclusiveMaximum": 1,
        }
    },
)
