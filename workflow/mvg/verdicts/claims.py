"""Our numbers for statements of the paper's text that follow from the results of every run."""

import math
from collections.abc import Callable
from operator import gt, sub, truediv
from typing import NamedTuple

import numpy as np

from ..evaluation.significance import SIGNIFICANT
from ..reporting.labels import dataset_label, is_simulated

PUBLIC = ("eurlex", "pubmed", "wikiseealso")
ENCODERS = ("dssm", "sbert")
POINTS = 0.5  # percentage points within which two numbers match


class Measured(NamedTuple):
    """A number of ours for a statement, and why it can't be compared (empty: it can)."""

    value: float | bool
    reason: str = ""


def as_measured(value) -> Measured:
    """``value`` with its reason, as a plain number or bool."""
    value, reason = value if isinstance(value, Measured) else (value, "")
    return Measured(value.item() if isinstance(value, np.generic) else value, reason)


def not_public(dataset: str) -> str:
    """Why a number of ours for a statement about ProdSearch cannot be compared."""
    return f"dataset not public; ours is of {dataset_label(dataset)}"


def has_points(facts: dict, dataset: str) -> bool:
    """Whether a figure may show the paper's numbers beside ours: only for its public datasets, and not simulated."""
    return dataset in PUBLIC and not is_simulated(facts, dataset)


class Claim(NamedTuple):
    """A statement that compares cells of the benchmark in pairs."""

    summarize: Callable  # min, max or all, over the pairs
    compare: Callable  # of the two cells of a pair
    pairs: list


def _pairs(left, right, metrics, datasets=PUBLIC) -> list:
    """The same cell of two methods, for each dataset and (metric, k)."""
    return [((dataset, left, *metric), (dataset, right, *metric)) for dataset in datasets for metric in metrics]


def _each_encoder(metrics) -> list:
    return [pair for x in ENCODERS for pair in _pairs(f"mvg+{x}", x, metrics)]


RECALL, MAP, SIZE = ("recall", 100), ("map", 100), ("index_mfloats", None)

OVER_BASE = _each_encoder([RECALL, MAP])
OVER_COLBERT = _pairs("mvg+sbert", "colbert", [RECALL, MAP])

CLAIMS = {
    "gain_recall_min": Claim(min, sub, _each_encoder([RECALL])),
    "gain_recall_max": Claim(max, sub, _each_encoder([RECALL])),
    "gain_recall_up_to": Claim(max, sub, _each_encoder([RECALL])),
    "gain_map_min": Claim(min, sub, _each_encoder([MAP])),
    "gain_map_max": Claim(max, sub, _each_encoder([MAP])),
    "gain_map_up_to": Claim(max, sub, _each_encoder([MAP])),
    "index_increase": Claim(max, truediv, _each_encoder([SIZE])),
    "mvg_above_base": Claim(all, gt, OVER_BASE),
    "benchmark_bold": Claim(all, gt, OVER_BASE + OVER_COLBERT),
    "colbert_gain_recall_min": Claim(min, sub, _pairs("mvg+sbert", "colbert", [RECALL])),
    "colbert_gain_recall_max": Claim(max, sub, _pairs("mvg+sbert", "colbert", [RECALL])),
    "colbert_gain_map_min": Claim(min, sub, _pairs("mvg+sbert", "colbert", [MAP])),
    "colbert_gain_map_max": Claim(max, sub, _pairs("mvg+sbert", "colbert", [MAP])),
    "colbert_index_ratio_min": Claim(min, truediv, _pairs("colbert", "mvg+sbert", [SIZE])),
    "colbert_index_ratio_max": Claim(max, truediv, _pairs("colbert", "mvg+sbert", [SIZE])),
    "popularity_above_bm25_eurlex": Claim(all, gt, _pairs("popularity", "bm25", [RECALL, MAP], ["eurlex"])),
    "popularity_above_bm25_pubmed_recall": Claim(all, gt, _pairs("popularity", "bm25", [RECALL], ["pubmed"])),
    "popularity_above_bm25_pubmed_map": Claim(all, gt, _pairs("popularity", "bm25", [MAP], ["pubmed"])),
    "popularity_below_bm25_wikiseealso": Claim(all, gt, _pairs("bm25", "popularity", [RECALL, MAP], ["wikiseealso"])),
    "dense_above_lexical": Claim(
        all,
        gt,
        [
            pair
            for dense in ENCODERS
            for lexical in ("bm25", "popularity")
            for pair in _pairs(dense, lexical, [RECALL, MAP])
        ],
    ),
    "sbert_above_dssm_pubmed": Claim(all, gt, _pairs("sbert", "dssm", [RECALL, MAP], ["pubmed"])),
}


