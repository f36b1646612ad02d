"""ColBERT: a vector a token, scored by the sum of max-sim (Khattab and Zaharia 2020).

The paper's strong baseline (section "Results on Publicly Available Datasets"), as the
``MultiVectorEncoder`` of sentence-transformers in ColBERT's default configuration: [Q] and [D]
markers, queries padded with [MASK] (not attended to, but scored) or cut to 32 tokens, punctuation
of documents skipped, a linear projection to 128 dimensions, unit norm. The score of a document is
the sum, over the query's 32 tokens, of the largest inner product with a token of the document.
``colbert_training`` trains the model.
"""

import logging
import string
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from sentence_transformers import MultiVectorEncoder
from sentence_transformers.base.modules import Dense, Normalize, Transformer
from sentence_transformers.multi_vector_encoder.modules import MultiVectorMask
from torch import nn
from transformers.utils import logging as transformers_logging

from ..datasets.pairs import read_split
from ..datasets.reading import load_shard, load_texts
from ..datasets.splits import SPLITS
from ..io.files import save_array
from ..io.shards import WHOLE, Shard
from .pretrained import by_length, loaded

MARKERS = {"query": "[Q] ", "document": "[D] "}
ENCODE_BATCH = 256  # fixed, so that shards of a multiple of it (of documents: of WINDOW) give the same bytes


@dataclass
class Settings:
    """Hyper-parameters: an entry of ``encoder_settings``; the defaults are in the config schema."""

    init: str  # a model's name on the hub, a folder, or scratch
    vocabulary: int | None  # of scratch; None: half the distinct words
    dimension: int  # of a token's vector
    query_tokens: int  # every query has as many
    max_tokens: int  # of a document, markers included
    steps: int
    batch: int  # queries a step
    learning_rate: float
    warmup: float  # share of the steps
    scale: float  # inverse temperature of the softmax
    dropout: float  # of the backbone, in training
    evaluate_every: int  # steps; the best on dev is kept
    dev_queries: int  # at most this many dev queries, evenly spaced, choose it
    precision: str  # or bfloat16: of the encoder in training; scores always in float32

    @classmethod
    def of(cls, entry: dict) -> "Settings":
        """From an entry of ``encoder_settings``. TypeError if one is missing."""
        return cls(**{name: value for name, value in entry.items() if name != "kind"})


class Tokens(NamedTuple):
    """Word pieces of texts: ``ids`` int32 (n, width) and ``real`` bool (n, width), False = padding.

    The padding of queries is ColBERT's expansion: [MASK] tokens, which are scored.
    """

    ids: np.ndarray
    real: np.ndarray

    def __len__(self) -> int:
        return len(self.ids)

    def features(self, rows, task: str) -> dict:
        """The model's input: the rows, cut to the longest of them."""
        real = torch.from_numpy(self.real[rows])
        width = real.shape[1] if task == "query" else int(real.sum(1).max())
        ids = torch.from_numpy(self.ids[rows].astype(np.int64))
        features = {"input_ids": ids[:, :width], "attention_mask": real[:, :width].long()}
        if task == "query":
            features["query_expansion_positions"] = ~real
        return features


def build(init, settings: Settings, device: str = "cpu") -> MultiVectorEncoder:
    """ColBERT over the model ``init`` (see :mod:`mvg.encoders.pretrained`), with a random projection."""
    be_quiet()
    dropout = dict.fromkeys(["hidden_dropout_prob", "attention_probs_dropout_prob"], settings.dropout)

    def transformer(name, local):
        return Transformer(
            name,
            document_length=settings.max_tokens,
            query_expansion={"strategy": "fixed", "length": settings.query_tokens, "attend": False},
            model_kwargs={"local_files_only": local},
            processor_kwargs={"local_files_only": local},
            config_kwargs={"local_files_only": local, **dropout},
        )

    backbone = loaded(str(init), transformer)
    backbone.tokenizer.add_tokens([marker.strip() for marker in MARKERS.values()], special_tokens=True)
    backbone.model.resize_token_embeddings(len(backbone.tokenizer), mean_resizing=False)
    projection = Dense(
        backbone.get_embedding_dimension(),
        settings.dimension,
        bias=False,
        activation_function=nn.Identity(),
        module_input_name="token_embeddings",
    )
    modules = [
        backbone,
        projection,
        MultiVectorMask(skiplist_words=list(string.punctuation)),
        Normalize(module_input_name="token_embeddings"),
    ]
    return MultiVectorEncoder(modules=modules, prompts=dict(MARKERS), device=device)


def be_quiet() -> None:
    """Turn off the libraries' progress bars and warnings; there would be one for every long title."""
    transformers_logging.disable_progress_bar()
    for name in ("transformers", "sentence_transformers"):
        logging.getLogger(name).setLevel(logging.ERROR)


