"""MEDLINE / PubMed XML, as in the annual baseline of the NLM: title of an article -> MeSH descriptors."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ..datasets.records import Document, Query
from ..io.checksums import digest, listed_md5
from ..io.errors import DataError
from ..io.xml_records import Parser, records
from .format import Format
from .mesh import DESCRIPTORS, SAMPLE, SPLIT_RULE, Article, from_articles, listed, mesh


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
    yield from from_articles(path, articles(path), mesh(path), dropped, sample)


def articles(path: Path) -> Iterator[Article]:
    """The articles of all ``*.xml.gz`` of a folder (or of one such file), each first checked against its ``.md5``.

    Where ``downloaded.json`` is in the folder, only files that it lists are read.
    """
    files = [path] if path.is_file() else listed(path, sorted(path.glob("*.xml.gz")))
    files = [file for file in files if not re.fullmatch(DESCRIPTORS, file.name)]
    if not files:
        raise DataError(path, "", "expected a folder with *.xml.gz files of MEDLINE here")
    for file in files:
        _check_md5(file)
        yield from records(_Articles, file)


def _check_md5(file: Path) -> None:
    """Raise DataError if there is an ``.md5`` beside ``file`` that says otherwise."""
    beside = file.with_name(f"{file.name}.md5")
    if not beside.exists():
        return
    wanted, found = listed_md5(beside), digest(file, "md5")
    if found != wanted:
        raise DataError(file, "", f"expected MD5 {wanted}, as the .md5 beside it says, found {found}")


class _Articles(Parser):
    """DeleteCitation and books are passed over; comments and references have PMIDs and titles as well."""

    ROOTS = ("PubmedArticleSet", "MedlineCitationSet")
    RECORD = "MedlineCitation"
    READ = {
        ("MedlineCitation", "PMID"),
        ("Article", "ArticleTitle"),
        ("MeshHeading", "DescriptorName"),
    }

    def __init__(self, label):
        super().__init__(label)
        self._ui, self._pmid, self._title, self._descriptors = "", "", None, []

    def start(self, tag, attributes):
        if tag == "MedlineCitation":
            self._pmid, self._title, self._descriptors = "", None, []
        elif tag == "DescriptorName":
            self._ui = attributes.get("UI", "").strip()

    def end(self, tag, text):
        if tag == "MedlineCitation":
            self.records.append(self._article())
        elif tag == "PMID":
            self._pmid = text.strip()
        elif tag == "ArticleTitle":
            self._title = text
        elif not text.strip():
            raise self.error("expected a name in DescriptorName")
        else:
            self._descriptors.append((self._ui or text.strip(), text.strip()))

    def _article(self) -> Article:
        if not self._pmid:
            raise self.error("expected a PMID in the MedlineCitation that ends here")
        place = self.label, f"PMID {self._pmid}"
        if self._title is None:
            raise DataError(*place, "expected an ArticleTitle")
        return Article(self._pmid, self._title, self._descriptors, place)


FORMAT = Format("medline", read_medline, SPLIT_RULE, sign=r"(?!desc\d{4}).*\.xml\.gz", options={"sample": SAMPLE})
