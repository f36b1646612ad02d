"""Names of methods: what a log adds to an encoder, from the outside in, then the encoder.

``[shared+|knn+][mvg+][prior+][moved+|tuned+][adapter+]x``; ``pefa-xs+x``, ``pefa-xl+x`` and ``auto+x`` stand alone.
"""

import re
from typing import NamedTuple

ALONE = ("pefa-xs", "pefa-xl", "auto")
RIVALS_BY_TEXT = ("bm25-expanded", "ova-tfidf")  # need no encoder
STORAGES = ("int8", "int4", "pq")  # NAME@int8: in fewer bytes
WRAPPERS = {"plain": "", "prior": "prior+", "mvg": "mvg+", "both": "mvg+prior+"}  # the rows of every run
GRAMMAR = "[shared+|knn+][mvg+][prior+][moved+|tuned+][adapter+]x, pefa-xs+x, pefa-xl+x or auto+x"
ADDED = (
    r"(?:(?P<alone>pefa-xs|pefa-xl|auto)\+|(?:(?P<votes>shared|knn)\+)?(?:(?P<views>mvg)\+)?(?:(?P<prior>prior)\+)?"
    r"(?:(?P<documents>moved|tuned)\+)?(?:(?P<adapter>adapter)\+)?)"
)
_METHOD = re.compile(rf"{ADDED}(?P<encoder>[a-z0-9][a-z0-9.-]*)?")


class Method(NamedTuple):
    """The parts of a name; an absent part is an empty string."""

    alone: str
    votes: str
    views: str
    prior: str
    documents: str
    adapter: str
    encoder: str

    @classmethod
    def parse(cls, name: str) -> "Method":
        """Split ``mvg+prior+dssm`` into its parts; in a name without an encoder, such as ``shared+tuned``, it is empty.

        Raises ValueError for a name outside the grammar.
        """
        encoder = name.rpartition("+")[2]
        full = f"{name}+" if encoder in PARTS else name
        found = _METHOD.fullmatch(full)
        if not found or not name:
            raise ValueError(f"'{name}': expected {GRAMMAR}")
        return cls(**{key: value or "" for key, value in found.groupdict().items()})

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts added to the encoder, from the outside in."""
        return tuple(filter(None, self[:-1]))

    @property
    def added(self) -> str:
        """``mvg+prior``: the name without the encoder."""
        return "+".join(self.parts)

    def over(self, encoder: str) -> str:
        """The full name over an encoder."""
        return "+".join([*self.parts, encoder])


def stored_as(name: str) -> tuple[str, str]:
    """``knn+tuned@int4`` in two: the method, and how its vectors are stored, empty for float32.

    Raises ValueError for another storage, and where there are no centers for ``int4`` and ``pq`` to store.
    """
    method, at, how = name.partition("@")
    if at and how not in STORAGES:
        raise ValueError(f"'{name}': expected {', '.join(STORAGES)} behind the @")
    if how in STORAGES[1:] and not {"shared", "knn"} & {*method.split("+")}:
        raise ValueError(f"'{name}': {how} stores the centers of votes, which only shared+… and knn+… have")
    return method, how


PARTS = {*ALONE, "shared", "knn", "mvg", "prior", "moved", "tuned", "adapter"}


class Rival(NamedTuple):
    """A rival for the frontier: ``bm25-expanded``, ``ova-tfidf``, ``ova``, or ``METHOD@HOW``.

    HOW says how the method's index is stored or searched: ``int8``, ``int4``, ``pq`` or a factory string of faiss.
    """

    name: str
    how: str = ""

    @classmethod
    def parse(cls, name: str) -> "Rival":
        """Split ``tuned@pq`` into its parts. Raises ValueError for a name that is no rival."""
        if name in (*RIVALS_BY_TEXT, "ova"):
            return cls(name)
        method, _, how = name.partition("@")
        if not how or (method and Method.parse(method).encoder) or "auto" in method.split("+"):
            known = ", ".join((*RIVALS_BY_TEXT, "ova"))
            hows = ", ".join(STORAGES)
            raise ValueError(f"expected {known}, or a method without an encoder, @, and {hows} or an index of faiss")
        if how in STORAGES:
            stored_as(name)
        return cls(method, how)

    @property
    def grows(self) -> bool:
        """Whether it is built within a budget: it has own or shared views, stored in fewer bytes."""
        method = Method.parse(self.name) if self.name and self.how in STORAGES else None
        return bool(method) and (bool(method.views) or method.votes == "shared")
