"""The experiments: one module each says what it measures, draws, captions and answers of the paper.

A module has some of these functions. The rules of the experiment call them through
``scripts/measure.py`` and ``scripts/report.py``, with the names that the rules give to their files:

- ``measure(given, params, threads, log)`` returns rows (dicts), in the environment of search;
- ``draw(table, facts, made)`` draws what was measured, in the environment of reports;
- ``report(given, made, params, log)`` stands in for ``draw`` where there is more to it than a figure;
- ``claims(table)`` returns our values for numbers of the paper, by id, from the experiment's csv.

The name of the module is the name of the experiment in the config, and of its rule. To add one, see
docs/extending.md. Nothing is imported before it is asked for.
"""

from importlib import import_module
from pkgutil import iter_modules

NAMES = sorted(module.name for module in iter_modules(__path__))


def load(name: str):
    """The module of an experiment."""
    return import_module(f"{__name__}.{name}")


def report(name: str, given, made, params, log) -> None:
    """Write what an experiment shows; by default its numbers, one below the other, as csv and as a figure."""
    from ..datasets.reading import load_facts
    from ..reporting.tables import read_tables, write_table

    experiment = load(name)
    if hasattr(experiment, "report"):
        return experiment.report(given, made, params, log)
    table = read_tables(given.numbers)
    write_table(table, made.csv)
    experiment.draw(table, load_facts(params.datasets, given.stats), made)


def claims(name: str, table) -> dict:
    """What an experiment says of the paper's numbers, by their id; nothing if it says nothing."""
    experiment = load(name)
    return experiment.claims(table) if hasattr(experiment, "claims") else {}
