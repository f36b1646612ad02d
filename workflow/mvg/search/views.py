"""The contents of an index: vectors and the documents that own them, with biases as one more dimension."""

from typing import NamedTuple

import numpy as np


class Views(NamedTuple):
    """``vectors`` float32 (n_vectors, dim) and ``owner`` int32 (n_vectors,) document rows.

    A document's score is the largest inner product of the query with one of its vectors.
    """

    vectors: np.ndarray
    owner: np.ndarray
    biased: bool = False  # the last dimension is a bias, which queries need not have

    @classmethod
    def of(cls, documents, behavioural=None, prior=None, view_bias=None) -> "Views":
        """Semantic vectors, one a document, followed by the behavioural ones.

        behavioural: ``(vectors, owner)`` of :func:`mvg.multiview.fit`, or None
        prior: (n_documents,) added to all scores of a document, or None
        view_bias: added to the score of every behavioural vector, or None

        A bias becomes one more dimension of the vectors; see :meth:`extend`. Raises ValueError for
        shapes that do not fit, and for an owner that is not a row of ``documents``.

        >>> Views.of(np.eye(2), (np.array([[0.6, 0.8]]), np.array([0]))).owner.tolist()
        [0, 1, 0]
        """
        if np.ndim(documents) != 2:
            raise ValueError(f"documents must be (n_documents, dim): {np.shape(documents)}")
        vectors, owner = [documents], [np.arange(len(documents), dtype=np.int32)]
        if behavioural is not None:
            _check(*behavioural, len(documents), documents.shape[1])
            vectors.append(behavioural[0])
            owner.append(behavioural[1])
        owner = np.concatenate(owner)
        is_view = np.arange(len(owner)) >= len(documents)
        vectors, biased = _biased(
            np.concatenate(vectors, dtype=np.float32), owner, is_view, len(documents), prior, view_bias
        )
        return cls(vectors, owner, biased)

    def extend(self, queries: np.ndarray) -> np.ndarray:
        """``queries`` (n, dim), with a last dimension of 1 if the vectors have a bias.

        Raises ValueError for any other width.
        """
        return _extend(queries, self.vectors.shape[1], self.biased, 2)

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
    biased: bool = False

    @classmethod
    def of(cls, tokens, starts, behavioural=None, prior=None, view_bias=None) -> "TokenViews":
        """Each document's token vectors, followed by its behavioural ones.

        Arguments as for :meth:`Views.of`; a bias counts once for each vector of the query.
        """
        owner = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))
        vectors, is_view = np.asarray(tokens), np.zeros(len(tokens), dtype=bool)
        if behavioural is not None:
            _check(*behavioural, len(starts) - 1, vectors.shape[1])
            owner = np.concatenate([owner, behavioural[1]])
            order = np.argsort(owner, kind="stable")
            vectors = np.concatenate([tokens, behavioural[0]], dtype=np.float32)[order]
            owner, is_view = owner[order], order >= len(tokens)
            starts = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(starts) - 1))])
        vectors, biased = _biased(vectors, owner, is_view, len(starts) - 1, prior, view_bias)
        return cls(vectors, starts, biased)

    def extend(self, queries: np.ndarray) -> np.ndarray:
        """``queries`` (n, width, dim), with a last dimension of 1 if the vectors have a bias."""
        return _extend(queries, self.vectors.shape[1], self.biased, 3)

    @property
    def n_floats(self) -> int:
        """Floats stored: the paper's index size."""
        return self.vectors.size


def _check(vectors, owner, n_documents, dim) -> None:
    if np.ndim(vectors) != 2 or vectors.shape[1] != dim or np.shape(owner) != (len(vectors),):
        found = f"{np.shape(vectors)} and {np.shape(owner)}"
        raise ValueError(f"behavioural vectors and owners must be (n, {dim}) and (n,): {found}")
    if len(owner) and not 0 <= np.min(owner) <= np.max(owner) < n_documents:
        raise ValueError(f"owners must be rows of the {n_documents} documents")


def _biased(vectors, owner, is_view, n_documents, prior, view_bias) -> tuple[np.ndarray, bool]:
    """``vectors`` with their biases as a last dimension, if there are any; and whether there are."""
    if prior is None and not view_bias:
        return vectors, False
    bias = np.where(is_view, view_bias or 0.0, 0.0)
    if prior is not None:
        if np.shape(prior) != (n_documents,):
            raise ValueError(f"the prior must be ({n_documents},), one number a document: {np.shape(prior)}")
        bias += np.asarray(prior)[owner]
    return np.column_stack([vectors, bias.astype(np.float32)]), True


def _extend(queries, dim, biased, ndim):
    if queries.ndim == ndim and queries.shape[-1] == dim:
        return queries
    if queries.ndim != ndim or not biased or queries.shape[-1] != dim - 1:
        raise ValueError(f"queries must have {ndim} axes, the last of {dim - biased} floats: {queries.shape}")
    return np.concatenate([queries, np.ones((*queries.shape[:-1], 1), dtype=queries.dtype)], axis=-1)
