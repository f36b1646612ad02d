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
        biases = [np.zeros(len(documents))]
        if behavioural is not None:
            vectors.append(behavioural[0])
            owner.append(behavioural[1])
            biases.append(np.full(len(behavioural[1]), view_bias or 0.0))
        owner = np.concatenate(owner)
        vectors = np.concatenate(vectors, dtype=np.float32)
        if prior is None and not view_bias:
            return cls(vectors, owner)
        bias = np.concatenate(biases)
        if prior is not None:
            bias += np.asarray(prior)[owner]
        return cls(np.column_stack([vectors, bias.astype(np.float32)]), owner)

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
        vectors, biases = np.asarray(tokens), np.zeros(len(tokens))
        if behavioural is not None:
            owner = np.concatenate([owner, behavioural[1]])
            order = np.argsort(owner, kind="stable")
            vectors = np.concatenate([tokens, behavioural[0]], dtype=np.float32)[order]
            biases = np.concatenate([biases, np.full(len(behavioural[1]), view_bias or 0.0)])[order]
            owner = owner[order]
            starts = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(starts) - 1))])
        if prior is not None:
            biases = biases + np.asarray(prior)[owner]
        if prior is None and not view_bias:
            return cls(vectors, starts)
        return cls(np.column_stack([vectors, biases.astype(np.float32)]), starts)

    def extend(self, queries: np.ndarray) -> np.ndarray:
        """``queries`` (n, width, dim), with a last dimension of 1 where the vectors carry a bias."""
        return _extend(queries, self.vectors.shape[1])

    @property
    def n_floats(self) -> int:
        """Floats stored: the paper's index size."""
        return self.vectors.size


def _extend(queries, dim):
    if queries.shape[-1] == dim:
        return queries
    return np.concatenate([queries, np.ones((*queries.shape[:-1], 1), dtype=queries.dtype)], axis=-1)
