"""One scoring rule for everything that a log can add to an encoder.

    score(q, d) = max(q'. d', max over own views v of d of (q'. v + c)) + bias(d)
                  + sum over near centers s of w(q', s) P(d | s)

with q' = unit(A q), or q itself, and bias(d) = b log p(d) + u [n_d = 0]. Each method uses some of the terms.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from ..io.files import load_arrays, save_arrays
from .behavioural import Behavioural

SOFTMAX, SUM, SIMILARITY = "softmax", "sum", "similarity"
MOST_SIMILARITIES = 1 << 25  # of queries with centers, at a time


class Votes(NamedTuple):
    """Centers that vote for documents: those ``nearest`` to a query, weighted by how near they are.

    The weight of a near center of similarity s is softmax(s / temperature) over the near ones (``softmax``), 1
    (``sum``) or s itself (``similarity``), times ``scale``.
    """

    centers: np.ndarray  # float32 (n_centers, dim)
    shares: sparse.csr_matrix  # float32 (n_centers, n_documents), P(d | s) or a learned weight
    nearest: int
    how: str = SOFTMAX
    temperature: float = 0.05
    scale: float = 1.0

    def weights(self, similarity: np.ndarray) -> np.ndarray:
        """Float64 (n_queries, nearest), from the similarities of the near centers; -inf gets weight 0."""
        similarity = np.asarray(similarity, dtype=np.float64)
        there = similarity > -np.inf
        if self.how == SOFTMAX:
            best = similarity.max(axis=1, keepdims=True, initial=-1e30)
            weights = np.exp((similarity - best) / self.temperature)
            weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-300)
        else:
            weights = there.astype(np.float64) if self.how == SUM else np.where(there, similarity, 0.0)
        return self.scale * weights

    def of(self, near: np.ndarray, similarity: np.ndarray) -> sparse.csr_matrix:
        """Votes float64 (n_queries, n_documents), from near centers int (n_queries, nearest) and their similarities."""
        starts = np.arange(len(near) + 1) * near.shape[1]
        matrix = sparse.csr_matrix(
            (self.weights(similarity).ravel(), np.maximum(near, 0).ravel(), starts),
            shape=(len(near), len(self.centers)),
        )
        return (matrix @ self.shares.astype(np.float64)).tocsr()

    @property
    def alike(self) -> bool:
        """Whether all weights are one number, as those of ``knn`` are: then only the documents are stored."""
        return bool((self.shares.data == self.shares.data[:1]).all())

    @property
    def n_weights(self) -> int:
        """Numbers stored for the weights and their documents."""
        return (1 if self.alike else 2) * self.shares.nnz

    @property
    def n_floats(self) -> int:
        """Floats stored; a document number counts as one."""
        return self.centers.size + self.n_weights


class Codes(NamedTuple):
    """Vectors in fewer bytes than float32, as serialised faiss indexes, uint8 (:mod:`mvg.search.storage`).

    vectors: documents, then own views, with their biases as a last dimension; centers: of the votes, or None
    """

    vectors: np.ndarray
    centers: np.ndarray | None = None

    @property
    def n_floats(self) -> float:
        """Four bytes count as one."""
        return (self.vectors.nbytes + (0 if self.centers is None else self.centers.nbytes)) / 4


class Addition(NamedTuple):
    """The additions to an encoder, ready to be searched (:class:`mvg.search.combined.Combined`)."""

    documents: np.ndarray  # d', float32 (n_documents, dim)
    views: Behavioural | None = None  # own views v
    view_bias: float = 0.0  # c
    bias: np.ndarray | None = None  # float64 (n_documents,)
    votes: Votes | None = None
    adapter: np.ndarray | None = None  # A, float32 (dim, dim)
    codes: Codes | None = None  # what is stored in place of the vectors, which are those that it decodes to

    def queries(self, queries: np.ndarray) -> np.ndarray:
        """q' of encoded queries: float32 (n, dim)."""
        return np.asarray(queries) if self.adapter is None else adapted(queries, self.adapter)

    @property
    def n_floats(self) -> float:
        """Floats stored: vectors, biases, votes with their document numbers, and the adapter."""
        adapter = 0 if self.adapter is None else self.adapter.size
        if self.codes is not None:
            return self.codes.n_floats + (0 if self.votes is None else self.votes.n_weights) + adapter
        n_vectors = len(self.documents) + (0 if self.views is None else len(self.views.owner))
        size = n_vectors * (self.documents.shape[1] + (self.bias is not None or bool(self.view_bias)))
        size += 0 if self.votes is None else self.votes.n_floats
        return size + adapter

    @property
    def index_ratio(self) -> float:
        """Floats stored, relative to one vector a document."""
        return self.n_floats / self.documents.size

    def save(self, path) -> None:
        """Write one ``.npz``, atomically."""
        arrays = {"documents": self.documents, "view_bias": np.float64(self.view_bias)}
        if self.views is not None:
            arrays |= {"views": self.views.vectors, "owner": self.views.owner}
        if self.bias is not None:
            arrays["bias"] = self.bias
        if self.adapter is not None:
            arrays["adapter"] = self.adapter
        if self.votes is not None:
            shares = self.votes.shares.tocsr()
            arrays |= {"centers": self.votes.centers, "share_values": shares.data, "share_documents": shares.indices}
            arrays |= {"share_starts": shares.indptr, "votes": np.array(self.votes[2:], dtype=str)}
        if self.codes is not None:
            arrays |= {f"codes_{name}": codes for name, codes in self.codes._asdict().items() if codes is not None}
        save_arrays(path, **arrays)

    @classmethod
    def load(cls, path) -> "Addition":
        """Load what :meth:`save` wrote. Raises DataError for a damaged file."""
        with load_arrays(path) as file:
            given = {name: file[name] for name in file.files}
        views, votes = None, None
        if "views" in given:
            views = Behavioural(given["views"], given["owner"])
        if "centers" in given:
            nearest, how, temperature, scale = given["votes"]
            shares = sparse.csr_matrix(
                (given["share_values"], given["share_documents"], given["share_starts"]),
                shape=(len(given["centers"]), len(given["documents"])),
            )
            votes = Votes(given["centers"], shares, int(nearest), str(how), float(temperature), float(scale))
        codes = Codes(given["codes_vectors"], given.get("codes_centers")) if "codes_vectors" in given else None
        bias, adapter = given.get("bias"), given.get("adapter")
        return cls(given["documents"], views, float(given["view_bias"]), bias, votes, adapter, codes)


