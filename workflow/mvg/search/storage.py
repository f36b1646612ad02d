"""Vectors stored in fewer bytes than float32, by faiss.

Documents and own views take a byte a dimension, their biases included. The centers of votes take as much (``int8``),
half of it (``int4``), or a byte for four dimensions (``pq``): they only say which documents to raise. Many centers
stand in lists, of which a query looks into the nearest.
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
MANY = 2048  # centers, from which on they stand in lists
PROBES = 8  # lists that a query looks into


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
        codes = codes._replace(centers=encoded(centers, CENTERS[how].format(dim // 4), lists_for(len(centers))))
        result = result._replace(votes=addition.votes._replace(centers=decoded(codes.centers)))
    return result._replace(codes=codes)


def encoded(vectors: np.ndarray, factory: str, lists: int = 0) -> np.ndarray:
    """A serialised faiss index over vectors float32 (n, dim): uint8. With ``lists``, an inverted file of so many."""
    factory = f"IVF{lists},{factory}" if lists else factory
    index = faiss.index_factory(vectors.shape[1], factory, faiss.METRIC_INNER_PRODUCT)
    if lists:
        index.nprobe = PROBES
    vectors, threads = np.ascontiguousarray(vectors, dtype=np.float32), faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)  # the same bytes for any number of threads
    index.train(vectors)
    index.add(vectors)
    faiss.omp_set_num_threads(threads)
    return faiss.serialize_index(index)


def opened(codes: np.ndarray):
    """The faiss index in :func:`encoded` bytes."""
    return faiss.deserialize_index(np.ascontiguousarray(codes))


def decoded(codes: np.ndarray) -> np.ndarray:
    """The vectors in :func:`encoded` bytes: float32 (n, dim)."""
    index = opened(codes)
    if in_lists(index):
        index.make_direct_map()
    return index.reconstruct_n(0, index.ntotal)


def in_lists(index) -> bool:
    """Whether a faiss index is an inverted file."""
    return hasattr(index, "nprobe")


def lists_for(n_centers: int) -> int:
    """A power of two near the square root of their number, so that a search looks at few; 0 for few centers."""
    return 0 if n_centers < MANY else 1 << round(np.log2(np.sqrt(n_centers)))


def room_for(method, budget: float, how: str, n_documents: int, dim: int, width: int) -> float:
    """The budget of float32 vectors that occupies ``budget`` once stored, for a method with own views, votes, or both.

    method: :class:`mvg.names.Method`; width: weights of a center, which are not compressed
    """
    tables, costs = 2 * (dim + 1) + HEADER, [(dim + 1) / (4 * dim)] if method.views else []
    if method.votes:
        most = int(budget * n_documents * 4 / BYTES[how])
        tables += TABLES[how] * dim + HEADER + lists_for(most) * dim
        costs.append((floats_of_center(how, dim, most) + 2 * width) / (dim + 2 * width))
    left = budget - (dim + 1) / (4 * dim) - tables / (n_documents * dim)
    return 1 + max(0.0, left) / np.mean(costs)


def floats_of_center(how: str, dim: int, n_centers: int) -> float:
    """Of a stored center, with its number where centers stand in lists; four bytes count as one."""
    return (BYTES[how] * dim + (8 if lists_for(n_centers) else 0)) / 4


def size_of_knn(how: str, n_documents: int, n_queries: int, n_pairs: int, dim: int) -> float:
    """The index size of ``knn`` once stored, relative to one float32 vector a document; biases and ranges apart."""
    votes = n_queries * floats_of_center(how, dim, n_queries) + lists_for(n_queries) * dim + n_pairs
    return 1 / 4 + votes / (n_documents * dim)
