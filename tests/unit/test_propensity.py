"""Propensities by hand, and recall that they weigh."""

import numpy as np
import pytest

from mvg.evaluation.metrics import per_query
from mvg.evaluation.propensity import inverse_propensity, weighted_recall, worth


def test_inverse_propensity_by_hand():
    # N = e^3 training queries: C = 2 * 2.5^0.55; a document without any: 1 + 2 * (2.5 / 1.5)^0.55.
    n = np.exp(3)
    assert inverse_propensity([0, 1], n) == pytest.approx([1 + 2 * (2.5 / 1.5) ** 0.55, 3])


def test_the_more_popular_the_less_a_hit_counts_and_never_below_one():
    values = inverse_propensity(np.arange(100), 1000)
    assert (np.diff(values) < 0).all() and (values > 1).all()
    assert (inverse_propensity(np.arange(5), 2) == 1).all()  # so few queries say nothing


def test_weighted_recall_by_hand():
    # Relevant: documents 0 and 2, of which 2 is worth three times as much; and it alone is found.
    assert weighted_recall([[1, 2, 0]], ([0, 0], [0, 2]), [1, 1, 3], k=2) == pytest.approx([75])


def test_where_all_hits_count_the_same_it_is_recall():
    rng = np.random.default_rng(0)
    ranked = rng.permuted(np.tile(np.arange(30), (20, 1)), axis=1)
    ranked[::3, 7:] = -1
    pairs = np.repeat(np.arange(19), 3), rng.integers(30, size=57)  # some pairs repeat, the last query has none
    expected = per_query(ranked, pairs, 30, [10])["recall@10"]
    for weights in (worth("mean", np.zeros(30), 100), np.full(30, 7.0)):
        assert weighted_recall(ranked, pairs, weights, 10) == pytest.approx(expected, nan_ok=True)


def test_the_objective_says_what_a_hit_counts():
    assert worth("mean", [0, 5], 100).tolist() == [1, 1]
    assert worth("propensity", [0, 5], 100).tolist() == inverse_propensity([0, 5], 100).tolist()
