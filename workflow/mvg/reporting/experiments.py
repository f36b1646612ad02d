"""Which numbers of the paper an experiment measures: from its csv to ids of ``paper.yaml``."""

import pandas as pd

from . import case_studies, complexity, popularity
from .claims import Measured

MEASURES = {
    "popularity": popularity.measured,
    "complexity": complexity.measured,
    "case_studies": case_studies.measured,
}


def measure(experiment: str, table: pd.DataFrame) -> dict[str, Measured]:
    """Our values for the paper's numbers (id -> value) that ``experiment`` gives; ``table`` is its csv."""
    return MEASURES[experiment](table) if experiment in MEASURES else {}
