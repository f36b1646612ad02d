"""The records that every reader yields, in any order: queries, documents, and facts about the reading."""

from typing import NamedTuple


class Document(NamedTuple):
    """One entry of the corpus."""

    id: str
    title: str
    text: str = ""


class Query(NamedTuple):
    """One query, the ids of its relevant documents, and the ids of documents to leave out (``excluded``)."""

    id: str
    text: str
    split: str  # train, dev or test
    relevant: tuple[str, ...]
    excluded: tuple[str, ...] = ()
    weight: float = 1.0  # its traffic


class Fact(NamedTuple):
    """Something that a reader found or decided, such as the first day of test; for stats.json and ``mvg check``."""

    name: str
    value: str
