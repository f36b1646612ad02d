"""Which raw format a path holds, by the names in it."""

import re
from pathlib import Path

from .archives import loose, open_members, open_zip, text_lines
from .errors import DataError

# The first whose file name is there; tables are told apart by their header.
SIGNS = {
    "beir": r"corpus\.jsonl(\.gz)?",
    "xc": r"lbl\.json\.gz",
    "eurlex": r"eurovoc_concepts\.jsonl",
    "eurlex-json": r"EURLEX57K\.json",
    "medline": r"(?!desc\d{4}).*\.xml\.gz",
    "msmarco": r"collection\.tsv(\.gz)?|collection.*\.tar\.gz",
    "clicklog": r"clicks.*\.csv(\.gz)?|.*\.parquet",
    "bioasq": r".*\.json(\.gz)?",
    "csv": r".*\.[ct]sv(\.gz)?",
}


def guess_format(path) -> str:
    """The name of a format; DataError where nothing is like one."""
    path, format = Path(path), None
    if path.is_file() and path.suffix != ".zip":
        format = _guess({path.name: loose(path)})
    elif path.is_file():  # what lies beside it may be of another data set
        with open_zip(path) as members:
            format = _guess(members)
    if format is None:
        with open_members(path) as members:
            format = _guess(members)
    if format is None:
        formats = ", ".join([*SIGNS, "mesh-csv"])
        raise DataError(path, "", f"expected files of one of the formats {formats}; say it with --format")
    return format


def _guess(members: dict) -> str | None:
    for format, sign in SIGNS.items():
        for name in members:
            if re.fullmatch(sign, name.rpartition("/")[2]):
                return _table_format(members[name]) if format == "csv" else format
    return None


def _table_format(member) -> str:
    with member.open_text() as file:
        _, header = next(text_lines(file, file.label), (1, ""))
    if "meshMajor" in header:
        return "mesh-csv"
    return "clicklog" if {"query", "document", "count"} <= set(header.split(",")) else "csv"
