"""BM25: as rank-bm25 scores, but all queries at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from mvg.lexical.bm25 import BM25

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
