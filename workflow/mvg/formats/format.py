"""An entry of the registry of raw formats."""

from collections.abc import Callable
from typing import NamedTuple


class Format(NamedTuple):
    """One raw format: how it is read, split and recognised.

    name: its name in a config
    read: ``(path, dropped, **options)`` -> iterator of :class:`Document` and :class:`Query`. It counts
        what it leaves out in the Counter ``dropped``, by reason, and raises only DataError.
    split_rule: where its splits come from, for stats.json and ``mvg check``
    sign: a regular expression; a file whose name matches is a sign of the format
    options: option of an entry of ``sources`` -> its JSON schema
    """

    name: str
    read: Callable
    split_rule: str
    sign: str = ""
    options: dict[str, dict] = {}
