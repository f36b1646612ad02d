"""Step 2: Algorithm 1 and every edge case that the paper leaves open."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from mvg.multiview import fit
from mvg.multiview.clustering import group, objective


def unit(array):
    array = np.asarray(array, dtype=np.float64)
    return (array / np.linalg.norm(array, axis=-1, keepdims=True)).astype(np.float32)


@st.composite
def problems(draw):
    """Few dimensions, repeated and opposite queries, documents that equal a query."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_queries, n_documents, dim = draw(st.integers(1, 15)), draw(st.integers(1, 4)), draw(st.integers(1, 5))
    distinct = unit(rng.normal(size=(draw(st.integers(1, n_queries)), dim)))
    queries = distinct[rng.integers(0, len(distinct), n_queries)]
    if draw(st.booleans()):
        queries[-1] = -queries[0]
    documents = unit(rng.normal(size=(n_documents, dim)))
    if draw(st.booleans()):
        documents[0] = queries[0]
    n_pairs = draw(st.integers(1, 40))
    pairs = rng.integers(0, n_queries, n_pairs), rng.integers(0, n_documents, n_pairs)
    counts = rng.integers(0, 6, n_documents)
    return documents, queries, pairs, counts, rng.random(n_pairs) + 0.01


@given(problems())
@settings(max_examples=200)
def test_no_vector_is_zero_nan_or_a_duplicate_and_the_budget_holds(problem):
    documents, queries, pairs, counts, weights = problem
    vectors, owner = fit(documents, queries, pairs, counts, weights)
    assert vectors.dtype == np.float32 and owner.dtype == np.int32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert (np.diff(owner) >= 0).all()
    for d in range(len(documents)):
        views = np.vstack([documents[d], vectors[owner == d]]).astype(np.float64)
        distances = np.linalg.norm(views[:, None] - views[None], axis=2) + np.eye(len(views))
        assert distances.min() > 1e-6
        assert len(views) - 1 <= counts[d]


@given(problems())
@settings(max_examples=60)
def test_the_objective_never_falls(problem):
    documents, queries, pairs, counts, weights = problem
    steps = [
        objective(
            documents, queries, pairs, *fit(documents, queries, pairs, counts, weights, max_iterations=i), weights
        )
        for i in range(1, 9)
    ]
    assert (np.diff(steps) >= -1e-6).all()


@given(problems(), st.randoms())
@settings(max_examples=60)
def test_order_of_pairs_threads_and_shards_change_no_bit(problem, random):
    documents, queries, (q, d), counts, _ = problem
    vectors, owner = fit(documents, queries, (q, d), counts)
    order = random.sample(range(len(q)), len(q))
    again, _ = fit(documents, queries, (q[order], d[order]), counts, threads=2)
    assert again.tobytes() == vectors.tobytes()
    shards = [fit(documents, queries, (q, d), np.where(np.arange(len(counts)) % 2 == s, counts, 0)) for s in (0, 1)]
    for shard, (part, part_owner) in enumerate(shards):
        assert part.tobytes() == vectors[owner % 2 == shard].tobytes()
        assert (part_owner == owner[owner % 2 == shard]).all()


def test_two_intents_far_from_the_document_become_two_vectors():
    documents = unit([[1, 0, 0]])
    queries = unit([[0, 1, 0.1], [0, 1, -0.1], [0, 0.1, 1], [0, -0.1, 1], [1, 0.01, 0]])
    vectors, owner = fit(documents, queries, (np.arange(5), np.zeros(5, int)), np.array([2]))
    assert owner.tolist() == [0, 0]
    found = vectors[np.argsort(-vectors[:, 1])]
    assert np.allclose(found, [[0, 1, 0], [0, 0, 1]], atol=1e-6)


def test_weights_pull_the_center_and_repeated_pairs_add_up():
    documents, queries = unit([[0, 0, 1]]), unit([[1, 0, 0], [0.8, 0.6, 0]])
    weighted, _ = fit(documents, queries, ([0, 1], [0, 0]), np.array([1]), weights=[3, 1])
    repeated, _ = fit(documents, queries, ([0, 0, 0, 1], [0, 0, 0, 0]), np.array([1]))
    assert np.allclose(weighted, unit([3 * queries[0] + queries[1]]), atol=1e-6)
    assert (weighted == repeated).all()


