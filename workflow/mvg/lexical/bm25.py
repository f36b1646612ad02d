"""BM25 with the idf of rank-bm25's ``BM25Okapi``, all queries scored at once."""

import re
import tempfile
from array import array
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from itertools import chain
from typing import NamedTuple

import numpy as np
from rank_bm25 import BM25Okapi
from scipy import sparse

from ..io.sorting import temporary_disk

TOKENIZERS = {
    "words": re.compile(r"\w+").findall,
    "whitespace": str.split,
}

AT_ONCE = 1000  # queries that a thread ranks at a time
BLOCK = 1 << 26  # words of documents in memory at a time; as weights they take 1.9 GB
WEIGHTS = 1 << 20  # weights computed at a time


class BM25:
    """Okapi BM25 over a fixed corpus, equal to ``BM25Okapi(...).get_scores(...)``.

    texts: one string a document, which are read once and not kept. tokenizer: ``words`` = runs of ``\\w`` in the
    lower-cased text, ``whitespace`` = the lower-cased text split at white space. ValueError: another tokenizer.

    rank-bm25 gives the idf (words in over half the documents get ``epsilon`` x the mean idf) and the lengths. What a
    word adds to a document's score doesn't depend on the query, so it is a sparse matrix; of a large corpus, it is
    made for some documents at a time.
    """

    def __init__(self, texts, tokenizer: str = "words"):
        if tokenizer not in TOKENIZERS:
            raise ValueError(f"tokenizer must be one of {', '.join(TOKENIZERS)}: {tokenizer!r}")
        self._split = TOKENIZERS[tokenizer]
        self._fitted = _Fitted(map(self._tokens, texts))
        self._vocabulary = self._fitted.vocabulary

    def scores(self, query_texts) -> np.ndarray:
        """float64 (n_queries, n_documents); dense, so callers bound memory by the queries a call.

        A word counts as often as the query has it; unknown words add nothing.
        """
        counts = self._counts(query_texts)
        return np.hstack([(counts @ weights).toarray() for _, weights in self._fitted.weights()])

    def search(self, query_texts, k, excluded=None, threads=1, progress=iter) -> tuple[np.ndarray, np.ndarray]:
        """The k best documents of each query that share a word with it, best first, equal scores by document row.

        excluded: ``(query_positions, document_rows)`` that no ranking may hold, or None
        Returns documents int32 (n_queries, k), -1 where there is none, and scores float64, -inf there. The score
        alone does not tell what to leave out: it may be 0 or negative for a word of half of the documents or more.
        """
        from .postings import best_documents  # numba comes with it

        found = np.full((len(query_texts), k), -1, np.int32), np.full((len(query_texts), k), -np.inf)
        positions, hidden = (np.empty(0, np.int64),) * 2 if excluded is None else excluded
        order = np.argsort(positions, kind="stable")
        positions, hidden = (np.asarray(side, dtype=np.int64)[order] for side in (positions, hidden))
        parts = [slice(i, min(i + AT_ONCE, len(query_texts))) for i in range(0, len(query_texts), AT_ONCE)]

        def rank(part, first, weights):
            asked = self._counts(query_texts[part])
            words = asked.indptr.astype(np.int64), asked.indices.astype(np.int64), asked.data
            postings = weights.indptr.astype(np.int64), weights.indices.astype(np.int32, copy=False), weights.data
            first_hidden = np.searchsorted(positions, np.arange(part.start, part.stop + 1))
            totals = np.full(weights.shape[1], np.nan)
            best_documents(
                *words, *postings, first_hidden, hidden, totals, first, found[0][part], found[1][part]
            )  # fmt: skip

        with ThreadPoolExecutor(threads) as pool:
            for first, weights in self._fitted.weights():
                ranked = pool.map(partial(rank, first=first, weights=weights), parts)
                for _ in progress(parts):
                    next(ranked)
                del weights, ranked  # before the next ones are made
        return found

    def _counts(self, query_texts) -> sparse.csr_array:
        counts = [Counter(map(self._vocabulary.get, self._tokens(text))) for text in query_texts]
        for known in counts:
            known.pop(None, None)  # words that no document has
        return _count_matrix(counts, len(self._vocabulary))

    @property
    def n_weights(self) -> int:
        """Pairs of a word and a document that it occurs in."""
        return sum(len(block.words) for block in self._fitted.blocks)

    def _tokens(self, text: str) -> list[str]:
        return self._split(text.lower())


