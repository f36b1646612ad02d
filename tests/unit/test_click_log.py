"""The click log experiment: traffic weights, groups of queries, the A/B test's offline part."""

import numpy as np
import pandas as pd
import pytest
from made import made

from mvg.evaluation import metrics, offline_ab
from mvg.evaluation.traffic import query_groups, traffic_shares, weighted_mean
from mvg.experiments import claims
from mvg.experiments.click_log import (
    click_log_layouts,
    click_log_numbers,
    click_log_table,
    draw,
    offline_rows,
    plot_click_log,
)
from mvg.multiview import allocate, fit
from mvg.reporting.style import panels
from mvg.reporting.tables import write_layouts
from mvg.verdicts.paper import load_paper

OFFLINE = {
    "threshold": {"base": 0.25, "mvg": 0.5},
    "sparse_results_percent": {"base": 10.0, "mvg": 4.0, "mvg_own_threshold": 11.0},
    "wins": 30,
    "losses": 0,
    "p_value": 1e-9,
    "latency_ratio": {"p50": 1.1, "p90": 1.2, "p99": 1.3},
}
# Four queries, the first with most of the traffic; the relevant document of each is its own number.
WEIGHTS = np.array([6.0, 2.0, 1.0, 1.0])
TEXTS = ["Red  shoes", "hat 7 cm", "scarf", "gloves"]
TRAINING = ["red shoes", "hat 12 cm", "scarves"]


def ranked(*places):
    """A ranking of 300 documents in which query i has its own document at ``places[i]`` (from 0)."""
    others = np.tile(np.arange(4, 304), (len(places), 1))
    for query, place in enumerate(places):
        others[query, place] = query
    return others[:, :200]


@pytest.fixture
def numbers():
    rankings = {
        "bm25": ranked(150, 150, 150, 150),
        "x": ranked(150, 0, 99, 100),
        "prior+x": ranked(9, 0, 99, 100),
        "mvg+x": ranked(9, 10, 150, 100),
    }
    floats = {"bm25": 0, "x": 1000, "prior+x": 1001, "mvg+x": 1300}
    pairs = np.arange(4), np.arange(4)
    return click_log_numbers(rankings, floats, "x", pairs, 304, WEIGHTS, TEXTS, TRAINING)


def test_a_ranking_that_is_short_scores_as_one_filled_with_irrelevant_documents():
    full = ranked(3, 150, 0, 20)
    short = np.where(np.arange(200) > [[5], [160], [0], [10]], -1, full)
    full[3, 20] = 300  # the last query's document lies beyond the end of its short ranking
    pairs, floats = (np.arange(4), np.arange(4)), {"x": 1000, "bm25": 0}
    numbers = [
        click_log_numbers({"x": ranked(9, 9, 9, 9), "bm25": own}, floats, "x", pairs, 304, WEIGHTS, TEXTS, TRAINING)
        for own in (full, short)
    ]
    assert numbers[0] == numbers[1]


@pytest.fixture
def table(numbers):
    return click_log_table("clicklog", numbers, offline_rows(OFFLINE, "x"))


@pytest.fixture
def value(table):
    rows = table.set_index(["queries", "method", "metric", "k"])["value"].to_dict()
    rows = {(*place, None if pd.isna(k) else k): number for (*place, k), number in rows.items()}
    return lambda *place: rows[place]


def test_groups_of_queries():
    groups = {name: members.tolist() for name, members in query_groups(TEXTS, TRAINING).items()}
    assert groups == {
        "overall": [True] * 4,
        "memorization": [True, False, False, False],
        "generalization": [False, True, True, True],
        "near-duplicates": [False, True, False, False],
    }


def test_shares_of_the_traffic():
    assert traffic_shares([1, 0, 5, 5], np.array([0, 1, 5, 5]), WEIGHTS) == (60, 20, 20)
    assert np.isnan(weighted_mean([], []))


def test_recall_by_hand(value):
    assert value("overall", "x", "recall", 10) == pytest.approx(20)
    assert value("overall", "x", "recall", 100) == pytest.approx(30)
    assert value("overall", "mvg+x", "recall", 10) == pytest.approx(60)
    assert value("memorization", "mvg+x", "map", 100) == pytest.approx(10)
    assert value("generalization", "x", "recall", 100) == pytest.approx(75)
    assert value("near-duplicates", "mvg+x", "map", 10) == 0
    assert value("generalization", "", "traffic_percent", None) == pytest.approx(40)
    assert value("overall", "mvg+x", "index_gb", None) == pytest.approx(5.2e-6)


def test_who_gains_and_who_loses(value):
    shares = [value("overall", "mvg+x", f"{name}_percent", 100) for name in ("gains", "ties", "loses")]
    assert shares == pytest.approx([60, 30, 10])


def test_each_query_counts_once_in_the_sign_test(table):
    row = table[(table["method"] == "mvg+x") & (table["queries"] == "overall") & (table["metric"] == "recall")]
    row = row[row["k"] == 100].iloc[0]
    assert (row["wins"], row["losses"], row["p_value"]) == (1, 1, 1)


def test_the_curve_has_every_k(table):
    curve = table[(table["metric"] == "recall") & (table["queries"] == "overall") & (table["method"] == "x")]
    curve = curve.sort_values("k")
    assert curve["k"].tolist() == list(range(1, 201))
    hits = metrics.relevance(ranked(150, 0, 99, 100), (np.arange(4), np.arange(4)), 304)
    expected = [np.average(metrics.recall(hits, np.ones(4), k), weights=WEIGHTS) for k in range(1, 201)]
    np.testing.assert_allclose(curve["value"], expected)


