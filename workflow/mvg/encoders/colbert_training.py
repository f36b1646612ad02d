"""Training of ColBERT: the softmax over the documents of a batch.

A batch holds queries, each with all its relevant documents, so that a long title is encoded only
once. Documents known to be relevant to a query are not its negatives.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from sentence_transformers import MultiVectorEncoder

from ..io.files import replacing_folder, write_rows
from . import scratch
from .bags import half_of_distinct_words
from .colbert import Settings, build, encode_documents, encode_queries, forward, max_sim, tokenize
from .relevance import TrainingData, dense_rows, evenly_spaced, known_pairs, pair_matrix, recall_and_map, softmax_loss
from .training import Checkpoint, Shuffled, identity, optimise

WEIGHT_DECAY = 0.01


@dataclass
class TrainedColBERT:
    """A model, and the history of its training."""

    model: MultiVectorEncoder
    history: list[dict]

    def save(self, folder) -> None:
        """Write a folder that :class:`MultiVectorEncoder` loads, atomically."""
        with replacing_folder(folder) as temporary:
            self.model.save(str(temporary))

    def save_history(self, path) -> None:
        """One line an evaluation: ``step, loss, recall, map`` (dev, percent at 100)."""
        write_rows(path, self.history)


def fit(
    documents, queries, train, dev, settings: Settings, folder, seed=0, threads=1, device="cpu", log=print
) -> TrainedColBERT:
    """Train from ``settings.init``, or resume from the checkpoint in ``folder`` if there is one.

    documents, queries: texts; train, dev: :class:`mvg.datasets.pairs.Split` in rows of both
    folder: for checkpoints, and the model of ``init: scratch``; the caller may delete it afterwards
    log: called with each message; if it has ``log.progress(steps, label)``, that shows progress
    """
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    init = settings.init
    if init == "scratch":
        init = folder / "scratch"
        texts = [*documents, *(queries[row] for row in train.queries)]
        scratch.build(init, texts, seed, settings.vocabulary or half_of_distinct_words(texts))
    model = build(init, settings, device)
    tokens = [tokenize(model, texts, task) for texts, task in ((documents, "document"), (queries, "query"))]
    lengths = [side.real.sum(1).mean() for side in tokens]
    log(f"{len(model.tokenizer)} word pieces, {lengths[0]:.1f} a document, {lengths[1]:.1f} a query")
    data = TrainingData(*tokens, train, dev)
    batches = QueryBatches(data, settings, seed)
    history = optimise(
        model,
        loss_of=lambda step: batches.loss(model, step),
        score=lambda: score_dev(model, data, settings.dev_queries),
        settings=settings,
        checkpoint=Checkpoint(
            folder / "checkpoint.pt", identity(model, documents, queries, (train, dev), settings, seed)
        ),
        seed=seed,
        weight_decay=WEIGHT_DECAY,
        log=log,
    )
    return TrainedColBERT(model, history)


class QueryBatches:
    """Batches of queries, each with all its relevant documents, which are each other's negatives.

    data: its texts are :class:`mvg.encoders.colbert.Tokens`
    """

    def __init__(self, data: TrainingData, settings: Settings, seed: int):
        self.data, self.settings = data, settings
        shape = len(data.queries), len(data.documents)
        self.relevant = pair_matrix(data.train.pairs, *shape)
        self.known = pair_matrix(known_pairs(data.train), *shape)
        self.order = Shuffled(np.unique(data.train.pairs[0]), seed)

    def loss(self, model: MultiVectorEncoder, step: int) -> torch.Tensor:
        """Mean loss over the batch's pairs: softmax of a relevant document against those not relevant."""
        queries = np.sort(self.order.take(step, self.settings.batch))
        documents = np.unique(self.relevant[queries].indices)
        with torch.autocast(model.device.type, torch.bfloat16, enabled=self.settings.precision == "bfloat16"):
            x, _ = forward(model, self.data.queries, queries, "query")
            y, scored = forward(model, self.data.documents, documents, "document")
        logits = self.settings.scale * max_sim(x, y, scored)
        relevant, known = (
            torch.from_numpy(dense_rows(pairs, queries, documents)).to(logits.device)
            for pairs in (self.relevant, self.known)
        )
        return softmax_loss(logits, relevant, known)


def score_dev(model: MultiVectorEncoder, data: TrainingData, n_queries: int) -> tuple[float, float]:
    """Mean recall@100 and MAP@100 in percent over ``n_queries`` of dev."""
    rows = evenly_spaced(data.dev.queries, n_queries)
    tokens, starts = (torch.from_numpy(side).to(model.device) for side in encode_documents(model, data.documents))
    queries = torch.from_numpy(encode_queries(model, data.queries, rows)).to(model.device)
    n_documents = len(starts) - 1

    def score(part):
        x = queries[part]
        best = torch.segment_reduce(tokens @ x.flatten(0, 1).T, "max", lengths=starts.diff(), axis=0)
        return best.view(n_documents, *x.shape[:2]).sum(2).T

    return recall_and_map(score, data.dev.pairs, rows, n_documents)
