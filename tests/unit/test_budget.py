"""Step 1: the allocation of the budget of behavioural vectors (paper, section 5.1)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvg.multiview import allocate, shares

popularities = st.lists(st.integers(0, 300), min_size=1, max_size=30).map(np.array)
betas = st.one_of(st.sampled_from([0, 0.5, 1]), st.floats(0, 2))


@given(popularities, st.integers(0, 2000), betas)
def test_the_sum_is_exact_and_no_document_gets_more_vectors_than_queries(n, total, beta):
    counts = allocate(n, total, beta)
    assert counts.sum() == min(total, n.sum())
    assert (counts >= 0).all() and (counts <= n).all()


@given(popularities, st.integers(0, 2000), betas)
def test_rounding_moves_no_document_by_a_whole_vector(n, total, beta):
    assert (np.abs(allocate(n, total, beta) - shares(n, total, beta)) < 1 + 1e-6).all()


@given(popularities, st.integers(0, 2000), betas)
def test_more_queries_never_get_fewer_vectors(n, total, beta):
    counts = allocate(n, total, beta)
    order = np.argsort(n, kind="stable")
    assert (np.diff(counts[order]) >= -1e-9).all() or (np.diff(n[order])[np.diff(counts[order]) < 0] == 0).all()


@given(popularities, st.integers(0, 500), st.floats(0, 1))
def test_shares_below_the_cap_are_proportional_to_the_power_of_popularity(n, total, beta):
    real = shares(n, total, beta)
    below = (n > 0) & (real < n * (1 - 1e-9))
    level = real[below] / n[below] ** beta
    if below.any():
        assert np.allclose(level, level[0])


def test_by_hand():
    # sqrt(16) : sqrt(4) : sqrt(1) = 4 : 2 : 1 of 7
    assert allocate([16, 4, 1], 7, 0.5).tolist() == [4, 2, 1]
    # each gets a third of 4; the one left over goes to the document with the most queries
    assert allocate([5, 9, 7], 4, 0).tolist() == [1, 2, 1]
    # equal remainders and equal popularity: the lower row first
    assert allocate([3, 3, 3], 2, 0.5).tolist() == [1, 1, 0]
    # a capped document's excess is shared out again: 1, and 5 split evenly over the rest
    assert allocate([1, 10, 10], 7, 0).tolist() == [1, 3, 3]


@pytest.mark.parametrize("j", [1, 7, 333, 1_000_000, 1_000_004, 1_000_031])
def test_equal_remainders_are_equal_whatever_float64_makes_of_them(j):
    # A third each, to the last bit or not: the vector left over goes to the document with most queries.
    assert allocate([1, 1, 3 * j + 1], j + 1, 1).tolist() == [0, 0, j + 1]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("beta", [10, 1000, 1e200])
def test_a_large_beta_fills_one_document_after_the_other(beta):
    n = [3, 10, 10, 2, 0, 1]
    assert allocate(n, 18, beta).tolist() == [0, 9, 9, 0, 0, 0]
    assert allocate(n, 24, beta).tolist() == [3, 10, 10, 1, 0, 0]
    assert allocate(n, 26, beta).tolist() == n
    assert np.allclose(shares(n, 22, 1000), [2, 10, 10, 0, 0, 0])


def test_what_is_left_goes_to_the_largest_remainders_then_to_the_lower_row():
    # 10 in proportion 1 : 2 is 1.11 and 2.22 each; the one left over goes to the first of the larger ones.
    assert allocate([100, 400, 100, 400, 100, 400], 10, 0.5).tolist() == [1, 3, 1, 2, 1, 2]


def test_documents_without_queries_get_nothing_even_when_all_are_treated_alike():
    assert allocate([0, 5, 0, 5], 6, 0).tolist() == [0, 3, 0, 3]


@pytest.mark.parametrize("n", [[-1, 2], [np.nan, 2], [np.inf, 2], [0.5, 2]])
def test_impossible_popularity_is_refused(n):
    with pytest.raises(ValueError, match="popularity"):
        allocate(n, 1, 0.5)


@pytest.mark.parametrize(("total", "beta"), [(-1, 0.5), (np.nan, 0.5), (1.5, 0.5), (1, -0.1), (1, np.nan)])
def test_impossible_budgets_are_refused(total, beta):
    with pytest.raises(ValueError, match="total|beta"):
        allocate([3, 2], total, beta)
