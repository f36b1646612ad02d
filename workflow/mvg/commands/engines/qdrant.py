"""Qdrant: ``python qdrant.py load``, then ``python qdrant.py search query.npy``. Needs qdrant-client and numpy.

Without QDRANT_URL it is Qdrant's local mode, in the folder qdrant beside this file.
"""

import os
from contextlib import closing

import numpy as np
import scoring
from qdrant_client import QdrantClient, models

DOCUMENTS, CENTERS = f"{scoring.NAME}_documents", f"{scoring.NAME}_centers"  # a load replaces them


class Engine:
    def __init__(self, url: str | None):
        # Local mode is exact. A server builds HNSW over many vectors; SearchParams(exact=True) goes without it.
        self.client = QdrantClient(url=url) if url else QdrantClient(path=str(scoring.HERE / "qdrant"))

    def load(self) -> None:
        payload = [{"document": row, "id": id} for row, id in scoring.owners()]
        self._create(DOCUMENTS, scoring.VECTORS, payload)
        if scoring.SETTINGS["votes"]:
            self._create(CENTERS, scoring.CENTERS, None)

    def _create(self, name: str, vectors, payload) -> None:
        if self.client.collection_exists(name):
            self.client.delete_collection(name)
        # DOT, not COSINE: the last dimension of the vectors may be a bias, and they are not all of one length.
        parameters = models.VectorParams(size=vectors.shape[1], distance=models.Distance.DOT)
        self.client.create_collection(name, vectors_config=parameters)
        self.client.upload_collection(name, np.asarray(vectors), payload, ids=range(len(vectors)))

    def documents(self, query, k: int, only) -> dict:
        condition = models.FieldCondition(key="document", match=models.MatchAny(any=only)) if only else None
        found = self.client.query_points_groups(
            DOCUMENTS,
            group_by="document",
            query=query.tolist(),
            limit=k,
            group_size=1,
            query_filter=models.Filter(must=[condition]) if only else None,
            with_payload=["id", "document"],
        )
        best = [group.hits[0] for group in found.groups]
        return {hit.payload["document"]: (hit.payload["id"], hit.score) for hit in best}

    def centers(self, query, k: int) -> list:
        found = self.client.query_points(CENTERS, query=query.tolist(), limit=k)
        return [(hit.id, hit.score) for hit in found.points]


if __name__ == "__main__":
    engine = Engine(os.environ.get("QDRANT_URL"))
    with closing(engine.client):
        scoring.run(engine)
