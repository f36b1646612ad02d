"""How far a command is: one line on a terminal that counts on, or a line a step elsewhere. On stderr."""

import sys
from collections.abc import Iterator


def say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def progress(items, label: str) -> Iterator:
    """``items``, which have a length, counted as they are gone through."""
    if not sys.stderr.isatty():
        say(f"{label} …")
        yield from items
        return
    for done, item in enumerate(items):
        print(f"\r{label}: {done} of {len(items)}", end="\x1b[K", file=sys.stderr, flush=True)
        yield item
    print("\r", end="\x1b[K", file=sys.stderr, flush=True)
