"""Items some at a time: work on lists costs less than on one item after the other."""

from collections.abc import Iterable, Iterator
from itertools import islice

AT_ONCE = 1 << 14


def in_lists(items: Iterable) -> Iterator[list]:
    """``items`` in order, in lists."""
    items = iter(items)
    while some := list(islice(items, AT_ONCE)):
        yield some
