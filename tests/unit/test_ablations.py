"""Variants of MVG at the same budget, and the bounds that keep every training query."""

import numpy as np
import pandas as pd
import pytest
from made import made, unit

from mvg.datasets.pairs import Split
from mvg.experiments.ablations import (
    IN_BENCHMARK,
    SCALE,
    VARIANTS,
    ablations,
    ablations_table,
    all_queries,
    query_vote,
    random_queries,
    write_ablations,
)
from mvg.multiview import allocate, fit
from mvg.multiview.clustering import group
from mvg.search.index import Index
from mvg.search.views import Views

NOTHING = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)


@pytest.fixture
def data():
    """40 documents, some of them popular, and 90 queries in three splits; some test pairs are filtered."""
    rng = np.random.default_rng(0)
    documents, queries = unit(rng.normal(size=(40, 6))), unit(rng.normal(size=(90, 6)))

    def split(rows, excluded=NOTHING):
        pairs = np.repeat(rows, 2), np.minimum(rng.geometric(0.1, 2 * len(rows)), 40) - 1
        return Split(rows, pairs, excluded)

    hidden = np.repeat(np.arange(70, 90), 3), rng.integers(0, 40, 60)
    return documents, queries, split(np.arange(50)), split(np.arange(50, 70)), split(np.arange(70, 90), hidden)


def test_random_queries_are_the_documents_own_and_no_query_comes_twice(data):
    documents, queries, train, _, _ = data
    groups = group(train.pairs, len(queries), len(documents))
    counts = allocate(np.diff(groups.starts), 25, 0.5)
    vectors, owner = random_queries(queries, groups, counts, seed=1)
    np.testing.assert_array_equal(np.bincount(owner, minlength=40), counts)
    rows = [int(np.flatnonzero((queries == vector).all(axis=1))[0]) for vector in vectors]
    assert set(zip(rows, owner.tolist())) <= {(int(q), int(d)) for q, d in zip(*train.pairs)}
    assert len(set(zip(rows, owner))) == len(rows)
    assert not np.array_equal(vectors, random_queries(queries, groups, counts, seed=2)[0])


def test_all_queries_is_max_sim_over_an_index_of_all_of_them(data):
    documents, queries, train, _, test = data
    groups = group(train.pairs, len(queries), len(documents))
    owner = np.repeat(np.arange(40, dtype=np.int32), np.diff(groups.starts))
    index = Index(Views.of(documents, (queries[groups.queries], owner)))
    expected = index.search(queries[test.queries], 7, excluded=(test.excluded[0] - 70, test.excluded[1]))
    found = all_queries(documents, queries, train, test, 7)
    np.testing.assert_array_equal(found.documents, expected.documents)
    np.testing.assert_allclose(found.scores, expected.scores, atol=1e-8)


def test_a_vote_by_hand():
    # Cosines of the test query: 0 to both documents, 0.8 and 0.6 to two training queries.
    documents = np.float32([[0, 0, 1], [0, 0, -1]])
    queries = np.float32([[0.8, 0.6, 0], [0.6, 0.8, 0], [1, 0, 0]])
    train = Split(np.arange(2), (np.array([0, 1, 1]), np.array([1, 0, 1])), NOTHING)
    test = Split(np.array([2]), (np.array([2]), np.array([1])), NOTHING)
    found = query_vote(documents, queries, train, test, k=2, neighbours=2)
    assert found.documents.tolist() == [[1, 0]]
    expected = [1 + np.exp(SCALE * 0.8) + np.exp(SCALE * 0.6), 1 + np.exp(SCALE * 0.6)]
    np.testing.assert_allclose(found.scores[0], expected, rtol=1e-5)
    nearest = query_vote(documents, queries, train, test, k=2, neighbours=1)
    np.testing.assert_allclose(nearest.scores[0, 1], 1)


def test_every_variant_is_measured_at_the_budget(data):
    documents, queries, train, _, _ = data
    counts = allocate(np.bincount(train.pairs[1], minlength=40), 12, 0.5)
    behavioural = fit(documents, queries, train.pairs, counts)
    rows = ablations(*data, counts, behavioural, ks=[3, 10])
    table = pd.DataFrame(rows).set_index(["variant", "metric", "k"])["value"]
    assert set(table.index.get_level_values("variant")) == VARIANTS.keys() - IN_BENCHMARK.keys()
    sizes = table.xs("index_mfloats", level="metric").droplevel("k") * 1e6
    for variant in ("random_queries", "free_centers", "uniform_budget", "proportional_budget"):
        assert sizes[variant] == pytest.approx((40 + 12) * 6)
    assert sizes["all_queries"] > sizes["query_vote"] == pytest.approx((40 + 50) * 6)
    assert rows == ablations(*data, counts, behavioural, ks=[3, 10], threads=2)


def test_a_run_without_bi_encoders_says_so(tmp_path):
    write_ablations(ablations_table(pd.DataFrame(), {}, {}), {}, made(tmp_path / "ablations"))
    assert "no encoder with one vector" in (tmp_path / "ablations.md").read_text()


def test_the_table_takes_the_benchmarks_numbers_and_titles_stay_literal(tmp_path):
    methods = ["my$x", "mvg+my$x", "prior+my$x", "mvg+prior+my$x"]
    benchmark = pd.DataFrame(
        [["eurlex", method, metric, 10, i + 0.25] for i, method in enumerate(methods) for metric in ("recall", "map")],
        columns=["dataset", "method", "metric", "k", "value"],
    ).astype({"k": "Int64"})
    others = pd.DataFrame([["random_queries", "recall", 10, 9.0]], columns=["variant", "metric", "k", "value"])
    table = ablations_table(benchmark, {("eurlex", "my$x"): others}, {"my$x": "full"})
    assert table.columns.tolist() == ["dataset", "encoder", "loss", "variant", "metric", "k", "value"]
    recall = table[table["metric"] == "recall"]
    assert list(zip(recall["variant"], recall["value"])) == [
        ("base", 0.25), ("random_queries", 9.0), ("mvg", 1.25), ("prior", 2.25), ("prior_and_view_bias", 3.25),
    ]  # fmt: skip
    write_ablations(table, {"eurlex": {"simulated": True}}, made(tmp_path / "ablations"))
    text = (tmp_path / "ablations.md").read_text()
    assert "my\\$x (full softmax): document vectors alone" in text and "EurLex (simulated)" in text
    assert "my\\$x" in (tmp_path / "ablations.tex").read_text()
