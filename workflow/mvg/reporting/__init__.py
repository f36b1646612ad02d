"""Tables, figures and verdicts, from frames of numbers: no search, no training, no Snakemake."""

from .benchmark import benchmark_table, read_benchmark, read_scores, significance_table, write_table
from .claims import Measured
from .comparison import Scale, Verdict, verdict
from .escapes import escape_latex, escape_markdown
from .experiments import measure
from .paper import load_paper
from .popularity import popularity_numbers, write_popularity
from .tables import pipe_table, write_benchmark_layouts
from .verdicts import verdicts_table, write_verdicts

__all__ = [
    "Measured",
    "Scale",
    "Verdict",
    "benchmark_table",
    "escape_latex",
    "escape_markdown",
    "load_paper",
    "measure",
    "pipe_table",
    "popularity_numbers",
    "read_benchmark",
    "read_scores",
    "significance_table",
    "verdict",
    "verdicts_table",
    "write_benchmark_layouts",
    "write_popularity",
    "write_table",
    "write_verdicts",
]
