"""MVG at many budgets: shares by hand, and the same numbers as one search over all vectors."""

import numpy as np
import pytest
from made import unit

from mvg.datasets.pairs import Split
from mvg.evaluation import metrics
from mvg.evaluation.budgets import Budgets
from mvg.evaluation.choice import choose, log_popularity
from mvg.experiments.budget_share import budget_share
from mvg.experiments.budget_sweep import budget_sweep
from mvg.multiview import allocate, fit
from mvg.search.index import Index
from mvg.search.ranking import Ranking, merge
from mvg.search.views import Views

NOTHING = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)


@pytest.fixture
def data():
    """60 documents of very different popularity; queries 0..199 train, 200..239 dev, 240..279 test."""
    rng = np.random.default_rng(0)
    documents, queries = unit(rng.normal(size=(60, 6))), unit(rng.normal(size=(280, 6)))
    queries[240:250] = queries[:10]  # as is frequent in real data, so that equal scores occur
    keys = np.repeat(np.arange(280), 2) * 60 + np.minimum(rng.geometric(0.08, 560), 60) - 1
    pairs = np.divmod(np.unique(keys), 60)

    def split(first, last, excluded=NOTHING):
        inside = (pairs[0] >= first) & (pairs[0] < last)
        return Split(np.arange(first, last), tuple(side[inside] for side in pairs), excluded)

    hidden = np.array([240, 241, 250]), np.array([0, 1, 2])
    return documents, queries, split(0, 200), split(200, 240), split(240, 280, hidden)


def test_shares_by_hand():
    # Documents 1 and 5 have no query; of the others {0, 4} are the head, {3, 7} the torso, {2, 6} the tail.
    popularity = np.array([90, 0, 1, 9, 90, 0, 1, 9])
    rows = {(r["beta"], r["third"]): r for r in budget_share(popularity, 4, [0, 1])}
    assert [rows[0, third]["share"] for third in ("head", "torso", "tail")] == pytest.approx([100 / 3] * 3)
    assert [rows[1, third]["share"] for third in ("head", "torso", "tail")] == pytest.approx([90, 9, 1])
    # 4 whole vectors: 2/3 a document are rounded to 1 for the four most popular.
    assert [rows[0, third]["integer_share"] for third in ("head", "torso", "tail")] == [50, 50, 0]
    assert {r["documents"] for r in rows.values()} == {2}


def test_no_budget_has_no_shares():
    assert {r["share"] for r in budget_share(np.array([3, 2, 1]), 0, [0.5])} == {0}


@pytest.mark.parametrize("beta", [0, 0.5, 1])
@pytest.mark.parametrize("m_avg", [0, 0.05, 0.3, 3, 50])
@pytest.mark.parametrize("k", [5, 70])
def test_equal_to_one_search_over_all_vectors(data, beta, m_avg, k):
    documents, queries, train, _, test = data
    found = Budgets(documents, queries, train, test, k).mvg(beta, m_avg)
    popularity = np.bincount(train.pairs[1], minlength=60)
    views = Views.of(documents, fit(documents, queries, train.pairs, allocate(popularity, round(m_avg * 60), beta)))
    excluded = test.excluded[0] - 240, test.excluded[1]
    ranking = Index(views).search(queries[test.queries], k, excluded)
    scores = metrics.per_query(ranking.documents, (test.pairs[0] - 240, test.pairs[1]), 60, [k])
    assert found == {
        "k": k,
        "index_mfloats": views.n_floats / 1e6,
        "recall": scores[f"recall@{k}"].mean(),
        "map": scores[f"map@{k}"].mean(),
    }


def test_a_grid_holds_the_plain_encoder_and_every_point(data):
    documents, queries, train, _, test = data
    budgets = Budgets(documents, queries, train, test, 10)
    rows = budget_sweep(budgets, [0, 1], [0.1, 1])
    assert [(r["beta"], r["m_avg"]) for r in rows] == [(None, 0), (0, 0.1), (0, 1), (1, 0.1), (1, 1)]
    assert rows[0]["recall"] == budgets.plain()["recall"] == budgets.mvg(0.5, 0)["recall"]
    assert rows[4]["map"] == budgets.mvg(1, 1)["map"] != rows[2]["map"]


def test_scores_by_traffic(data):
    """All of the traffic on one query: its own scores."""
    documents, queries, train, _, test = data
    each = [Budgets(documents, queries, train, test, 10, weights=np.eye(40)[i]).plain()["recall"] for i in range(40)]
    assert np.mean(each) == pytest.approx(Budgets(documents, queries, train, test, 10).plain()["recall"])
    assert len(set(each)) > 1


def test_the_prior_is_what_dev_chooses(data):
    documents, queries, train, dev, test = data
    popularity = np.bincount(train.pairs[1], minlength=60)
    chosen = choose(documents, queries, dev, popularity, 10).prior
    assert chosen > 0
    views = Views.of(documents, prior=chosen * log_popularity(popularity))
    ranking = Index(views).search(queries[test.queries], 10, (test.excluded[0] - 240, test.excluded[1]))
    scores = metrics.per_query(ranking.documents, (test.pairs[0] - 240, test.pairs[1]), 60, [10])
    found = Budgets(documents, queries, train, test, 10).prior(dev)
    assert (found["recall"], found["index_mfloats"]) == (scores["recall@10"].mean(), 60 * 7 / 1e6)


def test_rankings_merge_by_score_then_row_each_document_once():
    a = Ranking(np.int32([[3, 1, 0]]), np.array([[0.9, 0.5, 0.4]]))
    b = Ranking(np.int32([[1, 2, -1]]), np.array([[0.9, 0.5, -np.inf]]))
    merged = merge(a, b)
    assert merged.documents.tolist() == [[1, 3, 2]]
    assert merged.scores.tolist() == [[0.9, 0.9, 0.5]]
    alone = merge(b, Ranking(np.int32([[-1, -1, -1]]), np.full((1, 3), -np.inf)))
    assert alone.documents.tolist() == [[1, 2, -1]] and alone.scores.tolist() == [[0.9, 0.5, -np.inf]]
