"""Static word embeddings: the vector of a text is the mean of its tokens' vectors. No torch, so it starts at once.

``package:wordllama`` is WordLlama's table of 32,000 token embeddings of 256 floats, contained in the Python
package of that name. :mod:`mvg.encoders.pretrained` gives the same vectors to 1e-6, and can train them.
"""

import importlib.util
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from ..io.errors import DataError

INIT = "package:wordllama"
TEXTS_AT_ONCE = 1024  # texts


class StaticEncoder:
    """table: float32 (n_tokens, dim); tokenizer: text -> rows of the table, cut where it says."""

    def __init__(self, table: np.ndarray, tokenizer: Tokenizer):
        self.table, self.tokenizer = table, tokenizer

    def encode(self, texts: list[str], progress=iter) -> np.ndarray:
        """Unit vectors of ``texts``, float32 (n_texts, dim).

        All coordinates of a text without tokens are equal.
        progress: wraps the range of batches, which has a length
        """
        vectors = np.empty((len(texts), self.table.shape[1]), dtype=np.float32)
        for start in progress(range(0, len(texts), TEXTS_AT_ONCE)):
            vectors[start : start + TEXTS_AT_ONCE] = self._means(texts[start : start + TEXTS_AT_ONCE])
        return vectors

    def encode_side(self, side: str, first: int, texts: list[str], progress=iter) -> np.ndarray:
        """:meth:`encode`, called as :func:`mvg.encoders.files.encode_texts` calls it."""
        return self.encode(texts, progress)

    def _means(self, texts: list[str]) -> np.ndarray:
        # Tokenizers refuse half a surrogate pair, which JSON may contain.
        texts = [text.encode("utf-8", "replace").decode() for text in texts]
        ids = [encoding.ids for encoding in self.tokenizer.encode_batch(texts, add_special_tokens=False)]
        sums = np.ones((len(texts), self.table.shape[1]), dtype=np.float32)
        for row, tokens in enumerate(ids):
            if tokens:
                sums[row] = self.table[tokens].sum(axis=0)
        norms = np.linalg.norm(sums, axis=1, keepdims=True)
        return np.where(norms > 0, sums, 1.0) / np.where(norms > 0, norms, np.sqrt(sums.shape[1]))


def load(max_tokens: int) -> StaticEncoder:
    """WordLlama; texts are cut to ``max_tokens``. DataError if the package is not installed."""
    weights, tokenizer_file = wordllama_files()
    tokenizer = Tokenizer.from_file(str(tokenizer_file))
    tokenizer.enable_truncation(max_tokens)
    return StaticEncoder(load_file(weights)["embedding.weight"].astype(np.float32), tokenizer)


def wordllama_files() -> tuple[Path, Path]:
    """Weights and tokenizer in the installed package. Raises DataError, naming what to install, if it is missing."""
    spec = importlib.util.find_spec("wordllama")
    if spec is None:
        raise DataError(INIT, "", "expected the package to be installed: pip install wordllama")
    folder = Path(spec.origin).parent
    return (
        folder / "weights/l2_supercat_256.safetensors",
        folder / "tokenizers/l2_supercat_tokenizer_config.json",
    )
