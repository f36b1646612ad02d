"""The user's own BEIR folder (Thakur et al., NeurIPS 2021)."""

import math
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ..datasets.records import Document, Query
from ..datasets.splits import hashed_fraction
from ..io.archives import find_either, found, open_members
from ..io.errors import DataError
from ..io.fields import id_field, new_id, text_field, weight_field
from ..io.members import Member
from ..io.text import json_lines, text_lines
from .format import Format

HELD_OUT_SHARE = 0.1


def read_beir(path, dropped: Counter, ignore_identical_ids: bool = False) -> Iterator[Document | Query]:
    """All documents of ``corpus.jsonl``, then all queries of ``queries.jsonl``.

    ``path`` is a folder or a zip; each file may have the suffix ``.gz``. ``_id`` is a text or a
    whole number; ``title`` and ``metadata`` may be missing. ``qrels/<split>.tsv`` has lines
    ``query-id corpus-id score``, with or without a header. A score above 0 means relevant, and so does
    a missing score. ``qrels/train.tsv`` is required. If dev is missing, train queries whose sha256 of
    the id is below 0.1 of its range become dev; if test is missing, those from 0.1 to 0.2 become test.
    ``filters/<split>.tsv`` (lines ``query-id corpus-id``) lists pairs to leave out.
    ``ignore_identical_ids`` leaves out each pair of a query and the document with the same id.

    Counted in ``dropped``: pairs of a query in a second split (test comes first, then dev, then
    train), pairs with a score of 0 or less. Raises DataError for anything else.
    """
    with open_members(path) as members:

        def table(name):
            return find_either(members, name, path)

        documents: set[str] = set()
        yield from _documents(found(table("corpus.jsonl"), "corpus.jsonl", path), documents)
        if not documents:
            raise DataError(f"{path}/corpus.jsonl", "", "expected at least one document, found none")
        queries = found(table("queries.jsonl"), "queries.jsonl", path)
        found(table("qrels/train.tsv"), "qrels/train.tsv (training queries, of which MVG makes its vectors)", path)
        judged: dict[str, _Judged] = {}
        given = [split for split in ("test", "dev", "train") if table(f"qrels/{split}.tsv")]
        for split in given:
            _add_qrels(judged, split, table(f"qrels/{split}.tsv"), documents, dropped)
        for split in given:
            if filters := table(f"filters/{split}.tsv"):
                _add_filters(judged, split, filters, documents)
        themselves = documents if ignore_identical_ids else ()
        yield from _queries(queries, judged, given, themselves)
        _expect_none_left(judged, queries)


class _Judged(NamedTuple):
    """The entries of the tables for one query."""

    split: str
    where: tuple  # file and line of its first pair
    relevant: list[str]
    excluded: list[str]


def _documents(member: Member, seen: set[str]) -> Iterator[Document]:
    with member.open_text() as file:
        for number, record in json_lines(file, file.label):
            place = file.label, f"line {number}"
            id = new_id(id_field(record, "_id", *place), seen, *place)
            title = "" if record.get("title") is None else text_field(record, "title", *place)
            yield Document(id, title, text_field(record, "text", *place))


def _queries(member: Member, judged: dict[str, _Judged], given: list[str], themselves) -> Iterator[Query]:
    """All queries. Each takes its entry out of ``judged``; a query without one has no relevant documents.

    themselves: ids of documents to leave out for the query with the same id
    """
    seen: set[str] = set()
    with member.open_text() as file:
        for number, record in json_lines(file, file.label):
            place = file.label, f"line {number}"
            id = new_id(id_field(record, "_id", *place), seen, *place)
            split, _, relevant, excluded = judged.pop(id, ("train", (), [], []))
            if split == "train":
                split = _part_of_train(id, given)
            if id in themselves:
                excluded.append(id)
            text, weight = text_field(record, "text", *place), weight_field(record, *place)
            yield Query(id, text, split, tuple(relevant), tuple(excluded), weight)


def _part_of_train(id: str, given: list[str]) -> str:
    fraction = hashed_fraction(id)
    if "dev" not in given and fraction < HELD_OUT_SHARE:
        return "dev"
    if "test" not in given and HELD_OUT_SHARE <= fraction < 2 * HELD_OUT_SHARE:
        return "test"
    return "train"


def _add_qrels(judged: dict[str, _Judged], split: str, member: Member, documents: set[str], dropped: Counter) -> None:
    for where, (query, document, *score) in _rows(member, (2, 3)):
        if score and _score(score[0], *where) <= 0:  # before the check below: its document may be missing
            dropped["pairs_of_score_0_or_less"] += 1
            continue
        _expect_known(document, documents, where)
        entry = judged.setdefault(query, _Judged(split, where, [], []))
        if entry.split == split:
            entry.relevant.append(document)
        else:
            dropped["pairs_of_a_query_in_a_second_split"] += 1


def _add_filters(judged: dict[str, _Judged], split: str, member: Member, documents: set[str]) -> None:
    for where, (query, document) in _rows(member, (2,)):
        _expect_known(document, documents, where)
        judged.setdefault(query, _Judged(split, where, [], [])).excluded.append(document)


def _rows(member: Member, widths: tuple[int, ...]) -> Iterator[tuple[tuple, list[str]]]:
    """((file, line), cells) of a table of ids. A first line that starts with query-id is a header."""
    with member.open_text() as file:
        for number, line in text_lines(file, file.label):
            cells = line.rstrip("\r\n").split("\t")
            if cells == [""] or (number == 1 and cells[0].lower() in ("query-id", "query_id", "qid")):
                continue
            where = file.label, f"line {number}"
            if len(cells) not in widths:
                names = "query-id, corpus-id and score" if 3 in widths else "query-id and corpus-id"
                raise DataError(*where, f"expected {names}, separated by tabs, found {len(cells)} columns")
            yield where, cells


def _expect_known(document: str, documents: set[str], where: tuple) -> None:
    if document not in documents:
        raise DataError(*where, f"expected an id of the corpus, found '{document}'")


def _score(text: str, file, where) -> float:
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise DataError(file, where, f"expected a score that is a number, found '{text}'")
    return score


def _expect_none_left(judged: dict[str, _Judged], queries: Member) -> None:
    for id, entry in judged.items():
        raise DataError(*entry.where, f"expected an id of {queries.label}, found '{id}'")


FORMAT = Format(
    "beir",
    read_beir,
    split_rule="as distributed; where dev or test is missing, a tenth of train each: by sha256 of the query id",
    sign=r"corpus\.jsonl(\.gz)?",
    options={
        "ignore_identical_ids": {
            "description": "Queries are documents: leave out each pair of a query and the document with its id.",
            "type": "boolean",
        }
    },
)
