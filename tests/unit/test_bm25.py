"""BM25: the scores of rank-bm25, but of all queries at once; only documents that share a word are ranked."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from mvg.evaluation.metrics import METRICS, per_query
from mvg.lexical import bm25
from mvg.lexical.bm25 import BM25
from mvg.search.ranking import Ranking
from mvg.search.trec import write_run

# Few words, so that some are in most documents (negative idf), some repeat and some are unknown.
TEXTS = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), max_size=6).map(" ".join)
QUERIES = st.lists(st.sampled_from(["a", "b", "c", "unknown"]), max_size=5).map(" ".join)


@given(st.lists(TEXTS, min_size=1, max_size=8).filter(any), st.lists(QUERIES, max_size=4))
def test_equal_to_rank_bm25(texts, queries):
    okapi = BM25Okapi([text.split() for text in texts])
    scores = BM25(texts).scores(queries)
    assert scores.shape == (len(queries), len(texts)) and scores.dtype == np.float64
    for row, query in zip(scores, queries):
        np.testing.assert_allclose(row, okapi.get_scores(query.split()), rtol=0, atol=1e-9)


def test_a_word_of_most_documents_gets_epsilon_of_the_mean_idf():
    texts = ["all one", "all two", "all three", "all four"]
    scores = BM25(texts).scores(["all"])
    expected = BM25Okapi([text.split() for text in texts]).get_scores(["all"])
    assert (scores > 0).all() and scores[0] == pytest.approx(expected)


def test_a_repeated_word_counts_as_often_as_it_is_asked():
    once, twice = BM25(["x y", "z w", "v u"]).scores(["x", "x x"])
    assert twice == pytest.approx(2 * once) and once[0] > 0


def ranked(texts, queries, k, excluded=None):
    """The documents that each query gets, best first."""
    return Ranking(*BM25(texts).search(queries, k, excluded))


@given(st.lists(TEXTS, min_size=1, max_size=8), st.lists(QUERIES, min_size=1, max_size=4), st.integers(1, 8))
def test_documents_that_share_a_word_are_ranked_and_no_others(texts, queries, k):
    scores = BM25(texts).scores(queries)
    for query, own, found, values in zip(queries, scores, *ranked(texts, queries, k)):
        matching = [row for row, text in enumerate(texts) if set(text.split()) & set(query.split())]
        best = sorted(matching, key=lambda row: (-own[row], row))[:k]
        assert found.tolist() == (best + [-1] * k)[:k]
        assert values.tolist() == ([*own[best]] + [-np.inf] * k)[:k]


def test_an_excluded_document_makes_room_for_the_next():
    texts = ["x", "x", "x y", "z w", "z v"]
    found = ranked(texts, ["x", "x", "nothing"], 2, ([0, 0, 1, 2], [1, 3, 0, 0]))
    assert found.documents.tolist() == [[0, 2], [1, 2], [-1, -1]]


def test_the_ranking_is_the_same_for_any_number_of_threads(monkeypatch):
    texts, queries = [f"a{i % 3} b{i % 5} c{i}" for i in range(50)], [f"a{i % 4} b{i % 6}" for i in range(40)]
    monkeypatch.setattr("mvg.lexical.bm25.AT_ONCE", 7)
    one, two = BM25(texts).search(queries, 10), BM25(texts).search(queries, 10, threads=2)
    assert all(np.array_equal(a, b) for a, b in zip(one, two))


def test_a_word_of_half_of_the_documents_scores_zero_and_matches():
    texts = ["common", "common rare", "other", "word"]
    assert BM25(texts).scores(["common"]).tolist() == [[0, 0, 0, 0]]
    assert ranked(texts, ["common"], 3).documents.tolist() == [[0, 1, -1]]


def test_a_query_without_a_match_finds_nothing():
    texts, queries = ["red shoe", "blue hat", "coat"], ["scarf", "a hat"]
    found = ranked(texts, queries, 3)
    assert found.documents.tolist() == [[-1] * 3, [1, -1, -1]]
    scores = per_query(found.documents, ([0, 1], [0, 1]), len(texts), [1, 3], METRICS)
    assert {name: values.tolist() for name, values in scores.items()} == {name: [0, 100] for name in scores}
    run = io.StringIO()
    write_run(run, ["q0", "q1"], ["d0", "d1", "d2"], *found, "bm25")
    assert [line.split()[:4] for line in run.getvalue().splitlines()] == [["q1", "Q0", "d1", "1"]]


@pytest.mark.parametrize("texts", [[], [""], ["", " \t", "?!"]])
def test_a_corpus_without_a_word_scores_zero(texts):
    scores = BM25(texts).scores(["x", ""])
    assert scores.shape == (2, len(texts)) and not scores.any()


def test_an_empty_document_scores_zero_beside_others():
    assert BM25(["", "x", "y z"]).scores(["x y"])[0, 0] == 0


def test_words_drop_punctuation_and_whitespace_keeps_it():
    texts = ["Gas-lighter, blue", "tent", "stove"]
    assert BM25(texts, "words").scores(["LIGHTER"])[0, 0] > 0
    assert BM25(texts, "whitespace").scores(["lighter"])[0, 0] == 0
    assert BM25(texts, "whitespace").scores(["GAS-LIGHTER,"])[0, 0] > 0


def test_another_tokenizer_is_refused():
    with pytest.raises(ValueError, match="words, whitespace"):
        BM25(["x"], "letters")


def test_a_corpus_in_blocks_is_ranked_the_same(monkeypatch):
    draw = np.random.default_rng(0)
    texts = [" ".join(draw.choice(list("abcdefgh"), draw.integers(0, 6))) for _ in range(60)]
    queries = [*texts[:9], "", "unknown"]
    excluded = [0, 0, 3, 4], [0, 17, 41, 59]
    whole = BM25(texts)
    monkeypatch.setattr(bm25, "BLOCK", 20)
    blocks = BM25(texts)
    np.testing.assert_array_equal(blocks.scores(queries), whole.scores(queries))
    for k in 3, 100:
        for found, expected in zip(blocks.search(queries, k, excluded), whole.search(queries, k, excluded)):
            np.testing.assert_array_equal(found, expected)
    assert blocks.n_weights == whole.n_weights > 5 * bm25.BLOCK
