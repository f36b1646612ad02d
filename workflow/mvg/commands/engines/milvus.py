"""Milvus: ``python milvus.py load``, then ``python milvus.py search query.npy``. Needs pymilvus and numpy.

Without MILVUS_URI it is Milvus Lite, in milvus.db beside this file.
"""

import os

import scoring
from pymilvus import DataType, MilvusClient

BATCH = 1000
# Exact. For many vectors {"index_type": "HNSW", "params": {"M": 32, "efConstruction": 200}}, on a server.
INDEX = {"index_type": "FLAT", "metric_type": "IP"}
DOCUMENTS, CENTERS = f"{scoring.NAME}_documents", f"{scoring.NAME}_centers"  # a load replaces them


class Engine:
    def __init__(self, uri: str):
        self.client, self.opened = MilvusClient(uri), set()

    def load(self) -> None:
        vectors = scoring.VECTORS
        schema = MilvusClient.create_schema(auto_id=False)
        schema.add_field("vector_id", DataType.INT64, is_primary=True)
        schema.add_field("document", DataType.INT64)
        schema.add_field("id", DataType.VARCHAR, max_length=65535)
        schema.add_field("vector", DataType.FLOAT_VECTOR, dim=vectors.shape[1])
        rows = (
            {"vector_id": number, "document": row, "id": id, "vector": vectors[number]}
            for number, (row, id) in enumerate(scoring.owners())
        )
        self._create(DOCUMENTS, schema, rows)
        if scoring.SETTINGS["votes"]:
            centers = MilvusClient.create_schema(auto_id=False)
            centers.add_field("center", DataType.INT64, is_primary=True)
            centers.add_field("vector", DataType.FLOAT_VECTOR, dim=scoring.CENTERS.shape[1])
            rows = ({"center": number, "vector": vector} for number, vector in enumerate(scoring.CENTERS))
            self._create(CENTERS, centers, rows)

    def _create(self, name: str, schema, rows) -> None:
        if self.client.has_collection(name):
            self.client.drop_collection(name)
        index = self.client.prepare_index_params()
        index.add_index("vector", **INDEX)
        self.client.create_collection(name, schema=schema, index_params=index)
        batch = []
        for row in rows:
            batch.append(row)
            if len(batch) == BATCH:
                self.client.insert(name, batch)
                batch = []
        if batch:
            self.client.insert(name, batch)

    def documents(self, query, k: int, only) -> dict:
        self._open(DOCUMENTS)
        found = self.client.search(
            DOCUMENTS,
            data=[query.tolist()],
            limit=k,
            filter=f"document in {only}" if only else "",
            group_by_field="document",
            output_fields=["document", "id"],
            search_params={"metric_type": "IP"},
        )[0]
        return {hit["entity"]["document"]: (hit["entity"]["id"], hit["distance"]) for hit in found}

    def centers(self, query, k: int) -> list:
        self._open(CENTERS)
        found = self.client.search(
            CENTERS, data=[query.tolist()], limit=k, search_params={"metric_type": "IP"}, output_fields=["center"]
        )[0]
        return [(hit["entity"]["center"], hit["distance"]) for hit in found]

    def _open(self, name: str) -> None:
        """A collection is loaded into memory before a search: Milvus Lite forgets it at each start."""
        if name not in self.opened:
            self.client.load_collection(name)
            self.opened.add(name)


if __name__ == "__main__":
    scoring.run(Engine(os.environ.get("MILVUS_URI", str(scoring.HERE / "milvus.db"))))
