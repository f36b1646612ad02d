"""Loss curves: the numbers, and the files."""

import pandas as pd
import pytest
from made import made

from mvg.experiments.loss_curves import draw, loss_curves, with_and_without_a_curve


def history(**columns):
    return pd.DataFrame({"step": [5, 10], "loss": [4.0, 2.0], "recall": [10.0, 30.0], "map": [1.0, 3.0]} | columns)


def test_one_row_an_evaluation():
    found = loss_curves({("eurlex", "dssm"): history(epoch=[1, 2]), ("mine", "sbert"): history()})
    assert found.columns.tolist() == ["dataset", "encoder", "step", "loss", "recall", "map"]
    assert found[["dataset", "encoder", "step"]].values.tolist() == [
        ["eurlex", "dssm", 5],
        ["eurlex", "dssm", 10],
        ["mine", "sbert", 5],
        ["mine", "sbert", 10],
    ]


def test_two_points_make_no_curve():
    longer = history(**{name: [1.0, 2, 3] for name in history()})
    table = loss_curves({("eurlex", "dssm"): longer, ("mine", "dssm"): history(), ("mine", "sbert"): history()})
    assert with_and_without_a_curve(table) == (["dssm"], ["sbert"])


LONG = pd.concat([history(), history(step=[15, 20])])


@pytest.mark.parametrize(
    "histories",
    [
        {},
        {("a$b$", "dssm"): LONG, ("a$b$", "sbert"): history()},
        {("a$b$", "dssm"): history(), ("a$b$", "colbert"): history()},
    ],
)
def test_the_files_are_written(tmp_path, histories):
    draw(loss_curves(histories), {"a$b$": {"simulated": True}}, made(tmp_path / "loss_curves"))
    assert (tmp_path / "loss_curves.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "loss_curves.pdf").read_bytes().startswith(b"%PDF")
    assert len(loss_curves(histories)) == sum(map(len, histories.values()))
