"""``mvg compare results/a results/b``: two runs on the same test queries, query by query.

The exit code is 3 if run b is worse than run a in any row, by the sign test: for a check in CI.
"""

import csv
import math
from pathlib import Path
from typing import NamedTuple

from ..io.errors import DataError

HELP = "compare two runs on the same queries, with a sign test; exit code 3 if the second is worse"
WORSE = 3


class Row(NamedTuple):
    """One metric of a method: means in percent, the difference with its interval, and the sign test of b against a."""

    dataset: str
    method: str
    metric: str
    a: float
    b: float
    difference: float
    low: float
    high: float
    wins: int
    losses: int
    p_value: float

    def is_worse(self, level: float) -> bool:
        return self.p_value < level and self.losses > self.wins


def add_arguments(parser) -> None:
    parser.add_argument("a", help="folder of a run, results/<run>: what is compared with")
    parser.add_argument("b", help="folder of another run, with the same test queries")
    parser.add_argument("--metric", action="append", help="such as recall@10; default: recall and map at the largest k")
    parser.add_argument("--level", type=float, default=0.001, metavar="P", help="of p for exit code 3 (0.001)")


LAYOUT = "{:14} {:28} {:10} {:>6} {:>6} {:>7} {:>16} {:>6} {:>6} {:>8}"


def run(options) -> int:
    rows = compare(options.a, options.b, options.metric)
    print(LAYOUT.format("dataset", "method", "metric", "a", "b", "b - a", "95 % interval", "wins", "losses", "p"))
    for row in rows:
        means = f"{row.a:.2f}", f"{row.b:.2f}", f"{row.difference:+.2f}", f"{row.low:+.2f} to {row.high:+.2f}"
        line = LAYOUT.format(*row[:3], *means, row.wins, row.losses, f"{row.p_value:.2g}")
        print(line + "  worse" * row.is_worse(options.level))
    return WORSE if any(row.is_worse(options.level) for row in rows) else 0


def compare(a, b, metrics: list[str] | None = None) -> list[Row]:
    """A row for each metric of each method that both runs have on a dataset.

    DataError: folders of no runs, nothing in common, an unknown metric, or other test queries.
    """
    a, b = Path(a), Path(b)
    ours, theirs = _scores(a), _scores(b)
    common = [key for key in ours if key in theirs]
    if not common:
        raise DataError(b, "", f"expected a dataset and method that {a} has as well, found none")
    return [row for key in common for row in _rows(key, ours[key], theirs[key], metrics)]


def _scores(run: Path) -> dict[tuple[str, str], Path]:
    """(dataset, method) -> its per-query scores."""
    files = sorted(run.glob("*/scores/*.csv"))
    if not files:
        raise DataError(run, "", "expected the folder of a run, with <dataset>/scores/<method>.csv")
    return {(file.parts[-3], file.stem): file for file in files}


def _rows(key: tuple[str, str], a: Path, b: Path, metrics: list[str] | None):
    import numpy as np

    from ..evaluation.bootstrap import gain
    from ..evaluation.significance import sign_test

    ours, theirs = _table(a), _table(b)
    if ours["query"] != theirs["query"]:
        raise DataError(b, "", f"expected the {len(ours['query'])} test queries of {a}, found others")
    for metric in metrics or _largest(ours):
        for file, table in ((a, ours), (b, theirs)):
            if metric not in table or metric == "query":
                raise DataError(file, "", f"expected a column '{metric}', found {', '.join(list(table)[1:])}")
        x, y = (np.array(table[metric], dtype=float) for table in (ours, theirs))
        known = ~np.isnan(x) & ~np.isnan(y)
        test, change = sign_test(y[known], x[known]), gain(y[known], x[known])
        means = float(x[known].mean()), float(y[known].mean())
        yield Row(*key, metric, *means, change.value, change.low, change.high, test.wins, test.losses, test.p_value)


def _table(file: Path) -> dict[str, list]:
    """The columns of a csv, rows in the order of the queries' ids; DataError for scores that are no numbers."""
    with open(file, encoding="utf-8", newline="") as lines:
        rows = sorted(csv.DictReader(lines), key=lambda row: row.get("query") or "")
    if not rows or "query" not in rows[0]:
        raise DataError(file, "", "expected a column query, and scores of each")
    table: dict[str, list] = {"query": [row["query"] for row in rows]}
    for metric in rows[0]:
        if metric != "query":
            try:
                table[metric] = [float(row[metric]) if row[metric] else math.nan for row in rows]
            except (TypeError, ValueError) as error:
                raise DataError(file, metric, "expected a number for each query") from error
    return table


def _largest(table: dict) -> list[str]:
    """Recall and MAP at the largest k."""
    cuts = [metric.partition("@")[2] for metric in table if metric.startswith("recall@")]
    largest = max((int(k) for k in cuts if k.isdecimal()), default=100)
    return [f"recall@{largest}", f"map@{largest}"]
