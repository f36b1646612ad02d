"""Guesses the raw format of a path by the names of its files; for a table, by its columns."""

import re
from contextlib import nullcontext
from pathlib import Path

from ..io.archives import open_members, open_zip
from ..io.errors import DataError
from ..io.members import Member, loose
from ..io.tables import open_table
from . import FORMATS, mesh_csv
from .columns import USUAL, recognised


def guess_format(path) -> str:
    """The name of the format at ``path``. Raises DataError if no file there is a sign of one."""
    path = Path(path)
    if path.is_file() and path.suffix.lower() != ".zip":
        places = [nullcontext({path.name: loose(path)})]
    elif path.is_file():  # the files beside a zip may belong to another dataset
        places = [open_zip(path), open_members(path)]
    else:
        places = [open_members(path)]
    for place in places:
        with place as members:
            if format := _guess(members):
                return format
    raise DataError(path, "", f"expected files of one of the formats {', '.join(FORMATS)}; name one with --format")


def _guess(members: dict[str, Member]) -> str | None:
    """The first format whose sign is among the names; columns decide between formats of tables."""
    for name, format in FORMATS.items():
        signs = [it for full, it in members.items() if _is_sign(full.rpartition("/")[2], format.sign)]
        if signs:
            # A click log may also have a table with the texts of its documents.
            clicks = [it for it in signs if it.name.startswith("clicks")]
            return _table_format((clicks or signs)[0]) if name == "csv" else name
    return None


def _is_sign(name: str, sign: str) -> bool:
    return bool(sign and re.fullmatch(sign, name, re.I))


def _table_format(member: Member) -> str:
    with open_table(member) as table:
        if set(mesh_csv.COLUMNS.values()) <= set(table.first):
            return "mesh-csv"
        known = {meaning for meaning in USUAL if recognised(table.first, meaning)}
    if {"query", "document"} <= known:
        return "clicklog" if "count" in known else "csv"
    return "clicklog" if member.name.startswith("clicks") else "csv"
