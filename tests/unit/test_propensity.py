"""Propensities by hand, and the recall weighted by them."""

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


def test_propensity_scored_recall_by_hand():
    # The first query finds document 2, worth 3, of 0 and 2; the second one misses document 1, its only one.
    ranked, pairs = [[1, 2, 0], [0, 2, 1]], ([0, 0, 1], [0, 2, 1])
    assert weighted_recall(ranked, pairs, [1, 1, 3], k=2).mean() == pytest.approx(100 * 3 / 5)


def test_a_rare_document_counts_more_where_each_query_has_but_one():
    common, rare = [[0], [1]], [[1], [0]]
    pairs, weights = ([0, 1], [0, 0]), [1, 9]
    assert weighted_recall(common, pairs, weights, k=1).mean() == weighted_recall(rare, pairs, weights, k=1).mean()
    pairs = [0, 1], [0, 1]
    assert weighted_recall([[0], [0]], pairs, weights, k=1).mean() == pytest.approx(10)
    assert weighted_recall([[1], [1]], pairs, weights, k=1).mean() == pytest.approx(90)


def test_where_all_hits_count_the_same_and_queries_have_as_many_documents_it_is_recall():
    rng = np.random.default_rng(0)
    ranked = rng.permuted(np.tile(np.arange(30), (20, 1)), axis=1)
    ranked[::3, 7:] = -1
    pairs = np.repeat(np.arange(20), 3), np.tile(np.arange(30), 2)
    expected = per_query(ranked, pairs, 30, [10])["recall@10"]
    assert weighted_recall(ranked, pairs, np.full(30, 7.0), 10) == pytest.approx(expected)


def test_the_objective_says_what_a_hit_counts():
    assert worth("mean", [0, 5], 100) is None
    assert worth("propensity", [0, 5], 100).tolist() == inverse_propensity([0, 5], 100).tolist()
