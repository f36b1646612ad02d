"""Additions to an encoder: one scoring rule, its parts, and the search over all of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made import unit
from scipy import sparse
from scipy.special import logsumexp

from mvg.datasets.pairs import Split
from mvg.evaluation import metrics
from mvg.evaluation.dev import Constants, Dev
from mvg.evaluation.propensity import weighted_recall
from mvg.multiview import Addition, Behavioural, Votes
from mvg.multiview.adapter import adapter
from mvg.multiview.addition import SIMILARITY, SOFTMAX, SUM
from mvg.multiview.moved import moved, pefa_xs
from mvg.multiview.shared import centers_for, centers_of, knn, largest, pefa_xl, shared
from mvg.multiview.training import Recipe, gradient
from mvg.multiview.tuned import shared_tuned, tuned
from mvg.search.combined import Combined


def log_of(seed=0, n_documents=40, n_queries=300, dim=8):
    """Vectors, and pairs of two documents a query, skewed towards the first documents; the last five have none."""
    rng = np.random.default_rng(seed)
    documents, queries = unit(rng.normal(size=(n_documents, dim))), unit(rng.normal(size=(n_queries, dim)))
    rows = np.repeat(np.arange(n_queries), 2)
    columns = np.floor((n_documents - 5) * rng.random(len(rows)) ** 2).astype(int)
    return documents, queries, (rows, columns)


def scores_by_hand(addition, queries):
    """The scoring rule, word by word, in float64."""
    queries = np.asarray(addition.queries(queries), dtype=np.float64)
    result = np.empty((len(queries), len(addition.documents)))
    for i, query in enumerate(queries):
        for d, document in enumerate(addition.documents):
            views = [query @ document.astype(np.float64)]
            if addition.views is not None:
                own = addition.views.vectors[addition.views.owner == d].astype(np.float64)
                views += [query @ view + addition.view_bias for view in own]
            result[i, d] = max(views) + (0 if addition.bias is None else np.float32(addition.bias[d]))
        if addition.votes is not None:
            votes = addition.votes
            similarity = votes.centers.astype(np.float64) @ query
            near = np.argsort(-similarity, kind="stable")[: votes.nearest]
            weight = {
                SOFTMAX: np.exp(similarity[near] / votes.temperature - logsumexp(similarity[near] / votes.temperature)),
                SUM: np.ones(len(near)),
                SIMILARITY: similarity[near],
            }[votes.how]
            result[i] += votes.scale * weight @ votes.shares[near].toarray()
    return result


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([SOFTMAX, SUM, SIMILARITY]), st.booleans(), st.booleans())
def test_search_ranks_by_the_scoring_rule(seed, how, with_views, with_bias):
    rng = np.random.default_rng(seed)
    documents, queries = unit(rng.normal(size=(60, 6))), unit(rng.normal(size=(20, 6)))
    shares = sparse.random(15, 60, 0.2, "csr", dtype=np.float32, rng=rng)
    shares.data -= 0.3 * (how == SUM)  # learned weights may be negative
    owner = np.sort(rng.integers(0, 60, 25)).astype(np.int32)
    addition = Addition(
        documents,
        views=Behavioural(unit(rng.normal(size=(25, 6))), owner) if with_views else None,
        view_bias=-0.05 if with_views else 0.0,
        bias=rng.normal(size=60) if with_bias else None,
        votes=Votes(unit(rng.normal(size=(15, 6))), shares, 4, how, 0.1, 0.7),
        adapter=rng.normal(size=(6, 6)).astype(np.float32) if with_bias else None,
    )
    excluded = rng.integers(0, 20, 30), rng.integers(0, 60, 30)
    expected = scores_by_hand(addition, queries)
    expected[excluded] = -np.inf
    found = Combined(addition).search(queries, 10, excluded)
    np.testing.assert_allclose(found.scores, -np.sort(-expected, axis=1)[:, :10], atol=1e-6)
    assert (found.documents == np.argsort(-expected, axis=1, kind="stable")[:, :10]).all()


def test_an_addition_comes_back_from_its_file_and_knows_its_size(tmp_path):
    documents, queries, pairs = log_of()
    addition = shared(documents, queries, pairs, n_centers=10, width=3)
    addition = addition._replace(
        views=Behavioural(queries[:4], np.arange(4, dtype=np.int32)), bias=np.arange(40.0), adapter=np.eye(8)
    )
    addition.save(tmp_path / "a.npz")
    again = Addition.load(tmp_path / "a.npz")
    assert again.votes[2:] == addition.votes[2:] and (again.votes.shares != addition.votes.shares).nnz == 0
    assert (Combined(again).search(queries, 5).scores == Combined(addition).search(queries, 5).scores).all()
    # 44 vectors of 8 floats and a bias, 10 centers with 30 weights and 30 document numbers, an adapter of 8 x 8.
    assert addition.n_floats == 44 * 9 + 10 * 8 + 2 * 30 + 64


def test_moved_documents_are_between_themselves_and_their_queries():
    documents, queries, pairs = log_of()
    result = moved(documents, queries, pairs, 2.0).documents
    mine = queries[np.unique(pairs[0][pairs[1] == 0])]
    expected = documents[0] + 2 * mine.mean(axis=0)
    np.testing.assert_allclose(result[0], expected / np.linalg.norm(expected), atol=1e-6)
    np.testing.assert_allclose(result[-5:], documents[-5:], atol=1e-6)  # no query led there


def test_pefa_xs_is_as_published():
    documents, queries, pairs = log_of()
    matrix = np.zeros((len(queries), len(documents)))
    matrix[pairs] = 1
    sums = matrix.T @ queries
    sums[:-5] /= np.linalg.norm(sums[:-5], axis=1, keepdims=True)
    result = pefa_xs(documents, queries, pairs, 0.3).documents
    np.testing.assert_allclose(result, 0.3 * documents + 0.7 * sums, atol=1e-6)


def test_pefa_xl_is_as_published():
    documents, queries, pairs = log_of()
    matrix = np.zeros((len(queries), len(documents)))
    matrix[pairs] = 1
    asked = unit(np.random.default_rng(5).normal(size=(3, 8)))
    for query, found in zip(asked, Combined(pefa_xl(documents, queries, pairs, 0.4, 7)).search(asked, 40).scores):
        near = np.argsort(-(queries @ query))[:7]
        expected = 0.4 * documents @ query + 0.6 / 7 * (queries[near] @ query) @ matrix[near]
        np.testing.assert_allclose(found, -np.sort(-expected), atol=1e-6)


def test_shared_views_hold_the_mean_of_what_their_queries_led_to():
    documents, queries, pairs = log_of()
    centers, shares = centers_of(queries, pairs, 40, 12)
    nearest = (queries @ centers.T).argmax(axis=1)
    matrix = np.zeros((len(queries), len(documents)))
    matrix[pairs] = 1
    # The last round of k-means moved the centers once more, but most queries keep their center.
    expected = np.array([matrix[nearest == s].mean(axis=0) for s in range(len(centers))])
    assert abs(shares.toarray() - expected).mean() < 0.02
    np.testing.assert_allclose(np.linalg.norm(centers, axis=1), 1, atol=1e-6)


def test_every_training_query_is_a_center_of_knn():
    documents, queries, pairs = log_of()
    votes = knn(documents, queries, pairs).votes
    assert (votes.centers == queries).all() and votes.shares[7].indices.tolist() == sorted({*pairs[1][14:16]})


def test_the_largest_entries_of_each_row_stay():
    matrix = sparse.csr_matrix(np.array([[0.2, 0, 0.5, 0.2, 0.1], [0, 0, 0, 0, 0], [0, 1, 0, 0, 0]]))
    assert largest(matrix, 2).toarray().tolist() == [[0.2, 0, 0.5, 0, 0], [0] * 5, [0, 1, 0, 0, 0]]


@given(st.floats(1, 3), st.integers(1, 5000), st.integers(1, 300), st.integers(1, 40))
def test_centers_stay_within_their_budget(budget, n_documents, dim, width):
    n = centers_for(budget, n_documents, dim, width)
    assert n * (dim + 2 * width) <= (budget - 1) * n_documents * dim + 1e-6


def test_the_gradient_is_that_of_the_loss():
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(5, 12)) * 3
    relevant = [[0], [1, 4], [2, 3, 11], [7], [5, 6]]

    def loss(z):
        total = 0
        for row, mine in zip(z, relevant, strict=True):
            others = logsumexp(np.delete(row, mine))
            total += sum(np.log1p(np.exp(others - row[r])) for r in mine)
        return total

    starts = np.cumsum([0] + [len(mine) for mine in relevant])
    result = logits.astype(np.float32)
    gradient(result, starts, np.concatenate(relevant))
    step, expected = 1e-5, np.empty_like(logits)
    for place in np.ndindex(*logits.shape):
        up, down = logits.copy(), logits.copy()
        up[place] += step
        down[place] -= step
        expected[place] = (loss(up) - loss(down)) / (2 * step)
    np.testing.assert_allclose(result, expected, atol=1e-5)


@pytest.mark.parametrize("learner", ["tuned", "shared_tuned", "adapter"])
def test_learning_finds_what_led_where(learner):
    """Queries of one document point somewhere; after training, that document is found for them."""
    rng = np.random.default_rng(1)
    documents, home = unit(rng.normal(size=(20, 8))), unit(rng.normal(size=(15, 8)))
    target = np.repeat(np.arange(15), 30)
    queries = unit(home[target] + 0.3 * rng.normal(size=(450, 8)))
    pairs, recipe = (np.arange(450), target), Recipe(batch=32, epochs=30, learning_rate=0.02)
    learn = {
        "tuned": lambda: tuned(documents, queries, pairs, recipe=recipe),
        "shared_tuned": lambda: shared_tuned(documents, queries, pairs, 20, recipe=recipe),
        "adapter": lambda: adapter(documents, queries, pairs, recipe=recipe),
    }[learner]
    first = learn()
    before = (Combined(Addition(documents)).search(queries, 1).documents[:, 0] == target).mean()
    after = (Combined(first).search(queries, 1).documents[:, 0] == target).mean()
    assert after > 2 * before + 0.1
    assert (first.documents[15:] == documents[15:]).all()  # without a query
    again = learn()
    assert (first.documents == again.documents).all()


def test_the_best_epoch_on_dev_is_kept():
    documents, queries, pairs = log_of()
    seen = []

    def on_dev(addition):
        seen.append(addition)
        return {0: 1.0, 1: 3.0}.get(len(seen) - 1, 2.0)

    assert tuned(documents, queries, pairs, on_dev=on_dev, recipe=Recipe(batch=32)) is seen[1]
    assert len(seen) == 4  # two epochs without a gain end it


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6))
def test_dev_counts_as_the_metrics_do(seed):
    documents, queries, pairs = log_of(seed)
    rng = np.random.default_rng(seed)
    excluded = np.unique(rng.integers(0, 300, 50)), None
    excluded = excluded[0], rng.integers(35, 40, len(excluded[0]))
    pairs = tuple(np.unique(np.array(pairs), axis=1))
    split = Split(np.arange(300), pairs, excluded)
    popularity = np.bincount(pairs[1], minlength=40)
    views = Behavioural(queries[:9], np.sort(rng.integers(0, 40, 9)).astype(np.int32))
    addition = shared(documents, queries, pairs, 12)._replace(views=views)
    dev = Dev(queries, split, popularity, k=5, threads=1 + seed % 3)
    for constants in (Constants(), Constants(0.05, -0.2, -0.1, 0.5)):
        applied = dev.applied(addition, constants)
        ranked = Combined(applied).search(queries, 5, excluded).documents
        expected = metrics.per_query(ranked, pairs, 40, [5])
        found = dev.line(addition, [constants])[0]
        np.testing.assert_allclose(found[:, 0], expected["recall@5"], atol=1e-9)
        np.testing.assert_allclose(found[:, 1], expected["map@5"], atol=1e-9)
        np.testing.assert_allclose(dev.scores(applied), found, atol=1e-9)
        weighted = Dev(queries, split, popularity, k=5, worth=np.arange(1, 41)).scores(applied)[:, 0]
        np.testing.assert_allclose(weighted, weighted_recall(ranked, pairs, np.arange(1, 41), 5), atol=1e-9)
