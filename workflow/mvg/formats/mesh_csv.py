"""PubMed as a table with ``Title`` and ``meshMajor`` (on Kaggle, for instance)."""

import ast
import re
import warnings
from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from ..datasets.records import Document, Query
from ..io.errors import DataError
from ..io.members import Member
from ..io.tables import open_table
from .columns import open_tables, place_of, text_of
from .format import Format
from .mesh import SAMPLE, SPLIT_RULE, Article, from_articles, mesh

COLUMNS = {"query": "Title", "document": "meshMajor"}
MAX_CELL = 2**20  # characters of one list; Python's parser needs some 250 times as many bytes


def read_mesh_csv(path, dropped: Counter, sample: dict | None = None) -> Iterator[Document | Query]:
    """The articles and descriptors of a table with ``Title`` and ``meshMajor``, a Python list of names.

    ``path`` is the table (also ``.gz``), or a folder or zip with it. An article's id is ``row-`` and its number from 1.
    ``sample`` as in :func:`mvg.formats.medline.read_medline`.
    """
    with open_tables(path) as members:
        yield from from_articles(path, _articles(members), mesh(Path(path)), dropped, sample)


def _articles(members: list[Member]) -> Iterator[Article]:
    numbers = count(1)
    for member in members:
        with open_table(member, COLUMNS.values()) as table:
            places = [place_of(table, meaning, COLUMNS) for meaning in COLUMNS]
            for where, values in table.rows(places, has_header=True):
                place = table.label, where
                title, listed = (
                    text_of(value, name, *place) for value, name in zip(values, COLUMNS.values(), strict=True)
                )
                yield Article(f"row-{next(numbers)}", title, [(name, name) for name in _names(listed, place)], place)


_TEXT = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""", re.S)


def _names(listed: str, place) -> list[str]:
    """The strings in a list that Python printed."""
    if len(listed) > MAX_CELL:
        raise DataError(*place, f"expected meshMajor to have at most {MAX_CELL:,} characters, found {len(listed):,}")
    try:
        with warnings.catch_warnings(action="ignore"):  # about backslashes that escape nothing
            names = ast.literal_eval(listed or "[]")
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        names = None
    is_list = type(names) is list and all(type(name) is str for name in names)
    # Python joins strings without a comma between them, as in a printed NumPy array.
    if not is_list or len(_TEXT.findall(listed)) != len(names):
        raise DataError(*place, f"expected meshMajor to be a list of texts, found {listed[:80]!r}")
    return [name.strip() for name in names]


FORMAT = Format("mesh-csv", read_mesh_csv, SPLIT_RULE, options={"sample": SAMPLE})
