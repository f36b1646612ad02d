"""Guesses which raw format a path holds, by the names in it."""

import re
from contextlib import nullcontext
from pathlib import Path

from ..io.archives import open_members, open_zip
from ..io.errors import DataError
from ..io.members import loose
from ..io.text import text_lines
from . import FORMATS


def guess_format(path) -> str:
    """The name of the format at ``path``. Raises DataError if no name there is a sign of one."""
    path = Path(path)
    if path.is_file() and path.suffix != ".zip":
        places = [nullcontext({path.name: loose(path)})]
    elif path.is_file():  # the files beside a zip may belong to another dataset
        places = [open_zip(path), open_members(path)]
    else:
        places = [open_members(path)]
    for place in places:
        with place as members:
            if format := _guess(members):
                return format
    raise DataError(path, "", f"expected files of one of the formats {', '.join(FORMATS)}; say it with --format")


def _guess(members: dict) -> str | None:
    """The first format that has its sign among the names; headers tell tables apart."""
    for name, format in FORMATS.items():
        for member in members:
            if format.sign and re.fullmatch(format.sign, member.rpartition("/")[2]):
                return _table_format(members[member]) if name == "csv" else name
    return None


def _table_format(member) -> str:
    with member.open_text() as file:
        _, header = next(text_lines(file, file.label), (1, ""))
    if "meshMajor" in header:
        return "mesh-csv"
    return "clicklog" if {"query", "document", "count"} <= set(header.split(",")) else "csv"
