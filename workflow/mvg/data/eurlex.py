"""EURLEX57K (Chalkidis et al., ACL 2019): title of an EU law -> its EuroVoc concepts.

Two layouts are about, with the same splits: one jsonl file a split, and one JSON file a law.
"""

from collections import Counter
from collections.abc import Iterator

from .archives import Member, json_lines, need, open_members, read_json
from .errors import DataError
from .fields import list_field, new_id, text_field
from .records import Document, Query
from .splits import SPLITS

CONCEPTS, CONCEPT_MAP = "eurovoc_concepts.jsonl", "EURLEX57K.json"
SPLIT_RULE = "as distributed"


def read_eurlex(path, dropped: Counter) -> Iterator[Document | Query]:
    """All EuroVoc concepts, then the laws of ``{train,dev,test}.jsonl``.

    ``path`` is the folder of ``dataset.zip`` (or of any one zip, or of the unpacked files), or the
    zip itself; ``eurovoc_concepts.jsonl`` lies beside or in it. Nothing is dropped here.
    Raises DataError for whatever is not as said, and for a concept that is not in the list.
    """
    with open_members(path, "dataset.zip") as members:
        concepts, laws = set(), set()
        with need(members, CONCEPTS, path).open() as file:
            for number, concept in json_lines(file, file.label):
                yield _concept(concept, "id", "title", concepts, file.label, f"line {number}")
        _expect_some(concepts, file.label)
        for split in SPLITS:
            with need(members, f"{split}.jsonl", path).open() as file:
                for number, law in json_lines(file, file.label):
                    place = file.label, f"line {number}"
                    yield _law(law, split, "eurovoc_concepts", laws, concepts, *place)


def read_eurlex_json(path, dropped: Counter) -> Iterator[Document | Query]:
    """The same from the older layout: ``dataset/{train,dev,test}/<celex_id>.json``.

    ``path`` is a zip, or a folder with one zip (of any name) or with the unpacked files. The
    concepts are in ``dataset/EURLEX57K.json``, by id, each with its ``label``. Nothing is dropped
    here.
    Raises DataError for whatever is not as said, and for a concept that is not in the map.
    """
    with open_members(path) as members:
        concepts, laws = set(), set()
        concept_map = need(members, CONCEPT_MAP, path)
        for id, concept in read_json(concept_map).items():
            if not isinstance(concept, dict):
                raise DataError(concept_map.label, f"concept {id}", "expected an object")
            concept = {"concept_id": id} | concept
            place = concept_map.label, f"concept {id}"
            yield _concept(concept, "concept_id", "label", concepts, *place)
        _expect_some(concepts, concept_map.label)
        for split in SPLITS:
            for member in _in_folder(members, split):
                yield _law(read_json(member), split, "concepts", laws, concepts, member.label, "")


def _in_folder(members: dict[str, Member], split: str) -> list[Member]:
    """The JSON files that lie in a folder called ``split``, by name."""
    return [members[name] for name in sorted(members) if name.endswith(".json") and f"/{name}".split("/")[-2] == split]


def _concept(record, id, title, concepts: set, file, where) -> Document:
    concept_id = new_id(text_field(record, id, file, where), concepts, file, where)
    return Document(concept_id, text_field(record, title, file, where))


def _expect_some(concepts: set, file) -> None:
    if not concepts:
        raise DataError(file, "", "expected at least one concept, found none")


def _law(record, split, labels, laws: set, concepts: set, file, where) -> Query:
    law = new_id(text_field(record, "celex_id", file, where), laws, file, where)
    relevant = list_field(record, labels, str, file, where)
    for concept in relevant:
        if concept not in concepts:
            expected = f"expected concepts of the list of concepts in field '{labels}', found '{concept}'"
            raise DataError(file, where, expected)
    return Query(law, text_field(record, "title", file, where), split, tuple(relevant))
