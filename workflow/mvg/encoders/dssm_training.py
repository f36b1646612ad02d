"""Training of DSSM, by one of three losses.

``in-batch`` is the softmax over the documents of a batch of pairs, as was usual in the paper's
time. A document is never its own negative ("same-label masking"), but a query's other relevant
documents are negatives, and popular documents are negatives more often. ``full`` is the softmax
over the whole corpus. ``corrected`` is its in-batch estimate, in which each logit is lowered by the
log of the document's frequency as a negative (Yi et al. 2019, "Sampling-bias-corrected neural
modeling"). In both, known relevant documents are not negatives. Filtered pairs are negatives in no loss.
"""

import math
from dataclasses import replace

import numpy as np
import torch

from .adam import Adam
from .bags import Bags, tokenize, train_tokenizer, vocabulary_size
from .dssm import DSSM, Settings, TrainedDSSM, encode
from .relevance import TrainingData, dense_rows, known_pairs, pair_matrix, recall_and_map


def fit(documents, queries, train, dev, settings, seed=0, threads=1, log=print, watch=None) -> TrainedDSSM:
    """Train a tokenizer on the corpus and the training queries, then the model.

    documents, queries: texts; train, dev: :class:`mvg.datasets.pairs.Split` in rows of both
    log: called with each message; watch: see :func:`optimise`
    """
    torch.set_num_threads(threads)
    tokenizer = train_tokenizer([*documents, *(queries[row] for row in train.queries)], settings.vocabulary)
    bags = [tokenize(tokenizer, texts, settings.max_tokens) for texts in (documents, queries)]
    log(f"{vocabulary_size(tokenizer)} pieces, {len(bags[1].tokens) / len(queries):.1f} a query")
    model, history = optimise(TrainingData(*bags, train, dev), vocabulary_size(tokenizer), settings, seed, log, watch)
    return TrainedDSSM(model, tokenizer, settings, history)


def fit_with_checkpoints(documents, queries, train, dev, settings, checkpoints, save, **options) -> TrainedDSSM:
    """Train up to the last checkpoint, without stopping early.

    checkpoints: epochs, ascending; 0 is the untrained model; each is taken at the first step at or after it
    save: called with ``(epochs, documents, queries)`` at each; vectors of all texts, float32 (n, dim)
    Other arguments as for :func:`fit`.
    """
    todo = list(checkpoints)

    def watch(model, data, epochs):
        while todo and epochs >= todo[0]:
            save(todo.pop(0), encode(model, data.documents, 0), encode(model, data.queries))
            model.train()

    epochs = math.ceil(todo[-1])
    settings = replace(settings, epochs=epochs, patience=epochs)
    return fit(documents, queries, train, dev, settings, watch=watch, **options)


def optimise(data: TrainingData, vocabulary: int, settings: Settings, seed: int, log=print, watch=None):
    """Train on the pairs of ``data.train`` and keep the epoch with the best Recall + MAP on dev.

    watch: called with ``(model, data, epochs so far)`` before the first step and after each

    Returns the model and the history, one dict an epoch: ``epoch, step, loss, recall, map``
    (percent at 100 on dev). One seed gives one model on one machine and thread count.
    """
    torch.manual_seed(seed)
    # Not use_deterministic_algorithms, which imports torch's compiler.
    torch.set_deterministic_debug_mode("error")
    rng = np.random.default_rng(seed)
    n_residuals = len(data.documents) if settings.document_residual else 0
    model = DSSM(vocabulary, settings.dimension, n_residuals)
    optimizer = Adam(model.parameters())
    batches = QueryBatches(data, settings) if settings.loss == "full" else PairBatches(data, settings)
    steps_an_epoch = len(batches)
    steps = settings.epochs * steps_an_epoch
    history, best, best_score, best_epoch = [], None, -1.0, 0
    watch = watch or (lambda *state: None)
    watch(model, data, 0)
    for epoch in range(1, settings.epochs + 1):
        model.train()
        total = 0.0
        for step, batch in enumerate(batches.shuffled(rng)):
            done = (epoch - 1) * steps_an_epoch + step
            loss = batches.loss(model, batch, rng)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step(settings.learning_rate * (1 - 0.9 * done / steps))
            total += loss.item()
            watch(model, data, (done + 1) / steps_an_epoch)
        recall, average_precision = score_dev(model, data)
        history.append(
            dict(
                epoch=epoch,
                step=epoch * steps_an_epoch,
                loss=total / steps_an_epoch,
                recall=recall,
                map=average_precision,
            )
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
        masked = data.train.excluded if settings.loss == "in-batch" else known_pairs(data.train)
        self.no_negatives = pair_matrix(masked, len(data.queries), len(data.documents))
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
    """Leave out a random ``share`` of the tokens; at least one stays in each text."""
    if share == 0:
        return bags
    keep = rng.random(len(bags.tokens)) >= share
    keep[bags.starts[:-1]] |= np.add.reduceat(keep, bags.starts[:-1]) == 0
    kept = np.concatenate([[0], np.cumsum(keep)])
    return Bags(bags.tokens[keep], kept[bags.starts])


def score_dev(model: DSSM, data: TrainingData) -> tuple[float, float]:
    """Mean recall@100 and MAP@100 on dev, in percent."""
    x = torch.from_numpy(encode(model, data.queries.take(data.dev.queries)))
    y = torch.from_numpy(encode(model, data.documents, 0))
    return recall_and_map(lambda part: x[part] @ y.T, data.dev.pairs, data.dev.queries, len(y))
