"""The explorer's data: test queries, what each row finds for them, and why a behavioural vector was the one."""

import base64
import gzip
import json
from typing import NamedTuple

import numpy as np

from ..datasets.pairs import of_queries
from ..multiview import Addition
from ..multiview.addition import nearest_centers
from ..reporting.escapes import single_line

MOST_QUERIES = 2000
DEPTH = 10  # documents of a ranking
NEAREST = 3  # training queries beside a behavioural vector
LONGEST = 160  # letters of a text
AT_ONCE = 256  # queries whose near centers are looked up together
OWN, VOTES = "own", "votes"


class Row(NamedTuple):
    """A ranking to show: ``documents`` int (n_queries, k), best first, -1 where there is none.

    ``addition``: what stands over the encoder in this row, if it may have behavioural vectors.
    """

    label: str
    documents: np.ndarray
    addition: Addition | None = None


class Hit(NamedTuple):
    """The behavioural vector that brought a document to a query.

    kind: ``OWN``, one of the document's own that scores above its semantic one, or ``VOTES``, the center whose vote
    for it weighs most; vector: its row among them; votes: what all centers together add to the document's score
    """

    kind: str
    vector: int
    votes: float = 0.0


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


def explored(chosen, rows: list[Row], test, train, texts: Texts, vectors, min_count=0) -> dict:
    """The data of one dataset: plain lists, so that they are small as JSON.

    chosen: positions among ``test.queries``; vectors: float32 (n, dim), of all queries, None if no row has an addition.
    Gives ``methods``; ``queries``, each ``[text, [relevant documents], [for each method [document, ...]], {place:
    hit}]``; ``documents``, each ``[id, text]``; ``hits``, each ``[what it is, [training query, ...]]``. The last entry
    of a query names the hit of ``"method:rank"``, where there is one.
    """
    documents, hits = _Numbers(), _Numbers()
    queries = [[_short(texts.queries[test.queries[position]]), [], [], {}] for position in chosen]
    for (_, relevant, lists, _), position, wanted in zip(queries, chosen, _relevant(test, chosen), strict=True):
        relevant += [documents.of(int(document)) for document in wanted]
        lists += [[documents.of(int(d)) for d in row.documents[position, :DEPTH] if d >= 0] for row in rows]
    numbered = [*documents]
    for number, row in enumerate(rows):
        if row.addition is None:
            continue
        found_by = why(row.addition, vectors[test.queries[chosen]], row.documents[chosen, :DEPTH])
        for (_, _, _, matched), found in zip(queries, found_by, strict=True):
            for rank, (document, hit) in found.items():
                matched[f"{number}:{rank}"] = hits.of((number, document, hit))
    led_to = _training_queries(train, texts, min_count, {document for _, document, _ in hits})
    return {
        "methods": [row.label for row in rows],
        "queries": queries,
        "documents": [[single_line(texts.ids[row]), _short(texts.documents[row])] for row in numbered],
        "hits": _described(hits, rows, led_to, vectors, texts),
    }


def why(addition: Addition, queries, documents) -> list[dict[int, tuple[int, Hit]]]:
    """For each query the hits among its documents: rank -> (document, hit).

    queries: float32 (n, dim), as encoded; documents: int (n, depth), -1 where there is none
    """
    queries = np.asarray(addition.queries(queries), dtype=np.float32)
    found = []
    for start in range(0, len(queries), AT_ONCE):
        some = queries[start : start + AT_ONCE]
        votes = _Votes(addition.votes, some) if addition.votes is not None else None
        for i, query in enumerate(some):
            found.append({})
            listed = documents[start + i][documents[start + i] >= 0]
            by_votes = votes.strongest(i, listed) if votes is not None else [None] * len(listed)
            for rank, (document, hit) in enumerate(zip(map(int, listed), by_votes, strict=True)):
                hit = hit or matching_view(addition, query, document)
                if hit is not None:
                    found[-1][rank] = document, hit
    return found


def matching_view(addition: Addition, query, document: int) -> Hit | None:
    """The behavioural vector of ``document`` that scores best, if above the document's own; equal ones do not."""
    if addition.views is None:
        return None
    vectors, owner = addition.views
    first, last = np.searchsorted(owner, [document, document + 1])
    if first == last:
        return None
    query = np.asarray(query, dtype=np.float64)
    scores = np.asarray(vectors[first:last], dtype=np.float64) @ query + addition.view_bias
    best = int(np.argmax(scores))
    own = np.asarray(addition.documents[document], dtype=np.float64) @ query
    return Hit(OWN, int(first) + best) if scores[best] > own else None


class _Votes:
    """The votes of the centers near to some queries, center by center."""

    def __init__(self, votes, queries):
        depth = min(votes.nearest, len(votes.centers))
        self.near, similarity = nearest_centers(queries, votes.centers, depth)
        self.weights = votes.weights(similarity)
        self.shares = votes.shares

    def strongest(self, query: int, documents) -> list[Hit | None]:
        """For each of some documents the center whose vote weighs most, if votes raise the document."""
        near = self.near[query]
        votes = self.weights[query, :, None] * self.shares[near][:, documents].toarray()
        best, total = votes.argmax(axis=0), votes.sum(axis=0)
        return [
            Hit(VOTES, int(near[at]), round(float(vote), 3)) if vote > 0 else None
            for at, vote in zip(best, total, strict=True)
        ]


def _said(addition, document: int, hit: Hit) -> str:
    """What stands before the training queries of a hit."""
    if hit.kind == VOTES:
        return f"Near centers add {hit.votes:.3f} to its score. Nearest training queries of the one that adds most:"
    first, last = np.searchsorted(addition.views.owner, [document, document + 1])
    return f"Vector {hit.vector - first + 1} of {last - first} matched. Nearest training queries:"


def _described(hits, rows, led_to, vectors, texts) -> list[list]:
    """What each of ``hits`` is, and the training queries that led to its document and are nearest to its vector.

    Document by document, since popular ones have many training queries.
    """
    described = [[_said(rows[number].addition, document, hit), []] for number, document, hit in hits]
    by_document = {}
    for place, (number, document, _) in enumerate(hits):
        by_document.setdefault((number, document), []).append(place)
    every = list(hits)
    for (number, document), places in by_document.items():
        if document not in led_to:
            continue
        addition, asked = rows[number].addition, led_to[document]
        queries = addition.queries(vectors[asked]).astype(np.float64)
        for place in places:
            hit = every[place][2]
            vector = (addition.votes.centers if hit.kind == VOTES else addition.views.vectors)[hit.vector]
            order = np.argsort(-(queries @ np.asarray(vector, dtype=np.float64)), kind="stable")[:NEAREST]
            described[place][1] = [_short(texts.queries[row]) for row in asked[order]]
    return described


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
