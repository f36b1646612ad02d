"""OpenSearch: ``python opensearch.py load``, then ``python opensearch.py search query.npy``. Needs numpy alone.

A document is one with nested vectors. OPENSEARCH_URL is the address of the cluster, http://localhost:9200 by default;
a name and password may stand in it.
"""

import base64
import json
import os
import urllib.error
import urllib.parse
import urllib.request
from itertools import groupby

import scoring

BATCH = 500  # documents of a bulk request
DOCUMENTS, CENTERS = f"{scoring.NAME}_documents", f"{scoring.NAME}_centers"  # a load replaces them


def mapping(dimension: int, nested: bool) -> dict:
    """The body of a request that creates an index."""
    # innerproduct: the last dimension of the vectors may be a bias, and they are not all of one length.
    method = {"name": "hnsw", "space_type": "innerproduct", "engine": "faiss"}
    vector = {"vector": {"type": "knn_vector", "dimension": dimension, "method": method}}
    names = {"row": {"type": "integer"}, "id": {"type": "keyword", "index": False, "doc_values": False}}
    properties = names | {"views": {"type": "nested", "properties": vector}} if nested else vector
    return {"settings": {"index": {"knn": True}}, "mappings": {"properties": properties}}


def actions():
    """(index, id, document) of all that is loaded: documents with their vectors, then shared views."""
    views = sorted((row, id, number) for number, (row, id) in enumerate(scoring.owners()))
    for (row, id), group in groupby(views, key=lambda view: view[:2]):
        vectors = [{"vector": scoring.VECTORS[number].tolist()} for _, _, number in group]
        yield DOCUMENTS, str(row), {"row": row, "id": id, "views": vectors}
    for number, vector in enumerate(scoring.CENTERS.tolist()):
        yield CENTERS, str(number), {"vector": vector}


def bulk(batch) -> str:
    """The body of a bulk request: a line for each action, and a line for its document."""
    lines = []
    for index, id, document in batch:
        lines += [json.dumps({"index": {"_index": index, "_id": id}}), json.dumps(document)]
    return "\n".join(lines) + "\n"


def nearest(query, k: int, only=None) -> dict:
    """The body of a search for k distinct documents: OpenSearch counts a document once, by its best vector."""
    knn = {"vector": query.tolist(), "k": k}
    if only:
        knn["filter"] = {"terms": {"row": only}}
    nested = {"path": "views", "score_mode": "max", "query": {"knn": {"views.vector": knn}}}
    return {"size": k, "_source": ["row", "id"], "query": {"nested": nested}}


def similarity(score: float) -> float:
    """The inner product s behind a score of OpenSearch: s + 1, and 1 / (1 - s) where s is negative."""
    return score - 1 if score >= 1 else 1 - 1 / score


class Engine:
    def __init__(self, url: str):
        parts = urllib.parse.urlsplit(url)
        self.url = urllib.parse.urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], "", "", ""))
        self.headers = {"Content-Type": "application/json"}
        if parts.username:
            pair = f"{parts.username}:{parts.password or ''}".encode()
            self.headers["Authorization"] = f"Basic {base64.b64encode(pair).decode()}"

    def ask(self, method: str, path: str, body=None) -> dict:
        data = None if body is None else (body if isinstance(body, str) else json.dumps(body)).encode()
        request = urllib.request.Request(f"{self.url}/{path}", data, self.headers, method=method)
        try:
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise SystemExit(
                f"error: {self.url}/{path}: {error}: {error.read(500).decode(errors='replace')}"
            ) from error
        except OSError as error:
            raise SystemExit(f"error: {self.url}: {error}") from error

    def load(self) -> None:
        self.ask("DELETE", f"{DOCUMENTS},{CENTERS}?ignore_unavailable=true")
        self.ask("PUT", DOCUMENTS, mapping(scoring.VECTORS.shape[1], nested=True))
        if scoring.SETTINGS["votes"]:
            self.ask("PUT", CENTERS, mapping(scoring.CENTERS.shape[1], nested=False))
        batch = []
        for action in actions():
            batch.append(action)
            if len(batch) == BATCH:
                self._load(batch)
                batch = []
        self._load(batch)
        self.ask("POST", f"{DOCUMENTS},{CENTERS}/_refresh?ignore_unavailable=true")

    def _load(self, batch) -> None:
        items = self.ask("POST", "_bulk", bulk(batch))["items"] if batch else []
        if refused := [item["index"]["error"] for item in items if "error" in item["index"]]:
            raise SystemExit(f"error: OpenSearch refused {len(refused)} documents: {json.dumps(refused[0])}")

    def documents(self, query, k: int, only) -> dict:
        hits = self.ask("POST", f"{DOCUMENTS}/_search", nearest(query, k, only))["hits"]["hits"]
        return {hit["_source"]["row"]: (hit["_source"]["id"], similarity(hit["_score"])) for hit in hits}

    def centers(self, query, k: int) -> list:
        body = {"size": k, "_source": False, "query": {"knn": {"vector": {"vector": query.tolist(), "k": k}}}}
        hits = self.ask("POST", f"{CENTERS}/_search", body)["hits"]["hits"]
        return [(int(hit["_id"]), similarity(hit["_score"])) for hit in hits]


if __name__ == "__main__":
    scoring.run(Engine(os.environ.get("OPENSEARCH_URL", "http://localhost:9200")))
