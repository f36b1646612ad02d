"""Where MVG does not help: recall without popular documents, the paper's MS MARCO table (section 6.6)."""

import numpy as np
import pandas as pd

from ..datasets.pairs import of_queries, read_split
from ..datasets.reading import load_facts, load_stats
from ..evaluation import metrics
from ..evaluation.significance import SIGNIFICANT, sign_test
from ..io.files import load_arrays
from ..lexical.popularity import training_popularity
from ..reporting.labels import dataset_title, method_label, metric_label
from ..reporting.tables import (
    BOLD,
    MISSING,
    Entry,
    Layout,
    best_rows,
    format_number,
    simulated_note,
    write_layouts,
    write_table,
)
from ..verdicts.claims import Measured

KS = (10, 100, 1000)
HEAD = 0.01  # share of the documents that count as head
COLUMNS = ["method", "metric", "k", "value", "wins", "losses", "p_value"]
SCORES = ("recall", "map")


def report(given, made, params, log) -> None:
    """``flat_popularity.csv`` and its two layouts."""
    rankings = dict(zip(params.methods, map(load_arrays, given.rankings), strict=True))
    test, stats = read_split(given.test), load_stats(given.stats)
    numbers = flat_popularity_numbers(
        {method: ranking["documents"] for method, ranking in rankings.items()},
        {method: int(ranking["n_floats"]) for method, ranking in rankings.items()},
        params.base,
        of_queries(test.pairs, test.queries),
        training_popularity(read_split(given.train).pairs, stats["documents"]),
    )
    table = flat_popularity_table(params.dataset, numbers)
    write_table(table, made.csv)
    write_layouts("Flat popularity", flat_popularity_layouts(table, load_facts(params.titles, [given.stats])), made)
    log(table.to_string())


def flat_popularity_numbers(rankings, n_floats, base, pairs, popularity) -> list[dict]:
    """Recall and MAP of each method, compared with ``base``: one row each, with ``COLUMNS``.

    rankings: method -> int (n_queries, 1000), ranked document rows; n_floats: method -> floats of its
    index, 0 for none; pairs: ``(positions, document rows)`` of the relevant documents; popularity:
    (n_documents,) training queries of each

    ``recall`` and ``map`` in percent at each k of ``KS``, with the sign test against ``base``;
    ``index_mfloats``; and, without a method, ``head_percent``: the share of training pairs of the most
    popular hundredth of the documents.
    """
    scores = {method: metrics.per_query(ranked, pairs, len(popularity), KS) for method, ranked in rankings.items()}
    head = np.sort(popularity)[::-1][: int(np.ceil(HEAD * len(popularity)))]
    rows = [dict(method="", metric="head_percent", k=None, value=float(100 * head.sum() / popularity.sum()))]
    for method, columns in scores.items():
        if n_floats[method]:
            rows.append(dict(method=method, metric="index_mfloats", k=None, value=n_floats[method] / 1e6))
        for name, own in columns.items():
            metric, k = name.split("@")
            row = dict(method=method, metric=metric, k=int(k), value=float(own.mean()))
            if method != base:
                test = sign_test(own, scores[base][name])
                row |= dict(wins=test.wins, losses=test.losses, p_value=test.p_value)
            rows.append(row)
    return rows


def flat_popularity_table(dataset, numbers: list[dict]) -> pd.DataFrame:
    """``flat_popularity.csv``: ``dataset`` and the columns of ``flat_popularity_numbers``."""
    table = pd.DataFrame(numbers, columns=COLUMNS)
    table.insert(0, "dataset", dataset)
    return table.astype({"k": "Int64", "wins": "Int64", "losses": "Int64", "p_value": float})


def flat_popularity_layouts(table: pd.DataFrame, facts: dict) -> list[Layout]:
    """The scores, then wins, losses and p of the sign test against the plain encoder."""
    (dataset,) = set(table["dataset"])
    rows = _by_place(table)
    methods = list(dict.fromkeys(table.loc[table["metric"] == "recall", "method"]))
    places = [(metric, k) for metric in SCORES for k in KS]
    label, note = dataset_title(facts, dataset), simulated_note([dataset], facts)

    def layout(caption, columns, entry):
        metrics = [metric_label(*column) for column in columns]
        groups = [[(method_label(method), [entry(method, *column) for column in columns]) for method in methods]]
        return Layout(caption, metrics, [label], groups)

    def score(method, metric, k):
        row = rows.get((method, metric, k))
        if row is None:
            return Entry(MISSING)
        bold = best_rows(methods, lambda m: rows[m, metric, k].value) if k is not None else []
        best = method in dict(bold)
        better = best and row.p_value < SIGNIFICANT and row.wins > row.losses
        return Entry(format_number(row.value, metric), best, bool(better))

    def sign(method, metric, k):
        row = rows[method, metric, k]
        return Entry(MISSING if pd.isna(row.p_value) else f"{row.wins} : {row.losses}, p = {row.p_value:.2g}")

    head = rows["", "head_percent", None].value
    scores = (
        f"Recall@k and MAP@k in percent, index size in millions of floats. {BOLD} Underlined: better than the plain "
        "encoder by the two-sided sign test (p below 0.001). The most popular hundredth of the documents has "
        f"{head:.1f} % of the training pairs.{note}"
    )
    signs = f"Queries on which a method is better : worse than the plain encoder, and p of the sign test.{note}"
    return [layout(scores, [*places, ("index_mfloats", None)], score), layout(signs, places, sign)]


def _by_place(table) -> dict:
    """The rows by (method, metric, k); a missing k is None, a missing method empty."""
    return {
        (row.method, row.metric, None if pd.isna(row.k) else int(row.k)): row
        for row in table.fillna({"method": ""}).itertuples()
    }


MARGINAL = 3  # points of recall: the paper calls ColBERT's 2.48, 0.58 and 0.31 marginal


def claims(table: pd.DataFrame) -> dict[str, Measured]:
    """Our numbers for the paper's on MS MARCO; an encoder other than ANCE is not compared."""
    rows = _by_place(table)
    (base,) = {method.removeprefix("mvg+") for method, *_ in rows if method.startswith("mvg+")}
    reason = "" if base == "ance" else f"another encoder ({method_label(base)} against ANCE)"
    ours = {"ance": base, "mvg+ance": f"mvg+{base}"}
    if ("colbert", "recall", KS[0]) in rows:
        ours["colbert"] = "colbert"
    recall = {name: [rows[method, "recall", k] for k in KS] for name, method in ours.items()}
    values = {
        f"flat_popularity/msmarco/{name}/recall@{k}": row.value
        for name, own in recall.items()
        for k, row in zip(KS, own, strict=True)
    }
    significant = [row for row in recall["mvg+ance"] if row.p_value < SIGNIFICANT]
    values["flat_no_significant_loss"] = not any(row.losses > row.wins for row in significant)
    values["flat_no_gain"] = not any(row.wins > row.losses for row in significant)
    if "colbert" in recall:
        gains = [c.value - a.value for c, a in zip(recall["colbert"], recall["ance"], strict=True)]
        values["flat_colbert_marginal"] = max(gains) < MARGINAL
    return {id: Measured(value, reason) for id, value in values.items()}
