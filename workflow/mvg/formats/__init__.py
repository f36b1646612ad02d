"""Raw formats: one reader a file, and the registry that knows them all.

To add a format, write a module with a ``FORMAT`` and name it here; docs/extending.md shows how. The
config schema, ``mvg check`` and the workflow follow from the registry. It imports no numpy.
"""

from . import beir, bioasq, clicklog, eurlex, eurlex_json, medline, mesh_csv, msmarco, two_columns, xc
from .format import Format

# In the order in which their signs are looked for.
FORMATS: dict[str, Format] = {
    "beir": beir.FORMAT,
    "xc": xc.FORMAT,
    "eurlex": eurlex.FORMAT,
    "eurlex-json": eurlex_json.FORMAT,
    "medline": medline.FORMAT,
    "msmarco": msmarco.FORMAT,
    "clicklog": clicklog.FORMAT,
    "bioasq": bioasq.FORMAT,
    "csv": two_columns.FORMAT,
    "mesh-csv": mesh_csv.FORMAT,
}
