"""Choices on dev: the popularity prior and the bias of behavioural views."""

import numpy as np
import pytest

from mvg.datasets.pairs import Split
from mvg.evaluation.choice import PRIORS, VIEW_BIASES, Choice, choose, choose_over_tokens, log_popularity

NOTHING = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)


def test_smoothed_log_popularity_by_hand():
    assert log_popularity([3, 0, 1]).tolist() == pytest.approx(np.log([4 / 7, 1 / 7, 2 / 7]))


def test_a_prior_is_chosen_where_popular_documents_are_underrated():
    # Both documents look alike; the second is the relevant one, and the popular one.
    documents, queries = np.float32([[1, 0], [0.99, 0.14]]), np.float32([[1, 0]] * 4)
    split = Split(np.arange(4), (np.arange(4), np.ones(4, dtype=np.int64)), NOTHING)
    choice = choose(documents, queries, split, [0, 50], k=1)
    assert choice.prior == 0.005  # the smallest that puts the second first
    assert choice.view_bias is None
    assert choose(documents, queries, split, [0, 50], k=2).prior == 0.005  # both are found: MAP decides


def test_where_rare_documents_are_worth_more_the_head_decides_no_longer():
    # Three queries want the popular document, which a prior lifts; one wants the other, which stands first without it.
    documents, queries = np.float32([[1, 0], [0.99, 0.14]]), np.float32([[1, 0]] * 4)
    split = Split(np.arange(4), (np.arange(4), np.array([1, 1, 1, 0])), NOTHING)
    popularity, weights = [0, 50], np.array([10.0, 1.0])
    assert choose(documents, queries, split, popularity, k=1).prior > 0
    assert choose(documents, queries, split, popularity, k=1, worth=weights).prior == 0


def test_no_prior_where_it_only_hurts():
    documents, queries = np.eye(2, dtype=np.float32), np.float32([[1, 0]])
    split = Split(np.array([0]), (np.array([0]), np.array([0])), NOTHING)
    assert choose(documents, queries, split, [0, 1000], k=1).prior == 0


def test_views_are_used_where_they_help_and_left_out_where_they_hurt():
    documents = np.eye(3, dtype=np.float32)
    queries = np.float32([[0, 0.6, 0.8]] * 3)
    split = Split(np.arange(3), (np.arange(3), np.zeros(3, dtype=np.int64)), NOTHING)
    towards = np.float32([[0, 0.6, 0.8]]), np.array([0], dtype=np.int32)
    away = np.float32([[0, 0.6, 0.8]]), np.array([1], dtype=np.int32)
    assert choose(documents, queries, split, [1, 1, 1], k=1, behavioural=towards).view_bias is not None
    assert choose(documents, queries, split, [1, 1, 1], k=1, behavioural=away).view_bias is None


@pytest.fixture
def skewed():
    """Documents, queries, dev split, popularity and views of 60 documents, a few of them popular."""
    rng = np.random.default_rng(0)
    unit = lambda x: (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32)  # noqa: E731
    documents, queries = unit(rng.normal(size=(60, 6))), unit(rng.normal(size=(80, 6)))
    relevant = np.minimum(rng.geometric(0.1, 80), 60) - 1
    split = Split(np.arange(80), (np.arange(80), relevant), NOTHING)
    popularity = np.bincount(relevant, minlength=60) * 10
    views = queries[:20], relevant[:20].astype(np.int32)
    order = np.argsort(views[1], kind="stable")
    return documents, queries, split, popularity, (views[0][order], views[1][order])


def test_on_dev_the_choice_is_no_worse_than_prior_alone_or_views_alone(skewed):
    documents, queries, split, popularity, views = skewed
    choice = choose(documents, queries, split, popularity, k=5, behavioural=views)
    score = {(t["prior"], t["view_bias"]): t["recall"] + t["map"] for t in choice.trials}
    chosen = score[choice.prior, choice.view_bias]
    assert chosen >= score[0, 0.0] and chosen >= max(s for (b, c), s in score.items() if c is None)


def test_the_prior_is_the_best_beside_the_chosen_bias_of_views(skewed):
    documents, queries, split, popularity, views = skewed
    choice = choose(documents, queries, split, popularity, k=5, behavioural=views)
    assert choice.view_bias not in (None, 0.0)
    score = {t["prior"]: t["recall"] + t["map"] for t in choice.trials if t["view_bias"] == choice.view_bias}
    assert set(score) == set(PRIORS) and score[choice.prior] == max(score.values())


def test_filtered_pairs_count_for_nothing():
    # Document 0 would be ranked first, but is filtered; without it document 1 is.
    documents, queries = np.eye(2, dtype=np.float32), np.float32([[1, 0]])
    excluded = np.array([0]), np.array([0])
    choice = choose(documents, queries, Split(np.array([0]), (np.array([0]), np.array([1])), excluded), [1, 1], k=1)
    assert choice.trials[0]["recall"] == 100


@pytest.mark.parametrize("with_views", [False, True])
def test_with_one_token_a_text_the_choice_is_the_bi_encoder_s(skewed, with_views):
    documents, queries, split, popularity, views = skewed
    views = views if with_views else None
    tokens, starts = documents, np.arange(len(documents) + 1)
    found = choose_over_tokens(tokens, starts, queries[:, None], split, popularity, 5, views)
    assert found == choose(documents, queries, split, popularity, 5, views)


def test_what_dev_chooses_without_views_is_the_beginning_of_what_it_chooses_with_them(skewed):
    documents, queries, split, popularity, views = skewed
    both = choose(documents, queries, split, popularity, 5, views)
    assert both.without_views() == choose(documents, queries, split, popularity, 5)
    tokens = documents, np.arange(61), queries[:, None], split, popularity, 5
    assert choose_over_tokens(*tokens, views).without_views() == choose_over_tokens(*tokens)


def test_a_bias_counts_once_for_each_token_of_the_query(skewed):
    documents, queries, split, popularity, views = skewed
    twice = np.repeat(queries[:, None], 2, axis=1)  # every score is doubled, and so is every bias
    found = choose_over_tokens(documents, np.arange(61), twice, split, popularity, 5, views)
    assert found == choose(documents, queries, split, popularity, 5, views)


def test_a_choice_is_read_as_it_was_written_and_applied(tmp_path):
    choice = Choice(0.05, None, [dict(prior=0.05, view_bias=None, recall=1.0, map=0.5)])
    choice.save(tmp_path / "choice.json")
    assert Choice.load(tmp_path / "choice.json") == choice
    behavioural, prior, view_bias = choice.applied([3, 0, 1], "views")
    assert behavioural is None and view_bias is None  # dev chose no views
    assert prior.tolist() == pytest.approx(0.05 * np.log([4 / 7, 1 / 7, 2 / 7]))
    assert choice._replace(view_bias=-0.1).applied([1], "views")[::2] == ("views", -0.1)


def test_the_grids_rise_and_hold_nothing_and_what_theory_expects():
    assert list(PRIORS) == sorted(set(PRIORS)) and PRIORS[0] == 0 and 0.05 in PRIORS  # 1 / the scale of dssm's softmax
    none, *biases = VIEW_BIASES
    assert none is None and biases == sorted(set(biases)) and 0 in biases and biases[0] >= -0.3 and biases[-1] <= 0.1
