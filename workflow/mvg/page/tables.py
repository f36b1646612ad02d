"""What the page tabulates: the benchmark with its sign tests, the paper's numbers, the data, the run."""

import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd

from ..datasets.pairs import read_split
from ..experiments.breakdown import DOCUMENTS
from ..lexical.popularity import gini, training_popularity
from ..reporting.labels import dataset_label, dataset_title, method_label, metric_label
from ..reporting.tables import MISSING, Entry, entries_of, format_number, row_groups
from ..verdicts.comparison import VERDICTS
from .answer import Part

COUNTS = ("documents", "queries", "pairs")


def benchmark_tables(benchmark: pd.DataFrame, facts: dict) -> list[dict]:
    """One table a cut-off, the largest first: ``{k, heads, groups: [[(method, label, entries)]]}``."""
    datasets, metrics = (list(dict.fromkeys(benchmark[column])) for column in ("dataset", "metric"))
    entries, tables = entries_of(benchmark), []
    for k in sorted(benchmark["k"].dropna().astype(int).unique(), reverse=True):
        columns = [(d, m, None if m == "index_mfloats" else k) for d in datasets for m in metrics]
        heads = [(dataset_title(facts, d), metric_label(m, at)) for d, m, at in columns]
        groups = [
            [(x, method_label(x), [entries.get((d, x, m, at), Entry(MISSING)) for d, m, at in columns]) for x in group]
            for group in row_groups(benchmark)
        ]
        tables.append({"k": k, "heads": heads, "groups": groups})
    return tables


def sign_tests(significance: pd.DataFrame, facts: dict) -> dict:
    """``significance.csv`` to look up two rows in.

    ``{datasets: [[label, [metric, ...], {"a b": [[wins, losses, ties, p], ...]}]]}``, a test a metric.
    """
    found = {}
    for dataset, part in significance.groupby("dataset", sort=False):
        metrics = list(dict.fromkeys(zip(part["metric"], part["k"], strict=True)))
        tests = defaultdict(list)
        for row in part.itertuples():
            tests[f"{row.a} {row.b}"].append([row.wins, row.losses, row.ties, float(f"{row.p_value:.2g}")])
        labels = [metric_label(metric, int(k)) for metric, k in metrics]
        found[dataset] = [dataset_title(facts, dataset), labels, tests]
    return {"datasets": list(found.values())}


def verdict_table(verdicts: pd.DataFrame) -> dict:
    """The paper's numbers and ours: how many of each verdict, and a row a number."""
    rows = [
        {
            "what": row.says or _cell(row),
            "section": row.section,
            "paper": _shown(row.paper, row.metric),
            "compared": "" if row.compared == row.paper else _shown(row.compared, row.metric),
            "ours": _shown(row.ours, row.metric),
            "unit": row.unit,
            "verdict": row.verdict,
            "reason": row.reason,
        }
        for row in verdicts.astype(object).where(verdicts.notna(), "").itertuples()
    ]
    counts = {name: sum(row["verdict"] == name for row in rows) for name in VERDICTS}
    return {"rows": rows, "counts": counts}


def _cell(row) -> str:
    """Which cell of a table of the paper a row is."""
    metric = metric_label(row.metric, int(row.k) if row.k != "" else None)
    return ", ".join(
        part for part in (dataset_label(row.dataset), row.queries, method_label(row.method), metric) if part
    )


def _shown(text, metric: str) -> str:
    """A number as the tables have it; yes, no and counts as they are."""
    try:
        value = float(text)
    except ValueError:
        return str(text)
    return str(text) if value.is_integer() and "." not in str(text) else format_number(value, metric)


def data_facts(stats: dict, train=None) -> list[tuple[str, object]]:
    """(what, value) of a prepared dataset: counts by split, where it came from, what was dropped.

    train: the file of its training pairs, for how skewed they are
    """
    facts = [("Documents", f"{stats['documents']:,}")]
    for name in ("queries", "pairs"):
        facts += [(f"{name.capitalize()}, {split}", f"{count:,}") for split, count in stats[name].items()]
    if train is not None:
        popularity = training_popularity(read_split(train).pairs, stats["documents"])
        top = np.sort(popularity)[::-1][: max(1, len(popularity) // 100)].sum() / max(1, popularity.sum())
        facts += [
            ("Skew of popularity (Gini)", f"{gini(popularity):.2f}"),
            ("Pairs of the most popular 1 % of documents", f"{100 * top:.0f} %"),
            ("Documents without a training query", f"{int((popularity == 0).sum()):,}"),
        ]
    told = {*COUNTS, "dropped", "simulated", "title"}
    rest = {key: value for key, value in stats.items() if key not in told}
    facts += [(key.replace("_", " ").capitalize(), listed(value)) for key, value in rest.items()]
    return facts + [("Dropped", listed(stats.get("dropped", {})) or "nothing")]


def listed(value) -> str:
    """A number, a name, a list or a mapping in one line."""
    if isinstance(value, dict):
        return ", ".join(f"{str(key).replace('_', ' ')}: {listed(entry)}" for key, entry in value.items())
    if isinstance(value, list):
        return ", ".join(map(listed, value))
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def times(folder) -> list[tuple[str, int, float]]:
    """(step, jobs, seconds) of all that a run has timed in its benchmarks, the longest first."""
    seconds = defaultdict(list)
    for path in Path(folder).rglob("*.tsv"):
        with open(path, newline="", encoding="utf-8") as file:
            seconds[path.stem.partition(".")[0]] += [float(row["s"]) for row in csv.DictReader(file, delimiter="\t")]
    rows = [(step.replace("_", " "), len(jobs), sum(jobs)) for step, jobs in seconds.items() if jobs]
    return sorted(rows, key=lambda row: -row[2])


def breakdown_parts(breakdown: pd.DataFrame, dataset: str, base: str, method: str, column: str) -> list[Part]:
    """Recall of a row and of its encoder, on head, torso, tail and unseen documents; column: ``recall@100``."""
    metric, _, k = column.partition("@")
    here = breakdown[
        (breakdown["dataset"] == dataset) & (breakdown["metric"] == metric) & (breakdown["k"] == int(k))
    ].set_index("method")
    if not {base, method} <= set(here.index):
        return []
    numbers = ["value", "low", "high"]
    theirs, ours = (here.loc[[name]].set_index("part") for name in (base, method))
    return [
        Part(label, int(ours.loc[part, "pairs"]), *(tuple(rows.loc[part, numbers]) for rows in (theirs, ours)))
        for part, label in DOCUMENTS.items()
        if part in ours.index and part in theirs.index
    ]
