"""The verdict on each number of the paper."""

import math

import numpy as np
import pandas as pd
import pytest
from made import made

from mvg.verdicts.claims import Measured
from mvg.verdicts.comparison import METRIC_SCALES, Scale, incomparable, verdict
from mvg.verdicts.paper import load_paper
from mvg.verdicts.table import summary, verdicts_table, write_verdicts

RECALL, SIZE = METRIC_SCALES["recall"], METRIC_SCALES["index_mfloats"]
REAL = {"documents": 7201, "queries": {"train": 45000, "dev": 6000, "test": 6000}}


@pytest.mark.parametrize(
    ("paper", "ours", "scale", "expected"),
    [
        (67.20, 67.20, RECALL, "match"),
        (67.20, 67.70, RECALL, "match"),  # exactly 0.5 points
        (67.20, 67.71, RECALL, "better"),
        (67.20, 66.70, RECALL, "match"),
        (67.20, 66.69, RECALL, "worse"),
        (100.0, 102.0, SIZE, "match"),  # exactly 2 %
        (100.0, 102.1, SIZE, "worse"),
        (100.0, 97.9, SIZE, "better"),
        (True, True, Scale("higher", 0.0), "match"),
        (True, False, Scale("higher", 0.0), "worse"),
        (0.3, 1.0, Scale("none", 0.0), "worse"),
        (0.3, 0.3, Scale("none", 0.0), "match"),
        (67.20, None, RECALL, "not comparable"),
        (67.20, math.nan, RECALL, "not comparable"),
    ],
)
def test_verdict(paper, ours, scale, expected):
    assert verdict(paper, ours, scale).verdict == expected


def test_a_reason_comes_before_the_numbers():
    assert verdict(1, 1, RECALL, "simulated data") == ("not comparable", "simulated data")
    assert verdict(1, 1, RECALL, "x", inconsistent="y") == ("inconsistent in paper", "y")
    assert verdict(1, None, RECALL).reason == "not run"


@pytest.mark.parametrize(
    ("change", "metric", "reason"),
    [
        ({}, "recall", ""),
        ({"simulated": True}, "recall", "simulated data"),
        ({"simulated": True}, "index_mfloats", "simulated data"),
        ({"documents": 4271}, "recall", "4,271 documents against 7,201"),
        ({"documents": 7205}, "recall", ""),
        (
            {"queries": {"train": 45000, "dev": 6000, "test": 389}},
            "map",
            "389 test queries against 6,000",
        ),
        ({"queries": {"train": 9, "dev": 6000, "test": 6000}}, "index_mfloats", ""),
    ],
)
def test_other_data_is_not_comparable(change, metric, reason):
    assert incomparable("eurlex", "mvg+dssm", metric, {"eurlex": REAL | change}) == reason


def test_another_pretrained_model_is_not_comparable():
    def why(model):
        return incomparable("eurlex", "mvg+sbert", "map", {"eurlex": REAL}, {("eurlex", "sbert"): model})

    assert why("nlpaueb/legal-bert-base-uncased") == ""
    assert why("tiny-bert").startswith("another pretrained model (tiny-bert against")


def test_another_budget_is_not_comparable():
    def why(method, metric, floats):
        sizes = {("eurlex", "dssm"): 10.0, ("eurlex", method): floats}
        return incomparable("eurlex", method, metric, {"eurlex": REAL}, sizes=sizes)

    assert why("mvg+dssm", "recall", 13.0) == why("mvg+dssm", "recall", 13.2) == ""
    assert why("mvg+dssm", "recall", 20.0) == "an index of 2.00x against 1.3x"
    assert why("mvg+dssm", "index_mfloats", 20.0) == ""


def benchmark(values):
    """A benchmark frame of (dataset, method, metric, k) -> value."""
    rows = [[*place, value] for place, value in values.items()]
    columns = ["dataset", "method", "metric", "k", "value"]
    return pd.DataFrame(rows, columns=columns).astype({"k": "Int64"})


EURLEX_DSSM = {
    ("eurlex", "dssm", "recall", 100): 85.4,
    ("eurlex", "mvg+dssm", "recall", 100): 91.4,
    ("eurlex", "dssm", "index_mfloats", None): 1.843456,
    ("eurlex", "mvg+dssm", "index_mfloats", None): 2.396416,
}


@pytest.fixture
def table():
    frame = verdicts_table(benchmark(EURLEX_DSSM), {"eurlex": REAL}, {"budget_best_beta": 1.0})
    return frame.set_index("id")


def test_every_number_of_the_paper_has_one_row(table):
    paper = load_paper()
    ids = {number.id for number in (*paper.cells, *paper.statements)}
    assert ids <= set(table.index)
    assert table.index.is_unique
    assert set(table.index) - ids == {count.id for count in paper.counts} and len(paper.counts) == 3 * 4


def test_tables_come_before_statements(table):
    assert (table["says"] != "").is_monotonic_increasing
    assert table.index[0] == "benchmark/eurlex/bm25/recall@100"


def test_rows(table):
    def row(id):
        return tuple(table.loc[id, ["verdict", "reason"]])

    assert row("benchmark/eurlex/dssm/recall@100") == ("better", "")
    assert row("benchmark/eurlex/mvg+dssm/index_mfloats") == ("match", "")
    assert row("benchmark/eurlex/bm25/recall@100") == ("not comparable", "not run")
    assert row("gain_map_max") == ("not comparable", "not run")
    assert row("index_increase") == ("not comparable", "1 of 6 comparisons run")
    assert row("gain_recall_max")[0] == "inconsistent in paper"
    assert float(table.loc["gain_recall_max", "ours"]) == pytest.approx(6.0)
    assert row("budget_best_beta") == ("not comparable", "dataset not public")
    assert table.loc["budget_best_beta", "ours"] == "1.0"
    assert row("documents_eurlex")[0] == "inconsistent in paper"
    assert row("queries_eurlex_train") == ("match", "")
    assert row("queries_pubmed_train") == ("not comparable", "not run")