# The A/B test


def test_a_weighted_quantile_by_hand():
    values, weights = np.array([3.0, 1.0, 2.0]), np.array([1.0, 8.0, 1.0])
    assert [offline_ab.weighted_quantile(values, weights, share) for share in (0.1, 0.8, 0.85, 1)] == [1, 1, 2, 3]


@pytest.fixture(scope="module")
def offline():
    """A corpus of 200 documents, and queries near them; dev 0..99, test 100..299."""
    random = np.random.default_rng(0)
    documents = random.normal(size=(200, 8))
    about = np.minimum(random.geometric(0.03, 600), 200) - 1
    queries = documents[about] + random.normal(size=(600, 8))
    documents, queries = (
        (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32) for x in (documents, queries)
    )
    train = np.arange(300, 600), about[300:]
    counts = allocate(np.bincount(train[1], minlength=200), 60, 0.5)
    views = fit(documents, queries, train, counts)
    weights = random.integers(1, 9, 600).astype(float)
    arguments = documents, views, queries, np.arange(100), np.arange(100, 300), weights
    return arguments, offline_ab.offline_ab(*arguments)


def test_sparse_results_by_their_definition(offline):
    (documents, (vectors, owner), queries, dev, test, weights), found = offline
    base = queries @ documents.T
    both = base.copy()
    np.maximum.at(both.T, owner, (queries @ vectors.T).T)
    threshold = found["threshold"]["base"]
    for name, scores in ("base", base), ("mvg", both):
        sparse = (scores[test] >= threshold - 1e-6).sum(axis=1) < 16
        expected = 100 * np.average(sparse, weights=weights[test])
        assert found["sparse_results_percent"][name] == pytest.approx(expected, abs=0.5)
    sparse_on_dev = (base[dev] >= threshold - 1e-6).sum(axis=1) < 16
    assert np.average(sparse_on_dev, weights=weights[dev]) == pytest.approx(0.1, abs=0.05)


def test_more_vectors_have_fewer_sparse_results_by_construction(offline):
    found = offline[1]
    assert found["losses"] == 0 < found["wins"]
    assert found["threshold"]["mvg"] > found["threshold"]["base"]
    shares = found["sparse_results_percent"]
    assert shares["mvg"] < shares["base"] and shares["mvg"] < shares["mvg_own_threshold"]


def test_latency_is_a_ratio(offline):
    assert all(0.1 < ratio < 10 for ratio in offline[1]["latency_ratio"].values())


# Files and verdicts


def test_files(table, tmp_path):
    facts = {"clicklog": {"simulated": True}}
    draw(table, facts, made(tmp_path / "click_log"))
    write_layouts("Click log", click_log_layouts(table, facts), made(tmp_path / "click_log"))
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".html", ".md", ".pdf", ".png", ".tex"]
    text = (tmp_path / "click_log.md").read_text()
    assert "Click log (simulated)" in text and "need live traffic" in text and "by construction" in text


def test_marks_of_the_table(table):
    recall, _, offline = click_log_layouts(table, {})
    entries = dict(recall.groups[0])
    assert [entry.text for entry in entries["x"]][:2] == ["20.00", "0.00"]
    assert [name for name, row in recall.groups[0] if row[0].best] == ["Prior + x", "MVG + x"]
    assert not any(entry.significant for row in entries.values() for entry in row)
    assert [entry.text for entry in dict(offline.groups[0])["MVG + x"]][1:] == [
        "60.00", "30.00", "10.00", "4.00", "11.00", "1.20",
    ]  # fmt: skip


def test_the_figure_says_what_is_simulated(table):
    with panels(2) as (figure, axes):
        plot_click_log(table, {"clicklog": {"simulated": True}}, figure, *axes)
        assert axes[0].get_title() == "Click log (simulated)"
        assert len(axes[0].lines) == 4 and len(axes[1].patches) == 6


def test_what_it_says_of_the_papers_numbers(table, tmp_path):
    table.to_csv(tmp_path / "click_log.csv", index=False)
    read_back = pd.read_csv(tmp_path / "click_log.csv")
    found = {id: number.value for id, number in claims("click_log", read_back).items()}
    statements = {s.id for s in load_paper().statements if s.measured_by == "click_log"}
    cells = {c.id for c in load_paper().cells if c.table == "prodsearch"}
    assert statements | cells | {"ab_test/prodsearch/mvg+prod/sparse_results_percent"} == set(found)
    assert found["prodsearch/prodsearch/overall/mvg+prod/recall@10"] == pytest.approx(60)
    assert (found["prod_gain_recall_min"], found["prod_gain_recall_max"]) == pytest.approx((40, 50))
    assert found["prod_traffic_gains"] == pytest.approx(60)
    assert found["prod_gain_every_k"] is False and found["prod_generalizes"] is False
    assert (
        found["prod_bold"] is False and found["prod_underlined"] is False and found["prod_gains_significant"] is False
    )
    assert found["prod_bm25_below"] is True
    assert found["prod_index_increase"] == pytest.approx(30)
    assert found["ab_test/prodsearch/mvg+prod/sparse_results_percent"] == pytest.approx(-60)
    assert found["ab_sparse_significant"] is True
