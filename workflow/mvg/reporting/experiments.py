"""What each experiment shows: its figure, and which numbers of the paper it measures."""

import pandas as pd

from . import (
    budget_share,
    budget_sweep,
    case_studies,
    click_log,
    complexity,
    dimension_sweep,
    flat_popularity,
    memory_spectrum,
    popularity,
    training_sweep,
)
from .benchmark import write_table
from .claims import Measured

SWEEPS = {
    "budget_share": budget_share,
    "budget_sweep": budget_sweep,
    "dimension_sweep": dimension_sweep,
    "training_sweep": training_sweep,
    "memory_spectrum": memory_spectrum,
}
OTHERS = {
    "popularity": popularity,
    "complexity": complexity,
    "click_log": click_log,
    "case_studies": case_studies,
    "flat_popularity": flat_popularity,
}
MEASURES = {name: module.measured for name, module in (SWEEPS | OTHERS).items()}


def measure(experiment: str, table: pd.DataFrame) -> dict[str, Measured]:
    """Our values for the paper's numbers (id -> value) that ``experiment`` gives; ``table`` is its csv."""
    return MEASURES[experiment](table) if experiment in MEASURES else {}


def write_sweep(experiment: str, table: pd.DataFrame, facts: dict, stem) -> None:
    """Write ``stem.csv``, ``stem.pdf`` and ``stem.png``. ``facts``: dataset -> ``stats.json``."""
    write_table(table, f"{stem}.csv")
    SWEEPS[experiment].write(table, facts, stem)
