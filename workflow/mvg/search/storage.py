"""Vectors stored in fewer bytes than float32, by faiss.

Documents and own views take a byte a dimension, their biases included. The centers of votes take as much (``int8``),
half of it (``int4``), or a byte for four dimensions (``pq``): they only say which documents to raise.
"""

import faiss
import numpy as np

from ..multiview.addition import Addition, Codes
from ..multiview.behavioural import Behavioural
from .views import Views

CENTERS = {"int8": "SQ8", "int4": "SQ4", "pq": "PQ{}"}
BYTES = {"int8": 1, "int4": 1 / 2, "pq": 1 / 4}  # of a center, for each dimension
TABLES = {"int8": 2, "int4": 2, "pq": 256}  # floats that decode a center, for each dimension
HEADER = 64  # floats at most, of a serialised index


def stored(addition: Addition, how: str) -> Addition:
    """``addition`` with its vectors as ``how`` stores them, and with the codes.

    Raises ValueError if that is impossible: ``pq`` needs a dimension divisible by four, and 256 centers; ``int4`` and
    ``pq`` are for centers.
    """
    if addition.votes is None and how != "int8":
        raise ValueError(f"{how} stores the centers of votes, which only shared+… and knn+… have")
    views = Views.of(addition.documents, addition.views, addition.bias, addition.view_bias)
    n, dim = addition.documents.shape
    codes = Codes(encoded(views.vectors, "SQ8"))
    vectors = decoded(codes.vectors)
    result = addition._replace(documents=np.ascontiguousarray(vectors[:n, :dim]))
    if views.biased:
        result = result._replace(bias=vectors[:n, dim].astype(np.float64))
    if addition.views is not None:
        result = result._replace(views=Behavioural(np.ascontiguousarray(vectors[n:, :dim]), addition.views.owner))
    if addition.votes is not None:
        centers = addition.votes.centers
        if how == "pq" and (dim % 4 or len(centers) < 256):
            raise ValueError(f"pq needs a dimension that 4 divides and at least 256 centers: {centers.shape}")
        codes = codes._replace(centers=encoded(centers, CENTERS[how].format(dim // 4)))
        result = result._replace(votes=addition.votes._replace(centers=decoded(codes.centers)))
    return result._replace(codes=codes)


def encoded(vectors: np.ndarray, factory: str) -> np.ndarray:
    """A serialised faiss index over vectors float32 (n, dim): uint8."""
    index = faiss.index_factory(vectors.shape[1], factory, faiss.METRIC_INNER_PRODUCT)
    vectors = np.ascontiguousarray(vectors, dtype=np.float32)
    index.train(vectors)
    index.add(vectors)
    return faiss.serialize_index(index)


def decoded(codes: np.ndarray) -> np.ndarray:
    """The vectors in a serialised faiss index: float32 (n, dim)."""
    index = faiss.deserialize_index(np.ascontiguousarray(codes))
    return index.reconstruct_n(0, index.ntotal)


def room_for(method, budget: float, how: str, n_documents: int, dim: int, width: int) -> float:
    """The budget of float32 vectors that occupies ``budget`` once stored, for a method with own views, votes, or both.

    method: :class:`mvg.names.Method`; width: weights of a center, which are not compressed
    """
    tables = (2 * (dim + 1) + HEADER + (TABLES[how] * dim + HEADER if method.votes else 0)) / (n_documents * dim)
    costs = [(dim + 1) / (4 * dim)] if method.views else []
    costs += [(BYTES[how] * dim / 4 + 2 * width) / (dim + 2 * width)] if method.votes else []
    return 1 + max(0.0, budget - (dim + 1) / (4 * dim) - tables) / np.mean(costs)


def size_of_knn(how: str, n_documents: int, n_queries: int, n_pairs: int, dim: int) -> float:
    """The index size of ``knn`` once stored, relative to one float32 vector a document; biases and tables apart."""
    return 1 / 4 + (BYTES[how] * n_queries / 4 + 2 * n_pairs / dim) / n_documents
