"""Raw formats in, one BEIR folder out; and the simulator that writes raw formats.

A reader takes (path, dropped, **options): a path, a Counter of what it drops by reason, and what
else an entry of ``sources`` may say of its format. It yields Document and Query records.
``SPLIT_RULES`` says where each format's splits come from.
"""

from . import beir, clicklog, eurlex, msmarco, pubmed, two_columns, xc
from .errors import DataError
from .prepared import (
    Split,
    load_facts,
    load_shard,
    load_split,
    load_splits,
    load_stats,
    load_texts,
    load_weights,
    read_split,
    save_split,
    write_prepared,
)
from .records import Document, Query
from .splits import SPLITS

READERS = {
    "beir": beir.read_beir,
    "bioasq": pubmed.read_bioasq,
    "csv": two_columns.read_csv,
    "eurlex": eurlex.read_eurlex,
    "eurlex-json": eurlex.read_eurlex_json,
    "medline": pubmed.read_medline,
    "mesh-csv": pubmed.read_mesh_csv,
    "xc": xc.read_xc,
    "clicklog": clicklog.read_clicklog,
    "msmarco": msmarco.read_msmarco,
}

SPLIT_RULES = {
    "beir": beir.SPLIT_RULE,
    "bioasq": pubmed.SPLIT_RULE,
    "csv": two_columns.SPLIT_RULE,
    "eurlex": eurlex.SPLIT_RULE,
    "eurlex-json": eurlex.SPLIT_RULE,
    "medline": pubmed.SPLIT_RULE,
    "mesh-csv": pubmed.SPLIT_RULE,
    "xc": xc.SPLIT_RULE,
    "clicklog": clicklog.SPLIT_RULE,
    "msmarco": msmarco.SPLIT_RULE,
}

__all__ = [
    "READERS",
    "SPLITS",
    "SPLIT_RULES",
    "DataError",
    "Document",
    "Query",
    "Split",
    "load_facts",
    "load_shard",
    "load_split",
    "load_splits",
    "load_stats",
    "load_texts",
    "load_weights",
    "read_split",
    "save_split",
    "write_prepared",
]