# Claims that the first cell of each pair is significantly above the second.
SIGNIFICANT_CLAIMS = {
    "gains_significant": OVER_BASE,
    "colbert_gains_significant": OVER_COLBERT,
    "benchmark_underlined": OVER_BASE + OVER_COLBERT,
}


def derive(cells: dict, incomparable: Callable[[str, str, str], str], tests=None) -> dict[str, Measured]:
    """The claims that the benchmark table answers.

    ``cells``: (dataset, method, metric, k) -> value. ``incomparable(dataset, method, metric)``
    gives the reason why a cell can't be compared with the paper's, or nothing. ``tests``: pairs of cells ->
    whether the first is significantly above, from ``sign_tests``. If only some pairs of a claim were run, it
    is answered from those and marked not comparable; if none were run, it is left out.
    """
    tests = tests or {}
    measured = {}
    for name, claim in CLAIMS.items():
        run = [pair for pair in claim.pairs if all(cell in cells for cell in pair)]
        if run:
            value = claim.summarize(claim.compare(cells[left], cells[right]) for left, right in run)
            measured[name] = Measured(value, _reason(run, len(claim.pairs), incomparable))
    for name, pairs in SIGNIFICANT_CLAIMS.items():
        run = [pair for pair in pairs if pair in tests]
        if run:
            measured[name] = Measured(all(tests[pair] for pair in run), _reason(run, len(pairs), incomparable))
    return measured


def sign_tests(significance) -> dict[tuple, bool]:
    """(cell, cell) -> whether the first is significantly above the second, from the frame of ``significance_table``."""
    tests = {}
    for row in () if significance is None else significance.itertuples():
        a, b = ((row.dataset, method, row.metric, int(row.k)) for method in (row.a, row.b))
        significant = row.p_value < SIGNIFICANT
        tests[a, b], tests[b, a] = significant and row.wins > row.losses, significant and row.losses > row.wins
    return tests


def _reason(run, total, incomparable) -> str:
    if len(run) < total:
        return f"{len(run)} of {total} comparisons run"
    for dataset, method, metric, _ in (cell for pair in run for cell in pair):
        if reason := incomparable(dataset, method, metric):
            return f"{dataset_label(dataset)}: {reason}"
    return ""


def counted(facts: dict) -> dict[str, Measured]:
    """Counts of documents and queries of the public datasets of this run, from their ``stats.json``."""
    counts = {}
    for dataset in PUBLIC:
        if stats := facts.get(dataset):
            counts[f"documents_{dataset}"] = Measured(stats["documents"])
            counts |= {f"queries_{dataset}_{split}": Measured(n) for split, n in stats.get("queries", {}).items()}
    return counts


def analytic(documents=1e6, query_tokens=8, document_tokens=128, m=4, delta=0.3) -> dict:
    """The cost model of the paper's related-work table (section 2) at its own values.

    Index size: vectors stored. Latency: the log of that number, times the query's vectors. The base of
    the logarithm cancels in the ratios.
    """
    ours = (1 + delta) * documents
    fixed, token_level = m * documents, document_tokens * documents
    saved_fixed = 1 - math.log(ours) / math.log(fixed)
    saved_token_level = 1 - math.log(ours) / (query_tokens * math.log(token_level))
    return {
        "index_smaller_min": Measured(fixed / ours),
        "index_smaller_max": Measured(token_level / ours),
        "latency_less_min": Measured(100 * saved_fixed),
        "latency_less_max": Measured(100 * saved_token_level),
    }
