"""Exact search: k distinct documents, by float64 score, then by row; whatever the batch or threads."""

import io

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvg.search.index import Index
from mvg.search.ranking import merge, rank_scores, top_k
from mvg.search.trec import strictly_falling, write_qrels, write_run
from mvg.search.views import TokenViews, Views


def brute_force(views, queries, k, excluded):
    """The definition: max over a document's vectors in float64, filtered pairs out, ties by row."""
    scores = queries.astype(np.float64) @ views.vectors[:, : queries.shape[1]].astype(np.float64).T
    if views.vectors.shape[1] > queries.shape[1]:
        scores += views.vectors[:, -1].astype(np.float64)
    best = np.full((len(queries), views.owner.max() + 1), -np.inf)
    for column, document in enumerate(views.owner):
        best[:, document] = np.maximum(best[:, document], scores[:, column])
    best[excluded] = -np.inf
    order = np.argsort(-best.round(12), axis=1, kind="stable")[:, :k]
    return [[d for d in row if best[i, d] > -np.inf] for i, row in enumerate(order)]


@given(st.integers(0, 2**32), st.integers(1, 30), st.integers(0, 25), st.integers(1, 12), st.booleans(), st.booleans())
@settings(max_examples=80)
def test_equal_to_the_definition(seed, n_documents, n_views, k, with_prior, tied):
    rng = np.random.default_rng(seed)
    documents = rng.normal(size=(n_documents, 4)).astype(np.float32)
    if tied:  # many documents with one and the same vector
        documents[rng.integers(0, n_documents, n_documents)] = documents[0]
    owner = np.sort(rng.integers(0, n_documents, n_views)).astype(np.int32)
    behavioural = rng.normal(size=(n_views, 4)).astype(np.float32), owner
    views = Views.of(
        documents,
        behavioural,
        prior=rng.normal(size=n_documents) if with_prior else None,
        view_bias=-0.1 if with_prior else None,
    )
    queries = rng.normal(size=(20, 4)).astype(np.float32)
    excluded = rng.integers(0, 20, 30), rng.integers(0, n_documents, 30)
    found = Index(views, threads=2).search(queries, k, excluded).documents
    assert [[d for d in row if d >= 0] for row in found] == brute_force(views, queries, k, excluded)


def test_a_document_with_many_close_vectors_does_not_crowd_out_the_rest():
    documents = np.eye(5, dtype=np.float32)
    crowd = np.repeat(np.float32([[0.9, 0.1, 0, 0, 0]]), 400, axis=0)
    views = Views.of(documents, (crowd, np.zeros(400, dtype=np.int32)))
    assert Index(views).search(np.float32([[1, 0.5, 0.25, 0.1, 0]]), 4).documents.tolist() == [[0, 1, 2, 3]]


def test_fewer_documents_than_k_are_padded():
    ranking = Index(Views.of(np.eye(2, dtype=np.float32))).search(np.float32([[1, 0]]), 4)
    assert ranking.documents.tolist() == [[0, 1, -1, -1]]
    assert ranking.scores.tolist() == [[1, 0, -np.inf, -np.inf]]


def test_batches_and_threads_change_no_bit():
    rng = np.random.default_rng(0)
    views = Views.of(rng.normal(size=(300, 32)).astype(np.float32))
    queries = rng.normal(size=(2500, 32)).astype(np.float32)
    whole = Index(views, threads=2).search(queries, 10)
    parts = [Index(views, threads=1).search(queries[i : i + 7], 10) for i in range(0, 70, 7)]
    assert np.concatenate([p.scores for p in parts]).tobytes() == whole.scores[:70].tobytes()
    assert (np.concatenate([p.documents for p in parts]) == whole.documents[:70]).all()


@pytest.mark.parametrize(("norm", "of_queries"), [(1, 1), (100, 100), (1e4, 0.1), (1e-3, 1e4)])
@pytest.mark.parametrize("seed", range(10))
def test_near_ties_that_float32_orders_otherwise_are_in_float64_order(norm, of_queries, seed):
    rng = np.random.default_rng(seed)
    one = rng.normal(size=64)
    documents = (norm * one / np.linalg.norm(one) * (1 + rng.uniform(-3e-7, 3e-7, (200, 64)))).astype(np.float32)
    documents[-1] *= 1e-6  # the margin goes by the longest vector
    queries = (of_queries * rng.normal(size=(20, 64))).astype(np.float32)
    exact = queries.astype(np.float64) @ documents.astype(np.float64).T
    expected = np.argsort(-exact, axis=1, kind="stable")[:, :5]
    assert (Index(Views.of(documents)).search(queries, 5).documents == expected).all()


def test_where_all_scores_are_equal_the_first_rows_are_found():
    rng = np.random.default_rng(0)
    documents = rng.normal(size=(300, 8)).astype(np.float32)
    assert (
        Index(Views.of(documents)).search(np.zeros((2, 8), np.float32), 5).documents.tolist() == [[0, 1, 2, 3, 4]] * 2
    )
    same = np.repeat(documents[:1], 300, axis=0)
    assert Index(Views.of(same)).search(documents[:2], 5).documents.tolist() == [[0, 1, 2, 3, 4]] * 2