def test_a_pair_of_weight_0_is_none():
    documents, queries = unit([[0, 0, 1]]), unit([[1, 0, 0], [0, 1, 0]])
    vectors, _ = fit(documents, queries, ([0, 1], [0, 0]), np.array([2]), weights=[0, 1])
    assert vectors.tolist() == queries[1:].tolist()


def test_queries_equal_to_the_document_leave_nothing_to_learn():
    documents = unit([[1, 2, 3]])
    vectors, owner = fit(documents, np.repeat(documents, 4, axis=0), (np.arange(4), np.zeros(4, int)), np.array([3]))
    assert vectors.shape == (0, 3) and len(owner) == 0


def test_copies_of_one_query_become_one_vector():
    documents, query = unit([[1, 0]]), unit([[0.6, 0.8]])
    vectors, _ = fit(documents, np.repeat(query, 9, axis=0), (np.arange(9), np.zeros(9, int)), np.array([4]))
    assert vectors.shape == (1, 2) and np.allclose(vectors, query, atol=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_centers_that_differ_by_rounding_alone_are_one(seed):
    # Means of copies, each of other weights, are not the same to the last bit.
    rng = np.random.default_rng(seed)
    documents, query = unit(rng.normal(size=(1, 16))), unit(rng.normal(size=(1, 16)))
    pairs = np.arange(30), np.zeros(30, int)
    vectors, _ = fit(documents, np.repeat(query, 30, axis=0), pairs, np.array([6]), rng.random(30) + 0.1, seed)
    assert len(vectors) == 1


def test_equal_similarities_go_to_the_lowest_center():
    # The second query is as near to the document as to the first: with the document it lets the first have its vector.
    documents, queries = unit([[1, 0]]), unit([[0, 1], [1, 1]])
    found = [fit(documents, queries, ([0, 1], [0, 0]), np.array([1]), seed=seed)[0].tolist() for seed in range(10)]
    assert [[0, 1]] in found


@pytest.mark.parametrize("seed", range(10))
def test_a_query_somewhat_off_the_document_is_worth_a_vector(seed):
    documents, queries = unit([[1, 0]]), unit([[1, 0.01]])
    vectors, _ = fit(documents, queries, ([0], [0]), np.array([1]), seed=seed)
    assert vectors.tolist() == queries.tolist()


@pytest.mark.parametrize("max_iterations", [0, 1, 2])
@pytest.mark.parametrize("seed", range(10))
def test_where_it_is_cut_short_every_vector_still_serves_a_query(max_iterations, seed):
    rng = np.random.default_rng(seed)
    documents, queries = unit(rng.normal(size=(1, 3))), unit(rng.normal(size=(12, 3)))
    given = documents, queries, (np.arange(12), np.zeros(12, int)), np.array([9])
    vectors, _ = fit(*given, seed=seed, max_iterations=max_iterations)
    nearest = (queries.astype(np.float64) @ np.vstack([documents, vectors]).astype(np.float64).T).argmax(axis=1)
    assert set(range(1, len(vectors) + 1)) <= set(nearest)


def drop_duplicates(centers):
    same = [(i, j) for j in centers for i in centers if i < j and ((centers[i] - centers[j]) ** 2).sum() < 1e-12]
    for _, j in same:
        centers.pop(j, None)
    return bool(same)


def algorithm_1(document, queries, weights, initial, m, max_iterations=100):
    """The definition, in float64 and without shortcuts; vectors float32 (at most m, dim)."""
    document, queries, mine = document.astype(np.float64), queries.astype(np.float64), initial.copy()
    centers = {0: document}

    def update():
        for j in range(1, m + 1):
            total = (weights[mine == j, None] * queries[mine == j]).sum(axis=0)
            if np.linalg.norm(total) > 1e-9 * weights[mine == j].sum():
                centers[j] = (total / np.linalg.norm(total)).astype(np.float32).astype(np.float64)

    update()
    for _ in range(max_iterations):
        names = sorted(centers)
        similarity = queries @ np.array([centers[j] for j in names]).T
        before, mine = mine, np.array(names)[similarity.argmax(axis=1)]
        worst_first, changed = similarity.max(axis=1), (before != mine).any()
        for j in range(1, m + 1):
            if not (mine == j).any():
                worst = worst_first.argmin()
                centers.pop(j, None)
                if ((queries[worst] - centers[mine[worst]]) ** 2).sum() > 1e-6:
                    centers[j], mine[worst], worst_first[worst], changed = queries[worst], j, 1, True
        if changed:
            update()
        elif not drop_duplicates(centers):
            break
    else:
        drop_duplicates(centers)
        names = sorted(centers)
        nearest = (queries @ np.array([centers[j] for j in names]).T).argmax(axis=1)
        centers = {j: centers[j] for j in {names[i] for i in nearest}}
    return np.array([centers[j] for j in sorted(centers) if j], dtype=np.float32).reshape(-1, len(document))


def splitmix(seed, document, query):
    state = seed
    for word in (document, query):
        state = ((state ^ word) + 0x9E3779B97F4A7C15) % 2**64
        state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        state = (state ^ (state >> 27)) * 0x94D049BB133111EB % 2**64
        state ^= state >> 31
    return state


@pytest.mark.parametrize("spread", [1, 0.1, 1e-3, 1e-6])
@pytest.mark.parametrize("seed", range(25))
def test_equal_to_the_definition(seed, spread):
    """Also for near-duplicate queries, which float32 would assign to the wrong center."""
    rng = np.random.default_rng(seed)
    n, m, dim = int(rng.integers(2, 60)), int(rng.integers(1, 12)), int(rng.integers(6, 40))
    centers = rng.normal(size=(4, dim))
    queries = unit(centers[rng.integers(0, 4, n)] + spread * rng.normal(size=(n, dim)))
    documents = unit(np.vstack([rng.normal(size=dim), centers[0]]))
    weights = rng.random(n) + 0.01
    for d in range(2):
        initial = np.array([splitmix(seed, d, q) % (min(m, n) + 1) for q in range(n)])
        expected = algorithm_1(documents[d], queries, weights, initial, min(m, n))
        counts = np.where(np.arange(2) == d, m, 0)
        vectors, _ = fit(documents, queries, (np.arange(n), np.full(n, d)), counts, weights, seed)
        assert vectors.shape == expected.shape and np.allclose(vectors, expected, atol=1e-6)


@pytest.mark.parametrize("max_iterations", [0, 1, 2, 3])
@pytest.mark.parametrize("spread", [1, 1e-7])
@pytest.mark.parametrize("seed", range(10))
def test_where_it_is_cut_short_it_is_equal_to_the_definition(seed, spread, max_iterations):
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(3, 6))
    queries = unit(centers[rng.integers(0, 3, 40)] + spread * rng.normal(size=(40, 6)))
    document = unit(rng.normal(size=(1, 6)))
    initial = np.array([splitmix(seed, 0, q) % 9 for q in range(40)])
    expected = algorithm_1(document[0], queries, np.ones(40), initial, 8, max_iterations)
    vectors, _ = fit(
        document, queries, (np.arange(40), np.zeros(40, int)), np.array([8]), seed=seed, max_iterations=max_iterations
    )
    assert vectors.shape == expected.shape and np.allclose(vectors, expected, atol=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_a_heavy_query_that_leaves_a_center_leaves_no_rounding_error_behind(seed):
    queries = unit(np.random.default_rng(seed).normal(size=(2, 3)))
    weights = [1e15, 1]
    vectors, _ = fit(queries[:1], queries, ([0, 1], [0, 0]), np.array([1]), weights, seed)
    assert np.allclose(vectors, queries[1:], rtol=0, atol=1e-6)


def test_it_ends_where_nothing_changes_any_more():
    rng = np.random.default_rng(0)
    given = unit(rng.normal(size=(3, 8))), unit(rng.normal(size=(60, 8))), (np.arange(60), np.arange(60) % 3)
    vectors, _ = fit(*given, np.full(3, 4), max_iterations=2**62)
    assert vectors.tobytes() == fit(*given, np.full(3, 4))[0].tobytes()


@pytest.mark.parametrize("seed", range(60))
def test_centers_that_move_far_are_followed(seed):
    """In two or three dimensions a center may move by more than its length."""
    rng = np.random.default_rng(seed)
    n, m, dim = int(rng.integers(6, 40)), int(rng.integers(2, 7)), int(rng.integers(2, 4))
    queries, documents = unit(rng.normal(size=(n, dim))), unit(rng.normal(size=(1, dim)))
    initial = np.array([splitmix(seed, 0, q) % (min(m, n) + 1) for q in range(n)])
    expected = algorithm_1(documents[0], queries, np.ones(n), initial, min(m, n))
    vectors, _ = fit(documents, queries, (np.arange(n), np.zeros(n, int)), np.array([m]), seed=seed)
    assert vectors.shape == expected.shape and np.allclose(vectors, expected, atol=1e-6)


def test_no_query_is_given_up_for_a_bound_that_a_moving_center_breaks():
    rng = np.random.default_rng(0)
    queries, documents = unit(rng.normal(size=(400, 12))), unit(rng.normal(size=(1, 12)))
    vectors, _ = fit(documents, queries, (np.arange(400), np.zeros(400, int)), np.array([15]))
    nearest = (queries.astype(np.float64) @ np.vstack([documents, vectors]).astype(np.float64).T).argmax(axis=1)
    for j in range(1, 16):
        mean = queries[nearest == j].astype(np.float64).sum(axis=0)
        assert np.allclose(vectors[j - 1], mean / np.linalg.norm(mean), atol=1e-6)


def test_a_budget_for_every_query_reaches_every_query():
    rng = np.random.default_rng(0)
    documents, queries = unit(rng.normal(size=(1, 8))), unit(rng.normal(size=(12, 8)))
    vectors, _ = fit(documents, queries, (np.arange(12), np.zeros(12, int)), np.array([12]))
    assert np.allclose((queries @ vectors.T).max(axis=1), 1, atol=1e-6)


def test_a_sparse_matrix_is_the_same_as_pairs():
    rng = np.random.default_rng(0)
    documents, queries = unit(rng.normal(size=(3, 4))), unit(rng.normal(size=(9, 4)))
    pairs = np.arange(9), np.arange(9) % 3
    matrix = sparse.csr_matrix((np.ones(9), pairs), shape=(9, 3))
    for given_pairs in (matrix, group(pairs, 9, 3)):
        assert (
            fit(documents, queries, given_pairs, np.array([1, 2, 0]))[0]
            == fit(documents, queries, pairs, np.array([1, 2, 0]))[0]
        ).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"counts": np.array([1, 1])}, "counts must have shape"),
        ({"counts": np.array([-1])}, "counts must be whole"),
        ({"counts": np.array([0.5])}, "counts must be whole"),
        ({"pairs": ([5], [0])}, "query row"),
        ({"pairs": ([-1], [0])}, "query row"),
        ({"pairs": ([0], [3])}, "document row"),
        ({"pairs": sparse.csr_matrix((3, 1))}, r"pairs are \(3, 1\), vectors \(2, 1\)"),
        ({"weights": [-1.0, 1.0]}, "weights"),
        ({"weights": [np.nan, 1.0]}, "weights"),
        ({"queries": np.array([[np.nan, 1], [0, 1]])}, "not finite"),
        ({"documents": np.array([[np.inf, 1]])}, "documents hold values that are not finite"),
        ({"queries": np.ones((2, 3))}, "dimensions"),
        ({"queries": np.ones(2)}, "queries must have two dimensions"),
    ],
)
def test_wrong_input_is_refused(change, message):
    problem = {
        "documents": unit([[1, 0]]),
        "queries": unit([[0, 1], [0.6, 0.8]]),
        "pairs": ([0, 1], [0, 0]),
        "counts": np.array([2]),
    }
    with pytest.raises(ValueError, match=message):
        fit(**(problem | change))
