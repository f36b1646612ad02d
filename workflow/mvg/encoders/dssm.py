"""DSSM: averaged shared token embeddings, a tanh layer, unit norm (Huang et al. 2013).

The paper's baseline (section "Results on Publicly Available Datasets", iii): the model, encoding,
saving and loading. ``dssm_training`` trains it.
"""

from dataclasses import dataclass

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn import functional as F

from ..io.files import replacing, write_rows
from .bags import Bags, tokenize

ENCODE_BATCH = 2048  # fixed, so that shards of a multiple of it give the same bytes


@dataclass
class Settings:
    """Hyper-parameters: an entry of ``encoder_settings``; the defaults are in the config schema."""

    loss: str  # in-batch, corrected or full
    dimension: int
    vocabulary: int | None  # None: half the distinct words
    max_tokens: int
    epochs: int  # upper bound; the best epoch on dev is kept
    patience: int  # epochs without a gain on dev before training stops
    batch: int  # pairs (in-batch, corrected) or queries (full)
    learning_rate: float
    scale: float  # inverse temperature of the softmax
    dropout: float  # share of a text's tokens left out in training
    document_residual: bool  # a learned vector per document: behavioural, an ablation

    @classmethod
    def of(cls, entry: dict) -> "Settings":
        """From an entry of ``encoder_settings``. TypeError if one is missing."""
        return cls(**{name: value for name, value in entry.items() if name != "kind"})


class DSSM(nn.Module):
    """Token bags (n_texts) -> float32 unit vectors (n_texts, dimension)."""

    def __init__(self, vocabulary: int, dimension: int, n_residuals: int = 0):
        super().__init__()
        self.embedding = nn.EmbeddingBag(vocabulary, dimension, mode="mean")
        self.layer = nn.Linear(dimension, dimension)
        self.residual = nn.Embedding(n_residuals, dimension) if n_residuals else None
        nn.init.normal_(self.embedding.weight, std=0.1)
        if self.residual:
            nn.init.zeros_(self.residual.weight)

    def forward(self, bags: Bags, documents: np.ndarray | None = None) -> torch.Tensor:
        mean = self.embedding(torch.from_numpy(bags.tokens), torch.from_numpy(bags.starts[:-1]))
        hidden = torch.tanh(self.layer(mean))
        if self.residual is not None and documents is not None:
            hidden = hidden + self.residual(torch.from_numpy(documents))
        return F.normalize(hidden, dim=1)


@dataclass
class TrainedDSSM:
    """A model with its tokenizer, which encodes texts."""

    model: DSSM
    tokenizer: bytes
    settings: Settings
    history: list[dict]

    def encode(self, texts, first_document=None, progress=iter) -> np.ndarray:
        """Unit vectors of ``texts``, float32 (n_texts, dimension).

        first_document: if the texts are documents, the row of the first one in the corpus
            (needed for a document residual)
        """
        bags = tokenize(self.tokenizer, texts, self.settings.max_tokens)
        return encode(self.model, bags, first_document, progress)

    def encode_side(self, side: str, first: int, texts, progress=iter) -> np.ndarray:
        """The same in the form that :func:`mvg.encoders.files.encode_texts` calls."""
        return self.encode(texts, first if side == "documents" else None, progress)

    def save(self, model_path, tokenizer_path) -> None:
        with replacing(model_path) as temporary:
            save_file(self.model.state_dict(), temporary)
        with replacing(tokenizer_path) as temporary:
            temporary.write_bytes(self.tokenizer)

    def save_history(self, path) -> None:
        """One line an epoch: ``epoch, step, loss, recall, map`` (dev, percent at 100)."""
        write_rows(path, self.history)


def load(model_path, tokenizer_path, settings: Settings, threads: int = 1) -> TrainedDSSM:
    """Load what :meth:`TrainedDSSM.save` wrote."""
    torch.set_num_threads(threads)
    with open(tokenizer_path, "rb") as file:
        tokenizer = file.read()
    weights = load_file(model_path)
    residuals = weights.get("residual.weight", ())
    model = DSSM(*weights["embedding.weight"].shape, len(residuals))
    model.load_state_dict(weights)
    return TrainedDSSM(model, tokenizer, settings, [])


@torch.inference_mode()
def encode(model: DSSM, bags: Bags, first_document=None, progress=iter) -> np.ndarray:
    """Vectors of ``bags``, float32 (n, dimension), in fixed batches; ``first_document`` as above."""
    model.eval()
    vectors = np.empty((len(bags), model.layer.out_features), dtype=np.float32)
    for start in progress(range(0, len(bags), ENCODE_BATCH)):
        rows = np.arange(start, min(start + ENCODE_BATCH, len(bags)))
        documents = None if first_document is None else first_document + rows
        vectors[rows] = model(bags.take(rows), documents).numpy()
    return vectors
