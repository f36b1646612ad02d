"""PubMed as the JSON of BioASQ's task A."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ..datasets.records import Document, Query
from ..io.archives import Member, json_array, open_one
from ..io.fields import id_field, list_field, text_field
from .format import Format
from .mesh import SAMPLE, SPLIT_RULE, Article, from_articles, mesh


def read_bioasq(path, dropped: Counter, sample: dict | None = None) -> Iterator[Document | Query]:
    """The same from the JSON of BioASQ's task A: ``{"articles": [{"pmid", "title", "meshMajor"}, ...]}``.

    ``path`` is the file (also ``.gz``), or a folder or zip with it; it is streamed. Descriptors have names
    only: their UIs come from ``desc<year>.xml`` beside it, or else a name is an id. Bytes that are no UTF-8
    become U+FFFD.
    """
    with open_one(path, r".*\.json(\.gz)?", ".json of BioASQ") as member:
        yield from from_articles(path, _bioasq(member), mesh(Path(path)), dropped, sample)


def _bioasq(member: Member) -> Iterator[Article]:
    with member.open_text() as file:
        for number, record in json_array(file, file.label, "articles"):
            place = file.label, f"article {number}"
            title = "" if record.get("title") is None else text_field(record, "title", *place)
            names = [name.strip() for name in list_field(record, "meshMajor", str, *place)]
            yield Article(id_field(record, "pmid", *place), title, [(name, name) for name in names], place)


FORMAT = Format("bioasq", read_bioasq, SPLIT_RULE, sign=r".*\.json(\.gz)?", options={"sample": SAMPLE})
