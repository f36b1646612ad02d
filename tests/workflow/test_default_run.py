"""The default run: a check of code and simulator (simulated data are no evidence for the method).

It uses the results of a plain `snakemake` in this checkout, and makes them if they are missing.
"""

import csv
import subprocess
import sys

import numpy as np
import pytest
from tables import expected_tables

from mvg.simulate.simulator import SHAPES

from .conftest import ROOT

DATASETS = ["eurlex", "pubmed", "wikiseealso"]
pytestmark = pytest.mark.default_run


@pytest.fixture(scope="session")
def results():
    run = subprocess.run([sys.executable, "-m", "snakemake"], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    return ROOT / "results/demo"


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="session")
def value(results):
    rows = read(results / "tables/benchmark.csv")
    table = {(r["dataset"], r["method"], r["metric"], r["k"]): float(r["value"]) for r in rows}
    return lambda dataset, method, metric="recall", k="100": table[dataset, method, metric, k]


@pytest.mark.parametrize("dataset", ["eurlex", "pubmed"])
def test_popularity_beats_bm25_where_popularity_is_skewed(value, dataset):
    assert value(dataset, "popularity") > value(dataset, "bm25")


def test_popularity_finds_little_where_it_is_flat(results, value):
    assert len((results / "wikiseealso/data/corpus.jsonl").read_bytes().splitlines()) >= 2500
    assert value("wikiseealso", "popularity") < 5


@pytest.mark.parametrize("dataset", DATASETS)
def test_mvg_beats_dssm_with_significance_at_a_1_3x_index(results, value, dataset):
    tests = read(results / "tables/significance.csv")
    row = next(
        r for r in tests
        if (r["dataset"], r["metric"], r["k"], r["a"], r["b"]) == (dataset, "recall", "100", "dssm", "mvg+dssm")
    )  # fmt: skip
    assert float(row["p_value"]) < 0.001 and int(row["losses"]) > int(row["wins"])  # a is dssm
    size = value(dataset, "mvg+dssm", "index_mfloats", "") / value(dataset, "dssm", "index_mfloats", "")
    assert size == pytest.approx(1.3, abs=0.005)


@pytest.mark.parametrize("dataset", DATASETS)
def test_clusters_grow_with_queries_as_the_lemma_says(results, dataset):
    """The simulator's ground truth, over popular and over other documents, against the expectation."""
    rows = read(results / dataset / "raw/intents.csv")
    n, intents = (np.array([int(r[name]) for r in rows]) for name in ("n", "intents"))
    shape = SHAPES[dataset]
    expected = np.array([expected_tables(int(x), shape.alpha, shape.beta) for x in n])
    popular = n >= np.median(n[n > 1])
    for some in (popular, ~popular):
        # The standard deviation of the number of tables is about its mean.
        assert abs(intents[some].sum() - expected[some].sum()) < 4 * np.sqrt((expected[some] ** 2).sum())
    assert intents[popular].mean() > intents[~popular].mean()
