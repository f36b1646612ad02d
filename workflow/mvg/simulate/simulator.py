"""Small data sets drawn from the paper's own model, written in the raw formats of the originals.

The popularity of documents follows a power law. Queries arrive one by one. Each draws some documents by
their popularity; in the Pitman-Yor process (section 4) of each document it joins an intent or opens a
new one. An intent is a few concepts. A query names some concepts of each of its intents, each by one of
several synonyms, among common words. A document's own text names only its most popular intent; its other
intents show in behaviour alone. Many intents share a concept, so a single word is ambiguous, and a
bi-encoder can learn the synonyms.

The data check the code. They are no evidence for the method, because they were designed to suit it.
"""

import csv
import os
from bisect import bisect
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..io.files import folder_beside
from . import raw_writers
from .pitman_yor import Restaurant


@dataclass(frozen=True)
class Shape:
    """The parameters that make a simulated dataset resemble one of the originals."""

    write: Callable  # the writer of the original's raw format
    documents: int
    queries: int
    labels: float  # mean documents a query, at least one each
    skew: float  # popularity of the document of rank r (from 0) is (r + shift) ** -skew
    shift: float
    alpha: float  # Pitman-Yor concentration and discount
    beta: float
    concepts: int  # of all intents together; fewer = more ambiguous
    concept_shift: float  # the concept of rank r (from 0) is as frequent as 1 / (r + shift)
    synonyms: int  # words for a concept; more = fewer matches for BM25
    intent_concepts: int  # concepts of an intent
    query_words: int  # concepts a query names of each of its intents
    title_words: int  # concepts a document's text names of its most popular intent
    common_words: int  # mean number of common words a query adds


SHAPES = {
    # Many labels a query, heavy skew.
    "eurlex": Shape(
        write=raw_writers.write_eurlex,
        documents=600, queries=4000, labels=5, skew=2.2, shift=20, alpha=0.5, beta=0.4,
        concepts=1000, concept_shift=100, synonyms=3, intent_concepts=3,
        query_words=2, title_words=3, common_words=2,
    ),
    # Very heavy skew: the first few labels are on most queries, like check tags.
    "pubmed": Shape(
        write=raw_writers.write_pubmed,
        documents=750, queries=3500, labels=10, skew=1.3, shift=1.5, alpha=0.5, beta=0.4,
        concepts=1000, concept_shift=100, synonyms=3, intent_concepts=3,
        query_words=2, title_words=3, common_words=1,
    ),
    # Little skew, about one label a query and two training queries a label.
    "wikiseealso": Shape(
        write=raw_writers.write_wikiseealso,
        documents=2800, queries=6500, labels=1.2, skew=0.6, shift=500, alpha=1.0, beta=0.2,
        concepts=1500, concept_shift=500, synonyms=2, intent_concepts=5,
        query_words=5, title_words=2, common_words=0,
    ),
    # A click log: queries are repeated, a few of them very often.
    "clicklog": Shape(
        write=raw_writers.write_clicklog,
        documents=600, queries=2500, labels=3, skew=1.5, shift=30, alpha=0.5, beta=0.4,
        concepts=1000, concept_shift=100, synonyms=3, intent_concepts=3,
        query_words=2, title_words=3, common_words=1,
    ),
    # Flat popularity: one passage a query, about one training query a passage, and the passage names what is asked.
    "flat": Shape(
        write=raw_writers.write_msmarco,
        documents=1500, queries=2000, labels=1, skew=0, shift=1, alpha=0.1, beta=0.1,
        concepts=1500, concept_shift=500, synonyms=2, intent_concepts=5,
        query_words=3, title_words=5, common_words=1,
    ),
    # A log to rehearse large runs with (workflow/configs/scale.yaml): its size comes from the config.
    "large": Shape(
        write=raw_writers.write_msmarco,
        documents=2000, queries=6000, labels=3, skew=1.2, shift=100, alpha=0.5, beta=0.4,
        concepts=3000, concept_shift=300, synonyms=3, intent_concepts=4,
        query_words=2, title_words=4, common_words=0,
    ),
}  # fmt: skip


class Drawn(NamedTuple):
    """A dataset as drawn, before it is written in a raw format; lists by row."""

    titles: list[str]  # of documents
    texts: list[str]  # of queries, in order of arrival
    relevant: list[list[int]]  # the document rows of each query
    intents: list[int]  # number of intents of each document


def simulate(shape: str, folder, seed: int, documents: int | None = None, queries: int | None = None) -> None:
    """Draw a dataset in one of the ``SHAPES`` and write its raw files.

    ``intents.csv`` (``document,n,intents``) is added: the number of queries and of true intents of each
    document, over all splits. ``documents`` and ``queries`` replace the shape's sizes. The same
    arguments give the same bytes. Nothing is put into ``folder`` before all files are written.
    Raises ValueError for an unknown shape and for a size below 1.
    """
    if shape not in SHAPES:
        raise ValueError(f"shape must be one of {', '.join(SHAPES)}: {shape!r}")
    form = SHAPES[shape]
    documents = form.documents if documents is None else documents
    queries = form.queries if queries is None else queries
    if documents < 1 or queries < 1:
        raise ValueError(f"need at least one document and query: {documents}, {queries}")
    rng = np.random.default_rng([seed, list(SHAPES).index(shape)])
    drawn = draw(form, documents, queries, rng)
    with _whole_folder(folder) as temporary:
        ids = form.write(temporary, drawn, rng)
        _write_intents(temporary / "intents.csv", ids, drawn)


