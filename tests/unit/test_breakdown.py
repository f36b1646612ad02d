"""The breakdown by popularity of documents and novelty of queries, by hand."""

import numpy as np
import pandas as pd
import pytest
from made import made

from mvg.datasets.pairs import Split
from mvg.evaluation.propensity import inverse_propensity
from mvg.experiments.breakdown import Parts, document_parts, draw, write_breakdown

NOTHING = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
TEXTS = ["Shoes 1", "red hat", "hat", "coat", " SHOES  1", "shoes 2", "scarf"]  # the last three are of the test split


@pytest.fixture
def parts():
    """Documents 0 to 3, with 3, 2, 1 and no training queries; three test queries."""
    train = Split(np.arange(4), (np.array([0, 1, 2, 0, 1, 3]), np.array([0, 0, 0, 1, 1, 2])), NOTHING)
    test = Split(np.array([4, 5, 6]), (np.array([4, 5, 5, 6]), np.array([0, 0, 2, 3])), NOTHING)
    return Parts(train, test, TEXTS, n_documents=4)


def rows(parts, ranked, ks=(2,), metrics=("recall", "map")):
    table = pd.DataFrame(parts.scored(np.array(ranked), ks, metrics))
    return table.set_index(["part", "metric", "k"])


def test_thirds_of_documents_and_of_pairs():
    parts = document_parts([1, 6, 0, 2, 1, 1, 1])
    members = {name: np.flatnonzero(mine).tolist() for name, mine in parts.items()}
    assert members == {
        "head": [1, 3], "torso": [0, 4], "tail": [5, 6], "unseen": [2],
        # 12 pairs: those of document 1 begin in the first third, and fill half of the second one.
        "pairs_head": [1], "pairs_torso": [3], "pairs_tail": [0, 4, 5, 6],
    }  # fmt: skip


def test_recall_of_documents_is_over_all_pairs_of_the_part(parts):
    # Document 0 is found for one of the two queries that want it; document 2 and 3 are found.
    table = rows(parts, [[0, 1], [2, 1], [3, -1]])
    assert table.loc["head", "recall", 2][["pairs", "value"]].tolist() == [2, 50]
    assert table.loc["tail", "recall", 2][["pairs", "value"]].tolist() == [1, 100]
    assert table.loc["unseen", "recall", 2][["pairs", "value"]].tolist() == [1, 100]
    assert "torso" not in table.index.get_level_values("part")  # no test query wants document 1


def test_queries_by_how_new_they_are(parts):
    table = rows(parts, [[0, 1], [2, 1], [1, 0]])
    recall = {part: table.loc[part, "recall", 2]["value"] for part in ("all", "repeated", "near", "new")}
    assert recall == pytest.approx({"all": 50, "repeated": 100, "near": 50, "new": 0})
    assert table.loc["near", "map", 2][["pairs", "value"]].tolist() == [2, 50]


def test_propensity_scored_recall_counts_rare_documents_more(parts):
    inverse = inverse_propensity([3, 2, 1, 0], 4)
    table = rows(parts, [[0, 1], [2, 1], [1, 0]])  # found: document 0 once of twice, document 2
    expected = 100 * (inverse[0] + inverse[2]) / (2 * inverse[0] + inverse[2] + inverse[3])
    assert table.loc["all", "propensity_recall", 2]["value"] == pytest.approx(expected)
    assert inverse[0] < inverse[2] < inverse[3]


def test_intervals_hold_the_value_and_every_cut_off_has_a_row(parts):
    table = rows(parts, [[0, 1], [2, 0], [1, 3]], ks=(1, 2), metrics=("recall",))
    assert (table["low"] <= table["value"]).all() and (table["value"] <= table["high"]).all()
    assert set(table.index.get_level_values("k")) == {1, 2}
    new = table.loc["new", "recall", 2]  # one query: drawn or not, its recall is the same
    assert new[["value", "low", "high"]].tolist() == [100, 100, 100]


def test_the_table_has_a_column_a_part_and_the_figure_is_drawn(parts, tmp_path):
    scored = {"dssm": [[0, 1], [2, 1], [3, -1]], "mvg+dssm": [[1, 0], [2, 0], [3, 1]]}
    table = pd.concat(
        pd.DataFrame(parts.scored(np.array(ranked), (2,), ("recall",))).assign(dataset="eurlex", method=method)
        for method, ranked in scored.items()
    )
    write_breakdown(table, {}, made(tmp_path / "breakdown"))
    lines = [line for line in (tmp_path / "breakdown.md").read_text().splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in (lines[0], *lines[2:])]
    by_head = {head: column for head, *column in zip(*cells)}
    assert by_head["Method"] == ["DSSM", "MVG + DSSM"]
    assert by_head["Head (2)<br>EurLex"] == ["50.00", "100.00"]
    assert by_head["Recall@2<br>EurLex"] == ["83.33", "100.00"]
    draw(table[table["part"].isin(["head", "tail", "unseen"])], {}, made(tmp_path / "breakdown"))
    assert (tmp_path / "breakdown.png").stat().st_size > 5000 and (tmp_path / "breakdown.pdf").exists()
