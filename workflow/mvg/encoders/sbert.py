"""SBERT: a bi-encoder fine-tuned from any model of :mod:`mvg.encoders.pretrained` (Reimers & Gurevych 2019).

There are two recipes. ``paper`` is the paper's baseline (section "Results on Publicly Available Datasets", iv).
The paper names its models and "default hyper-parameter settings". We take sentence-transformers'
CosineSimilarityLoss (squared error of the cosine against 1 for a relevant and 0 for a random document) and
the defaults of that library's trainer. This loss and [CLS] vectors occur only in a commented-out line of the
paper's source; the share of random pairs is not given. Vectors are pooled by mean, the library's default, or
[CLS]. ``tuned`` is a softmax over the relevant documents of a batch of queries and some random documents. A
query's other relevant documents and filtered pairs are left out of it; each text is encoded once per batch.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F

from ..io.files import replacing_folder, write_rows
from . import scratch
from .pretrained import Encoder, load
from .relevance import TrainingData, dense_rows, evenly_spaced, known_pairs, pair_matrix, recall_and_map, softmax_loss
from .training import Checkpoint, Shuffled, identity, optimise


@dataclass
class Settings:
    """Hyper-parameters: an entry of ``encoder_settings``; the defaults are in the config schema.

    Batch, learning rate, schedule and the constants of :mod:`mvg.encoders.training` are the defaults of
    SentenceTransformerTrainingArguments; a test compares them with the library's.
    """

    init: str  # scratch, or as in mvg.encoders.pretrained
    recipe: str  # paper or tuned
    max_tokens: int
    pooling: str | None  # mean or cls; None: the model's own
    steps: int
    evaluate_every: int  # steps; the best checkpoint on dev is kept
    dev_queries: int  # at most this many dev queries, evenly spaced, choose it
    batch: int  # pairs, relevant and random (paper) or queries (tuned)
    learning_rate: float  # falls linearly to 0 at the last step
    warmup: float  # share of the steps in which it first rises
    negatives: float  # random documents: for each relevant one (paper), for each query (tuned)
    scale: float  # inverse temperature of the softmax (tuned)
    precision: str  # float32, or bfloat16 where the CPU or GPU supports it

    @classmethod
    def of(cls, entry: dict) -> "Settings":
        """From an entry of ``encoder_settings``. TypeError if one is missing."""
        return cls(**{name: value for name, value in entry.items() if name != "kind"})


@dataclass
class TrainedSBERT:
    """An encoder, and the history of its training."""

    encoder: Encoder
    history: list[dict]

    def save(self, folder) -> None:
        """Write a sentence-transformers model folder, atomically."""
        with replacing_folder(folder) as temporary:
            self.encoder.model.save_pretrained(str(temporary), create_model_card=False)

    def save_history(self, path) -> None:
        """One line an evaluation: ``step, loss, recall, map`` (dev, percent at 100)."""
        write_rows(path, self.history)


def fit(documents, queries, train, dev, settings, folder, seed=0, threads=1, device="cpu", log=print) -> TrainedSBERT:
    """Train from ``settings.init``, or resume from the checkpoint in ``folder`` if there is one.

    documents, queries: texts; train, dev: :class:`mvg.datasets.pairs.Split` in rows of both
    folder: for checkpoints, and the model of ``init: scratch``; the caller may delete it afterwards
    log: called with each message; if it has ``log.progress(steps, label)``, that shows progress
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    data = TrainingData(documents, queries, train, dev)
    init = settings.init
    if init == "scratch":
        init = folder / "scratch"
        scratch.build(init, [*documents, *(queries[row] for row in train.queries)], seed)
    encoder = load(init, settings.max_tokens, threads, settings.precision, device, settings.pooling)
    batches = {"paper": CosineBatches, "tuned": SoftmaxBatches}[settings.recipe](data, settings, seed)
    history = optimise(
        encoder.model,
        loss_of=lambda step: batches.loss(encoder, step),
        score=lambda: score_dev(encoder, data, settings.dev_queries),
        settings=settings,
        checkpoint=Checkpoint(
            folder / "checkpoint.pt", identity(encoder.model, documents, queries, (train, dev), settings, seed)
        ),
        seed=seed,
        log=log,
    )
    return TrainedSBERT(encoder, history)


