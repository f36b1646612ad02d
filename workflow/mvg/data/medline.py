"""MEDLINE / PubMed XML, as in the annual baseline of the NLM, and the XML of MeSH: articles and descriptors."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .archives import loose, read_json
from .errors import DataError
from .fields import fit_id, list_field, text_field
from .xml_records import Parser, records

MANIFEST = "downloaded.json"  # beside downloaded files: which of them belong to the set
DESCRIPTORS = r"desc\d{4}(\.xml)?(\.gz)?"  # MeSH of a year


class Article(NamedTuple):
    """One article that has MeSH headings, or none."""

    id: str
    title: str
    descriptors: list[tuple[str, str]]  # (id, name): a descriptor's UI or, without one, its name twice
    place: tuple  # file and id, for messages


def articles(path: Path) -> Iterator[Article]:
    """The articles of all ``*.xml.gz`` of a folder (or of one such file), each first checked against its ``.md5``.

    Where ``downloaded.json`` is in the folder, only files that it lists are read.
    """
    files = [path] if path.is_file() else _listed(path, sorted(path.glob("*.xml.gz")))
    files = [file for file in files if not re.fullmatch(DESCRIPTORS, file.name)]
    if not files:
        raise DataError(path, "", "expected a folder with *.xml.gz files of MEDLINE here")
    for file in files:
        _check_md5(file)
        yield from records(_Articles, file)


def mesh(path: Path) -> dict[str, str] | None:
    """Id -> name of all descriptors of ``desc<year>.xml`` (or ``.gz``) in a folder; None where there is none."""
    files = _listed(path, sorted(path.glob("desc*"))) if path.is_dir() else []
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


def _listed(folder: Path, files: list[Path]) -> list[Path]:
    manifest = folder / MANIFEST
    if not manifest.is_file():
        return files
    listed = list_field(read_json(loose(manifest)), "files", dict, manifest, "")
    names = {text_field(file, "name", manifest, "") for file in listed}
    return [file for file in files if file.name in names]


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
    with open(path, "rb") as file:
        line = re.fullmatch(rb"MD5 ?\(.*\) ?= ?([0-9a-fA-F]{32})\s*", file.read(4096))
    if not line:
        raise DataError(path, "", "expected one line 'MD5(<file>)= <32 hex digits>'")
    return line[1].decode().lower()


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


class _Descriptors(Parser):
    """(UI, name, place) of each descriptor; a record's cross-references have UIs and names as well."""

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