def nearest_centers(queries, centers, depth: int) -> tuple[np.ndarray, np.ndarray]:
    """The ``depth`` nearest centers of each query, the nearest first, and their similarities: both (n, depth)."""
    found = []
    for some in np.array_split(queries, max(8, len(queries) * len(centers) // MOST_SIMILARITIES)):
        similarity = some @ centers.T
        near = np.argpartition(-similarity, depth - 1, axis=1)[:, :depth]
        order = np.argsort(-np.take_along_axis(similarity, near, axis=1), axis=1, kind="stable")
        near = np.take_along_axis(near, order, axis=1)
        found.append((near, np.take_along_axis(similarity, near, axis=1)))
    return tuple(np.vstack(side) for side in zip(*found, strict=True))


def adapted(queries, adapter) -> np.ndarray:
    """unit(A q), float32 (n, dim); a query that A maps to zero stays zero."""
    return unit(np.asarray(queries, dtype=np.float32) @ adapter.T)


def unit(vectors: np.ndarray) -> np.ndarray:
    """Rows in unit norm, float32; rows of zeros stay."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0).astype(np.float32)


def led_to(pairs, n_queries: int, n_documents: int) -> sparse.csr_matrix:
    """Distinct pairs as ones, float32 (n_queries, n_documents)."""
    query, document = (np.asarray(side, dtype=np.int64) for side in pairs)
    matrix = sparse.csr_matrix((np.ones(len(query), dtype=np.float32), (query, document)), (n_queries, n_documents))
    matrix.data[:] = 1
    return matrix
