"""Rivals of the methods of :mod:`mvg.names`: other uses of the same texts, vectors and log.

``bm25-expanded``: BM25 over documents with the training queries that led to them appended
``ova-tfidf``: a linear classifier per document over tf-idf of the queries, as in DiSMEC (Babbar and Schölkopf 2017)
``ova``: a ridge classifier per document over the encoder's query vectors
``NAME@int8``, ``NAME@int4``, ``NAME@pq``: a method with vectors in fewer bytes, and with more of them if it can grow
``NAME@HNSW32``: a method in an approximate index, with biases as one more dimension; any factory string of faiss
"""

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import sparse

from ..datasets.pairs import of_queries
from ..multiview.addition import led_to
from ..names import STORAGES, Rival
from ..search.combined import Combined
from ..search.ranking import Ranking, rank_scores
from .combinations import Log

ALPHAS = (1.0, 10.0, 100.0)  # ridge penalties of ova
PRUNED = 0.01  # weights of ova-tfidf below this are dropped, as in DiSMEC
BATCH = 256  # queries scored at a time
COLUMNS = 512  # documents that ridge fits at a time


class Measured(NamedTuple):
    """A ranking, the floats of its index, the seconds of training, and a search to be timed."""

    ranking: Ranking
    n_floats: float
    train_s: float
    search: Callable | None = None  # of queries and k, where vectors are searched


def by_text(name: str, corpus, texts, train, rows, excluded, k: int, progress=iter) -> Measured:
    """A rival that needs only texts.

    corpus, texts: strings, of documents and of all queries; train: :class:`mvg.datasets.pairs.Split`
    rows: sorted rows of the queries to rank; excluded: ``(query_rows, document_rows)`` to leave out
    """
    started = time.perf_counter()
    rank, n_floats = {"bm25-expanded": _expanded, "ova-tfidf": _ova_tfidf}[name](corpus, texts, train.pairs, progress)
    took = time.perf_counter() - started
    return Measured(rank([texts[row] for row in rows], of_queries(excluded, rows), k), n_floats, took)


def _expanded(corpus, texts, pairs, progress):
    from ..lexical.bm25 import BM25

    appended = [[text] for text in corpus]
    for query, document in zip(*pairs, strict=True):
        appended[document].append(texts[query])
    bm25 = BM25(progress([" ".join(parts) for parts in appended]))
    return lambda asked, hidden, k: Ranking(*bm25.search(asked, k, hidden)), 2 * bm25.n_weights


def _ova_tfidf(corpus, texts, pairs, progress):
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.svm import LinearSVC

    rows, led = _training(pairs, len(texts), len(corpus))
    vectorizer = TfidfVectorizer(sublinear_tf=True)
    features = vectorizer.fit_transform([texts[row] for row in rows])
    seen = np.flatnonzero(np.diff(led.indptr))
    weights, intercepts = [], np.full(len(corpus), -np.inf)
    for document in progress(seen):
        relevant = np.zeros(len(rows), dtype=bool)
        relevant[led.indices[led.indptr[document] : led.indptr[document + 1]]] = True
        if relevant.all():
            weights.append(sparse.csr_matrix((1, features.shape[1])))
            intercepts[document] = 1.0
            continue
        fitted = LinearSVC(C=1.0, tol=0.1, random_state=0).fit(features, relevant)
        weights.append(sparse.csr_matrix(np.where(abs(fitted.coef_) < PRUNED, 0, fitted.coef_)))
        intercepts[document] = fitted.intercept_[0]
    stacked = sparse.vstack(weights).T.tocsr()

    def rank(asked, hidden, k):
        found = vectorizer.transform(asked)

        def score(part):
            scores = np.full((len(part), len(corpus)), -np.inf)
            scores[:, seen] = (found[part] @ stacked).toarray()
            return scores + intercepts

        return rank_scores(score, np.arange(len(asked)), hidden, k, BATCH)

    return rank, 2 * stacked.nnz + len(seen)


def by_vectors(name: str, log: Log, asked, excluded, k: int, budget: float, threads: int = 1) -> Measured:
    """A rival over the encoder's vectors; :meth:`Log.build` does the same for methods.

    asked: float32 (n, dim), queries; excluded: ``(positions, document_rows)`` to leave out
    """
    started, rival = time.perf_counter(), Rival.parse(name)
    if name == "ova":
        index = Combined(_ova(log), threads=threads)
    elif rival.how in STORAGES:
        index = Combined(log.build(name, budget if rival.grows else None).addition, threads=threads)
    else:
        index = Combined(log.build(rival.name).addition, rival.how, threads)
    took = time.perf_counter() - started
    ranking = index.search(asked, k, excluded)
    return Measured(ranking, index.n_floats, took, index.search)


def _ova(log: Log):
    """Ridge classifiers as documents, with their intercepts as biases; the penalty is the best on dev.

    A document that no query led to has no classifier, and comes last.
    """
    from sklearn.linear_model import Ridge

    from ..multiview import Addition

    rows, led = _training(log.pairs, len(log.all_queries), len(log.documents))
    points, seen = np.asarray(log.all_queries[rows]), np.flatnonzero(np.diff(led.indptr))

    def fitted(alpha):
        vectors, bias = np.zeros_like(log.documents), np.full(len(log.documents), -10.0)
        for part in np.array_split(seen, -(-len(seen) // COLUMNS)):
            ridge = Ridge(alpha=alpha).fit(points, led[part].T.toarray())
            vectors[part], bias[part] = ridge.coef_, ridge.intercept_
        return Addition(vectors, bias=bias)

    return max(map(fitted, ALPHAS), key=log.dev)


def _training(pairs, n_queries, n_documents) -> tuple[np.ndarray, sparse.csr_matrix]:
    """The rows of the queries that led to a document, and a matrix (n_documents, n_rows) of which led to which."""
    rows = np.unique(np.asarray(pairs[0], dtype=np.int64))
    return rows, sparse.csr_matrix(led_to(pairs, n_queries, n_documents)[rows].T)
