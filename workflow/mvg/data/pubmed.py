"""PubMed in three raw formats: title of an article -> MeSH descriptors."""

import hashlib
import heapq
import re
from array import array
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .archives import Member, json_array, open_one
from .errors import DataError
from .fields import fit_id, id_field, list_field, text_field
from .medline import Article, articles, mesh
from .records import Document, Query
from .splits import eight_one_one
from .two_columns import open_table, pairs

SPLIT_RULE = (
    "sha256 of the id as a fraction of its range: below 0.8 train, below 0.9 dev, else test; "
    "of a sample: the articles of the lowest sha256 of seed and id, the first of them test, then dev, then train"
)


def read_medline(path, dropped: Counter, sample: dict | None = None) -> Iterator[Document | Query]:
    """The articles of all ``*.xml.gz`` of MEDLINE in a folder (or of one such file), and their descriptors.

    A file with an ``.md5`` beside it is checked against it first; of a folder with ``downloaded.json``
    the files that it lists are read. The corpus is MeSH, if ``desc<year>.xml`` or ``.gz`` is in the folder, and
    the descriptors that occur otherwise; an id is a UI or, without one, a name; the corpus is sorted by id.
    Check tags (Humans, ...) are kept. Splits: see ``SPLIT_RULE``; ``sample`` is ``{"train": n, "dev": n,
    "test": n, "seed": s}`` and train takes fewer if there are no more.

    Counted in ``dropped``: articles without MeSH headings, articles whose PMID came before (the first
    version is kept; in a sample, those drawn), other names of descriptors, headings outside MeSH,
    articles not drawn. Raises DataError for a damaged file and XML that declares entities.
    """
    path = Path(path)
    yield from _records(path, articles(path), mesh(path), dropped, sample)


def read_bioasq(path, dropped: Counter, sample: dict | None = None) -> Iterator[Document | Query]:
    """The same from the JSON of BioASQ's task A: ``{"articles": [{"pmid", "title", "meshMajor"}, ...]}``.

    ``path`` is the file (also ``.gz``), or a folder or zip with it; it is streamed. Descriptors have names
    only: their UIs come from ``desc<year>.xml`` beside it, or else a name is an id. Bytes that are no UTF-8
    become U+FFFD.
    """
    with open_one(path, r".*\.json(\.gz)?", ".json of BioASQ") as member:
        yield from _records(path, _bioasq(member), mesh(Path(path)), dropped, sample)


def read_mesh_csv(path, dropped: Counter, sample: dict | None = None) -> Iterator[Document | Query]:
    """The same from a table with ``Title`` and ``meshMajor``, the latter a Python list of names.

    ``path`` is the table (also ``.gz``), or a folder or zip with it. An article's id is ``row-`` and its number from 1.
    """
    with open_table(path) as member:
        yield from _records(path, _table(member), mesh(Path(path)), dropped, sample)


def _bioasq(member: Member) -> Iterator[Article]:
    with member.open_text() as file:
        for number, record in json_array(file, file.label, "articles"):
            place = file.label, f"article {number}"
            title = "" if record.get("title") is None else text_field(record, "title", *place)
            names = [name.strip() for name in list_field(record, "meshMajor", str, *place)]
            yield Article(id_field(record, "pmid", *place), title, [(name, name) for name in names], place)


def _table(member: Member) -> Iterator[Article]:
    with member.open_text() as file:
        columns = {"query": "Title", "document": "meshMajor"}
        for number, (where, title, listed) in enumerate(pairs(file, file.label, columns), start=1):
            place = file.label, where
            yield Article(f"row-{number}", title, [(name, name) for name in _names(listed, place)], place)


_NAME = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*(?:,|$)""")
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U00(?:0[0-9a-fA-F]|10)[0-9a-fA-F]{4}|.)")


def _names(listed: str, place) -> list[str]:
    """The texts of a Python list of texts, as Python prints it."""
    names, at, inner = [], 0, listed[1:-1].strip()
    is_list = not listed or (listed[:1] == "[" and listed[-1:] == "]")
    while is_list and at < len(inner) and (found := _NAME.match(inner, at)):
        names.append(_ESCAPE.sub(_unescaped, found[1] or found[2] or "").strip())
        at = found.end()
    if not is_list or at < len(inner):
        raise DataError(*place, f"expected meshMajor to be a list of texts, found {listed[:80]!r}")
    return names


def _unescaped(escape: re.Match) -> str:
    code = escape[1]
    return chr(int(code[1:], 16)) if len(code) > 1 else {"n": "\n", "r": "\r", "t": "\t"}.get(code, code)


# The same for all formats: descriptors, duplicates, splits


def _records(path, found: Iterator[Article], corpus: dict[str, str] | None, dropped: Counter, sample: dict | None):
    headings = _Headings(corpus, dropped)
    indexed = (article for article in found if _has_headings(article, dropped))
    if sample is None:
        yield from _all(indexed, headings, dropped)
    else:
        yield from _drawn(path, indexed, headings, dropped, **sample)
    # Not in order of first use, which is almost one of popularity and would rank by itself.
    for id in sorted(headings.names):
        yield Document(id, headings.names[id])


def _has_headings(article: Article, dropped: Counter) -> bool:
    fit_id(article.id, *article.place)
    if not article.descriptors:
        dropped["articles_without_mesh"] += 1
    return bool(article.descriptors)


class _Headings:
    """The ids of descriptors, in MeSH if it is given, or as they come."""

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
    """An article of the sample in few bytes; the one with the highest key comes first in a heap."""

    minus_key: int
    id: bytes
    title: bytes
    rows: bytes  # of descriptors, uint32


def _drawn(path, found: Iterator[Article], headings: _Headings, dropped: Counter, train, dev, test, seed=0):
    """A sample without replacement in one pass: the articles whose keys are lowest, whatever their order."""
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
