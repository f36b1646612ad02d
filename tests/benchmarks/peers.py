"""How fast we are beside well-known libraries, on invented data: python tests/benchmarks/peers.py

Prints seconds and ratios of one run on this machine; nothing here is asserted.
"""

import sys
import time
from pathlib import Path

import faiss
import numpy as np
from rank_bm25 import BM25Okapi
from scipy.cluster.vq import kmeans2

sys.path.insert(0, str(Path(__file__).parents[2] / "workflow"))

from mvg.lexical.bm25 import BM25
from mvg.multiview import allocate, fit
from mvg.multiview.clustering import group
from mvg.search.index import Index
from mvg.search.views import Views

THREADS = 2


def seconds(work) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def compare(name, ours, peer, theirs) -> None:
    print(f"{name:34} {ours:8.2f} s   {peer:34} {theirs:8.2f} s   ratio {theirs / ours:6.1f}")


def unit(rng, n, dim):
    vectors = rng.normal(size=(n, dim)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def main() -> None:
    rng = np.random.default_rng(0)
    documents, queries = unit(rng, 7000, 256), unit(rng, 45_000, 256)
    popularity = np.minimum((rng.pareto(0.7, 4000) + 1).astype(int), 3600)
    pairs = rng.integers(0, len(queries), popularity.sum()), np.repeat(np.arange(4000), popularity)
    groups = group(pairs, len(queries), len(documents))
    counts = allocate(np.diff(groups.starts), 2100, 0.5)

    def kmeans_per_document():
        for d in np.flatnonzero(counts):
            rows = groups.queries[groups.starts[d] : groups.starts[d + 1]]
            kmeans2(queries[rows], min(counts[d] + 1, len(rows)), iter=20, minit="points", seed=0)

    fit(documents[:2], queries[:2], ([0, 1], [0, 1]), np.array([1, 1]))  # compiles
    compare(
        f"fit ({len(pairs[0])} pairs)",
        seconds(lambda: fit(documents, queries, groups, counts, threads=THREADS)),
        "scipy kmeans2 per document",
        seconds(kmeans_per_document),
    )

    vectors, owner = fit(documents, queries, groups, counts, threads=THREADS)
    index = Index(Views.of(documents, (vectors, owner)), threads=THREADS)
    index.search(queries[:10], 10)  # compiles
    compare(
        "exact, distinct, float64 (6,000 q)",
        seconds(lambda: index.search(queries[:6000], 100)),
        "faiss flat alone, with duplicates",
        seconds(lambda: index.faiss.search(queries[:6000], 100)),
    )
    hnsw = faiss.index_factory(256, "HNSW32", faiss.METRIC_INNER_PRODUCT)
    hnsw.add(index.views.vectors)
    approximate = Index(index.views, "HNSW32", threads=THREADS)
    compare(
        "HNSW32, distinct, float64",
        seconds(lambda: approximate.search(queries[:6000], 100)),
        "faiss HNSW32 alone",
        seconds(lambda: hnsw.search(queries[:6000], 100)),
    )

    words = np.array([f"w{i}" for i in range(20_000)])
    texts = [" ".join(words[(rng.pareto(1, 6) * 20).astype(int) % 20_000]) for _ in range(7000)]
    asked = [" ".join(words[(rng.pareto(1, 20) * 20).astype(int) % 20_000]) for _ in range(500)]
    okapi = BM25Okapi([text.split() for text in texts])
    bm25 = BM25(texts, "whitespace")
    compare(
        "BM25, all queries at once (500 q)",
        seconds(lambda: bm25.scores(asked)),
        "rank-bm25, one by one",
        seconds(lambda: [okapi.get_scores(text.split()) for text in asked]),
    )


if __name__ == "__main__":
    main()
