"""What a frozen encoder gains on a data set by what a log can add, from a sample and in half a minute.

Learned from training queries, constants chosen on dev, measured on test: a real split, and no promise, since more
queries to learn from gain more.
"""

import time
from pathlib import Path

import numpy as np

from ..datasets.pairs import Split, load_splits, of_queries
from ..datasets.reading import load_texts
from .encoding import encode_texts, encoder_of
from .progress import say

MOST = {"train": 6000, "dev": 500, "test": 1000}  # queries
# Learned documents are left out of a larger corpus, as their training goes over all of it, and after so many seconds.
MOST_DOCUMENTS, SECONDS = 20_000, 20
METHODS = ("", "prior", "moved", "mvg", "mvg+prior", "tuned")


def estimate(data: Path, k: int = 100) -> list[str]:
    """Lines about the prepared data set in ``data``. DataError if WordLlama, the encoder, is not installed."""
    started = time.monotonic()
    splits = load_splits(data)
    documents, queries = (load_texts(data / file)[1] for file in ("corpus.jsonl", "queries.jsonl"))
    rows = {name: _sample(splits[name].queries, most) for name, most in MOST.items()}
    say(f"encoding {len(documents):,} documents and a sample of the queries …")
    texts = [queries[row] for part in rows.values() for row in part]
    vectors = encode_texts(encoder_of("wordllama"), documents + texts, data)
    parts, first = {}, 0
    for name, part in rows.items():
        query_rows, document_rows = of_queries(splits[name].pairs, part)
        hidden = of_queries(splits[name].excluded, part)
        numbers = np.arange(first, first + len(part))
        parts[name] = Split(numbers, (query_rows + first, document_rows), (hidden[0] + first, hidden[1]))
        first += len(part)
    sizes = [f"{len(rows[name]):,} of {len(splits[name].queries):,}" for name in MOST]
    lines = [
        f"over WordLlama as it comes: learned from {sizes[0]} training queries, constants chosen on",
        f"{sizes[1]} dev queries, measured on {sizes[2]} test queries; no promise",
    ]
    return lines + _measured(vectors[: len(documents)], vectors[len(documents) :], parts, k, started)


def _sample(rows: np.ndarray, most: int) -> np.ndarray:
    return rows if len(rows) <= most else np.sort(np.random.default_rng(0).choice(rows, most, replace=False))


def _measured(documents, queries, parts: dict, k: int, started: float) -> list[str]:
    from ..evaluation.combinations import Log
    from ..evaluation.dev import Dev

    log = Log(documents, queries, parts["train"], parts["dev"], k)
    test = Dev(queries, parts["test"], log.popularity, k)
    lines = []
    for name in METHODS:
        title = name or "the encoder alone"
        if name == "tuned" and (len(documents) > MOST_DOCUMENTS or time.monotonic() - started > SECONDS):
            lines.append(f"{title:20} left out: its training would take longer than half a minute")
            continue
        say(f"{title} …")
        built = log.build(name)
        recall, average_precision = test.scores(built.addition).mean(axis=0)
        size = f"{built.addition.index_ratio:.2f} times the floats"
        lines.append(f"{title:20} Recall@{k} {recall:5.1f}   MAP@{k} {average_precision:5.1f}   {size}")
    return lines
