"""The experiments, one module each: what it measures, draws and captions, and its values for the paper's numbers.

A module has some of the functions below. The rules of the experiment call them through
``scripts/measure.py`` and ``scripts/report.py``; ``given`` and ``made`` have the rules' names of files.

- ``measure(given, params, threads, log)`` returns rows (dicts), in the environment of search;
- ``draw(table, facts, made)`` draws what was measured, in the environment of reports;
- ``report(given, made, params, log)`` replaces ``draw`` if the experiment makes more than a figure;
- ``claims(table)`` returns our values for numbers of the paper, by id, from the experiment's csv.

The name of the module is the name of the experiment in the config, and of its rule. To add one, see
docs/extending.md. A module is imported when it is first used.
"""

from importlib import import_module
from pkgutil import iter_modules

NAMES = sorted(module.name for module in iter_modules(__path__))


def load(name: str):
    """The module of an experiment."""
    return import_module(f"{__name__}.{name}")


def report(name: str, given, made, params, log) -> None:
    """Write the results of an experiment; by default its concatenated numbers as csv, and its figure."""
    from ..datasets.reading import load_facts
    from ..reporting.tables import read_tables, write_table

    experiment = load(name)
    if hasattr(experiment, "report"):
        return experiment.report(given, made, params, log)
    table = read_tables(given.numbers)
    write_table(table, made.csv)
    experiment.draw(table, load_facts(params.datasets, given.stats), made)


def claims(name: str, table) -> dict:
    """Our values for the paper's numbers from an experiment, by id; empty if it has none."""
    experiment = load(name)
    return experiment.claims(table) if hasattr(experiment, "claims") else {}
