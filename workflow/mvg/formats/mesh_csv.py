"""PubMed as a table with ``Title`` and ``meshMajor`` (on Kaggle, for instance)."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ..datasets.records import Document, Query
from ..io.errors import DataError
from ..io.members import Member
from .format import Format
from .mesh import SAMPLE, SPLIT_RULE, Article, from_articles, mesh
from .two_columns import open_table, pairs


def read_mesh_csv(path, dropped: Counter, sample: dict | None = None) -> Iterator[Document | Query]:
    """The same from a table with ``Title`` and ``meshMajor``, the latter a Python list of names.

    ``path`` is the table (also ``.gz``), or a folder or zip with it. An article's id is ``row-`` and its number from 1.
    """
    with open_table(path) as member:
        yield from from_articles(path, _table(member), mesh(Path(path)), dropped, sample)


def _table(member: Member) -> Iterator[Article]:
    with member.open_text() as file:
        columns = {"query": "Title", "document": "meshMajor"}
        for number, (where, title, listed) in enumerate(pairs(file, file.label, columns), start=1):
            place = file.label, where
            yield Article(f"row-{number}", title, [(name, name) for name in _names(listed, place)], place)


_NAME = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*(?:,|$)""")
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U00(?:0[0-9a-fA-F]|10)[0-9a-fA-F]{4}|.)")


def _names(listed: str, place) -> list[str]:
    """The texts of a Python list of texts, as Python prints it."""
    names, at, inner = [], 0, listed[1:-1].strip()
    is_list = not listed or (listed[:1] == "[" and listed[-1:] == "]")
    while is_list and at < len(inner) and (found := _NAME.match(inner, at)):
        names.append(_ESCAPE.sub(_unescaped, found[1] or found[2] or "").strip())
        at = found.end()
    if not is_list or at < len(inner):
        raise DataError(*place, f"expected meshMajor to be a list of texts, found {listed[:80]!r}")
    return names


def _unescaped(escape: re.Match) -> str:
    code = escape[1]
    return chr(int(code[1:], 16)) if len(code) > 1 else {"n": "\n", "r": "\r", "t": "\t"}.get(code, code)


FORMAT = Format(read_mesh_csv, SPLIT_RULE, options={"sample": SAMPLE})
