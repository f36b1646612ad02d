"""The frontier: methods against the size of their index."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from made import made, vectors_and_log

from mvg.datasets.pairs import Split
from mvg.evaluation.metrics import per_query
from mvg.evaluation.significance import sign_test
from mvg.experiments.frontier import averaged, draw, frontier, grows, hull

MULTIVIEW = {"budget": 1.3, "m_avg": 0.3, "beta": 0.5, "methods": ["auto"]}


@pytest.fixture(scope="module")
def data():
    documents, queries, target = vectors_and_log(50, 900, 12, 0.3, asked=50)
    nothing = (np.empty(0, dtype=np.int64),) * 2
    splits = [
        Split(rows, (rows, target[rows]), nothing)
        for rows in (np.arange(600), np.arange(600, 750), np.arange(750, 900))
    ]
    return documents, queries, *splits


def test_each_row_is_a_metric_of_a_method_within_a_budget(data):
    rows = frontier(*data, ["", "moved", "mvg+prior", "auto"], [1.3, 2], [5, 10], ["recall", "map"], MULTIVIEW)
    table = pd.DataFrame(rows)
    # Four pairs of a metric and k, for two methods that do not grow and two that do, at two budgets.
    assert len(table) == 4 * (2 + 2 * 2)
    assert (table["budget"].isna() == ~table["method"].isin(["mvg+prior", "auto"])).all()
    assert (table["index_ratio"] <= table["budget"].fillna(1) * 13 / 12 + 1e-9).all()  # a bias may come on top

    documents, queries, _, _, test = data
    ranked = np.argsort(-(queries[test.queries] @ documents.T), axis=1)[:, :10]
    plain = per_query(ranked, (np.arange(150), test.pairs[1]), 50, [5, 10])
    for row in table[table["method"] == ""].itertuples():
        assert row.value == pytest.approx(plain[f"{row.metric}@{row.k}"].mean())
    reference = table[(table["method"] == "mvg+prior") & (table["budget"] == 1.3)]
    assert (reference[["wins", "losses"]] == 0).all(axis=None) and (reference["p_value"] == 1).all()
    moved = table[(table["method"] == "moved") & (table["metric"] == "map")]
    assert (moved["value"] > table[(table["method"] == "") & (table["metric"] == "map")]["value"].to_numpy()).all()
    assert sign_test(plain["map@10"], plain["map@10"]).p_value == 1


@pytest.mark.parametrize(
    ("name", "expected"),
    [("", False), ("tuned", False), ("knn+moved", False), ("pefa-xl", False), ("mvg", True), ("shared+tuned", True)],
)
def test_what_has_a_use_for_a_larger_budget(name, expected):
    assert grows(name) is expected


def test_seeds_are_averaged_and_the_tests_are_those_of_the_first():
    def row(value, size, p):
        return {
            "method": "tuned",
            "value": value,
            "index_ratio": size,
            "train_s": 1.0,
            "latency_ratio": 1.0,
            "p_value": p,
        }

    (found,) = averaged([[row(50.0, 1.2, 0.1)], [row(53.0, 1.3, 0.9)], [row(56.0, 1.4, 0.8)]])
    assert (found["value"], found["sd"], found["seeds"], found["p_value"]) == (53, 3, 3, 0.1)
    assert found["index_ratio"] == pytest.approx(1.3)
    (alone,) = averaged([[row(50.0, 1.2, 0.1)]])
    assert (alone["value"], alone["sd"], alone["seeds"]) == (50, None, 1)


def test_the_hull_is_the_best_within_a_size():
    assert hull([1, 1, 1.3, 2, 3], [5, 7, 6, 9, 8]) == ([1, 1, 1, 2, 2, 3], [5, 5, 7, 7, 9, 9])


def test_a_figure_is_drawn(tmp_path):
    place = {"dataset": "eurlex", "encoder": "x", "k": 10, "budget": None}
    table = pd.DataFrame(
        [
            place | {"method": method, "index_ratio": size, "metric": metric, "value": size}
            for metric in ("recall", "map")
            for method, size in (("x", 1.0), ("auto+x", 1.3), ("auto+x", 2.0))
        ]
    )
    files = made(tmp_path / "frontier")
    draw(table, {"eurlex": {"simulated": True}}, SimpleNamespace(pdf=files.pdf, png=files.png))
    assert (tmp_path / "frontier.png").stat().st_size > 10_000
