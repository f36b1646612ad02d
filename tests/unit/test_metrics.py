"""Recall, average precision, nDCG and reciprocal rank: by hand, and against two independent implementations."""

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mvg.evaluation.metrics import METRICS, average_precision, ndcg, per_query, recall, reciprocal_rank, relevance

NOTHING = ([], [])


def test_relevance_looks_up_each_query_by_its_position():
    ranked = [[2, 0, -1], [0, 1, 2]]
    hits = relevance(ranked, ([0, 1, 1], [2, 0, 2]), n_documents=3)
    assert hits.tolist() == [[True, False, False], [True, False, True]]


def test_a_missing_document_is_never_the_last_document_of_the_query_before():
    assert not relevance([[0], [-1]], ([0], [2]), n_documents=3).any()


def test_rankings_of_no_documents_hold_no_hits():
    assert relevance(np.empty((2, 0), dtype=np.int32), ([0], [1]), n_documents=3).shape == (2, 0)


def test_no_pairs_no_hits():
    assert not relevance([[0, 1]], NOTHING, n_documents=2).any()


def test_recall_by_hand():
    hits = [[True, False, True, False], [False, False, False, True]]
    assert recall(hits, [4, 1], k=3) == pytest.approx([50, 0])
    assert recall(hits, [4, 1], k=4) == pytest.approx([50, 100])


def test_average_precision_by_hand():
    # Hits at 1 and 3 of four relevant documents: (1/1 + 2/3) / 4.
    assert average_precision([[True, False, True]], [4], k=3) == pytest.approx([100 * (5 / 3) / 4])


def test_average_precision_divides_by_all_relevant_even_beyond_k():
    assert average_precision([[True, True, True]], [10], k=2) == pytest.approx([20])


def test_ndcg_by_hand():
    # A hit at rank 2 of two relevant documents; the best ranking has them at ranks 1 and 2.
    assert ndcg([[False, True, False]], [2], k=3) == pytest.approx([100 * (1 / np.log2(3)) / (1 + 1 / np.log2(3))])


def test_ndcg_is_100_where_the_first_k_are_all_relevant():
    assert ndcg([[True, True, False]], [10], k=2) == pytest.approx([100])


def test_reciprocal_rank_by_hand():
    hits = [[False, False, True, True], [False, False, False, False]]
    assert reciprocal_rank(hits, [2, 1], k=4) == pytest.approx([100 / 3, 0])
    assert reciprocal_rank(hits, [2, 1], k=2) == pytest.approx([0, 0])


def test_a_k_beyond_the_results_is_the_whole_result():
    hits = np.array([[True, False]])
    for metric in (recall, average_precision, reciprocal_rank):
        assert metric(hits, [2], k=100) == metric(hits, [2], k=2)


def test_an_empty_result_is_zero_and_a_query_without_relevant_documents_is_nan():
    scores = per_query([[-1, -1], [0, 1]], ([0], [1]), n_documents=2, ks=[2], metrics=METRICS)
    for values in scores.values():
        assert values[0] == 0 and np.isnan(values[1])


def test_per_query_names_recall_first_and_counts_repeated_pairs_once():
    scores = per_query([[1, 0]], ([0, 0], [1, 1]), n_documents=2, ks=[10, 100])
    assert list(scores) == ["recall@10", "recall@100", "map@10", "map@100"]
    assert all(values == [100] for values in scores.values())


@pytest.mark.parametrize(
    "ranked, pairs",
    [
        ([[3]], NOTHING),
        ([[-2]], NOTHING),
        ([0, 1], NOTHING),
        ([[0]], ([1], [0])),
        ([[0]], ([-1], [0])),
        ([[0]], ([0], [3])),
        ([[0]], ([0], [-1])),
        ([[0]], ([0, 0], [0])),
        ([[0]], ([[0]], [[0]])),
    ],
)
def test_rows_out_of_range_and_wrong_shapes_are_refused(ranked, pairs):
    with pytest.raises(ValueError):
        relevance(ranked, pairs, n_documents=3)


def test_a_row_out_of_range_is_refused_with_the_range():
    with pytest.raises(ValueError, match=r"ranked must lie in -1\.\.2"):
        per_query([[3]], ([0], [0]), n_documents=3, ks=[1])
    with pytest.raises(ValueError, match=r"document rows must lie in 0\.\.2"):
        per_query([[0]], ([0], [3]), n_documents=3, ks=[1])


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.int64, float])
def test_rows_of_any_type_are_rows(dtype):
    ranked = np.array([[0, 5], [7, 1]], dtype=dtype)
    assert relevance(ranked, ([0, 0, 1], [256, 65536 + 5, 7]), n_documents=70_000).tolist() == [
        [False, False],
        [True, False],
    ]


