"""MVG, the Multi-View Geometric Index: behavioural vectors for dense retrieval.

The rooms, in the order in which data flow; a room imports only from rooms before it:

- ``io``: atomic files, archives, shards, the error type
- ``datasets``: prepared datasets (BEIR folders), their texts, splits and pairs
- ``formats``, ``fetch``, ``simulate``: raw files, read, downloaded or drawn
- ``lexical``, ``encoders``: rankings and vectors of texts
- ``multiview``: what a log can add to an encoder
- ``search``: exact and approximate max-sim search
- ``evaluation``: metrics, significance, choices on dev
- ``reporting``: one look for tables and figures
- ``verdicts``: the paper's numbers beside ours
- ``experiments``: one module each
- ``library``, ``commands``: the package as people take it home, in Python and on the command line

:func:`mvg.build` makes an index of vectors and a log, and :func:`mvg.load` opens one that was saved. Below them
stand, for those who want the parts, ``mvg.multiview.allocate`` and ``fit``, ``mvg.search.views.Views`` and
``mvg.search.index.Index``. Importing ``mvg`` imports nothing else: the rest comes when it is asked for.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .library.build import build
    from .library.index import MultiViewIndex, load

__version__ = "0.2.0"
__all__ = ["MultiViewIndex", "build", "load"]

_HOMES = {"build": "build", "load": "index", "MultiViewIndex": "index"}


def __getattr__(name: str):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.library.{_HOMES[name]}"), name)
