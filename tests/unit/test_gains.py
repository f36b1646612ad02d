"""The table of gains: which methods are compared, and their difference."""

import numpy as np
import pandas as pd
import pytest
from made import made

from mvg.experiments.gains import gains_table, write_gains


def frame(values):
    return pd.DataFrame({"recall@10": values, "map@10": np.zeros(len(values))}, index=range(len(values)))


@pytest.fixture
def table():
    plain = np.linspace(10, 60, 40)
    scores = {"dssm": frame(plain), "prior+dssm": frame(plain + 5), "mvg+dssm": frame(plain - 2), "bm25": frame(plain)}
    return gains_table({"eurlex": scores}).set_index(["a", "b", "metric"])


def test_a_constant_gain_has_no_width_and_wins_everywhere(table):
    row = table.loc["prior+dssm", "dssm", "recall"]
    assert row[["difference", "low", "high"]].tolist() == pytest.approx([5, 5, 5])
    assert row[["wins", "losses"]].tolist() == [40, 0] and row["p_value"] == pytest.approx(2 * 0.5**40)
    assert row[["dataset", "encoder", "k"]].tolist() == ["eurlex", "dssm", 10]


def test_methods_meet_what_is_simpler_if_the_run_has_both(table):
    assert {pair[:2] for pair in table.index} == {("mvg+dssm", "dssm"), ("prior+dssm", "dssm")}


def test_where_nothing_differs_nothing_is_significant(table):
    assert table.loc["mvg+dssm", "dssm", "map"][["difference", "wins", "losses", "p_value"]].tolist() == [0, 0, 0, 1]


def test_gains_and_losses_are_marked_where_the_sign_test_agrees(table, tmp_path):
    write_gains(table.reset_index(), {}, made(tmp_path / "gains"))
    text = (tmp_path / "gains.md").read_text()
    lines = {line.split("|")[1].strip(): line for line in text.splitlines() if " against " in line}
    assert "<ins>+5.00 [+5.00, +5.00]</ins>" in lines["Prior + DSSM against DSSM"]
    assert "<ins>-2.00 [-2.00, -2.00]</ins>" in lines["MVG + DSSM against DSSM"]
    assert "| +0.00 [+0.00, +0.00] |" in lines["MVG + DSSM against DSSM"]
