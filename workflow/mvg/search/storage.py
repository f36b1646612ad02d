"""Vectors stored in fewer bytes: int8, or product-quantised codes, both by faiss."""

import faiss
import numpy as np

from ..multiview.addition import Addition
from ..multiview.behavioural import Behavioural

DIMENSIONS = {"int8": 1, "pq": 4}  # dimensions in a byte
TABLES = {"int8": 2, "pq": 256}  # floats for each dimension that decoding needs


def codec(vectors: np.ndarray, how: str):
    """A faiss codec trained on ``vectors``: a byte for each dimension (``int8``), or for four dimensions (``pq``).

    Raises ValueError if that is impossible: ``pq`` needs a dimension divisible by four, and 256 vectors.
    """
    dim = vectors.shape[1]
    if how == "pq" and (dim % 4 or len(vectors) < 256):
        raise ValueError(f"pq needs a dimension that 4 divides and at least 256 vectors: {vectors.shape}")
    made = faiss.index_factory(dim, {"int8": "SQ8", "pq": f"PQ{dim // 4}"}[how], faiss.METRIC_INNER_PRODUCT)
    made.train(np.ascontiguousarray(vectors, dtype=np.float32))
    return made


def stored(addition: Addition, how: str) -> tuple[Addition, float]:
    """``addition`` after storing and decoding, and its size in floats; four bytes count as one float.

    Documents, own views and centers go through one codec, whose ranges or codebooks count too. Biases, weights of
    votes and an adapter are not compressed.
    """
    vectors = [addition.documents]
    vectors += [] if addition.views is None else [addition.views.vectors]
    vectors += [] if addition.votes is None else [addition.votes.centers]
    everything = np.ascontiguousarray(np.concatenate(vectors), dtype=np.float32)
    made = codec(everything, how)
    documents, *rest = np.split(made.sa_decode(made.sa_encode(everything)), np.cumsum([len(x) for x in vectors])[:-1])
    result = addition._replace(documents=documents)
    if addition.votes is not None:
        result = result._replace(votes=addition.votes._replace(centers=rest.pop()))
    if addition.views is not None:
        result = result._replace(views=Behavioural(rest.pop(), addition.views.owner))
    tables = TABLES[how] * addition.documents.shape[1]
    return result, addition.n_floats - everything.size + len(everything) * made.sa_code_size() / 4 + tables


def room_for(method, budget: float, how: str, n_documents: int, dim: int, width: int) -> float:
    """The budget of float32 vectors that occupies ``budget`` once stored, for a method with own views, votes, or both.

    method: :class:`mvg.names.Method`; width: weights of a center, which are not compressed
    """
    factor, tables = 4 * DIMENSIONS[how], TABLES[how] / n_documents
    costs = [1 / factor] if method.views else []
    costs += [(dim / factor + 2 * width) / (dim + 2 * width)] if method.votes else []
    return 1 + max(0.0, budget - 1 / factor - tables) / np.mean(costs)
