"""EURLEX57K (Chalkidis et al., ACL 2019): title of an EU law -> its EuroVoc concepts.

This is the layout with one jsonl file for each split; :mod:`.eurlex_json` reads the other one.
"""

from collections import Counter
from collections.abc import Iterator

from ..datasets.records import Document, Query
from ..datasets.splits import SPLITS
from ..io.archives import need, open_members
from ..io.errors import DataError
from ..io.fields import list_field, new_id, text_field
from ..io.text import json_lines
from .format import Format

CONCEPTS = "eurovoc_concepts.jsonl"


def read_eurlex(path, dropped: Counter) -> Iterator[Document | Query]:
    """Yield all EuroVoc concepts, then the laws of ``{train,dev,test}.jsonl``.

    ``path`` is the folder of ``dataset.zip`` (or of any one zip, or of the unpacked files), or the
    zip itself. ``eurovoc_concepts.jsonl`` is beside the zip or in it. Nothing is dropped here.
    Raises DataError for a missing or damaged file, and for a concept that is not in the list.
    """
    with open_members(path, "dataset.zip") as members:
        concepts, laws = set(), set()
        with need(members, CONCEPTS, path).open() as file:
            for number, record in json_lines(file, file.label):
                yield concept(record, "id", "title", concepts, file.label, f"line {number}")
        expect_some(concepts, file.label)
        for split in SPLITS:
            with need(members, f"{split}.jsonl", path).open() as file:
                for number, record in json_lines(file, file.label):
                    place = file.label, f"line {number}"
                    yield law(record, split, "eurovoc_concepts", laws, concepts, *place)


def concept(record, id, title, concepts: set, file, where) -> Document:
    """The document of a concept's record; its id is added to ``concepts``."""
    concept_id = new_id(text_field(record, id, file, where), concepts, file, where)
    return Document(concept_id, text_field(record, title, file, where))


def expect_some(concepts: set, file) -> None:
    """Raise DataError if there are no concepts."""
    if not concepts:
        raise DataError(file, "", "expected at least one concept, found none")


def law(record, split, labels, laws: set, concepts: set, file, where) -> Query:
    """The query of a law's record, with its concepts in the field ``labels``; its id is added to ``laws``."""
    id = new_id(text_field(record, "celex_id", file, where), laws, file, where)
    relevant = list_field(record, labels, str, file, where)
    for label in relevant:
        if label not in concepts:
            expected = f"expected concepts of the list of concepts in field '{labels}', found '{label}'"
            raise DataError(file, where, expected)
    return Query(id, text_field(record, "title", file, where), split, tuple(relevant))


FORMAT = Format("eurlex", read_eurlex, split_rule="as distributed", sign=r"eurovoc_concepts\.jsonl")