class CosineBatches:
    """Recipe ``paper``: relevant pairs in random order, with ``negatives`` random pairs for each.

    A random document is not among the query's relevant or filtered ones. All relevant pairs are used
    before any is used again.
    """

    def __init__(self, data: TrainingData, settings: Settings, seed: int):
        self.data, self.seed = data, seed
        self.n_relevant = max(1, round(settings.batch / (1 + settings.negatives)))
        self.n_random = max(0, settings.batch - self.n_relevant)
        self.known = pair_matrix(known_pairs(data.train), len(data.queries), len(data.documents))
        self.order = Shuffled(np.arange(len(data.train.pairs[0])), seed)

    def loss(self, encoder: Encoder, step: int) -> torch.Tensor:
        queries, documents, labels = self.pairs(step)
        x = encode_distinct(encoder, self.data.queries, queries)
        y = encode_distinct(encoder, self.data.documents, documents)
        # The library's CosineSimilarityLoss: mean squared error of the cosine.
        return F.mse_loss((x * y).sum(1), torch.from_numpy(labels).to(x.device))

    def pairs(self, step: int):
        """(query rows, document rows, labels 1 or 0) of the batch of ``step``."""
        rng = np.random.default_rng([self.seed, step, 1])
        queries, documents = (side[self.order.take(step, self.n_relevant)] for side in self.data.train.pairs)
        sources = np.resize(queries, self.n_random)
        random = random_documents(self.known, sources, rng)
        labels = np.repeat([1.0, 0.0], [len(queries), len(random)]).astype(np.float32)
        return np.concatenate([queries, sources]), np.concatenate([documents, random]), labels


class SoftmaxBatches:
    """Recipe ``tuned``: queries against all relevant documents of the batch, and some random ones."""

    def __init__(self, data: TrainingData, settings: Settings, seed: int):
        self.data, self.settings, self.seed = data, settings, seed
        shape = len(data.queries), len(data.documents)
        self.relevant = pair_matrix(data.train.pairs, *shape)
        self.known = pair_matrix(known_pairs(data.train), *shape)
        self.order = Shuffled(data.train.queries, seed)

    def loss(self, encoder: Encoder, step: int) -> torch.Tensor:
        queries, documents = self.rows(step)
        x = encoder.vectors([self.data.queries[row] for row in queries])
        y = encoder.vectors([self.data.documents[row] for row in documents])
        relevant, known = (
            torch.from_numpy(dense_rows(matrix, queries, documents)).to(x.device)
            for matrix in (self.relevant, self.known)
        )
        return softmax_loss(self.settings.scale * x @ y.T, relevant, known)

    def rows(self, step: int):
        """(query rows, document rows, sorted and distinct) of the batch of ``step``."""
        rng = np.random.default_rng([self.seed, step, 1])
        queries = np.sort(self.order.take(step, self.settings.batch))
        random = rng.integers(0, len(self.data.documents), round(self.settings.negatives * len(queries)))
        return queries, np.unique(np.concatenate([self.relevant[queries].indices, random]))


def random_documents(known, queries: np.ndarray, rng, tries: int = 20) -> np.ndarray:
    """A random document for each of ``queries`` that is not known to be relevant to it.

    After ``tries`` draws the last one is taken; then nearly all documents are known to be relevant.
    """
    drawn = rng.integers(0, known.shape[1], len(queries))
    for _ in range(tries if len(queries) else 0):
        wrong = np.asarray(known[queries, drawn], dtype=bool).ravel()
        if not wrong.any():
            break
        drawn[wrong] = rng.integers(0, known.shape[1], wrong.sum())
    return drawn


def encode_distinct(encoder: Encoder, texts: list[str], rows: np.ndarray) -> torch.Tensor:
    """Vectors of ``texts[rows]``, each text encoded once."""
    distinct, place = np.unique(rows, return_inverse=True)
    return encoder.vectors([texts[row] for row in distinct])[torch.from_numpy(place)]


def score_dev(encoder: Encoder, data: TrainingData, n_queries: int) -> tuple[float, float]:
    """Mean recall@100 and MAP@100 in percent over ``n_queries`` of dev."""
    rows = evenly_spaced(data.dev.queries, n_queries)
    x = torch.from_numpy(encoder.encode([data.queries[row] for row in rows]))
    y = torch.from_numpy(encoder.encode(data.documents))
    return recall_and_map(lambda part: x[part] @ y.T, data.dev.pairs, rows, len(y))