def tokenize(model: MultiVectorEncoder, texts, task: str, chunk: int = 4096) -> Tokens:
    """Word pieces of ``texts``; ``task`` is query or document."""
    if not len(texts):  # a shard may be empty
        return Tokens(*(side[:0] for side in tokenize(model, [""], task)))
    ids, real = [], []
    for start in range(0, len(texts), chunk):
        features = model.preprocess(list(texts[start : start + chunk]), prompt=MARKERS[task], task=task)
        ids.append(features["input_ids"].numpy().astype(np.int32))
        expansion = features.get("query_expansion_positions")
        mask = features["attention_mask"].bool() if expansion is None else ~expansion.bool()
        real.append(mask.numpy())
    width = max(part.shape[1] for part in ids)
    fill = [((0, 0), (0, width - part.shape[1])) for part in ids]
    return Tokens(*(np.concatenate([np.pad(p, f) for p, f in zip(side, fill, strict=True)]) for side in (ids, real)))


def forward(model, tokens: Tokens, rows, task: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Unit vectors (n, width, dimension) of the rows' tokens, and which of them are scored (n, width)."""
    features = {name: value.to(model.device) for name, value in tokens.features(rows, task).items()}
    output = model(features, task=task)
    return output["token_embeddings"].float(), output["attention_mask"].bool()


def max_sim(queries, documents, scored) -> torch.Tensor:
    """Sum over a query's tokens of the largest inner product with a document's scored tokens.

    queries: (n, width, dim); documents: (m, length, dim); scored: bool (m, length). Returns (n, m).
    """
    similarity = queries.flatten(0, 1) @ documents.flatten(0, 1).T
    similarity = similarity.view(-1, *scored.shape).masked_fill(~scored, -torch.inf)
    return similarity.max(2).values.view(*queries.shape[:2], -1).sum(1)


@torch.inference_mode()
def encode_documents(model, tokens: Tokens, progress=iter) -> tuple[np.ndarray, np.ndarray]:
    """Scored tokens' vectors float32 (n_tokens, dimension), and starts int64 (n_documents + 1,)."""
    model.eval()
    vectors = [_no_vectors(model)] * len(tokens)
    for rows in progress(by_length(tokens.real.sum(1), ENCODE_BATCH)):
        embedded, scored = forward(model, tokens, rows, "document")
        counts = scored.sum(1).cpu().numpy()
        for row, of_row in zip(rows, np.split(embedded[scored].cpu().numpy(), np.cumsum(counts)[:-1]), strict=True):
            vectors[row] = of_row
    starts = np.cumsum([0, *map(len, vectors)])
    return np.concatenate([_no_vectors(model), *vectors]), starts


@torch.inference_mode()
def encode_queries(model, tokens: Tokens, rows, progress=iter) -> np.ndarray:
    """Vectors float32 (n_rows, query_tokens, dimension) of some queries, expansion included."""
    model.eval()
    vectors = [_no_vectors(model, tokens.ids.shape[1])]
    for start in progress(range(0, len(rows), ENCODE_BATCH)):
        vectors.append(forward(model, tokens, rows[start : start + ENCODE_BATCH], "query")[0].cpu().numpy())
    return np.concatenate(vectors)


def encode_to_files(model, given, made, log, shard: Shard = WHOLE) -> None:
    """Encode a shard of the corpus, and of the queries of each split.

    given: has the paths ``corpus`` and ``queries``, and the pairs of ``train``, ``dev`` and ``test``
    made: has the paths ``tokens`` and ``starts`` of the documents, and for each split ``train``, the
        vectors (half precision, as there are ``query_tokens`` for each query), and ``train_real``
    """
    pieces = tokenize(model, load_shard(given.corpus, shard)[1], "document")
    tokens, starts = encode_documents(model, pieces, lambda items: log.progress(items, "encode documents"))
    save_array(made.tokens, tokens)
    save_array(made.starts, starts)
    log(f"{len(tokens)} vectors of {len(starts) - 1} documents")
    queries = load_texts(given.queries)[1]
    for split in SPLITS:
        rows = read_split(given[split]).queries
        rows = rows[shard.rows(len(rows), ENCODE_BATCH)]
        pieces = tokenize(model, [queries[row] for row in rows], "query")
        encoded = encode_queries(
            model, pieces, np.arange(len(pieces)), lambda items, split=split: log.progress(items, f"encode {split}")
        )
        save_array(made[split], encoded.astype(np.float16))
        save_array(made[f"{split}_real"], pieces.real)
        log(f"{split}: {encoded.shape} vectors")


def _no_vectors(model, *shape) -> np.ndarray:
    return np.empty((0, *shape, model[1].out_features), dtype=np.float32)


def load(folder, threads: int = 1, device: str = "cpu") -> MultiVectorEncoder:
    """Load what :meth:`TrainedColBERT.save` wrote."""
    be_quiet()
    torch.set_num_threads(threads)
    return MultiVectorEncoder(str(folder), device=device, local_files_only=True)
