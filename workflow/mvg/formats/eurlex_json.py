"""EURLEX57K in its older layout: one JSON file for each law, and one for all concepts."""

from collections import Counter
from collections.abc import Iterator

from ..datasets.records import Document, Query
from ..datasets.splits import SPLITS
from ..io.archives import need, open_members
from ..io.errors import DataError
from ..io.members import Member
from ..io.text import read_json
from .eurlex import concept, expect_some, law
from .format import Format

CONCEPT_MAP = "EURLEX57K.json"


def read_eurlex_json(path, dropped: Counter) -> Iterator[Document | Query]:
    """Yield all EuroVoc concepts, then the laws of ``dataset/{train,dev,test}/<celex_id>.json``.

    ``path`` is a zip, or a folder with one zip (of any name) or with the unpacked files.
    ``dataset/EURLEX57K.json`` maps the id of a concept to an object with its ``label``. Nothing is
    dropped here.
    Raises DataError for a missing or damaged file, and for a concept that is not in the map.
    """
    with open_members(path) as members:
        concepts, laws = set(), set()
        concept_map = need(members, CONCEPT_MAP, path)
        for id, record in read_json(concept_map).items():
            if not isinstance(record, dict):
                raise DataError(concept_map.label, f"concept {id}", "expected an object")
            record = {"concept_id": id} | record
            yield concept(record, "concept_id", "label", concepts, concept_map.label, f"concept {id}")
        expect_some(concepts, concept_map.label)
        for split in SPLITS:
            for member in _in_folder(members, split):
                yield law(read_json(member), split, "concepts", laws, concepts, member.label, "")


def _in_folder(members: dict[str, Member], split: str) -> list[Member]:
    """The JSON files in a folder called ``split``, by name."""
    return [members[name] for name in sorted(members) if name.endswith(".json") and f"/{name}".split("/")[-2] == split]


FORMAT = Format("eurlex-json", read_eurlex_json, split_rule="as distributed", sign=r"EURLEX57K\.json")
