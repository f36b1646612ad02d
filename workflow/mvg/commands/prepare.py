"""``mvg prepare PATH FOLDER``: the data set as a BEIR folder, to encode its texts by means of one's own."""

from pathlib import Path

from ..io.errors import DataError
from . import source
from .progress import say

HELP = "write a data set as a BEIR folder, whose texts an encoder of your own can read"


def add_arguments(parser) -> None:
    source.add_arguments(parser)
    parser.add_argument("folder", help="a new folder: corpus.jsonl, queries.jsonl, qrels/")


def run(options) -> None:
    folder = Path(options.folder)
    if folder.exists():
        raise DataError(folder, "", "expected a new folder")
    stats = source.Source.named(options).prepare(folder)
    say(f"{folder}: {stats['documents']:,} documents, {sum(stats['queries'].values()):,} queries")
