"""Raw formats: one reader a file, and the registry that knows them all.

To add a format, write a module with a ``FORMAT`` and name it here; docs/extending.md shows how. The
config schema, ``mvg check`` and the workflow follow from the registry. It imports no numpy.
"""

from importlib import import_module

from .format import Format

# In the order in which their signs are looked for.
MODULES = (
    "beir",
    "xc",
    "eurlex",
    "eurlex_json",
    "medline",
    "msmarco",
    "clicklog",
    "bioasq",
    "two_columns",
    "mesh_csv",
)


def _registry() -> dict[str, Format]:
    formats = [import_module(f"{__name__}.{module}").FORMAT for module in MODULES]
    return {format.name: format for format in formats}


FORMATS = _registry()
