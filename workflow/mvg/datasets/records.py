"""What every reader yields: queries and documents, in any order, and facts about how it read them."""

from typing import NamedTuple


class Document(NamedTuple):
    """One entry of the corpus."""

    id: str
    title: str
    text: str = ""


class Query(NamedTuple):
    """One query, the ids of its relevant documents, and of those to leave out (``excluded``)."""

    id: str
    text: str
    split: str  # train, dev or test
    relevant: tuple[str, ...]
    excluded: tuple[str, ...] = ()
    weight: float = 1.0  # its traffic


class Fact(NamedTuple):
    """What a reader found out or decided, for stats.json and ``mvg check``: the first day of test, say."""

    name: str
    value: str
