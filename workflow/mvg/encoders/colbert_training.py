"""Training of ColBERT: the softmax over the documents of a batch.

A batch is of queries, each with all its relevant documents, so that a long title is encoded once
for all of them; documents known to be relevant to a query are no negatives of it.
"""

import tempfile
from dataclasses import dataclass

import numpy as np
import torch
from sentence_transformers import MultiVectorEncoder
from torch import nn

from ..data.files import write_rows
from ..data.pairs import of_queries
from ..evaluation import metrics
from . import scratch
from .bags import half_of_distinct_words
from .colbert import Settings, build, encode_documents, encode_queries, forward, max_sim, tokenize
from .pretrained import local_folder
from .relevance import TrainingData, dense_rows, known_pairs, pair_matrix

DEV_BATCH = 64  # queries scored at a time on dev


@dataclass
class TrainedColBERT:
    """A model, and how its training went."""

    model: MultiVectorEncoder
    history: list[dict]

    def save(self, folder) -> None:
        """A folder that :class:`MultiVectorEncoder` loads."""
        self.model.save(str(folder))

    def save_history(self, path) -> None:
        """One line an evaluation: ``step, loss, recall, map`` (dev, percent at 100)."""
        write_rows(path, self.history)


def fit(
    documents, queries, train_split, dev, settings: Settings, seed=0, threads=1, device="cpu", log=print
) -> TrainedColBERT:
    """Train on texts; splits are :class:`mvg.data.Split` in rows of both."""
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    if settings.init == "scratch":
        texts = [*documents, *(queries[row] for row in train_split.queries)]
        with tempfile.TemporaryDirectory() as folder:
            scratch.build(folder, texts, seed, settings.vocabulary or half_of_distinct_words(texts))
            model = build(folder, settings, device)
    else:
        model = build(local_folder(settings.init) or settings.init, settings, device)
    tokens = [tokenize(model, texts, task) for texts, task in ((documents, "document"), (queries, "query"))]
    lengths = [side.real.sum(1).mean() for side in tokens]
    log(f"{len(model.tokenizer)} word pieces, {lengths[0]:.1f} a document, {lengths[1]:.1f} a query")
    history = train(model, TrainingData(*tokens, train_split, dev), settings, seed, log)
    return TrainedColBERT(model, history)


def train(model, data: TrainingData, settings: Settings, seed: int = 0, log=print) -> list[dict]:
    """Train ``model`` in place for ``settings.steps`` steps and keep the best of dev.

    data: :class:`Tokens` of the corpus and of all queries, and the splits. Returns the history,
    one dict an evaluation: ``step, loss, recall, map`` (percent at 100, on ``dev_queries`` of dev).
    One seed gives one model on one machine and thread count.
    """
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)
    rng = np.random.default_rng(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=settings.learning_rate, weight_decay=0.01, fused=True)
    warm = max(1, round(settings.warmup * settings.steps))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warm, (settings.steps - step) / max(1, settings.steps - warm))
    )
    batches = endless_batches(np.unique(data.train.pairs[0]), settings.batch, rng)
    relevant, known = (
        pair_matrix(pairs, len(data.queries), len(data.documents))
        for pairs in (data.train.pairs, known_pairs(data.train))
    )
    history, best, best_score, losses = [], None, -1.0, []
    for step in range(1, settings.steps + 1):
        model.train()
        loss = batch_loss(model, data, next(batches), relevant, known, settings)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        if step % settings.evaluate_every and step < settings.steps:
            continue
        recall, average_precision = score_dev(model, data, settings.dev_queries)
        history.append(dict(step=step, loss=float(np.mean(losses)), recall=recall, map=average_precision))
        log(", ".join(f"{name} {value:.4g}" for name, value in history[-1].items()))
        losses = []
        if recall + average_precision > best_score:
            best_score = recall + average_precision
            best = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    model.load_state_dict(best)
    return history


def endless_batches(rows, size, rng):
    """Batches of ``rows``, shuffled anew each time all are through."""
    while True:
        yield from np.array_split(rng.permutation(rows), -(-len(rows) // size))


def batch_loss(model, data: TrainingData, batch, relevant, known, settings: Settings) -> torch.Tensor:
    """Mean over the batch's pairs of the softmax of a relevant document among what is not relevant.

    relevant, known: bool sparse (n_queries, n_documents), the pairs, and those that are no negatives
    """
    documents = np.unique(relevant[batch].indices)
    with torch.autocast(model.device.type, torch.bfloat16, enabled=settings.precision == "bfloat16"):
        queries, _ = forward(model, data.queries, batch, "query")
        tokens, scored = forward(model, data.documents, documents, "document")
    logits = settings.scale * max_sim(queries, tokens, scored)
    positive, excluded = (
        torch.from_numpy(dense_rows(pairs, batch, documents)).to(logits.device) for pairs in (relevant, known)
    )
    negatives = logits.masked_fill(excluded, -torch.inf).logsumexp(1, keepdim=True)
    return (torch.logaddexp(logits, negatives) - logits)[positive].mean()


@torch.inference_mode()
def score_dev(model, data: TrainingData, n_queries: int, k: int = 100) -> tuple[float, float]:
    """Mean recall@k and MAP@k of the first ``n_queries`` of dev, in percent."""
    rows = data.dev.queries[:n_queries]
    tokens, starts = (torch.from_numpy(side).to(model.device) for side in encode_documents(model, data.documents))
    queries = torch.from_numpy(encode_queries(model, data.queries, rows)).to(model.device)
    ranked = []
    for part in queries.split(DEV_BATCH):
        best = torch.segment_reduce(tokens @ part.flatten(0, 1).T, "max", lengths=starts.diff(), axis=0)
        scores = best.view(len(starts) - 1, *part.shape[:2]).sum(2).T
        ranked.append(scores.topk(min(k, scores.shape[1]), dim=1).indices.cpu().numpy())
    relevant = of_queries(data.dev.pairs, rows)
    scores = metrics.per_query(np.concatenate(ranked), relevant, len(data.documents), [k])
    return float(np.nanmean(scores[f"recall@{k}"])), float(np.nanmean(scores[f"map@{k}"]))
