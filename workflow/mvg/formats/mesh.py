"""Shared by the three formats of PubMed: MeSH, repeated articles, splits and samples."""

import hashlib
import heapq
import re
from array import array
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..datasets.records import Document, Query
from ..datasets.splits import eight_one_one
from ..io.checksums import MANIFEST
from ..io.errors import DataError
from ..io.fields import fit_id, list_field, text_field
from ..io.members import loose
from ..io.text import read_json
from ..io.xml_records import Parser, records

DESCRIPTORS = r"desc\d{4}(\.xml)?(\.gz)?"  # MeSH of a year

SPLIT_RULE = (
    "sha256 of the id as a fraction of its range: below 0.8 train, below 0.9 dev, else test; "
    "of a sample: the articles of the lowest sha256 of seed and id, the first of them test, then dev, then train"
)
SAMPLE = {
    "description": "Draw this many articles of PubMed, by a hash of seed and id; without it all are used.",
    "type": "object",
    "additionalProperties": False,
    "required": ["train", "dev", "test"],
    "properties": {
        "train": {"description": "Queries; fewer if there are no more.", "type": "integer", "minimum": 1},
        "dev": {"description": "Queries.", "type": "integer", "minimum": 1},
        "test": {"description": "Queries.", "type": "integer", "minimum": 1},
        "seed": {"description": "Another seed draws other articles.", "type": "integer", "minimum": 0, "default": 0},
    },
}


class Article(NamedTuple):
    """One article, with or without MeSH headings."""

    id: str
    title: str
    descriptors: list[tuple[str, str]]  # (id, name): a descriptor's UI or, without one, its name twice
    place: tuple  # file and id, for messages


def mesh(path: Path) -> dict[str, str] | None:
    """Id -> name of all descriptors of ``desc<year>.xml`` (or ``.gz``) in a folder; None if it is not there."""
    files = listed(path, sorted(path.glob("desc*"))) if path.is_dir() else []
    files = [file for file in files if re.fullmatch(DESCRIPTORS, file.name)]
    if len(files) > 1:
        raise DataError(path, "", f"expected MeSH of one year, found {', '.join(file.name for file in files)}")
    if not files:
        return None
    names: dict[str, str] = {}
    for id, name, place in records(_Descriptors, files[0]):
        if names.setdefault(fit_id(id, *place), name) != name:
            raise DataError(*place, f"expected one name of {id}, found '{name}'")
    if not names:
        raise DataError(files[0], "", "expected at least one descriptor, found none")
    return names


def listed(folder: Path, files: list[Path]) -> list[Path]:
    """Those of ``files`` that the folder's ``downloaded.json`` lists; all of them if there is none."""
    manifest = folder / MANIFEST
    if not manifest.is_file():
        return files
    entries = list_field(read_json(loose(manifest)), "files", dict, manifest, "")
    names = {text_field(entry, "name", manifest, "") for entry in entries}
    return [file for file in files if file.name in names]


class _Descriptors(Parser):
    """(UI, name, place) of each descriptor. Only these paths count, because cross-references have UIs and names too."""

    ROOTS = ("DescriptorRecordSet",)
    RECORD = "DescriptorRecord"
    READ = {("DescriptorRecord", "DescriptorUI"), ("DescriptorName", "String")}
    _ui = _name = ""

    def start(self, tag, attributes):
        if tag == "DescriptorRecord":
            self._ui = self._name = ""

    def end(self, tag, text):
        if tag == "DescriptorUI":
            self._ui = text.strip()
        elif tag == "String" and self.path[-2] == "DescriptorRecord":
            self._name = text.strip()
        elif tag == "DescriptorRecord":
            if not (self._ui and self._name):
                raise self.error("expected a DescriptorUI and a DescriptorName in the DescriptorRecord that ends here")
            self.records.append((self._ui, self._name, (self.label, f"descriptor {self._ui}")))


def from_articles(path, found: Iterator[Article], corpus: dict[str, str] | None, dropped: Counter, sample: dict | None):
    """The queries of articles, then the descriptors as documents. Arguments as for the readers."""
    headings = _Headings(corpus, dropped)
    indexed = (article for article in found if _has_headings(article, dropped))
    if sample is None:
        yield from _all(indexed, headings, dropped)
    else:
        yield from _drawn(path, indexed, headings, dropped, **sample)
    # Not in order of first use: that is nearly the order of popularity, and would decide ties in rankings.
    for id in sorted(headings.names):
        yield Document(id, headings.names[id])


def _has_headings(article: Article, dropped: Counter) -> bool:
    fit_id(article.id, *article.place)
    if not article.descriptors:
        dropped["articles_without_mesh"] += 1
    return bool(article.descriptors)


class _Headings:
    """The ids of descriptors: those of MeSH if it is given, otherwise as they occur."""

    def __init__(self, corpus: dict[str, str] | None, dropped: Counter):
        self.names = corpus or {}
        self._ids = {name: id for id, name in corpus.items()} if corpus else None
        self._dropped = dropped

    def of(self, article: Article) -> list[str]:
        ids = (self._id(id, name, article.place) for id, name in article.descriptors)
        return [id for id in ids if id]

    def _id(self, id: str, name: str, place) -> str:
        if self._ids is not None:
            id = id if id in self.names else self._ids.get(name, "")
            if not id:
                self._dropped["headings_outside_mesh"] += 1
        elif self.names.setdefault(fit_id(id, *place), name) != name:
            self._dropped["other_names_of_descriptors"] += 1
        return id


def _all(found: Iterator[Article], headings: _Headings, dropped: Counter) -> Iterator[Query]:
    seen: set[str] = set()
    for article in found:
        if article.id in seen:
            dropped["repeated_articles"] += 1
            continue
        seen.add(article.id)
        yield Query(article.id, article.title, eight_one_one(article.id), tuple(headings.of(article)))


class _Kept(NamedTuple):
    """An article of the sample, in few bytes. In a heap, the article with the highest key comes first."""

    minus_key: int
    id: bytes
    title: bytes
    rows: bytes  # of descriptors, uint32


def _drawn(path, found: Iterator[Article], headings: _Headings, dropped: Counter, train, dev, test, seed=0):
    """A sample without replacement in one pass: the articles with the lowest keys, whatever their order."""
    wanted = test + dev + train
    heap: list[_Kept] = []
    keys: set[int] = set()
    row_of: dict[str, int] = {}  # by descriptor
    for article in found:
        rows = array("I", (row_of.setdefault(id, len(row_of)) for id in headings.of(article)))
        key = int.from_bytes(hashlib.sha256(f"{seed}:{article.id}".encode()).digest()[:8], "big")
        if key in keys:
            dropped["repeated_articles"] += 1
            continue
        if len(heap) == wanted:
            dropped["articles_not_drawn"] += 1
            if key > -heap[0].minus_key:
                continue
            keys.remove(-heapq.heappop(heap).minus_key)
        keys.add(key)
        heapq.heappush(heap, _Kept(-key, article.id.encode(), article.title.encode(), rows.tobytes()))
    if len(heap) <= test + dev:
        expected = f"expected more than {test + dev:,} articles with MeSH headings, for test and dev of the sample"
        raise DataError(path, "", f"{expected}, found {len(heap):,}")
    descriptors = list(row_of)
    heap.sort()  # the lowest key last
    for split, number in (("test", test), ("dev", dev), ("train", train)):
        for _ in range(min(number, len(heap))):
            _, id, title, rows = heap.pop()
            yield Query(id.decode(), title.decode(), split, tuple(descriptors[row] for row in array("I", rows)))
