"""Which raw format a path holds, by the names in it."""

import re
from contextlib import nullcontext
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
    path = Path(path)
    if path.is_file() and path.suffix != ".zip":
        places = [nullcontext({path.name: loose(path)})]
    elif path.is_file():  # what lies beside a zip may be of another data set
        places = [open_zip(path), open_members(path)]
    else:
        places = [open_members(path)]
    for place in places:
        with place as members:
            if format := _guess(members):
                return format
    formats = ", ".join([*SIGNS, "mesh-csv"])
    raise DataError(path, "", f"expected files of one of the formats {formats}; say it with --format")


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
