"""The command line: one module a command, each with ``HELP``, ``add_arguments(parser)`` and ``run(options)``.

Modules import what is heavy inside functions, so that ``mvg`` answers at once.
"""

from importlib import import_module

COMMANDS = (
    "check",
    "init",
    "build",
    "search",
    "export",
    "compare",
    "prepare",
)  # in the order in which a newcomer meets them


def modules() -> dict:
    """Command -> its module."""
    return {name: import_module(f"{__name__}.{name}") for name in COMMANDS}
