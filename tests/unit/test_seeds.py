"""Mean and spread over seeds."""

import numpy as np
import pandas as pd
from made import made

from mvg.experiments.seeds import seeds_table, write_seeds


def frame(recall, average_precision):
    """Per-query scores of two queries with these means."""
    return pd.DataFrame({"recall@10": [recall - 1, recall + 1], "map@10": [average_precision] * 2}, index=["a", "b"])


def test_mean_and_sample_deviation_by_hand(tmp_path):
    scores = {("eurlex", "dssm"): [frame(10, 1), frame(20, 2), frame(30, 3)], ("eurlex", "mvg+dssm"): [frame(5, 5)]}
    table = seeds_table(scores)
    assert table.columns.tolist() == ["dataset", "method", "metric", "k", "mean", "sd", "n_seeds"]
    assert table.iloc[0].tolist() == ["eurlex", "dssm", "recall", 10, 20, 10, 3]
    assert table.iloc[1].tolist() == ["eurlex", "dssm", "map", 10, 2, 1, 3]
    assert table.iloc[2]["mean"] == 5 and np.isnan(table.iloc[2]["sd"]) and table.iloc[2]["n_seeds"] == 1
    write_seeds(table, {"eurlex": {"simulated": True}}, made(tmp_path / "seeds"))
    text = (tmp_path / "seeds.md").read_text()
    assert "20.00 ± 10.00" in text and "EurLex (simulated)" in text and "over 1 or 3 seeds" in text
    assert r"20.00 \ensuremath{\pm} 10.00" in (tmp_path / "seeds.tex").read_text()


def test_a_run_that_repeats_nothing_says_so(tmp_path):
    write_seeds(seeds_table({}), {}, made(tmp_path / "seeds"))
    assert "repeats nothing" in (tmp_path / "seeds.md").read_text()
