"""MEDLINE / PubMed XML, as in the annual baseline of the NLM: title -> MeSH descriptors."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

from .archives import loose
from .errors import DataError
from .fields import fit_id, new_id
from .records import Document, Query
from .splits import eight_one_one

SPLIT_RULE = "sha256 of the PMID as a fraction of its range: below 0.8 train, below 0.9 dev, else test"

MANIFEST = "downloaded.json"  # beside downloaded files: which of them belong to the set

_ROOTS = ("PubmedArticleSet", "MedlineCitationSet")
# Only these, and only in these parents: comments and references have PMIDs and titles as well.
_READ = {
    ("MedlineCitation", "PMID"),
    ("Article", "ArticleTitle"),
    ("MeshHeading", "DescriptorName"),
}


def read_medline(path, dropped: Counter) -> Iterator[Document | Query]:
    """The articles of all ``*.xml.gz`` of a folder (or of one such file), and their descriptors.

    A file with an ``.md5`` beside it is checked against it first. A descriptor's id is its UI or,
    without one, its name; the corpus is sorted by it. Of two names for one UI the first is kept.
    Check tags (Humans, ...) are kept. DeleteCitation and books are passed over. The split goes by
    the sha256 of the PMID as a fraction of its range: below 0.8 train, below 0.9 dev, else test.
    Counted in ``dropped``: articles without MeSH headings, other names of descriptors.
    Raises DataError for a damaged file, XML that declares entities, a PMID that occurs twice.
    """
    pmids: set[str] = set()
    names: dict[str, str] = {}  # by id
    for file in _files(Path(path)):
        _check_md5(file)
        for article in _articles(file):
            place = file, f"PMID {article.pmid}"
            pmid = new_id(article.pmid, pmids, *place)
            if not article.descriptors:
                dropped["articles_without_mesh"] += 1
                continue
            for id, name in article.descriptors:
                if names.setdefault(fit_id(id, *place), name) != name:
                    dropped["other_names_of_descriptors"] += 1
            relevant = tuple(id for id, _ in article.descriptors)
            yield Query(pmid, article.title, eight_one_one(pmid), relevant)
    # Not in order of first use, which is almost one of popularity and would rank by itself.
    for id in sorted(names):
        yield Document(id, names[id])


def _files(path: Path) -> list[Path]:
    files = [path] if path.is_file() else sorted(path.glob("*.xml.gz"))
    if not files:
        raise DataError(path, "", "expected a folder with *.xml.gz files of MEDLINE here")
    return files


def _check_md5(file: Path) -> None:
    listed = file.with_name(f"{file.name}.md5")
    if not listed.exists():
        return
    wanted = listed_md5(listed)
    with open(file, "rb") as content:
        found = hashlib.file_digest(content, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
    if found != wanted:
        expected = f"expected MD5 {wanted}, as the .md5 beside it says, found {found}"
        raise DataError(file, "", expected)


def listed_md5(path: Path) -> str:
    """The hex digest in a ``.md5`` of the NLM, ``MD5(<file>)= <hex>``."""
    line = re.fullmatch(rb"MD5 ?\(.*\) ?= ?([0-9a-fA-F]{32})\s*", path.read_bytes()[:4096])
    if not line:
        raise DataError(path, "", "expected one line 'MD5(<file>)= <32 hex digits>'")
    return line[1].decode().lower()


class _Article(NamedTuple):
    pmid: str
    title: str
    descriptors: list[tuple[str, str]]  # (id, name)


def _articles(path: Path) -> Iterator[_Article]:
    with loose(path).open_gzip() as file:
        parser = _Parser(file.label)
        while chunk := file.read(2**16):
            yield from parser.feed(chunk)
        yield from parser.feed(b"", final=True)


class _Parser:
    """Articles out of chunks of XML, by expat's events: no tree is ever built.

    expat loads no DTD; an entity declared in the document itself is refused before it is used.
    """

    def __init__(self, label: str):
        self._label = label
        self._path: list[str] = []
        self._text: list[str] = []
        self._ui = ""
        self._pmid, self._title, self._descriptors = None, None, []
        self._articles: list[_Article] = []
        self._expat = expat.ParserCreate()
        self._expat.buffer_text = True
        self._expat.StartElementHandler = self._start
        self._expat.EndElementHandler = self._end
        self._expat.EntityDeclHandler = self._refuse_entity
        self._expat.SkippedEntityHandler = self._refuse_entity

    def feed(self, chunk: bytes, final: bool = False) -> list[_Article]:
        """The articles that end within ``chunk``."""
        try:
            self._expat.Parse(chunk, final)
        except DataError:
            raise
        except expat.ExpatError as error:
            expected = f"expected well-formed XML, but: {expat.ErrorString(error.code)}"
            raise DataError(self._label, f"line {error.lineno}", expected) from error
        except (LookupError, ValueError) as error:  # an encoding that Python or expat lacks
            raise DataError(self._label, "", f"expected XML in UTF-8, but: {error}") from error
        articles, self._articles = self._articles, []
        return articles

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        parent = self._path[-1] if self._path else None
        self._path.append(tag)
        if parent is None and tag not in _ROOTS:
            raise self._error(f"expected a root element {' or '.join(_ROOTS)}, found {tag}")
        if tag == "MedlineCitation":
            self._pmid, self._title, self._descriptors = None, None, []
        elif (parent, tag) in _READ:
            self._ui = attributes.get("UI", "").strip()
            self._text = []
            self._expat.CharacterDataHandler = self._text.append

    def _end(self, tag: str) -> None:
        self._path.pop()
        parent = self._path[-1] if self._path else None
        if tag == "MedlineCitation":
            self._articles.append(self._article())
        elif (parent, tag) in _READ:
            self._expat.CharacterDataHandler = None
            self._keep(tag, "".join(self._text))

    def _keep(self, tag: str, text: str) -> None:
        if tag == "PMID":
            self._pmid = text.strip()
        elif tag == "ArticleTitle":
            self._title = text
        elif not text.strip():
            raise self._error("expected a name in DescriptorName")
        else:
            self._descriptors.append((self._ui or text.strip(), text.strip()))

    def _article(self) -> _Article:
        if not self._pmid:
            raise self._error("expected a PMID in the MedlineCitation that ends here")
        if self._title is None:
            raise DataError(self._label, f"PMID {self._pmid}", "expected an ArticleTitle")
        return _Article(self._pmid, self._title, self._descriptors)

    def _refuse_entity(self, name: str, *_) -> None:
        raise self._error(f"expected XML without entities of its own, found '{name}'")

    def _error(self, expected: str) -> DataError:
        return DataError(self._label, f"line {self._expat.CurrentLineNumber}", expected)
