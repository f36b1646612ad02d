"""Names of methods: what a log adds to an encoder, from the outside in, and the encoder.

``[shared+|knn+][mvg+][prior+][moved+|tuned+][adapter+]x``; ``pefa-xs+x``, ``pefa-xl+x`` and ``auto+x`` stand alone.
"""

import re
from typing import NamedTuple

ALONE = ("pefa-xs", "pefa-xl", "auto")
RIVALS_BY_TEXT = ("bm25-expanded", "ova-tfidf")  # need no encoder
STORAGES = ("int8", "pq")
WRAPPERS = {"plain": "", "prior": "prior+", "mvg": "mvg+", "both": "mvg+prior+"}  # the rows of every run
GRAMMAR = "[shared+|knn+][mvg+][prior+][moved+|tuned+][adapter+]x, pefa-xs+x, pefa-xl+x or auto+x"
ADDED = (
    r"(?:(?P<alone>pefa-xs|pefa-xl|auto)\+|(?:(?P<votes>shared|knn)\+)?(?:(?P<views>mvg)\+)?(?:(?P<prior>prior)\+)?"
    r"(?:(?P<documents>moved|tuned)\+)?(?:(?P<adapter>adapter)\+)?)"
)
_METHOD = re.compile(rf"{ADDED}(?P<encoder>[a-z0-9][a-z0-9.-]*)?")


class Method(NamedTuple):
    """The parts of a name; an empty text for what is not there."""

    alone: str
    votes: str
    views: str
    prior: str
    documents: str
    adapter: str
    encoder: str

    @classmethod
    def parse(cls, name: str) -> "Method":
        """``mvg+prior+dssm`` by its parts; without an encoder, as in ``shared+tuned``, the last is empty.

        Raises ValueError for a name that the grammar does not have.
        """
        encoder = name.rpartition("+")[2]
        full = f"{name}+" if encoder in PARTS else name
        found = _METHOD.fullmatch(full)
        if not found or not name:
            raise ValueError(f"'{name}': expected {GRAMMAR}")
        return cls(**{key: value or "" for key, value in found.groupdict().items()})

    @property
    def parts(self) -> tuple[str, ...]:
        """What was added, from the outside in."""
        return tuple(filter(None, self[:-1]))

    @property
    def added(self) -> str:
        """``mvg+prior``: the name without the encoder."""
        return "+".join(self.parts)

    def over(self, encoder: str) -> str:
        """The full name over an encoder."""
        return "+".join([*self.parts, encoder])


PARTS = {*ALONE, "shared", "knn", "mvg", "prior", "moved", "tuned", "adapter"}


class Rival(NamedTuple):
    """A rival of these methods, for the frontier: of texts, ``ova``, or ``METHOD@HOW``, a method stored or searched so.

    HOW is ``int8``, ``pq`` or a factory string of faiss.
    """

    name: str
    how: str = ""

    @classmethod
    def parse(cls, name: str) -> "Rival":
        """``tuned@pq`` by its parts. Raises ValueError for what is no rival."""
        if name in (*RIVALS_BY_TEXT, "ova"):
            return cls(name)
        method, _, how = name.partition("@")
        if not how or (method and Method.parse(method).encoder) or "auto" in method.split("+"):
            known = ", ".join((*RIVALS_BY_TEXT, "ova"))
            raise ValueError(f"expected {known}, or a method without an encoder, @, and int8, pq or an index of faiss")
        return cls(method, how)

    @property
    def grows(self) -> bool:
        """Whether it is built within a budget: with own or shared views, in fewer bytes."""
        method = Method.parse(self.name) if self.name and self.how in STORAGES else None
        return bool(method) and (bool(method.views) or method.votes == "shared")
