"""Where MVG does not help: the table, its sign tests, and the paper's statement."""

import numpy as np
import pandas as pd
import pytest
from made import made

from mvg.experiments import claims
from mvg.experiments.flat_popularity import flat_popularity_layouts, flat_popularity_numbers, flat_popularity_table
from mvg.reporting.tables import write_layouts

PAIRS = np.arange(40), np.arange(40)


def ranked(place, n=40):
    """Rankings of 2000 documents in which query i has document i at ``place`` (from 0)."""
    others = np.tile(np.arange(100, 1100), (n, 1))
    others[:, place] = np.arange(n)
    return others


@pytest.fixture
def table():
    worse = ranked(5)
    worse[:30] = ranked(50, 30)
    rankings = {"bm25": ranked(500), "ance": ranked(5), "prior+ance": ranked(5), "mvg+ance": worse}
    floats = {"bm25": 0, "ance": 2_000_000, "prior+ance": 2_001_000, "mvg+ance": 2_600_000}
    popularity = np.repeat([7, 1, 0], [20, 500, 1480])
    return flat_popularity_table("flat", flat_popularity_numbers(rankings, floats, "ance", PAIRS, popularity))


def test_numbers_by_hand(table):
    values = table.groupby(["method", "metric"])["value"].agg(list)
    assert values["bm25", "recall"] == [0, 0, 100]
    assert values["ance", "recall"] == [100, 100, 100]
    assert values["mvg+ance", "recall"] == [25, 100, 100]
    assert values["mvg+ance", "map"] == pytest.approx([25 / 6, 25 / 6 + 75 / 51, 25 / 6 + 75 / 51])
    assert values["mvg+ance", "index_mfloats"] == [2.6]
    assert values["", "head_percent"] == pytest.approx([100 * 140 / 640])


def test_losses_are_shown_as_plainly_as_gains(table, tmp_path):
    row = table[(table["method"] == "mvg+ance") & (table["metric"] == "recall")].iloc[0]
    assert (row["wins"], row["losses"]) == (0, 30) and row["p_value"] < 1e-8
    assert table[table["method"] == "ance"]["p_value"].isna().all()
    layouts = flat_popularity_layouts(table, {"flat": {"simulated": True}})
    write_layouts("Flat popularity", layouts, made(tmp_path / "flat_popularity"))
    text = (tmp_path / "flat_popularity.md").read_text()
    assert "0 : 30, p = 1.9e-09" in text and "simulated" in text and "21.9 % of the training pairs" in text
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".html", ".md", ".tex"]


def test_the_best_is_bold_and_underlined_only_if_it_is_better(table):
    scores = flat_popularity_layouts(table, {})[0]
    first = {name: row[0] for name, row in scores.groups[0]}
    assert [name for name, entry in first.items() if entry.best] == ["ANCE"]
    assert not any(entry.significant for entry in first.values())


def test_what_it_says_of_the_papers_numbers(table, tmp_path):
    table.to_csv(tmp_path / "flat_popularity.csv", index=False)
    table = pd.read_csv(tmp_path / "flat_popularity.csv")
    found = claims("flat_popularity", table)
    assert found["flat_popularity/msmarco/mvg+ance/recall@10"] == (25.0, "")
    assert found["flat_no_significant_loss"] == (False, "") and found["flat_no_gain"] == (True, "")
    other = table.assign(method=table["method"].str.replace("ance", "dssm"))
    found = claims("flat_popularity", other)
    assert found["flat_popularity/msmarco/ance/recall@1000"] == (100.0, "another encoder (DSSM against ANCE)")
    assert "flat_colbert_marginal" not in found
    colbert = other[other["method"] == "prior+dssm"].assign(method="colbert")
    found = claims("flat_popularity", pd.concat([other, colbert]))
    assert found["flat_colbert_marginal"].value is True
    assert found["flat_popularity/msmarco/colbert/recall@10"].value == 100.0
    found = claims("flat_popularity", pd.concat([other, colbert.assign(value=colbert["value"] + 3)]))
    assert found["flat_colbert_marginal"].value is False
    no_loss = pd.concat(
        [other[other["method"] != "mvg+dssm"], other[other["method"] == "prior+dssm"].assign(method="mvg+dssm")]
    )
    assert claims("flat_popularity", no_loss)["flat_no_significant_loss"].value is True
