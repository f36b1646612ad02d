"""Bootstrap intervals over queries: by hand, against scipy, and their properties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import bootstrap

from mvg.evaluation.bootstrap import SAMPLES, gain, interval, ratios


def test_equal_scores_leave_no_doubt():
    assert interval([40, 40, 40]) == (40, 40, 40)


def test_one_query_is_drawn_again_and_again():
    assert interval([7.0]) == (7, 7, 7)


def test_no_queries_no_number():
    assert np.isnan(interval([])).all()


def test_two_queries_by_hand():
    # Both draws are the same query in half of the cases: 0 and 100 have a quarter each, far above 2.5 %.
    assert interval([0, 100]) == (50, 0, 100)


def test_as_scipy_has_it():
    scores = np.random.default_rng(1).exponential(20, 400)
    theirs = bootstrap((scores,), np.mean, n_resamples=5000, method="percentile", rng=2).confidence_interval
    assert interval(scores)[1:] == pytest.approx(tuple(theirs), abs=0.3)


def test_a_difference_is_paired():
    """Scores differ widely between queries, but the two methods by one point on each query."""
    scores = np.random.default_rng(0).uniform(0, 100, 200)
    assert gain(scores + 1, scores) == pytest.approx((1, 1, 1))
    a, b = interval(scores + 1), interval(scores)
    assert a.low < b.high  # unpaired, the two could not be distinguished


def test_a_ratio_of_sums_by_hand():
    # Three queries with 1, 2 and 0 relevant documents of a part, of which 1 and 0 are found.
    value, low, high = ratios([[1.0], [0.0], [0.0]], [[1.0], [2.0], [0.0]])
    assert value == pytest.approx([1 / 3]) and low == [0] and high == [1]


def test_a_part_without_pairs_has_no_value():
    for side in ratios([[0.0, 1.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 1.0]]):
        assert np.isnan(side[0]) and side[1] == 1


def test_a_seed_gives_the_same_interval_however_many_columns_there_are():
    scores = np.random.default_rng(0).normal(size=(50, 3))
    together = ratios(scores, np.ones_like(scores), seed=4)
    assert tuple(side[1] for side in together) == pytest.approx(interval(scores[:, 1], seed=4))
    assert interval(scores[:, 0], seed=4) != interval(scores[:, 0], seed=5)


def test_blocks_of_draws_change_nothing(monkeypatch):
    scores = np.random.default_rng(0).normal(size=60)
    at_once = interval(scores)
    monkeypatch.setattr("mvg.evaluation.bootstrap.AT_ONCE", 60 * SAMPLES // 7)
    assert interval(scores) == pytest.approx(at_once)


@pytest.mark.parametrize("scores", [[1.0, np.nan], [np.nan]])
def test_nan_is_refused(scores):
    with pytest.raises(ValueError, match="NaN"):
        interval(scores)


def test_unequal_lists_are_refused():
    with pytest.raises(ValueError, match="equal"):
        gain([1.0, 2.0], [1.0])


@given(st.lists(st.floats(0, 100), min_size=1, max_size=30))
def test_an_interval_lies_within_the_scores_and_turns_with_the_sign(scores):
    value, low, high = interval(scores)
    assert min(scores) - 1e-9 <= low <= high <= max(scores) + 1e-9
    # The same queries are drawn, so the difference the other way round is the mirror image.
    assert gain([0] * len(scores), scores) == pytest.approx((-value, -high, -low), abs=1e-9)
