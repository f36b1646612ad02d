"""The behavioural vectors of a corpus, from any method."""

from typing import NamedTuple

import numpy as np

from ..io.files import load_array, save_array


class Behavioural(NamedTuple):
    """The behavioural vectors of all documents, by owner, then by center."""

    vectors: np.ndarray  # float32 (n_vectors, dim), unit rows
    owner: np.ndarray  # int32 (n_vectors,), document rows, sorted

    @classmethod
    def load(cls, vectors, owner) -> "Behavioural":
        """Load two ``.npy`` files, memory-mapped. Raises DataError for a damaged file."""
        return cls(load_array(vectors), load_array(owner))

    def save(self, vectors, owner) -> None:
        """Write two ``.npy`` files, each atomically."""
        save_array(vectors, self.vectors)
        save_array(owner, self.owner)
