"""The former package of readers and prepared datasets, kept for one release.

Its names are now in :mod:`mvg.formats`, :mod:`mvg.datasets` and :mod:`mvg.io`.
"""

import importlib
import warnings

_HOMES = {
    "DataError": "mvg.io.errors",
    "Document": "mvg.datasets.records",
    "Query": "mvg.datasets.records",
    "SPLITS": "mvg.datasets.splits",
    "Split": "mvg.datasets.pairs",
    "load_facts": "mvg.datasets.reading",
    "load_shard": "mvg.datasets.reading",
    "load_splits": "mvg.datasets.pairs",
    "load_stats": "mvg.datasets.reading",
    "load_texts": "mvg.datasets.reading",
    "load_weights": "mvg.datasets.reading",
    "read_split": "mvg.datasets.pairs",
    "save_split": "mvg.datasets.pairs",
    "write_prepared": "mvg.datasets.writing",
}
_FROM_FORMATS = {"READERS": "read", "SPLIT_RULES": "split_rule"}


def __getattr__(name: str):
    if name in _FROM_FORMATS:
        from ..formats import FORMATS

        home, value = "mvg.formats.FORMATS", {key: getattr(it, _FROM_FORMATS[name]) for key, it in FORMATS.items()}
    elif name in _HOMES:
        home, value = _HOMES[name], getattr(importlib.import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module 'mvg.data' has no attribute '{name}'")
    warnings.warn(f"mvg.data.{name} moves: import it from {home}", DeprecationWarning, stacklevel=2)
    return value
