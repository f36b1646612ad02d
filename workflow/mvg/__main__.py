"""``mvg check PATH``: what a data set is like, before anything is trained."""

import argparse
import sys

from .check import check
from .formats import FORMATS
from .job import mendable


def main(arguments: list[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    given = options.query is not None or options.document is not None
    named = {"query": options.query, "document": options.document} if given else None
    if named and (options.format not in (None, "csv") or not all(named.values())):
        parser.error("--query and --document go together, and with the format csv")
    if named and options.query == options.document:
        parser.error("--query and --document are two columns")
    try:
        print(check(options.path, "csv", columns=named) if named else check(options.path, options.format), end="")
    except Exception as error:
        if (line := mendable(error)) is None:
            raise
        print(f"error: {line}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mvg", description="The Multi-View Geometric Index.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    command = commands.add_parser("check", help="say what a data set is like, and whether MVG is likely to help")
    command.add_argument("path", help="folder, zip or file")
    command.add_argument("--format", choices=sorted(FORMATS), help="guessed from the names of the files without it")
    command.add_argument("--query", metavar="COLUMN", help="of a table: where the text of the query is")
    command.add_argument("--document", metavar="COLUMN", help="of a table: where the text of the document is")
    return parser


if __name__ == "__main__":
    sys.exit(main())
