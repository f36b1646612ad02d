"""Raw formats: one module per reader, and the registry of all formats.

To add a format, write a module with a ``FORMAT`` and list it here; docs/extending.md shows how. The
config schema, ``mvg check`` and the workflow read the registry. It imports no numpy.
"""

from importlib import import_module

from .format import Format

# Formats are guessed in this order.
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
