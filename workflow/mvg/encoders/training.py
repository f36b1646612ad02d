"""The training loop of SBERT and ColBERT: steps, the best weights on dev, checkpoints to resume from.

A batch, and the randomness of its dropout, depend only on (seed, step). So a training that resumes
from a checkpoint takes the same steps and ends with the same bytes.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from torch import nn

from ..io.files import replacing

MAX_GRAD_NORM = 1.0
BETAS = (0.9, 0.999)


def optimise(
    model: nn.Module,
    loss_of: Callable[[int], torch.Tensor],
    score: Callable[[], tuple[float, float]],
    settings,
    checkpoint: "Checkpoint",
    seed: int = 0,
    weight_decay: float = 0.0,
    log=print,
) -> list[dict]:
    """Take ``settings.steps`` steps of AdamW; leave the weights with the best Recall + MAP on dev in ``model``.

    loss_of: the loss of a step's batch; score: recall and MAP of dev, in percent
    settings: has ``steps, evaluate_every, learning_rate, warmup`` (share of the steps in which the
        learning rate rises; it then falls linearly to 0)
    log: called with each message; if it has ``log.progress(steps, label)``, that shows progress

    Returns the history, one dict an evaluation: ``step, loss, recall, map``. One seed gives one
    model on one machine and thread count, interrupted or not.
    """
    torch.use_deterministic_algorithms(True)
    parameters = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(
        parameters, lr=settings.learning_rate, betas=BETAS, weight_decay=weight_decay, fused=True
    )
    done = checkpoint.restore(model, optimizer)
    if done:
        log(f"resuming from step {done}")
    total, last = 0.0, done
    for step in getattr(log, "progress", unmarked)(range(done, settings.steps), "train"):
        model.train()
        torch.manual_seed(seed * 1_000_003 + step)
        for group in optimizer.param_groups:
            group["lr"] = settings.learning_rate * schedule(step, settings.steps, settings.warmup)
        loss = loss_of(step)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, MAX_GRAD_NORM)
        optimizer.step()
        total += loss.item()
        if (step + 1) % settings.evaluate_every == 0 or step + 1 == settings.steps:
            recall, average_precision = score()
            entry = dict(step=step + 1, loss=total / (step + 1 - last), recall=recall, map=average_precision)
            log(", ".join(f"{name} {value:.4g}" for name, value in entry.items()))
            checkpoint.add(entry, model, optimizer)
            total, last = 0.0, step + 1
    model.load_state_dict(checkpoint.best)
    return checkpoint.history


def schedule(step: int, steps: int, warmup: float) -> float:
    """Factor of the learning rate: it rises over the first ``warmup`` share of the steps, then falls to 0."""
    warm = round(warmup * steps)
    return (step + 1) / warm if step < warm else (steps - step) / (steps - warm)


def unmarked(items, label):
    """``items`` unchanged, for a ``log`` that shows no progress."""
    return items


class Shuffled:
    """``rows`` in a random order that depends on the seed; in a new order each time they run out."""

    def __init__(self, rows: np.ndarray, seed: int):
        self.rows, self.seed, self.epoch, self.order = rows, seed, None, None

    def take(self, step: int, n: int) -> np.ndarray:
        """The ``n`` rows (all, if fewer) of ``step``. An incomplete batch at the end of an order is skipped."""
        n = min(n, len(self.rows))
        epoch, place = divmod(step, len(self.rows) // n)
        if epoch != self.epoch:
            rng = np.random.default_rng([self.seed, epoch, 0])
            self.epoch, self.order = epoch, rng.permutation(self.rows)
        return self.order[place * n : (place + 1) * n]


class Checkpoint:
    """What a training needs to resume: weights, the optimizer's moments, the best weights so far."""

    def __init__(self, path, identity: str):
        """``identity``: a digest of everything the training depends on; other checkpoints are ignored."""
        self.path, self.identity = Path(path), identity
        self.history, self.best, self.best_score = [], None, -1.0

    def restore(self, model: nn.Module, optimizer) -> int:
        """Restore the saved state; return the number of steps it has taken, 0 if there is none."""
        if not self.path.exists():
            return 0
        saved = torch.load(self.path, map_location=next(model.parameters()).device, weights_only=True)
        if saved["identity"] != self.identity:
            return 0
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        self.history, self.best, self.best_score = saved["history"], saved["best"], saved["best_score"]
        return self.history[-1]["step"]

    def add(self, entry: dict, model: nn.Module, optimizer) -> None:
        """Add an evaluation, and write everything to the file, atomically."""
        self.history.append(entry)
        if entry["recall"] + entry["map"] > self.best_score:
            self.best_score = entry["recall"] + entry["map"]
            self.best = {name: tensor.clone() for name, tensor in model.state_dict().items()}
        state = {name: getattr(self, name) for name in ("identity", "history", "best", "best_score")}
        state |= {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
        with replacing(self.path) as temporary:
            torch.save(state, temporary)


def identity(model: nn.Module, documents, queries, splits, settings, seed: int) -> str:
    """A digest of everything a training depends on: texts, splits, settings, seed, initial weights."""
    digest = hashlib.sha256(json.dumps([asdict(settings), seed, documents, queries]).encode())
    for split in splits:
        for array in (*split.pairs, *split.excluded):
            digest.update(np.ascontiguousarray(array, dtype=np.int64).tobytes())
    for tensor in model.state_dict().values():
        digest.update(tensor.float().cpu().numpy().tobytes())
    return digest.hexdigest()
