"""``mvg check PATH``: what a data set is like, before anything is trained."""

import argparse
import sys

from .check import check
from .formats import FORMATS
from .job import mendable

COLUMNS = {
    "query": "the text of the query is",
    "document": "the text of the document is, or its id in a click log",
    "count": "the number of clicks is",
    "date": "the day of the clicks is",
    "relevance": "a number is, 0 or less where the document does not answer the query",
}


def main(arguments: list[str] | None = None) -> int:
    parser = _parser()
    given = parser.parse_args(arguments)
    columns = {meaning: name for meaning in COLUMNS if (name := getattr(given, meaning)) is not None}
    format = given.format or _format_of(columns, given.split)
    options = ({"columns": columns} if columns else {}) | ({"split": given.split} if given.split else {})
    if fault := _fault(format, options):
        parser.error(fault)
    try:
        print(check(given.path, format, **options), end="")
    except Exception as error:
        if (line := mendable(error)) is None:
            raise
        print(f"error: {line}", file=sys.stderr)
        return 1
    return 0


def _format_of(columns: dict, split: str | None) -> str | None:
    """The format of which such columns are; None, to be guessed, without any."""
    if "count" in columns or "date" in columns or split:
        return "clicklog"
    return "csv" if columns else None


def _fault(format: str | None, options: dict) -> str | None:
    """What is wrong with options of a reader, as the schema of its format has it."""
    schema = FORMATS[format].options if format else {}
    for option, value in options.items():
        if option not in schema:
            with_it = " or ".join(name for name, it in FORMATS.items() if option in it.options)
            return f"--{option if option == 'split' else next(iter(value))} goes with the format {with_it}"
    columns = options.get("columns", {})
    known = schema.get("columns", {}).get("properties", {})
    needed = schema.get("columns", {}).get("required", []) if columns else []
    if unknown := columns.keys() - known.keys():
        return f"--{min(unknown)} does not go with the format {format}"
    if not columns.keys() >= set(needed):
        return f"{' and '.join(f'--{name}' for name in needed)} go together, with the format {format}"
    if len(set(columns.values())) < len(columns):
        return f"{' and '.join(f'--{name}' for name in columns)} are different columns"
    return None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mvg", description="The Multi-View Geometric Index.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    command = commands.add_parser("check", help="say what a data set is like, and whether MVG is likely to help")
    command.add_argument("path", help="folder, zip or file")
    command.add_argument("--format", choices=sorted(FORMATS), help="guessed from the names of the files without it")
    for meaning, what in COLUMNS.items():
        command.add_argument(f"--{meaning}", metavar="COLUMN", help=f"of a table: where {what}")
    command.add_argument("--split", choices=["date", "random"], help="of a click log; random needs no dates")
    return parser


if __name__ == "__main__":
    sys.exit(main())
