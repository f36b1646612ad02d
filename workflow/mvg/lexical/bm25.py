"""BM25 with the idf of rank-bm25's ``BM25Okapi``, all queries scored at once."""

import re
from collections import Counter

import numpy as np
from rank_bm25 import BM25Okapi
from scipy import sparse

TOKENIZERS = {
    "words": re.compile(r"\w+").findall,
    "whitespace": str.split,
}


class BM25:
    """Okapi BM25 over a fixed corpus, equal to ``BM25Okapi(...).get_scores(...)``.

    texts: one string a document. tokenizer: ``words`` = runs of ``\\w`` in the lower-cased text,
    ``whitespace`` = the lower-cased text split at white space. ValueError: another tokenizer.

    rank-bm25 gives the idf (words in over half the documents get ``epsilon`` x the mean idf) and
    the lengths; what a word adds to a document's score doesn't depend on the query, so it is
    computed once, as a sparse matrix.
    """

    def __init__(self, texts, tokenizer: str = "words"):
        if tokenizer not in TOKENIZERS:
            raise ValueError(f"tokenizer must be one of {', '.join(TOKENIZERS)}: {tokenizer!r}")
        self._split = TOKENIZERS[tokenizer]
        documents = [self._tokens(text) for text in texts]
        # BM25Okapi divides by the number of words: a corpus without any has no weights instead.
        self._vocabulary, self._weights = {}, sparse.csr_array((0, len(documents)))
        if any(documents):
            self._vocabulary, self._weights = _word_weights(BM25Okapi(documents))
        self._occurs = self._weights.copy()
        self._occurs.data = np.ones(self._weights.nnz, np.bool_)

    def scores(self, query_texts) -> np.ndarray:
        """float64 (n_queries, n_documents); dense, so callers bound memory by the queries a call.

        A word counts as often as the query has it; unknown words add nothing.
        """
        return (self._counts(query_texts) @ self._weights).toarray()

    def matching_scores(self, query_texts) -> np.ndarray:
        """As :meth:`scores`, but -inf for a document that shares no word with the query: it is not to be ranked.

        The score alone does not tell: a word of half of the documents has an idf of 0, one of more may be negative.
        """
        counts = self._counts(query_texts)
        scores = (counts @ self._weights).toarray()
        scores[~(counts.astype(np.bool_) @ self._occurs).toarray()] = -np.inf
        return scores

    def _counts(self, query_texts) -> sparse.csr_array:
        counts = [Counter(self._tokens(text)) for text in query_texts]
        return _count_matrix(counts, self._vocabulary)

    @property
    def n_weights(self) -> int:
        """Pairs of a word and a document that it occurs in."""
        return self._weights.nnz

    def _tokens(self, text: str) -> list[str]:
        return self._split(text.lower())


def _word_weights(okapi: BM25Okapi) -> tuple[dict[str, int], sparse.csr_array]:
    """The vocabulary (word -> row) and what each word adds to each document (words, documents)."""
    vocabulary = {word: row for row, word in enumerate(okapi.idf)}
    counts = _count_matrix(okapi.doc_freqs, vocabulary)
    documents = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    idf = np.fromiter(okapi.idf.values(), np.float64, len(vocabulary))[counts.indices]
    relative_length = np.asarray(okapi.doc_len)[documents] / okapi.avgdl
    saturation = okapi.k1 * (1 - okapi.b + okapi.b * relative_length)
    counts.data = idf * counts.data * (okapi.k1 + 1) / (counts.data + saturation)
    return vocabulary, counts.T.tocsr()


def _count_matrix(counts: list[dict[str, int]], vocabulary: dict[str, int]) -> sparse.csr_array:
    """Word counts of texts as float64 (texts, words), without the words not in the vocabulary."""
    known = [{vocabulary[w]: n for w, n in text.items() if w in vocabulary} for text in counts]
    indices = [column for text in known for column in text]
    values = [value for text in known for value in text.values()]
    starts = np.concatenate([[0], np.cumsum([len(text) for text in known], dtype=np.int64)])
    shape = (len(known), len(vocabulary))
    return sparse.csr_array((np.array(values, np.float64), indices, starts), shape=shape)
