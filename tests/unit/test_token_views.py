"""MVG over ColBERT: the budget, the owners, and that only text counts."""

import numpy as np

from mvg.multiview.tokens import fit_tokens


def case(seed=0, n_documents=6, n_queries=40, width=5, dim=8):
    rng = np.random.default_rng(seed)

    def unit(*shape):
        return (x := rng.standard_normal(shape)) / np.linalg.norm(x, axis=-1, keepdims=True)

    starts = np.concatenate([[0], np.cumsum(rng.integers(2, 5, n_documents))])
    real = np.arange(width) < rng.integers(2, width + 1, n_queries)[:, None]
    rows = np.arange(n_queries) * 2  # training queries among others
    pairs = rows, rng.integers(0, n_documents - 1, n_queries)  # the last document has none
    return (
        unit(starts[-1], dim).astype(np.float32),
        starts,
        unit(n_queries, width, dim).astype(np.float16),
        real,
        rows,
        pairs,
    )


def test_the_budget_counts_stored_vectors():
    given = case()
    vectors, owner = fit_tokens(*given, m_avg=0.5, beta=0.5)
    assert len(vectors) == round(0.5 * len(given[0]))
    assert (np.diff(owner) >= 0).all() and (owner < 5).all()
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_the_expansion_of_queries_takes_no_part():
    tokens, starts, queries, real, rows, pairs = case()
    changed = queries.copy()
    changed[~real] = 1
    a, b = (fit_tokens(tokens, starts, q, real, rows, pairs, 0.5, 0.5) for q in (queries, changed))
    assert (a[0] == b[0]).all() and (a[1] == b[1]).all()


def test_one_center_a_document_is_the_mean_of_the_text_that_it_serves():
    tokens, starts, queries, real, rows, pairs = case(n_documents=2, n_queries=3)
    vectors, owner = fit_tokens(tokens, starts, queries, real, rows, pairs, 1 / len(tokens), 0.5)
    own = tokens[: starts[1]].astype(np.float64).mean(0)
    points = queries[real].astype(np.float64)
    served = points[points @ vectors[0] > points @ (own / np.linalg.norm(own))]
    assert owner.tolist() == [0]
    assert np.allclose(vectors[0], served.sum(0) / np.linalg.norm(served.sum(0)), atol=1e-5)
