"""The macro sign test."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from mvg.evaluation.significance import sign_test

SCORES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30)


def test_by_hand():
    # Five wins, no loss: both tails of the binomial hold 1 of 32 outcomes each.
    assert sign_test([2, 2, 2, 2, 2, 1], [1, 1, 1, 1, 1, 1]) == (5, 0, 1, 2 / 32)


def test_ties_do_not_dilute():
    assert sign_test([1] * 8 + [5] * 90, [0] * 8 + [5] * 90).p_value == pytest.approx(2 / 2**8)


def test_nothing_but_ties_is_no_evidence():
    assert sign_test([1, 2], [1, 2]) == (0, 0, 2, 1.0)
    assert sign_test([], []) == (0, 0, 0, 1.0)


@given(st.integers(0, 3000), st.integers(0, 3000))
def test_the_p_value_is_that_of_scipys_exact_test(wins, losses):
    p_value = sign_test([1] * wins + [0] * losses, [0] * wins + [1] * losses).p_value
    assert p_value == (binomtest(wins, wins + losses).pvalue if wins + losses else 1)


def test_a_significant_difference_can_be_a_loss():
    test = sign_test([0] * 20, [1] * 20)
    assert test.p_value < 0.001 and test.wins < test.losses


@given(SCORES)
def test_swapping_the_methods_swaps_wins_and_losses(scores):
    a, b = zip(*scores)
    wins, losses, ties, p_value = sign_test(a, b)
    assert sign_test(b, a) == (losses, wins, ties, pytest.approx(p_value))
    assert wins + losses + ties == len(scores) and 0 < p_value <= 1


@pytest.mark.parametrize("a, b", [([1], [1, 2]), ([[1]], [[1]]), ([float("nan")], [1])])
def test_unequal_shapes_and_nan_are_refused(a, b):
    with pytest.raises(ValueError):
        sign_test(a, b)
