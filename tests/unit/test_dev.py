"""Choices on dev: one constant after the other, room for unseen documents, and what is as good as the best."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made import unit

from mvg.datasets.pairs import Split
from mvg.evaluation.dev import Constants, Dev
from mvg.evaluation.ranks import recall_and_ap
from mvg.multiview import Addition
from mvg.multiview.shared import shared

NOTHING = (np.empty(0, dtype=np.int64),) * 2


def log_of(seed, n_documents=30, n_queries=120, unseen=6):
    """Vectors, and dev queries for documents, the last of which no training query led to."""
    rng = np.random.default_rng(seed)
    documents = unit(rng.normal(size=(n_documents, 5)))
    pairs = np.arange(n_queries), rng.integers(0, n_documents, n_queries)
    queries = unit(documents[pairs[1]] + 0.8 * rng.normal(size=(n_queries, 5)))
    popularity = np.where(np.arange(n_documents) < n_documents - unseen, rng.integers(1, 60, n_documents), 0)
    return documents, queries, pairs, popularity


def dev_of(seed, worth=None, **options):
    documents, queries, pairs, popularity = log_of(seed, **options)
    split = Split(np.arange(len(queries)), pairs, NOTHING)
    return documents, Dev(queries, split, popularity, k=3, worth=worth)


def one_after_the_other(dev, addition, grids, rounds=3):
    """The same without what makes it fast: each coordinate is tried in each round."""
    best = Constants(**{name: grid[0] for name, grid in grids.items()})
    for _ in range(rounds):
        before = best
        for name, grid in grids.items():
            points = [best._replace(**{name: value}) for value in grid]
            values = [dev.value(dev.scores(dev.applied(addition, point))).mean() for point in points]
            best = points[int(np.argmax(values))]
        if best == before:
            break
    return best


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_one_constant_after_the_other_until_none_changes(seed, weighted):
    documents, dev = dev_of(seed, worth=np.arange(1.0, 31.0) if weighted else None)
    addition = shared(documents, dev.queries, dev_pairs(dev), 8)
    grids = {"prior": (0, 0.02, 0.1, 0.3), "votes": (1.0, 0.1, 0.5, 2.0)}
    assert dev.choose(addition, grids) == one_after_the_other(dev, addition, grids)
    alone = {"prior": (0.3, 0.1, 0.02, 0)}
    assert dev.choose(addition, alone) == one_after_the_other(dev, addition, alone)


def dev_pairs(dev):
    starts, documents = dev.relevant
    return np.repeat(np.arange(len(dev.queries)), np.diff(starts)), documents


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6))
def test_batches_change_nothing(seed):
    documents, whole = dev_of(seed)
    _, parts = dev_of(seed)
    parts.batch, parts.threads = 7, 2
    addition = shared(documents, whole.queries, dev_pairs(whole), 8)
    points = [Constants(), Constants(0.1, -0.1, 0.0, 0.5, 0.7)]
    np.testing.assert_allclose(parts.line(addition, points), whole.line(addition, points), atol=1e-9)
    assert parts(addition) == pytest.approx(whole(addition))


def test_applied_constants_are_those_that_were_counted():
    documents, dev = dev_of(3)
    addition = shared(documents, dev.queries, dev_pairs(dev), 8)
    for point in (
        Constants(length=0.5),
        Constants(0.1, -0.2),
        Constants(votes=0.3),
        Constants(0.0, 0.2, 0.0, 2.0, 0.8),
    ):
        np.testing.assert_allclose(dev.scores(dev.applied(addition, point)), dev.line(addition, [point])[0], atol=1e-9)


def test_ranks_by_hand():
    # Documents 1, 2 and 3 have equal scores, and go by row; document 4 is hidden; 2 and 3 are wanted, 3 is unseen.
    nothing = np.empty((0, 0), dtype=np.float32)
    base = np.float32([[0.9, 0.5, 0.5, 0.5, 2.0, 0.1]])
    zeros, ones, out = np.zeros(6, dtype=np.float32), np.ones(6, dtype=np.float32), np.empty((1, 2))
    relevant, hidden = (np.array([0, 2]), np.array([2, 3])), (np.array([0, 1]), np.array([4]))
    unseen, worth, whole = (np.arange(6) == 3).astype(float), np.ones(6), np.array([2.0])

    def counted(k):
        found = recall_and_ap(
            base, nothing, nothing, np.float32(0), zeros, ones, np.float32(1), 0, *relevant, *hidden, worth, whole,
            unseen, k, out,
        )  # fmt: skip
        return found, *out[0].round(2).tolist()

    assert counted(2) == (0, 0, 0)
    assert counted(3) == (0, 50, round(50 / 3, 2))  # the third is the first hit
    assert counted(4) == (1, 100, round(50 * (1 / 3 + 2 / 4), 2))


def scores(recall, average_precision):
    return np.column_stack([recall, average_precision]).astype(float)


def test_as_good_is_within_one_standard_error_of_the_paired_difference():
    _, dev = dev_of(0)
    best = scores([10, 30, 20, 40], [0, 0, 0, 0])
    # Differences 2, 0, 2, 0: mean 1, standard deviation sqrt(4 / 3), error 0.577.
    assert not dev.as_good(best, best - scores([2, 0, 2, 0], [0] * 4), 0.2)
    # Differences 4, 0, 0, 0: mean 1, standard deviation 2, error 1.
    assert dev.as_good(best, best - scores([4, 0, 0, 0], [0] * 4), 0.2)
    assert not dev.as_good(best, best - scores([4.4, 0.2, 0, 0], [0] * 4), 0.2)
    assert dev.as_good(best, best + 1, 0.2)


def test_as_good_loses_no_more_map_than_allowed():
    _, dev = dev_of(0)
    best = scores([50] * 4, [20, 30, 40, 50])
    fair = scores([1, -1, 3, -3], [0.25] * 4)  # recall alone: no difference on average
    assert dev.as_good(best, best - fair, 0.25)
    assert not dev.as_good(best, best - fair, 0.24)
    _, dev = dev_of(0, worth=np.ones(30))  # MAP does not count
    assert dev.as_good(best, best - fair, 0.0)


def test_one_query_has_no_standard_error():
    _, dev = dev_of(0)
    best = scores([50], [20])
    assert dev.as_good(best, best, 0.2)
    assert not dev.as_good(best, best - scores([1], [0]), 0.2)


def one_unseen(seen_score, unseen_score, n=40):
    """A seen document and an unseen one; all queries are alike, every fifth wants the latter.

    A query's score for the seen document is ``seen_score``, for the unseen one ``unseen_score``.
    """
    documents = np.array([[seen_score, 0], [unseen_score, 0]], dtype=np.float32)
    queries = np.tile(np.array([[1, 0]], dtype=np.float32), (n, 1))
    wanted = (np.arange(n) % 5 == 0).astype(int)
    split = Split(np.arange(n), (np.arange(n), wanted), NOTHING)
    return Addition(documents), split, queries


def test_room_for_unseen_documents_only_where_it_costs_nothing():
    addition, split, queries = one_unseen(0.5, 0.9)
    # At k = 1 one of the two is found. The seen document is what four of five queries want.
    dev = Dev(queries, split, np.array([7, 0]), k=1)
    grids = {"unseen": (0, -0.2, -0.45, -0.6)}
    assert dev.choose(addition, grids).unseen == -0.45  # the first below the seen one, not the lowest
    # At k = 2 both are always found, but the second costs half of its precision: the same.
    dev = Dev(queries, split, np.array([7, 0]), k=2)
    assert dev.choose(addition, grids).unseen == -0.45


def test_among_equals_what_finds_most_unseen_documents():
    documents = np.eye(4, dtype=np.float32)
    queries = np.repeat(documents, [300, 300, 2, 0], axis=0)
    queries[600] = [0.30, 0.29, 0.2, 0]  # wants the third document, to which nobody was led
    queries[601] = [0, 0.3, 0.2, 0]  # wants the second, and loses it as soon as the other is found
    wanted = np.append(np.repeat([0, 1], 300), [2, 1])
    dev = Dev(queries, Split(np.arange(602), (np.arange(602), wanted), NOTHING), np.array([5, 5, 0, 0]), k=1)
    assert dev.choose(Addition(documents), {"unseen": (0, 0.05, 0.15, 0.2)}).unseen == 0.15  # the first that finds it


def test_the_length_of_unseen_documents_counts_only_if_dev_wants_one():
    documents, queries, pairs, popularity = log_of(1, unseen=6)
    seen = pairs[1] < 24
    split = Split(np.flatnonzero(seen), (pairs[0][seen], pairs[1][seen]), NOTHING)
    dev = Dev(queries, split, popularity, k=3)
    chosen = dev.choose(Addition(documents), {"unseen": (0, -0.5, -1), "length": (0.9, 0.5)})
    assert chosen.length == 1.0
    assert chosen.unseen == one_after_the_other(dev, Addition(documents), {"unseen": (0, -0.5, -1)}).unseen
