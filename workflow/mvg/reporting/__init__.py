"""Tables, figures and verdicts, from frames of numbers: no search, no training, no Snakemake."""

from .benchmark import benchmark_table, read_benchmark, read_scores, significance_table, write_table
from .claims import Measured
from .click_log import click_log_table, write_click_log
from .comparison import Scale, Verdict, verdict
from .escapes import escape_latex, escape_markdown
from .experiments import measure, write_sweep
from .flat_popularity import flat_popularity_table, write_flat_popularity
from .loss_curves import loss_curves, write_loss_curves
from .memory_spectrum import spectrum
from .paper import load_paper
from .popularity import popularity_numbers, write_popularity
from .tables import pipe_table, write_benchmark_layouts
from .verdicts import verdicts_table, write_verdicts

__all__ = [
    "Measured",
    "Scale",
    "Verdict",
    "benchmark_table",
    "click_log_table",
    "escape_latex",
    "escape_markdown",
    "flat_popularity_table",
    "load_paper",
    "loss_curves",
    "measure",
    "pipe_table",
    "popularity_numbers",
    "read_benchmark",
    "read_scores",
    "significance_table",
    "spectrum",
    "verdict",
    "verdicts_table",
    "write_benchmark_layouts",
    "write_click_log",
    "write_flat_popularity",
    "write_loss_curves",
    "write_popularity",
    "write_sweep",
    "write_table",
    "write_verdicts",
]
