"""What the registry knows of a raw format."""

from collections.abc import Callable
from typing import NamedTuple


class Format(NamedTuple):
    """One raw format: how it is read, split and recognised.

    name: what a config calls it
    read: ``(path, dropped, **options)`` -> iterator of :class:`Document` and :class:`Query`. It adds
        to the Counter ``dropped`` what it leaves out, by reason, and raises DataError and nothing else.
    split_rule: where its splits come from, for stats.json and ``mvg check``
    sign: a regular expression; a file of such a name is a sign of the format
    options: what an entry of ``sources`` may also set, by name: the JSON schema of each
    """

    name: str
    read: Callable
    split_rule: str
    sign: str = ""
    options: dict[str, dict] = {}
