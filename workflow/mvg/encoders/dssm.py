"""DSSM: averaged shared token embeddings, a tanh layer, unit norm (Huang et al. 2013).

The paper's baseline (section "Results on Publicly Available Datasets", iii). Two ways to train it:
``in-batch`` is the softmax over the documents of a batch of pairs, a document never its own
negative ("same-label masking"), as was usual in the paper's time: a query's other relevant
documents count against it, and popular documents are negatives the more often. ``full`` is the
softmax over the whole corpus, and ``corrected`` its in-batch estimate, in which each logit is
lowered by the log of the document's frequency as a negative (Yi et al. 2019,
"Sampling-bias-corrected neural modeling"); in both, known relevant documents are no negatives.
Filtered pairs are negatives in none.
"""

import csv
from dataclasses import dataclass

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn import functional as F

from ..data.files import replacing, text_writer
from ..data.prepared import Split
from .bags import Bags, tokenize, train_tokenizer, vocabulary_size
from .relevance import dense_rows, known_pairs, pair_matrix, recall_and_map

ENCODE_BATCH = 2048  # fixed, so that shards of a multiple of it give the same bytes


@dataclass
class Settings:
    """Hyper-parameters; each can be set in ``encoder_settings`` of the config."""

    loss: str = "in-batch"  # in-batch, corrected or full
    dimension: int = 256
    vocabulary: int | None = None  # None: half the distinct words
    max_tokens: int = 512
    epochs: int = 12  # upper bound; the best epoch on dev is kept
    patience: int = 3  # epochs without a gain on dev before training stops
    batch: int = 1024  # pairs (in-batch, corrected) or queries (full)
    learning_rate: float = 3e-3
    scale: float = 20.0  # inverse temperature of the softmax
    dropout: float = 0.0  # share of a text's tokens left out in training
    document_residual: bool = False  # a learned vector per document: behavioural, an ablation

    @classmethod
    def of(cls, entry: dict) -> "Settings":
        """From an entry of ``encoder_settings``; missing values are the defaults above."""
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
class TrainingData:
    """Bags of the corpus and of all queries, and the splits, in their rows.

    ``train`` and ``dev`` are :class:`mvg.data.Split`.
    """

    documents: Bags
    queries: Bags
    train: Split
    dev: Split


@dataclass
class TrainedDSSM:
    """A model with its tokenizer: what is saved, loaded, and encodes texts."""

    model: DSSM
    tokenizer: bytes
    settings: Settings
    history: list[dict]

    def encode(self, texts, documents=False, progress=iter) -> np.ndarray:
        """Unit vectors of ``texts``, float32 (n_texts, dimension).

        documents: the texts are the whole corpus, in its order (matters for a document residual)
        """
        bags = tokenize(self.tokenizer, texts, self.settings.max_tokens)
        return encode(self.model, bags, documents=documents, progress=progress)

    def save(self, model_path, tokenizer_path) -> None:
        with replacing(model_path) as temporary:
            save_file(self.model.state_dict(), temporary)
        with replacing(tokenizer_path) as temporary:
            temporary.write_bytes(self.tokenizer)

    def save_history(self, path) -> None:
        """One line an epoch: ``epoch, step, loss, recall, map`` (dev, percent at 100)."""
        with text_writer(path) as file:
            writer = csv.DictWriter(file, self.history[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.history)


def load(model_path, tokenizer_path, settings: Settings, threads: int = 1) -> TrainedDSSM:
    """What :meth:`TrainedDSSM.save` wrote."""
    torch.set_num_threads(threads)
    with open(tokenizer_path, "rb") as file:
        tokenizer = file.read()
    weights = load_file(model_path)
    residuals = weights.get("residual.weight", ())
    model = DSSM(*weights["embedding.weight"].shape, len(residuals))
    model.load_state_dict(weights)
    return TrainedDSSM(model, tokenizer, settings, [])


def fit(documents, queries, train, dev, settings, seed=0, threads=1, log=print) -> TrainedDSSM:
    """Train a tokenizer on the corpus and the training queries, then the model.

    documents, queries: texts; train, dev: :class:`mvg.data.Split` in rows of both
    log: called with one line a message
    """
    torch.set_num_threads(threads)
    tokenizer = train_tokenizer([*documents, *(queries[row] for row in train.queries)], settings.vocabulary)
    bags = [tokenize(tokenizer, texts, settings.max_tokens) for texts in (documents, queries)]
    log(f"{vocabulary_size(tokenizer)} pieces, {len(bags[1].tokens) / len(queries):.1f} a query")
    model, history = optimise(TrainingData(*bags, train, dev), vocabulary_size(tokenizer), settings, seed, log)
    return TrainedDSSM(model, tokenizer, settings, history)


def optimise(data: TrainingData, vocabulary: int, settings: Settings, seed: int, log=print):
    """Train on the pairs of ``data.train``, keep the epoch with the best Recall + MAP on dev.

    Returns the model and the history, one dict an epoch: ``epoch, step, loss, recall, map``
    (percent at 100 on dev). One seed gives one model on one machine and thread count.
    """
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)
    rng = np.random.default_rng(seed)
    n_residuals = len(data.documents) if settings.document_residual else 0
    model = DSSM(vocabulary, settings.dimension, n_residuals)
    optimizer = torch.optim.Adam(model.parameters(), lr=settings.learning_rate, fused=True)
    batches = QueryBatches(data, settings) if settings.loss == "full" else PairBatches(data, settings)
    steps_an_epoch = len(batches)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: 1 - 0.9 * step / (settings.epochs * steps_an_epoch)
    )
    history, best, best_score, best_epoch = [], None, -1.0, 0
    for epoch in range(1, settings.epochs + 1):
        model.train()
        total = 0.0
        for batch in batches.shuffled(rng):
            loss = batches.loss(model, batch, rng)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item()
        recall, average_precision = score_dev(model, data)
        history.append(
            dict(epoch=epoch, step=epoch * steps_an_epoch, loss=total / steps_an_epoch,
                 recall=recall, map=average_precision)
        )
        log(", ".join(f"{name} {value:.4g}" for name, value in history[-1].items()))
        if recall + average_precision > best_score:
            best_score, best_epoch = recall + average_precision, epoch
            best = {name: tensor.clone() for name, tensor in model.state_dict().items()}
        elif epoch - best_epoch >= settings.patience:
            break
    model.load_state_dict(best)
    return model, history


