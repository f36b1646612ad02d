"""Raw formats in, one BEIR folder out; and the simulator that writes raw formats.

A reader takes (path, dropped, **options), a path and a Counter of what it drops by reason, and yields
Document and Query records; options are what else an entry of ``sources`` may say. ``SPLIT_RULES``
says where each format's splits come from.
"""

from . import clicklog, eurlex, medline, msmarco, xc
from .errors import DataError
from .prepared import Split, load_split, load_stats, load_texts, load_weights, read_split, save_split, write_prepared
from .records import Document, Query
from .splits import SPLITS

READERS = {
    "eurlex": eurlex.read_eurlex,
    "eurlex-json": eurlex.read_eurlex_json,
    "medline": medline.read_medline,
    "xc": xc.read_xc,
    "clicklog": clicklog.read_clicklog,
    "msmarco": msmarco.read_msmarco,
}

SPLIT_RULES = {
    "eurlex": eurlex.SPLIT_RULE,
    "eurlex-json": eurlex.SPLIT_RULE,
    "medline": medline.SPLIT_RULE,
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
    "load_split",
    "load_stats",
    "load_texts",
    "load_weights",
    "read_split",
    "save_split",
    "write_prepared",
]
