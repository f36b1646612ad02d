"""MS MARCO passages (Nguyen et al., 2016): question -> passages, as three kinds of tab-separated files."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ..datasets.records import Document, Query
from ..datasets.splits import SPLITS, hashed_fraction
from ..io.archives import tar_members
from ..io.errors import DataError
from ..io.fields import fit_id
from ..io.members import Member, loose
from ..io.text import text_lines
from .format import Format

DEV_SHARE = 0.1


def read_msmarco(path, dropped: Counter) -> Iterator[Document | Query]:
    """The passages of ``collection.tsv``, then the queries of each split.

    ``path`` is a folder. Each file may have the suffix ``.gz``, or be in the folder's one ``.tar.gz``,
    which is read once for each file taken from it. ``collection.tsv`` and ``queries.<split>.tsv`` have
    lines ``id text``, ``qrels.<split>.tsv`` has lines ``query 0 passage score``, all separated by tabs.
    ``<split>`` is train, dev or test, or the same with ``.small``, which takes precedence. Everything is
    streamed; only the judgements of one split are in memory.

    Counted in ``dropped``: pairs with a score of 0 or less. Raises DataError for anything else.
    """
    path = Path(path)
    files = _files(path)
    for _, id, text in _texts(_need(files, path, "collection.tsv")):
        yield Document(id, "", text)
    names = {split: _name(files, split) for split in SPLITS}
    if not names["test"]:
        names |= {"test": names["dev"], "dev": None}
    for split, wanted in ("train", "qrels.train.tsv"), ("test", "qrels.dev.tsv"):
        if not names[split]:
            raise DataError(path, "", f"expected a file {wanted} there")
    for split, name in names.items():
        if name:
            part_is_dev = split == "train" and not names["dev"]
            qrels = _need(files, path, f"qrels.{name}.tsv")
            queries = _need(files, path, f"queries.{name}.tsv", f"queries.{name.removesuffix('.small')}.tsv")
            yield from _queries(queries, qrels, split, part_is_dev, dropped)


def _files(path: Path) -> dict[str, Member]:
    """The files of the folder by name, and those of its ``.tar.gz`` that are not in the folder."""
    if not path.is_dir():
        raise DataError(path, "", "expected a folder with the files of MS MARCO here")
    loose_files = sorted(file for file in path.iterdir() if file.is_file())
    archives = [file for file in loose_files if file.name.endswith((".tar.gz", ".tgz"))]
    if len(archives) > 1:
        raise DataError(path, "", f"expected one .tar.gz there, found {', '.join(file.name for file in archives[:5])}")
    files = {file.name: loose(file) for file in loose_files if file not in archives}
    for archive in archives:
        held = {name.removesuffix(".gz") for name in files}
        packed = tar_members(archive)
        files |= {name: packed[name] for name in packed if name.removesuffix(".gz") not in held}
    return files


def _name(files: dict[str, Member], split: str) -> str | None:
    """The part of a file's name between ``qrels.`` and ``.tsv`` for a split; None if there is no such file."""
    return next((name for name in (f"{split}.small", split) if _find(files, f"qrels.{name}.tsv")), None)


def _find(files: dict[str, Member], name: str) -> Member | None:
    found = [files[wanted] for wanted in (name, f"{name}.gz") if wanted in files]
    if len(found) > 1:
        raise DataError(found[0].label, "", f"expected {name} or {name}.gz, found both")
    return found[0] if found else None


def _need(files: dict[str, Member], path: Path, *names: str) -> Member:
    """The first of these files that exists. Raises DataError if none does."""
    found = [file for name in names if (file := _find(files, name))]
    if not found:
        raise DataError(path, "", f"expected a file {names[0]} there")
    return found[0]


def _queries(file: Member, qrels: Member, split: str, part_is_dev: bool, dropped: Counter) -> Iterator[Query]:
    lines: dict[str, str] = {}  # query -> the place of its first judgement
    relevant: dict[str, list[str]] = {}
    for place, query, passage in _judgements(qrels, dropped):
        lines.setdefault(query, place)
        relevant.setdefault(query, []).append(passage)
    for _, id, text in _texts(file):
        lines.pop(id, None)
        is_dev = part_is_dev and hashed_fraction(id) < DEV_SHARE
        yield Query(id, text, "dev" if is_dev else split, tuple(relevant.pop(id, ())))
    for query, place in lines.items():
        raise DataError(qrels.label, place, f"expected a query of {Path(file.label).name}, found '{query}'")


def _texts(file: Member) -> Iterator[tuple[str, str, str]]:
    """(place, id, text) of each line."""
    with file.open_text() as stream:
        for number, line in text_lines(stream, stream.label):
            id, tab, text = line.rstrip("\r\n").partition("\t")
            if not tab:
                raise DataError(file.label, f"line {number}", "expected an id and a text, separated by a tab")
            yield f"line {number}", fit_id(id, file.label, f"line {number}"), text


def _judgements(file: Member, dropped: Counter) -> Iterator[tuple[str, str, str]]:
    """(place, query, passage) of each relevant pair."""
    with file.open_text() as stream:
        for number, line in text_lines(stream, stream.label):
            place, values = f"line {number}", line.split()
            if len(values) != 4 or not re.fullmatch(r"-?\d{1,9}", values[3]):
                raise DataError(file.label, place, "expected query, 0, passage and a whole number, separated by tabs")
            if int(values[3]) > 0:
                yield place, values[0], values[2]
            else:
                dropped["pairs_of_score_0_or_less"] += 1


FORMAT = Format(
    "msmarco",
    read_msmarco,
    split_rule=(
        "by file name; without a test file the official dev is test; without another dev file, dev is a tenth of "
        "train: sha256 of the query id below 0.1 of its range"
    ),
    sign=r"collection\.tsv(\.gz)?|collection.*\.tar\.gz",
)
