"""Sum of max-sim: equal to its definition, whatever the blocks, batches and threads."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvg.search import maxsim
from mvg.search.views import TokenViews


def case(seed, n_documents, longest, n_queries, width=4, dim=8, shortest=1):
    rng = np.random.default_rng(seed)
    counts = rng.integers(shortest, longest + 1, n_documents)
    starts = np.concatenate([[0], np.cumsum(counts)])
    tokens, queries = (
        rng.standard_normal(shape).astype(np.float32) for shape in ((starts[-1], dim), (n_queries, width, dim))
    )
    return queries, tokens, starts


def by_definition(queries, tokens, starts):
    """float64 (n_queries, n_documents): sum over query vectors of the best of the document's."""
    spans = [tokens[a:b].astype(np.float64) for a, b in zip(starts[:-1], starts[1:])]
    return np.array([[sum((own @ x).max() for x in query.astype(np.float64)) for own in spans] for query in queries])


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 30), st.integers(1, 6), st.integers(1, 20), st.integers(1, 40))
def test_search_is_the_definition(seed, n_documents, longest, n_queries, k):
    queries, tokens, starts = case(seed, n_documents, longest, n_queries)
    expected = by_definition(queries, tokens, starts)
    found = maxsim.search(queries, tokens, starts, k)
    order = np.argsort(-expected, axis=1, kind="stable")[:, :k]
    depth = order.shape[1]
    assert (found.documents[:, :depth] == order).all() and (found.documents[:, depth:] == -1).all()
    assert np.allclose(found.scores[:, :depth], np.take_along_axis(expected, order, 1), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("block, batch, threads", [(1, 1, 1), (7, 3, 2), (10**6, 64, 2)])
def test_blocks_batches_and_threads_change_nothing(monkeypatch, block, batch, threads):
    queries, tokens, starts = case(0, n_documents=200, longest=9, n_queries=30)
    expected = maxsim.search(queries, tokens, starts, 20)
    monkeypatch.setattr(maxsim, "BLOCK", block)
    monkeypatch.setattr(maxsim, "BATCH", batch)
    found = maxsim.search(queries, tokens, starts, 20, threads=threads)
    assert (found.documents == expected.documents).all() and (found.scores == expected.scores).all()


def test_equal_documents_go_by_row_however_many():
    queries, tokens, _ = case(1, n_documents=1, longest=3, n_queries=5)
    copies = 300
    starts = np.arange(copies + 1) * len(tokens)
    found = maxsim.search(queries, np.tile(tokens, (copies, 1)), starts, 10)
    assert (found.documents == np.arange(10)).all()


def test_excluded_documents_are_left_out_before_the_cut():
    queries, tokens, starts = case(2, n_documents=40, longest=5, n_queries=6)
    order = np.argsort(-by_definition(queries, tokens, starts), axis=1)
    excluded = np.repeat(np.arange(6), 7), order[:, :7].ravel()
    found = maxsim.search(queries, tokens, starts, 10, excluded)
    assert (found.documents == order[:, 7:17]).all()


def test_a_document_without_vectors_is_never_found():
    queries, tokens, starts = case(3, n_documents=30, longest=3, n_queries=4, shortest=0)
    found = maxsim.search(queries, tokens, starts, 30)
    empty = np.flatnonzero(np.diff(starts) == 0)
    assert len(empty) and not np.isin(found.documents, empty).any()
    assert ((found.documents >= 0).sum(1) == 30 - len(empty)).all()


def joined(seed):
    """Documents' token vectors with behavioural ones of some of them."""
    queries, tokens, starts = case(seed, n_documents=20, longest=4, n_queries=5)
    _, vectors, _ = case(seed + 1, n_documents=9, longest=1, n_queries=1)
    owner = np.sort(np.random.default_rng(seed + 2).integers(0, 20, len(vectors))).astype(np.int32)
    return queries, tokens, starts, (vectors, owner)


def test_joined_sets_score_by_the_better_of_both():
    queries, tokens, starts, (vectors, owner) = joined(4)
    both, both_starts, _ = TokenViews.of(tokens, starts, (vectors, owner))
    for d in range(20):
        expected = np.concatenate([tokens[starts[d] : starts[d + 1]], vectors[owner == d]])
        assert (both[both_starts[d] : both_starts[d + 1]] == expected).all()
    assert (maxsim.scores(queries, both, both_starts) >= maxsim.scores(queries, tokens, starts) - 1e-5).all()


def test_biases_count_once_for_each_vector_of_the_query():
    queries, tokens, starts, (vectors, owner) = joined(4)
    prior = np.linspace(-1, 1, 20)
    views = TokenViews.of(tokens, starts, (vectors, owner), prior, -0.2)
    found = maxsim.scores(views.extend(queries), *views[:2])
    assert views.n_floats == (len(tokens) + len(vectors)) * (tokens.shape[1] + 1)
    for i, query in enumerate(queries):
        for d in range(20):
            text = query @ tokens[starts[d] : starts[d + 1]].T
            views = query @ vectors[owner == d].T - 0.2
            best = np.concatenate([text, views], axis=1).max(axis=1)
            assert found[i, d] == pytest.approx((best + prior[d]).sum(), abs=1e-4)


def test_half_precision_queries_rank_as_their_float32_copies():
    queries, tokens, starts = case(7, n_documents=50, longest=5, n_queries=8)
    half = queries.astype(np.float16)
    a, b = (maxsim.search(q, tokens, starts, 10) for q in (half, half.astype(np.float32)))
    assert (a.documents == b.documents).all() and (a.scores == b.scores).all()


def test_no_queries():
    queries, tokens, starts = case(8, n_documents=5, longest=2, n_queries=3)
    assert maxsim.search(queries[:0], tokens, starts, 4).documents.shape == (0, 4)