def test_the_better_of_two_near_equal_vectors_of_a_document_counts():
    rng = np.random.default_rng(0)
    documents = rng.normal(size=(50, 64)).astype(np.float32)
    again = (documents * (1 + rng.uniform(-3e-7, 3e-7, documents.shape))).astype(np.float32)
    queries = rng.normal(size=(50, 64)).astype(np.float32)
    views = Views.of(documents, (again, np.arange(50, dtype=np.int32)))
    both = [queries.astype(np.float64) @ side.astype(np.float64).T for side in (documents, again)]
    expected = np.sort(np.maximum(*both), axis=1)[:, ::-1][:, :10]
    assert np.allclose(Index(views).search(queries, 10).scores, expected, rtol=0, atol=1e-12)


def test_hidden_rows_that_are_no_documents_hide_nothing():
    views = Views.of(np.eye(3, dtype=np.float32))
    found = Index(views).search(np.eye(3, dtype=np.float32), 1, ([0, 0, 1], [7, -1, 1])).documents
    assert found.tolist() == [[0], [0], [2]]


def test_parameters_behind_a_factory_string_are_those_of_faiss():
    rng = np.random.default_rng(0)
    documents = rng.normal(size=(600, 8)).astype(np.float32)
    views = Views.of(documents / np.linalg.norm(documents, axis=1, keepdims=True))
    exact, few, all = (
        Index(views, f).search(documents, 10).documents for f in ("exact", "IVF8,Flat", "IVF8,Flat nprobe=8")
    )
    assert (all == exact).all() and (few != exact).any()
    with pytest.raises(ValueError, match="faiss cannot build 'IVF8,Flat nprobes=8'"):
        Index(views, "IVF8,Flat nprobes=8")


def test_no_queries_give_an_empty_ranking():
    assert Index(Views.of(np.eye(2, dtype=np.float32))).search(np.empty((0, 2)), 3).documents.shape == (0, 3)


def test_hnsw_finds_what_exact_search_finds_on_easy_data():
    rng = np.random.default_rng(0)
    documents = rng.normal(size=(500, 16)).astype(np.float32)
    documents /= np.linalg.norm(documents, axis=1, keepdims=True)
    exact, approximate = (Index(Views.of(documents), factory).search(documents, 1) for factory in ("exact", "HNSW32"))
    assert (exact.documents[:, 0] == np.arange(500)).all()
    assert (approximate.documents[:, 0] == np.arange(500)).mean() > 0.95


@pytest.mark.parametrize("factory", ["nonsense", "IVF100,Flat", "PQ8x4"])
def test_what_faiss_cannot_build_is_said_in_one_line(factory):
    with pytest.raises(ValueError, match=f"faiss cannot build '{factory}' over 2 vectors of 5 dim") as error:
        Index(Views.of(np.eye(2, 5, dtype=np.float32)), factory)
    assert len(str(error.value).splitlines()) == 1 and ".cpp" not in str(error.value)


def test_a_bias_is_one_more_dimension_of_all_vectors_it_belongs_to():
    own = np.eye(2, dtype=np.float32), np.array([0, 2], dtype=np.int32)
    views = Views.of(np.zeros((3, 2), dtype=np.float32), own, prior=np.array([1, 2, 3]), view_bias=0.5)
    assert views.vectors[:, 2].tolist() == [1, 2, 3, 1.5, 3.5]
    without = Views.of(np.zeros((3, 2), dtype=np.float32), own, prior=np.array([1, 2, 3]))
    assert without.vectors[:, 2].tolist() == [1, 2, 3, 1, 3]
    tokens = TokenViews.of(np.zeros((3, 2), dtype=np.float32), np.arange(4), own, np.array([1, 2, 3]), 0.5)
    assert tokens.vectors[:, 2].tolist() == [1, 1.5, 2, 3, 3.5]
    assert not TokenViews(np.eye(2), np.arange(3)).biased and not Views(np.eye(2), np.arange(2)).biased


def test_index_size_counts_every_float():
    documents = np.zeros((10, 4), dtype=np.float32)
    behavioural = np.ones((3, 4), dtype=np.float32), np.array([0, 0, 7], dtype=np.int32)
    assert Views.of(documents).n_floats == 40
    assert Views.of(documents, prior=np.ones(10)).n_floats == 50
    assert Views.of(documents, behavioural).n_floats == 52
    assert Views.of(documents, behavioural, prior=np.ones(10), view_bias=0.1).n_floats == 65


def test_a_saved_index_is_a_faiss_index_with_the_owner_of_each_vector(tmp_path):
    import faiss

    documents = np.eye(3, dtype=np.float32)
    views = Views.of(documents, (np.float32([[0, 0.8, 0.6]]), np.array([2], dtype=np.int32)))
    Index(views).save(tmp_path / "x.faiss")
    _, found = faiss.read_index(str(tmp_path / "x.faiss")).search(np.float32([[0, 0.8, 0.6]]), 1)
    assert np.load(tmp_path / "x.faiss.owner.npy")[found[0, 0]] == 2


