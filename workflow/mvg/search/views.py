"""What an index holds: vectors and the documents that own them, with biases as one more dimension."""

from typing import NamedTuple

import numpy as np


class Views(NamedTuple):
    """``vectors`` float32 (n_vectors, dim) and ``owner`` int32 (n_vectors,) document rows.

    A document's score is the largest inner product of the query with one of its vectors.
    """

    vectors: np.ndarray
    owner: np.ndarray

    @classmethod
    def of(cls, documents, behavioural=None, prior=None, view_bias=None) -> "Views":
        """Semantic vectors, one a document, and behavioural ones behind them.

        behavioural: ``(vectors, owner)`` of :func:`mvg.multiview.fit`, or None
        prior: (n_documents,) added to all scores of a document, or None
        view_bias: added to the score of every behavioural vector, or None

        A bias becomes one more dimension of the vectors; see :func:`extend`.
        """
        vectors, owner = [documents], [np.arange(len(documents), dtype=np.int32)]
        if behavioural is not None:
            vectors.append(behavioural[0])
            owner.append(behavioural[1])
        owner = np.concatenate(owner)
        is_view = np.arange(len(owner)) >= len(documents)
        return cls(_biased(np.concatenate(vectors, dtype=np.float32), owner, is_view, prior, view_bias), owner)

    def extend(self, queries: np.ndarray) -> np.ndarray:
        """``queries``, with a last dimension of 1 where the vectors carry a bias."""
        return _extend(queries, self.vectors.shape[1])

    @property
    def n_floats(self) -> int:
        """Floats stored: the paper's index size."""
        return self.vectors.size


class TokenViews(NamedTuple):
    """The same for a vector a token: those of document d are ``vectors[starts[d]:starts[d + 1]]``.

    A document's score is the sum, over the vectors of the query, of the largest inner product with
    one of its vectors (:mod:`mvg.search.maxsim`).
    """

    vectors: np.ndarray
    starts: np.ndarray

    @classmethod
    def of(cls, tokens, starts, behavioural=None, prior=None, view_bias=None) -> "TokenViews":
        """A document's token vectors, and the behavioural ones behind them.

        Arguments as for :meth:`Views.of`; a bias counts once for each vector of the query.
        """
        owner = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))
        vectors, is_view = np.asarray(tokens), np.zeros(len(tokens), dtype=bool)
        if behavioural is not None:
            owner = np.concatenate([owner, behavioural[1]])
            order = np.argsort(owner, kind="stable")
            vectors = np.concatenate([tokens, behavioural[0]], dtype=np.float32)[order]
            owner, is_view = owner[order], order >= len(tokens)
            starts = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(starts) - 1))])
        return cls(_biased(vectors, owner, is_view, prior, view_bias), starts)

    def extend(self, queries: np.ndarray) -> np.ndarray:
        """``queries`` (n, width, dim), with a last dimension of 1 where the vectors carry a bias."""
        return _extend(queries, self.vectors.shape[1])

    @property
    def n_floats(self) -> int:
        """Floats stored: the paper's index size."""
        return self.vectors.size


def _biased(vectors, owner, is_view, prior, view_bias):
    """``vectors`` with what is added to their scores as a last dimension, if anything is."""
    if prior is None and not view_bias:
        return vectors
    bias = np.where(is_view, view_bias or 0.0, 0.0)
    if prior is not None:
        bias += np.asarray(prior)[owner]
    return np.column_stack([vectors, bias.astype(np.float32)])


def _extend(queries, dim):
    if queries.shape[-1] == dim:
        return queries
    return np.concatenate([queries, np.ones((*queries.shape[:-1], 1), dtype=queries.dtype)], axis=-1)
