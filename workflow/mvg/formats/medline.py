"""MEDLINE / PubMed XML, as in the annual baseline of the NLM: title of an article -> MeSH descriptors."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from ..datasets.records import Document, Query
from ..io.checksums import digest, listed_md5
from ..io.errors import DataError
from ..io.xml_records import Parser, records
from .format import Format
from .mesh import DESCRIPTORS, SAMPLE, SPLIT_RULE, Article, from_articles, listed, mesh


def read_medline(path, dropped: Counter, sample: dict | None = None) -> Iterator[Document | Query]:
    """The articles of all ``*.xml.gz`` of MEDLINE in a folder (or of one such file), and their descriptors.

    A file with an ``.md5`` beside it is checked against it first. If the folder has a ``downloaded.json``, only the
    files that it lists are read. The corpus is MeSH, if ``desc<year>.xml`` or ``.gz`` is in the folder, otherwise
    the descriptors that occur. An id is a UI, or a name if there is no UI; the corpus is sorted by id.
    Check tags (Humans, ...) are kept. Splits: see ``SPLIT_RULE``. ``sample`` is ``{"train": n, "dev": n,
    "test": n, "seed": s}``; train is smaller if there are too few articles.

    Files are read in the order of their names, which number the NLM's baseline and its daily updates. Of the
    versions of an article the highest is kept, of equal ones the last. DeleteCitation removes what came before it.
    To know this in time, all files are read twice.

    Counted in ``dropped``: articles without MeSH headings, earlier versions, deleted articles, other names of
    descriptors, headings outside MeSH, articles not drawn. Raises DataError for a damaged file and XML that
    declares entities.
    """
    path = Path(path)
    files = _files(path)
    yield from from_articles(path, _articles(files, _passed_over(files, dropped)), mesh(path), dropped, sample)


def _articles(files: list[Path], passed_over: set[int]) -> Iterator[Article]:
    """The articles of all files, except those at the positions ``passed_over``."""
    found = (article for file in files for article in records(_Articles, file))
    yield from (article for place, article in enumerate(found) if place not in passed_over)


def _passed_over(files: list[Path], dropped: Counter) -> set[int]:
    """The positions, among the articles of all files, of replaced and deleted articles."""
    last: dict[str, int] = {}  # PMID -> version and position in one number; the highest is kept
    places, passed_over = count(), set()
    for file in files:
        for pmid, version in records(_Versions, file):
            if version is None:
                if pmid in last:
                    passed_over.add(last.pop(pmid) % _PLACES)
                    dropped["deleted_articles"] += 1
                continue
            article = version * _PLACES + next(places)
            if pmid in last:
                passed_over.add(min(last[pmid], article) % _PLACES)
                dropped["earlier_versions_of_articles"] += 1
            last[pmid] = max(last.get(pmid, 0), article)
    return passed_over


_PLACES = 2**40  # more than the number of articles


def _files(path: Path) -> list[Path]:
    """All ``*.xml.gz`` of a folder (or one such file), each checked against its ``.md5``.

    If ``downloaded.json`` is in the folder, only files that it lists.
    """
    files = [path] if path.is_file() else listed(path, sorted(path.glob("*.xml.gz")))
    files = [file for file in files if not re.fullmatch(DESCRIPTORS, file.name)]
    if not files:
        raise DataError(path, "", "expected a folder with *.xml.gz files of MEDLINE here")
    for file in files:
        _check_md5(file)
    return files


def _check_md5(file: Path) -> None:
    """Raise DataError if ``file`` differs from the ``.md5`` beside it."""
    beside = file.with_name(f"{file.name}.md5")
    if not beside.exists():
        return
    wanted, found = listed_md5(beside), digest(file, "md5")
    if found != wanted:
        raise DataError(file, "", f"expected MD5 {wanted}, as the .md5 beside it says, found {found}")


class _Citations(Parser):
    ROOTS = ("PubmedArticleSet", "MedlineCitationSet")
    RECORD = "MedlineCitation"


class _Versions(_Citations):
    """(PMID, version) of each article; the version is None if it is deleted."""

    READ = {("MedlineCitation", "PMID"), ("DeleteCitation", "PMID")}
    _article, _version = "", 1

    def start(self, tag, attributes):
        if tag == "PMID":
            version = attributes.get("Version", "")
            self._version = int(version) if re.fullmatch(r"[0-9]{1,6}", version) else 1

    def end(self, tag, text):
        if tag == "MedlineCitation":
            self.records.append((self._article, self._version))
        elif self.path[-1] == "DeleteCitation":
            self.records.append((text.strip(), None))
        else:
            self._article = text.strip()


class _Articles(_Citations):
    """Each article. Only these paths count, because books, comments and references have PMIDs and titles too."""

    READ = {
        ("MedlineCitation", "PMID"),
        ("Article", "ArticleTitle"),
        ("MeshHeading", "DescriptorName"),
    }

    def __init__(self, label):
        super().__init__(label)
        self._ui, self._pmid, self._title, self._descriptors = "", "", None, []

    def start(self, tag, attributes):
        if tag == "DescriptorName":
            self._ui = attributes.get("UI", "").strip()
        elif tag == "MedlineCitation":
            self._pmid, self._title, self._descriptors = "", None, []

    def end(self, tag, text):
        if tag == "DescriptorName":  # first, as most are
            name = text.strip()
            if not name:
                raise self.error("expected a name in DescriptorName")
            self._descriptors.append((self._ui or name, name))
        elif tag == "MedlineCitation":
            self.records.append(self._article())
        elif tag == "PMID":
            self._pmid = text.strip()
        else:
            self._title = text

    def _article(self) -> Article:
        if not self._pmid:
            raise self.error("expected a PMID in the MedlineCitation that ends here")
        place = self.label, f"PMID {self._pmid}"
        if self._title is None:
            raise DataError(*place, "expected an ArticleTitle")
        return Article(self._pmid, self._title, self._descriptors, place)


FORMAT = Format("medline", read_medline, SPLIT_RULE, sign=r"(?!desc\d{4}).*\.xml\.gz", options={"sample": SAMPLE})