@given(st.integers(0, 2**32), st.integers(1, 12), st.integers(1, 15))
def test_top_k_of_dense_scores_breaks_ties_by_row(seed, width, k):
    scores = np.random.default_rng(seed).integers(0, 4, (5, width)).astype(float)
    expected = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    assert (top_k(scores, k).documents[:, : expected.shape[1]] == expected).all()


# Few values, so that many are equal; None = the document is not in that set.
SCORES = st.lists(st.sampled_from([None, 0.0, 0.5, 1.0, -1.0]), min_size=6, max_size=6)


@given(SCORES, SCORES, st.integers(1, 8))
def test_merging_the_best_of_two_sets_is_ranking_by_the_better_score(ours, theirs, k):
    a, b = (np.array([[-np.inf if score is None else score for score in scores]]) for scores in (ours, theirs))
    for found, best in (top_k(a, k), a[0]), (merge(top_k(a, k), top_k(b, k)), np.maximum(a, b)[0]):
        expected = sorted(np.flatnonzero(best > -np.inf).tolist(), key=lambda row: (-best[row], row))[:k]
        assert found.documents[0].tolist() == expected + [-1] * (k - len(expected))
        assert found.scores[0, : len(expected)].tolist() == best[expected].tolist()
        assert (found.scores[0, len(expected) :] == -np.inf).all()


def test_filtered_documents_are_taken_out_before_the_cut():
    scores = np.array([[3.0, 2.0, 1.0], [3.0, 2.0, 1.0]])
    ranking = rank_scores(lambda rows: scores[rows - 10].copy(), np.array([10, 11]), ([10, 11], [1, 0]), k=2, batch=1)
    assert ranking.documents.tolist() == [[0, 2], [1, 2]]


def test_exported_runs_give_other_tools_our_order():
    run, qrels = io.StringIO(), io.StringIO()
    ranked = np.array([[2, 0, 1, -1]])
    write_run(run, ["q"], ["a", "b", "c"], ranked, np.array([[0.5, 0.5, 0.5, -np.inf]]), "tied")
    write_qrels(qrels, ["q"], ["a", "b", "c"], ([0], [0]))
    measures = ir_measures.calc_aggregate(
        [ir_measures.RR, ir_measures.R @ 1],
        list(ir_measures.read_trec_qrels(qrels.getvalue())),
        list(ir_measures.read_trec_run(run.getvalue())),
    )
    assert measures[ir_measures.RR] == 0.5 and measures[ir_measures.R @ 1] == 0


def test_exported_ids_hold_no_white_space_and_stay_apart():
    file = io.StringIO()
    write_qrels(file, ["a b", "a_b", "a%20b"], ["x"], ([0, 1, 2], [0, 0, 0]))
    assert [line.split()[0] for line in file.getvalue().splitlines()] == ["a%20b", "a_b", "a%2520b"]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50))
def test_exported_scores_strictly_fall_in_float32(values):
    falling = strictly_falling(np.sort(values)[::-1])
    assert falling.dtype == np.float32 and (np.diff(falling) < 0).all()


UNIT = np.eye(4, dtype=np.float32)


@pytest.mark.parametrize(
    ("queries", "excluded", "message"),
    [
        (np.ones((2, 9)), None, "queries must have"),
        (np.ones((2, 3)), None, "queries must have"),  # as many as if there were a bias
        (np.ones(4), None, "queries must have"),
        (np.full((2, 4), np.nan), None, "finite"),
        (np.ones((2, 4)), ([2], [0]), "rows of the 2 queries"),
    ],
)
def test_queries_that_do_not_fit_are_refused(queries, excluded, message):
    with pytest.raises(ValueError, match=message):
        Index(Views.of(UNIT)).search(queries, k=2, excluded=excluded)


@pytest.mark.parametrize(
    ("documents", "added", "message"),
    [
        (np.ones(4), {}, "documents must be"),
        (UNIT, {"behavioural": (UNIT, np.array([0, 1, 2]))}, "must be"),
        (UNIT, {"behavioural": (UNIT[:, :3], np.arange(4))}, "must be"),
        (UNIT, {"behavioural": (UNIT, np.array([0, 1, 2, 4]))}, "rows of the 4 documents"),
        (UNIT, {"prior": np.ones(3)}, "the prior must be"),
    ],
)
def test_views_that_do_not_fit_are_refused(documents, added, message):
    with pytest.raises(ValueError, match=message):
        Views.of(documents, **added)


def test_vectors_with_nan_are_refused():
    with pytest.raises(ValueError, match="finite"):
        Index(Views.of(UNIT * np.nan))


UNSAFE = ["HNSW00", "HNSW01", "IVF0,Flat", "IVF4_HNSW00,Flat", "PQ4x0", "NSG1", "HNSW10000000"]


@pytest.mark.parametrize("factory", UNSAFE)
def test_what_faiss_dies_of_is_refused(factory):
    with pytest.raises(ValueError, match="expected numbers from 1"):
        Index(Views.of(UNIT), factory)
