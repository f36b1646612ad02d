"""``mvg init PATH``: a config of the workflow for a data set of the user's own."""

import json
import re
import tempfile
from pathlib import Path

from ..formats.columns import recognised
from ..io.archives import open_all
from ..io.errors import DataError
from ..io.files import text_writer
from ..io.tables import TABLE, open_table
from . import source as sources
from .source import Source

HELP = "write a config for the workflow: snakemake --configfile … then makes tables, figures and a page of your data"
KNOWN = {"eurlex", "pubmed", "wikiseealso", "msmarco", "flat", "clicklog", "large"}  # names that mean the paper's sets

CONFIG = """\
# Written by `mvg init`: {counts}.
# snakemake --configfile {file}
# config.yaml and workflow/schemas/config.schema.yaml have all other settings.
run: {name}  # results/{name}/index.html is the page to begin with
datasets: [{name}]
sources:
  {name}: {source}
encoders: [wordllama]  # add dssm-tuned to train one on your queries, minilm for a transformer as it comes
experiments: [popularity, gains]
seeds: []
explorer: {{min_count: {min_count}}}  # queries asked less often are not shown: they may say who asked
"""


def add_arguments(parser) -> None:
    sources.add_arguments(parser)
    parser.add_argument("--into", metavar="FILE", help="a new file; default: the name of the data, with .yaml")
    parser.add_argument("--min-count", type=int, default=1, metavar="N", help="show no query with less traffic (1)")


def run(options) -> None:
    source = Source.named(options)
    name = name_of(source.path)
    file = Path(options.into or f"{name}.yaml")
    if file.exists():
        raise DataError(file, "", "expected a new file: name another with --into")
    if source.format == "clicklog" and not _has_dates(source):
        source = source._replace(options={**source.options, "split": "random"})
    with tempfile.TemporaryDirectory() as folder:  # a config that runs is one whose data can be read
        stats = source.prepare(Path(folder) / "data")
    entry = {"source": "path", "path": str(source.path), "format": source.format, **source.options}
    queries = ", ".join(f"{number:,} {split}" for split, number in stats["queries"].items())
    with text_writer(file) as config:
        config.write(
            CONFIG.format(
                counts=f"{stats['documents']:,} documents, queries: {queries}",
                file=file,
                name=name,
                source=json.dumps(entry, ensure_ascii=False),
                min_count=options.min_count,
            )
        )
    print(f"snakemake --configfile {file}")


def name_of(path) -> str:
    """What a data set is called, from the name of its file: letters, digits, hyphens."""
    stem = Path(path).resolve().name.partition(".")[0]
    name = re.sub(r"[^A-Za-z0-9]+", "-", stem).strip("-").lower() or "mine"
    return f"my-{name}" if name in KNOWN else name


def _has_dates(source: Source) -> bool:
    """Whether a click log's days are known: by a name that is given, or by a usual one in the first of its tables."""
    if "split" in source.options or "date" in source.options.get("columns", {}):
        return True
    with open_all(source.path, TABLE, "click log") as members:
        clicks = [member for member in members if not member.name.startswith("documents")] or members
        with open_table(clicks[0]) as table:
            return bool(recognised(table.first, "date"))
