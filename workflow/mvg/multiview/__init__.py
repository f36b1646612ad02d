"""What a log can add to an encoder: the paper's two steps (budget, clustering) and its rivals, one file each.

A name is imported when it is first used, because clustering needs numba, which takes a second to import.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .addition import Addition, Votes
    from .behavioural import Behavioural
    from .budget import allocate, shares
    from .clustering import fit

_HOMES = {
    "Addition": "addition",
    "Behavioural": "behavioural",
    "Votes": "addition",
    "allocate": "budget",
    "fit": "clustering",
    "shares": "budget",
}
__all__ = ["Addition", "Behavioural", "Votes", "allocate", "fit", "shares"]


def __getattr__(name: str):
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
