"""The explorer's data: test queries, what each row finds for them, and why a behavioural vector was the one."""

import base64
import gzip
import json
from typing import NamedTuple

import numpy as np

from ..datasets.pairs import of_queries
from ..reporting.escapes import single_line
from ..reporting.labels import method_label

MOST_QUERIES = 2000
DEPTH = 10  # documents of a ranking
NEAREST = 3  # training queries beside a behavioural vector
LONGEST = 160  # letters of a text


class Row(NamedTuple):
    """A ranking to show: ``documents`` int (n_queries, k), best first, -1 where there is none.

    ``view_bias``: what every behavioural vector's score carries in this row; None without such vectors.
    """

    method: str
    documents: np.ndarray
    view_bias: float | None = None


class Space(NamedTuple):
    """The vectors of an encoder with one a text, and the behavioural ones over it, sorted by owner."""

    documents: np.ndarray
    queries: np.ndarray
    vectors: np.ndarray
    owner: np.ndarray


class Texts(NamedTuple):
    """Ids and texts of all documents, texts and traffic of all queries."""

    ids: list[str]
    documents: list[str]
    queries: list[str]
    weights: np.ndarray


def sampled(weights, rows, count=MOST_QUERIES, min_count=0, seed=0) -> np.ndarray:
    """Positions in ``rows`` of up to ``count`` queries, drawn by traffic without replacement.

    A shorter sample is the beginning of a longer one (Efraimidis and Spirakis 2006). Queries with
    a traffic below ``min_count`` are left out.
    """
    traffic = np.asarray(weights, dtype=float)[rows]
    keys = np.log(np.random.default_rng(seed).random(len(rows))) / traffic
    order = np.argsort(-keys, kind="stable")
    return order[traffic[order] >= min_count][:count]


def explored(chosen, rows: list[Row], test, train, texts: Texts, space: Space | None, min_count=0) -> dict:
    """The data of one dataset: plain lists, so that they are small as JSON.

    chosen: positions among ``test.queries``. Gives ``methods``; ``queries``, each ``[text, [relevant
    documents], [for each method [document, ...]], {place: view}]``; ``documents``, each ``[id, text]``;
    ``views``, each ``[number of the view, views of the document, [training query, ...]]``. Where a
    behavioural vector scores above the document's own, ``"method:rank"`` in the last entry names it.
    """
    documents, views = _Numbers(), _Numbers()
    relevant = _relevant(test, chosen)
    queries = []
    for position, wanted in zip(chosen, relevant, strict=True):
        query, matched, lists = test.queries[position], {}, []
        for number, row in enumerate(rows):
            found = row.documents[position, :DEPTH]
            found = found[found >= 0]
            if space is not None and row.view_bias is not None:
                for rank, document in enumerate(found):
                    if (view := matching_view(space, query, document, row.view_bias)) is not None:
                        matched[f"{number}:{rank}"] = views.of(view)
            lists.append([documents.of(int(document)) for document in found])
        queries.append([_short(texts.queries[query]), [documents.of(int(d)) for d in wanted], lists, matched])
    led_to = _training_queries(train, texts, min_count, {int(space.owner[view]) for view in views} if space else set())
    return {
        "methods": [method_label(row.method) for row in rows],
        "queries": queries,
        "documents": [[single_line(texts.ids[row]), _short(texts.documents[row])] for row in documents],
        "views": [_view(space, view, led_to, texts) for view in views],
    }


def matching_view(space: Space, query: int, document: int, view_bias: float) -> int | None:
    """The behavioural vector of ``document`` that scores best, if above the document's own; equal ones do not."""
    first, last = np.searchsorted(space.owner, [document, document + 1])
    if first == last:
        return None
    vector = np.asarray(space.queries[query], dtype=np.float64)
    scores = np.asarray(space.vectors[first:last], dtype=np.float64) @ vector + view_bias
    best = int(np.argmax(scores))
    own = np.asarray(space.documents[document], dtype=np.float64) @ vector
    return int(first) + best if scores[best] > own else None


def _view(space: Space, view: int, led_to: dict, texts: Texts) -> list:
    """Which of its document's views it is, of how many, and the training queries nearest to it."""
    first, last = np.searchsorted(space.owner, [space.owner[view], space.owner[view] + 1])
    rows = led_to.get(int(space.owner[view]), np.empty(0, dtype=int))
    similarity = np.asarray(space.queries[rows], dtype=np.float64) @ np.asarray(space.vectors[view], dtype=np.float64)
    nearest = rows[np.argsort(-similarity, kind="stable")[:NEAREST]]
    return [int(view - first) + 1, int(last - first), [_short(texts.queries[row]) for row in nearest]]


def _training_queries(train, texts, min_count, documents: set[int]) -> dict[int, np.ndarray]:
    """document -> its training queries that may be shown, of some documents."""
    query, document = train.pairs
    kept = np.isin(document, list(documents)) & (texts.weights[query] >= min_count)
    query, document = query[kept], document[kept]
    order = np.argsort(document, kind="stable")
    edges = np.flatnonzero(np.diff(document[order])) + 1
    return {int(document[part[0]]): query[part] for part in np.split(order, edges)} if len(order) else {}


def _relevant(test, chosen) -> list[np.ndarray]:
    """The relevant documents of some test queries."""
    position, document = of_queries(test.pairs, test.queries)
    edges = np.searchsorted(position, np.arange(len(test.queries) + 1))
    return [document[edges[p] : edges[p + 1]] for p in chosen]


def packed(data, room: int) -> str | None:
    """``data`` as base64 of gzipped JSON, which a browser unpacks by itself; None if it is longer than ``room``."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    code = base64.b64encode(gzip.compress(text, mtime=0)).decode("ascii")
    return code if len(code) <= room else None


def _short(text: str) -> str:
    line = single_line(text)
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1].rstrip()}…"


class _Numbers(dict):
    """Numbers things from 0, in the order in which they are asked for."""

    def of(self, thing) -> int:
        return self.setdefault(thing, len(self))