class _Block(NamedTuple):
    """The words of consecutive documents: those of the i-th one are ``words[starts[i]:starts[i + 1]]``."""

    first: int  # row of the first document
    words: np.ndarray  # int32, distinct within a document
    times: np.ndarray  # int32, how often each occurs there
    starts: np.ndarray


class _Fitted(BM25Okapi):
    """rank-bm25's idf and lengths, but arrays of words in place of one dict a document; on disk, if there are many."""

    def _initialize(self, documents) -> dict[str, int]:
        self.vocabulary: dict[str, int] = {}  # word -> row
        self.blocks: list[_Block] = []
        self.doc_len = array("q")
        self._holders = np.zeros(0, np.int64)  # documents that have a word
        self._begin()
        for document in documents:
            counts = Counter(document)
            self._words.extend(self.vocabulary.setdefault(word, len(self.vocabulary)) for word in counts)
            self._times.extend(counts.values())
            self._starts.append(len(self._words))
            self.doc_len.append(len(document))
            if len(self._words) >= BLOCK:
                self._end(on_disk=True)
                self._begin()
        self._end(on_disk=bool(self.blocks))
        self.corpus_size = len(self.doc_len)
        self.avgdl = sum(self.doc_len) / max(1, self.corpus_size)
        return dict(zip(self.vocabulary, self._holders.tolist(), strict=True))

    def _begin(self) -> None:
        self._words, self._times, self._starts = array("i"), array("i"), array("q", [0])

    def _end(self, on_disk: bool) -> None:
        words, times = (np.frombuffer(side, np.int32) for side in (self._words, self._times))
        holders = np.bincount(words, minlength=len(self.vocabulary))
        holders[: len(self._holders)] += self._holders
        self._holders = holders
        if on_disk and len(words):
            words, times = map(_on_disk, (words, times))
        starts = np.array(self._starts, np.int32 if len(words) < 2**31 else np.int64)
        self.blocks.append(_Block(len(self.doc_len) - len(starts) + 1, words, times, starts))

    def _calc_idf(self, nd) -> None:
        if nd:  # rank-bm25 divides by the number of words
            super()._calc_idf(nd)

    def weights(self) -> Iterator[tuple[int, sparse.csr_array]]:
        """What each word adds to each document, float64 (words, documents), and the row of the first of these."""
        for block in self.blocks:
            yield block.first, self._weights(block) if len(self.blocks) > 1 else self._only_weights

    @cached_property
    def _only_weights(self) -> sparse.csr_array:
        return self._weights(self.blocks[0])

    def _weights(self, block: _Block) -> sparse.csr_array:
        counts = sparse.csr_array(
            (block.times.astype(np.float64), np.asarray(block.words), block.starts),
            shape=(len(block.starts) - 1, len(self.vocabulary)),
        )
        weights = counts.T.tocsr()
        del counts
        idf = np.fromiter(self.idf.values(), np.float64, len(self.idf))
        lengths = np.frombuffer(self.doc_len, np.int64)[block.first :]
        for start in range(0, weights.nnz, WEIGHTS):  # so that no step holds several numbers a weight
            part = slice(start, min(start + WEIGHTS, weights.nnz))
            word = np.searchsorted(weights.indptr, np.arange(part.start, part.stop), side="right") - 1
            relative_length = lengths[weights.indices[part]] / self.avgdl
            saturation = self.k1 * (1 - self.b + self.b * relative_length)
            times = weights.data[part]
            weights.data[part] = idf[word] * times * (self.k1 + 1) / (times + saturation)
        return weights


def _on_disk(array: np.ndarray) -> np.ndarray:
    """The same, mapped from a temporary file without a name."""
    file = tempfile.TemporaryFile()
    with temporary_disk():
        file.write(array.data)
        file.flush()
    return np.memmap(file, array.dtype, "r")


def _count_matrix(counts: list[dict[int, int]], n_words: int) -> sparse.csr_array:
    """Word counts of texts, {word: count} each, as float64 (texts, words)."""
    indices, values = (list(chain.from_iterable(side)) for side in (counts, (text.values() for text in counts)))
    starts = np.concatenate([[0], np.cumsum([len(text) for text in counts], dtype=np.int64)])
    return sparse.csr_array((np.array(values, np.float64), indices, starts), shape=(len(counts), n_words))
