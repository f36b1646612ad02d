"""A data set of the user's own, as commands are given it: a path, its format, and the names of its columns."""

from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from ..datasets.writing import write_prepared
from ..formats import FORMATS
from ..formats.guess import guess_format
from ..io.errors import DataError

COLUMNS = {
    "query": "the text of the query is",
    "document": "the text of the document is, or its id in a click log",
    "count": "the number of clicks is",
    "date": "the day of the clicks is",
    "relevance": "a number is, 0 or less where the document does not answer the query",
}


def add_arguments(parser) -> None:
    """What names a data set on the command line."""
    parser.add_argument("path", help="folder, zip or file of queries and the documents that answered them")
    parser.add_argument("--format", choices=sorted(FORMATS), help="guessed from the names of the files without it")
    for meaning, what in COLUMNS.items():
        parser.add_argument(f"--{meaning}", metavar="COLUMN", help=f"of a table: where {what}")
    parser.add_argument("--split", choices=["date", "random"], help="of a click log; random needs no dates")


class Source(NamedTuple):
    """Where a data set is; ``options`` are its reader's."""

    path: Any
    format: str
    guessed: bool = False
    options: dict = {}  # noqa: RUF012

    @classmethod
    def named(cls, given) -> "Source":
        """What the command line names; flags that do not go together end it. DataError if no format is recognised."""
        columns = {meaning: name for meaning in COLUMNS if (name := getattr(given, meaning)) is not None}
        format = given.format or _format_of(columns, given.split)
        options = ({"columns": columns} if columns else {}) | ({"split": given.split} if given.split else {})
        if fault := _fault(format, options):
            given.error(fault)
        return cls(given.path, format or guess_format(given.path), format is None, options)

    @classmethod
    def of(cls, path) -> "Source":
        """A path whose format is guessed. DataError if nothing there is a sign of one."""
        return cls(path, guess_format(path), guessed=True)

    def prepare(self, folder) -> dict:
        """Write a BEIR folder; its facts and counts, as in its ``stats.json``. Raises DataError as the reader does."""
        format, dropped, folder = FORMATS[self.format], Counter(), Path(folder)
        facts = {"format": self.format, "split_rule": format.split_rule, "simulated": False}
        try:
            return write_prepared(format.read(self.path, dropped, **self.options), folder, dropped, facts)
        except DataError as error:  # what was wrong is in the user's file, not in ours
            hint = f" (the format {self.format} is a guess: say another with --format)" if self.guessed else ""
            place = self.path if error.file == folder else error.file
            raise DataError(place, error.where, f"{error.expected}{hint}") from error


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