class PairBatches:
    """Batches of (query, document) pairs; the documents of a batch are each other's negatives."""

    def __init__(self, data: TrainingData, settings: Settings):
        self.data, self.settings = data, settings
        no_negatives = data.train.excluded if settings.loss == "in-batch" else known_pairs(data.train)
        self.no_negatives = pair_matrix(no_negatives, len(data.queries), len(data.documents))
        popularity = np.bincount(data.train.pairs[1], minlength=len(data.documents))
        self.log_share = np.log(np.maximum(popularity, 1) / popularity.sum()).astype(np.float32)

    def __len__(self):
        return -(-len(self.data.train.pairs[0]) // self.settings.batch)

    def shuffled(self, rng):
        order = rng.permutation(len(self.data.train.pairs[0]))
        return np.array_split(order, len(self))

    def loss(self, model, batch, rng):
        queries, documents = (side[batch] for side in self.data.train.pairs)
        distinct_queries, query_of = np.unique(queries, return_inverse=True)
        distinct, column = np.unique(documents, return_inverse=True)
        x = model(drop(self.data.queries.take(distinct_queries), self.settings.dropout, rng))
        y = model(self.data.documents.take(distinct), distinct)
        logits = self.settings.scale * x @ y.T
        target = logits[torch.from_numpy(query_of), torch.from_numpy(column)]
        # A document of the batch is a negative as often as it occurs there.
        occurrences = np.log(np.bincount(column, minlength=len(distinct))).astype(np.float32)
        if self.settings.loss == "corrected":
            occurrences -= self.log_share[distinct]
            target = target - torch.from_numpy(self.log_share[documents])
        logits = logits + torch.from_numpy(occurrences)
        masked = torch.from_numpy(dense_rows(self.no_negatives, distinct_queries, distinct))
        logits = logits.masked_fill(masked, -torch.inf)[torch.from_numpy(query_of)]
        logits[torch.arange(len(batch)), torch.from_numpy(column)] = target
        return (logits.logsumexp(1) - target).mean()


class QueryBatches:
    """Batches of queries against the whole corpus."""

    def __init__(self, data: TrainingData, settings: Settings):
        self.data, self.settings = data, settings
        self.queries = np.unique(data.train.pairs[0])
        shape = len(data.queries), len(data.documents)
        self.relevant = pair_matrix(data.train.pairs, *shape)
        self.no_negatives = pair_matrix(known_pairs(data.train), *shape)
        self.all_documents = np.arange(len(data.documents))

    def __len__(self):
        return -(-len(self.queries) // self.settings.batch)

    def shuffled(self, rng):
        return np.array_split(rng.permutation(self.queries), len(self))

    def loss(self, model, batch, rng):
        x = model(drop(self.data.queries.take(batch), self.settings.dropout, rng))
        y = model(self.data.documents, self.all_documents)
        logits = self.settings.scale * x @ y.T
        row, column = (torch.from_numpy(i.astype(np.int64)) for i in self.relevant[batch].nonzero())
        target = logits[row, column]
        excluded_row, excluded_column = (
            torch.from_numpy(i.astype(np.int64)) for i in self.no_negatives[batch].nonzero()
        )
        mask = torch.zeros_like(logits, dtype=torch.bool)
        mask[excluded_row, excluded_column] = True
        negatives = logits.masked_fill(mask, -torch.inf).logsumexp(1)[row]
        losses = torch.logaddexp(target, negatives) - target
        return losses.sum() / len(batch)


def drop(bags: Bags, share: float, rng) -> Bags:
    """Leave out a random ``share`` of the tokens, at least one stays in each text."""
    if share == 0:
        return bags
    keep = rng.random(len(bags.tokens)) >= share
    keep[bags.starts[:-1]] |= np.add.reduceat(keep, bags.starts[:-1]) == 0
    kept = np.concatenate([[0], np.cumsum(keep)])
    return Bags(bags.tokens[keep], kept[bags.starts])


@torch.inference_mode()
def encode(model: DSSM, bags: Bags, rows=None, documents: bool = False, progress=iter):
    """Vectors of ``bags`` (or of some rows), float32 (n, dimension), in fixed batches."""
    rows = np.arange(len(bags)) if rows is None else rows
    model.eval()
    parts = [rows[i : i + ENCODE_BATCH] for i in range(0, len(rows), ENCODE_BATCH)]
    return np.concatenate(
        [model(bags.take(part), part if documents else None).numpy() for part in progress(parts)]
    )


@torch.inference_mode()
def score_dev(model: DSSM, data: TrainingData, k: int = 100) -> tuple[float, float]:
    """Mean recall@k and MAP@k on dev, in percent."""
    queries = data.dev.queries
    x, y = encode(model, data.queries, queries), encode(model, data.documents, documents=True)
    return recall_and_map(x, y, data.dev.pairs, queries, k)
