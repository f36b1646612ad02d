"""Where MVG does not help: the paper's MS MARCO table, with the sign test beside each number."""

import pandas as pd

from ..evaluation.flat_popularity import COLUMNS, KS
from .benchmark import SIGNIFICANT, write_table
from .claims import Measured
from .labels import dataset_label, is_simulated, method_label, metric_label
from .tables import MISSING, Entry, Layout, format_number, simulated_note, write_layouts

SCORES = ("recall", "map")


def flat_popularity_table(dataset, numbers: list[dict]) -> pd.DataFrame:
    """``flat_popularity.csv``: ``dataset`` and the columns of ``flat_popularity_numbers``."""
    table = pd.DataFrame(numbers, columns=COLUMNS)
    table.insert(0, "dataset", dataset)
    return table.astype({"k": "Int64", "wins": "Int64", "losses": "Int64", "p_value": float})


def write_flat_popularity(table: pd.DataFrame, stats: dict, stem) -> None:
    """Write ``stem.csv``, ``stem.md`` and ``stem.tex``."""
    write_table(table, f"{stem}.csv")
    facts = {dataset: stats for dataset in set(table["dataset"])}
    write_layouts("Flat popularity", flat_popularity_layouts(table, facts), stem)


def flat_popularity_layouts(table: pd.DataFrame, facts: dict) -> list[Layout]:
    """The scores, then wins, losses and p of the sign test against the plain encoder."""
    (dataset,) = set(table["dataset"])
    rows = _by_place(table)
    methods = list(dict.fromkeys(table.loc[table["metric"] == "recall", "method"]))
    places = [(metric, k) for metric in SCORES for k in KS]
    label, note = dataset_label(dataset, is_simulated(facts, dataset)), simulated_note([dataset], facts)

    def layout(caption, columns, entry):
        metrics = [metric_label(*column) for column in columns]
        groups = [[(method_label(method), [entry(method, *column) for column in columns]) for method in methods]]
        return Layout(caption, metrics, [label], groups)

    def score(method, metric, k):
        row = rows.get((method, metric, k))
        if row is None:
            return Entry(MISSING)
        best = k is not None and max(methods, key=lambda m: rows[m, metric, k].value) == method
        better = best and row.p_value < SIGNIFICANT and row.wins > row.losses
        return Entry(format_number(row.value, metric), best, bool(better))

    def sign(method, metric, k):
        row = rows[method, metric, k]
        return Entry(MISSING if pd.isna(row.p_value) else f"{row.wins} : {row.losses}, p = {row.p_value:.2g}")

    head = rows["", "head_percent", None].value
    scores = (
        "Recall@k and MAP@k in percent, index size in millions of floats. Bold: the best; underlined if it is better "
        "than the plain encoder by the two-sided sign test (p below 0.001). The most popular hundredth of the "
        f"documents has {head:.1f} % of the training pairs.{note}"
    )
    signs = f"Queries on which a method is better : worse than the plain encoder, and p of the sign test.{note}"
    return [layout(scores, [*places, ("index_mfloats", None)], score), layout(signs, places, sign)]


def _by_place(table) -> dict:
    """The rows by (method, metric, k); k is None and method empty where there is none."""
    return {
        (row.method, row.metric, None if pd.isna(row.k) else int(row.k)): row
        for row in table.fillna({"method": ""}).itertuples()
    }


def measured(table: pd.DataFrame) -> dict[str, Measured]:
    """Our numbers for the paper's of MS MARCO; an encoder other than ANCE is not compared."""
    rows = _by_place(table)
    (base,) = {method.removeprefix("mvg+") for method, *_ in rows if method.startswith("mvg+")}
    reason = "" if base == "ance" else f"another encoder ({method_label(base)} against ANCE)"
    values = {
        f"flat_popularity/msmarco/{wrapper}ance/recall@{k}": rows[f"{wrapper}{base}", "recall", k].value
        for wrapper in ("", "mvg+")
        for k in KS
    }
    mvg = [rows[f"mvg+{base}", "recall", k] for k in KS]
    values["flat_no_significant_loss"] = not any(r.p_value < SIGNIFICANT and r.losses > r.wins for r in mvg)
    return {id: Measured(value, reason) for id, value in values.items()}