def draw(form: Shape, documents: int, queries: int, rng: np.random.Generator) -> Drawn:
    """The model itself: queries arrive one by one and take a seat in the intents of their documents."""
    words = Words(form, rng)
    popularity = Weighted(rng.permutation((np.arange(documents) + form.shift) ** -form.skew), rng)
    restaurants = [Restaurant(form.alpha, form.beta) for _ in range(documents)]
    intents = [[] for _ in range(documents)]  # the concepts of each table
    texts, relevant = [], []
    for wanted in np.minimum(1 + rng.poisson(form.labels - 1, queries), documents):
        found = popularity.distinct(wanted)
        text = words.common()
        for document in found:
            table = restaurants[document].arrive(rng)
            if table == len(intents[document]):
                intents[document].append(words.intent())
            text += words.naming(intents[document][table], form.query_words)
        texts.append(" ".join(text[place] for place in rng.permutation(len(text))))
        relevant.append(found)
    titles = []
    for restaurant, served in zip(restaurants, intents, strict=True):
        best = served[np.argmax(restaurant.sizes)] if served else words.intent()
        titles.append(" ".join(words.naming(best, form.title_words)))
    return Drawn(titles, texts, relevant, [len(served) for served in intents])


class Weighted:
    """Draws of indices in proportion to their weights."""

    def __init__(self, weights: np.ndarray, rng: np.random.Generator):
        self._cumulative = (weights.cumsum() / weights.sum()).tolist()
        self._cumulative[-1] = 1.0  # against rounding
        self._rng = rng

    def distinct(self, n: int) -> list[int]:
        """``n`` different indices, in the order drawn."""
        found = {}
        while len(found) < n:
            found[bisect(self._cumulative, self._rng.random())] = None
        return list(found)


class Words:
    """Draws of concepts for an intent, and of invented words that name concepts."""

    COMMON = 20  # words without a meaning

    def __init__(self, form: Shape, rng: np.random.Generator):
        self._form, self._rng = form, rng
        words = _invent_words(self.COMMON + form.concepts * form.synonyms, rng)
        self._common, self._names = words[: self.COMMON], words[self.COMMON :]
        # Zipf's law, flattened at the top: many intents share a concept, but not all share the same.
        frequency = 1 / (np.arange(form.concepts) + form.concept_shift)
        self._concepts = Weighted(frequency, rng)

    def common(self) -> list[str]:
        n = self._rng.poisson(self._form.common_words)
        return [self._common[row] for row in self._rng.integers(self.COMMON, size=n)]

    def intent(self) -> list[int]:
        """The concepts of a new intent."""
        return self._concepts.distinct(self._form.intent_concepts)

    def naming(self, intent: list[int], n: int) -> list[str]:
        """``n`` of the intent's concepts, each by one of its synonyms."""
        named = self._rng.permutation(intent)[:n]
        synonyms = self._rng.integers(self._form.synonyms, size=len(named))
        return [self._names[place] for place in named * self._form.synonyms + synonyms]


def _invent_words(n: int, rng: np.random.Generator) -> list[str]:
    """``n`` different pronounceable words of two or three syllables."""
    onsets = [*"bdfghjklmnprstvz", "br", "dr", "gr", "kl", "pr", "st", "tr"]
    rimes = [*"aeiou", "an", "ar", "en", "el", "in", "is", "on", "or", "um"]
    syllables = np.array([onset + rime for onset in onsets for rime in rimes], dtype=object)
    words = {}
    while len(words) < n:
        parts = rng.choice(syllables, (n, 3))
        parts[rng.random(n) < 0.5, 2] = ""
        words |= dict.fromkeys(parts.sum(axis=1))
    return list(words)[:n]


def _write_intents(path: Path, ids: list, drawn: Drawn) -> None:
    """The ground truth; ``ids`` has None for a document that the raw format doesn't list."""
    n = np.bincount([row for rows in drawn.relevant for row in rows], minlength=len(ids))
    with open(path, "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["document", "n", "intents"])
        rows = zip(ids, n.tolist(), drawn.intents, strict=True)
        table.writerows(row for row in rows if row[0] is not None)


@contextmanager
def _whole_folder(folder):
    """Provide a folder to write to; its files move into ``folder`` if the block succeeds."""
    folder = Path(folder)
    with folder_beside(folder) as temporary:
        yield temporary
        folder.mkdir(exist_ok=True)
        for file in sorted(temporary.iterdir()):
            os.replace(file, folder / file.name)
