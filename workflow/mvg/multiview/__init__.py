"""What a log can add to an encoder: the paper's two steps (budget, clustering) and its rivals, one file each."""

from .adapter import adapter
from .addition import Addition, Votes
from .budget import allocate, shares
from .clustering import Behavioural, fit
from .moved import moved, pefa_xs
from .shared import knn, pefa_xl, shared
from .tuned import shared_tuned, tuned

__all__ = [
    "Addition", "Behavioural", "Votes", "adapter", "allocate", "fit", "knn", "moved", "pefa_xl", "pefa_xs",
    "shared", "shared_tuned", "shares", "tuned",
]  # fmt: skip