def test_what_is_printed_and_what_is_compared_are_two_numbers():
    """WikiSeeAlso's training queries are printed as 500K; a fifth of its 693,082 points is dev, the rest 554,466."""
    real = {"documents": 312330, "queries": {"train": 554466, "dev": 138616, "test": 177515}}
    table = verdicts_table(benchmark({}), {"wikiseealso": real}).set_index("id")
    columns = ["paper", "compared", "ours", "verdict"]
    assert table.loc["queries_wikiseealso_train", columns].tolist() == ["500000", "554466", "554466", "match"]
    assert "138K" in table.loc["queries_wikiseealso_train", "reason"]
    assert table.loc["queries_wikiseealso_dev", "paper"] == "138000"
    assert table.loc["documents_wikiseealso", columns].tolist() == ["300000", "308400", "312330", "match"]
    assert table.loc["documents_eurlex", ["paper", "compared"]].tolist() == ["4271", "7201"]
    same = table.loc["benchmark/eurlex/dssm/recall@100"]
    assert same["paper"] == same["compared"] == "67.2"


def test_what_holds_by_definition_is_no_match():
    table = verdicts_table(benchmark({}), {}, {"budget_equal_at_beta_0": True}).set_index("id")
    always = ["latency_less_min", "latency_less_max", "index_smaller_min", "budget_equal_at_beta_0"]
    assert set(table.loc[always, "verdict"]) == {"by definition"} and "match" not in set(table["verdict"])
    wrong = verdicts_table(benchmark({}), {}, {"budget_equal_at_beta_0": False}).set_index("id")
    assert wrong.loc["budget_equal_at_beta_0", "verdict"] == "worse"


def test_significance_is_that_of_the_sign_tests():
    places = {("eurlex", m, metric, 100): 50.0 for m in ("dssm", "mvg+dssm") for metric in ("recall", "map")}
    columns = ["dataset", "metric", "k", "a", "b", "wins", "losses", "ties", "p_value"]

    def found(recall, average_precision):
        rows = [["eurlex", "recall", 100, *recall], ["eurlex", "map", 100, *average_precision]]
        tests = pd.DataFrame(rows, columns=columns)
        table = verdicts_table(benchmark(places), {"eurlex": REAL}, significance=tests).set_index("id")
        return table.loc["gains_significant", ["ours", "reason"]].tolist()

    won = ["dssm", "mvg+dssm", 3, 40, 0, 1e-9]
    assert found(won, won) == ["yes", "2 of 12 comparisons run"]
    assert found(won, ["mvg+dssm", "dssm", 3, 40, 0, 1e-9])[0] == "no"
    assert found(won, ["dssm", "mvg+dssm", 3, 40, 0, 0.002])[0] == "no"


def test_measured_values_of_later_experiments():
    measured = {
        "dimension_dssm_32": np.float64(58.2),
        "dimension_mvg_beats_doubling": np.True_,
        "training_gain_map_best": Measured(19.2, "another schedule"),
        "zero_shot/eurlex/mvg+bertbase/recall@10": 50.0,
    }
    pretrained = {("eurlex", "bertbase"): "bert-base-uncased"}
    frame = verdicts_table(benchmark({}), {"eurlex": REAL}, measured, pretrained).set_index("id")
    assert frame.loc["dimension_dssm_32", ["ours", "verdict"]].tolist() == ["58.2", "match"]
    assert frame.loc["dimension_mvg_beats_doubling", "ours"] == "yes"
    assert frame.loc["training_gain_map_best", "reason"] == "another schedule"
    assert frame.loc["zero_shot/eurlex/mvg+bertbase/recall@10", "verdict"] == "worse"


def test_a_measured_value_for_no_number_of_the_paper_is_an_error():
    with pytest.raises(KeyError, match="dimension_dssm_33"):
        verdicts_table(benchmark({}), {}, {"dimension_dssm_33": 1.0})


def test_simulated_data_is_never_compared():
    facts = {"eurlex": REAL | {"simulated": True}}
    frame = verdicts_table(benchmark(EURLEX_DSSM), facts)
    ours = frame[(frame["dataset"] == "eurlex") & (frame["ours"] != "")]
    assert len(ours) > 5
    assert set(ours["verdict"]) == {"not comparable", "inconsistent in paper"}


def test_summary_names_every_verdict():
    assert summary(["match", "worse", "match"]) == (
        "Of 3 numbers: 2 match, 0 better, 1 worse, 0 not comparable, 0 inconsistent in paper, 0 by definition."
    )


def test_written_twice_gives_the_same_bytes(tmp_path):
    frame = verdicts_table(benchmark(EURLEX_DSSM), {"eurlex": REAL})
    for name in ("a", "b"):
        write_verdicts(frame, made(tmp_path / name))
    for suffix in ("csv", "md"):
        text = (tmp_path / f"a.{suffix}").read_bytes()
        assert text == (tmp_path / f"b.{suffix}").read_bytes()
    assert f"Of {len(frame)} numbers: ".encode() in (tmp_path / "a.md").read_bytes()