@given(hnp.arrays(bool, (3, 7)), st.integers(1, 9))
def test_all_stay_within_0_and_100_and_all_but_ndcg_never_fall_with_k(hits, k):
    n_relevant = hits.sum(axis=1) + 1
    assert ((ndcg(hits, n_relevant, k) >= 0) & (ndcg(hits, n_relevant, k) <= 100)).all()
    for metric in (recall, average_precision, reciprocal_rank):
        here, deeper = metric(hits, n_relevant, k), metric(hits, n_relevant, k + 1)
        assert (here >= 0).all() and (here <= deeper).all() and (deeper <= 100).all()


@given(hnp.arrays(bool, (1, 8)), st.integers(0, 6))
def test_moving_a_hit_up_never_lowers_average_precision(hits, place):
    up = hits.copy()
    up[0, place : place + 2] = sorted(hits[0, place : place + 2], reverse=True)
    before, after = (average_precision(h, [hits.sum() + 1], k=8) for h in (hits, up))
    assert after >= before


# --- against ir_measures and pytrec_eval ----------------------------------------------------


def a_difficult_run():
    """Ties, queries missing from the run, queries with more than k relevant documents, and with none."""
    rng = np.random.default_rng(0)
    n_queries, n_documents, depth = 60, 150, 120
    tied_scores = rng.integers(0, 4, (n_queries, n_documents))
    ranked = np.argsort(-tied_scores, axis=1, kind="stable")[:, :depth]
    ranked[::7] = -1  # missing from the run
    ranked[::5, 8:] = -1  # short results
    n_relevant = rng.choice([0, 1, 3, 15, 130], n_queries)
    n_relevant[:7] = [3, 130, 0, 1, 15, 130, 3]
    documents = [rng.choice(n_documents, n, replace=False) for n in n_relevant]
    pairs = np.repeat(np.arange(n_queries), n_relevant), np.concatenate(documents)
    return ranked, pairs, n_documents


def as_trec(ranked, pairs):
    """The same as dictionaries, in our order: scores strictly decrease."""
    run, qrels = {}, {}
    for query, documents in enumerate(ranked):
        found = documents[documents >= 0]
        if len(found):
            run[f"q{query}"] = {f"d{d}": float(len(found) - i) for i, d in enumerate(found)}
    for query, document in zip(*pairs):
        qrels.setdefault(f"q{query}", {})[f"d{document}"] = 1
    return run, qrels


def present(values):
    return {f"q{i}": v / 100 for i, v in enumerate(values) if not np.isnan(v)}


@pytest.fixture(scope="module")
def difficult_run():
    return a_difficult_run()


def test_pairs_looked_up_in_blocks_are_the_same_hits(monkeypatch):
    rng = np.random.default_rng(0)
    ranked = np.array([rng.permutation(9)[:4] for _ in range(30)])
    pairs = rng.integers(0, 30, 70), rng.integers(0, 9, 70)
    expected = relevance(ranked, pairs, 9)
    monkeypatch.setattr("mvg.evaluation.metrics.AT_ONCE", 3 * 4)
    assert (relevance(ranked, pairs, 9) == expected).all()


def test_a_ranking_that_is_padded_scores_as_a_shorter_one():
    short, pairs = [[3, 1, 0]], ([0, 0], [1, 2])
    padded = [[3, 1, 0, -1, -1]]
    as_it_is, with_padding = (per_query(r, pairs, n_documents=4, ks=[2, 5], metrics=METRICS) for r in (short, padded))
    assert as_it_is == with_padding


@pytest.mark.parametrize("k", [1, 10, 100])
def test_equal_to_ir_measures(difficult_run, k):
    ours = per_query(*difficult_run, ks=[k], metrics=METRICS)
    run, qrels = as_trec(*difficult_run[:2])
    theirs = {"recall": ir_measures.R, "map": ir_measures.AP, "ndcg": ir_measures.nDCG, "mrr": ir_measures.RR}
    measures = {f"{name}@{k}": measure @ k for name, measure in theirs.items()}
    theirs = {name: {} for name in measures}
    names = {measure: name for name, measure in measures.items()}
    for value in ir_measures.iter_calc(list(measures.values()), qrels, run):
        theirs[names[value.measure]][value.query_id] = value.value
    for name in measures:
        assert present(ours[name]) == pytest.approx(theirs[name], abs=1e-12)


@pytest.mark.parametrize("k", [1, 10, 100])
def test_equal_to_trec_eval(difficult_run, k):
    ours = per_query(*difficult_run, ks=[k])
    run, qrels = as_trec(*difficult_run[:2])
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {f"recall.{k}", f"map_cut.{k}"}).evaluate(run)
    for name, measure in ((f"recall@{k}", f"recall_{k}"), (f"map@{k}", f"map_cut_{k}")):
        mine = present(ours[name])
        assert {q: mine[q] for q in run if q in mine} == pytest.approx(
            {q: values[measure] for q, values in theirs.items()}, abs=1e-12
        )
        # trec_eval leaves missing queries out by default; we count them as zeros.
        assert all(mine[q] == 0 for q in mine if q not in run)
