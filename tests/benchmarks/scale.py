"""Whether costs grow as docs/scale.md says: python tests/benchmarks/scale.py [DOCUMENTS DOCUMENTS ...]

A table of texts (Parquet in parts), random unit vectors of 64 dimensions, ten training pairs, four queries and 0.3
behavioural vectors a document. The first size sets the rates; for the others the prediction stands beside the
measurement. Each step of each size is a process of its own. Processor seconds leave out imports and compiling; memory
is anonymous (mapped files apart), at its highest, above what the process held before the step.
"""

import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "workflow"))

SIZES = 30_000, 100_000, 300_000
STEPS = "prepare", "number", "bm25", "cluster", "search"
DIM, PAIRS, QUERIES, M_AVG, ASKED, K = 64, 10, 4, 0.3, 1000, 100
PART = 1 << 20  # rows of a part of the table
KEPT = 1 << 19  # texts from which on the memory of preparing grows no more: mvg.datasets.distinct.LATELY


def make(folder: Path, n: int) -> None:
    """Vectors on disk, and pairs of a popularity with a long tail."""
    rng = np.random.default_rng(0)
    for name, rows in ("documents", n), ("queries", QUERIES * n):
        file = np.lib.format.open_memmap(folder / f"{name}.npy", "w+", np.float32, (rows, DIM))
        for start in range(0, rows, 1 << 20):
            part = rng.standard_normal((min(1 << 20, rows - start), DIM), dtype=np.float32)
            file[start : start + len(part)] = part / np.linalg.norm(part, axis=1, keepdims=True)
    documents = (n * rng.random(PAIRS * n, dtype=np.float32) ** 2).astype(np.int32)
    asked = rng.integers(0, QUERIES * n, PAIRS * n, dtype=np.int32)
    np.save(folder / "pairs.npy", [asked, documents])
    write_table(folder / "table", asked, documents)


def write_table(folder: Path, queries: np.ndarray, documents: np.ndarray, first=0) -> None:
    """The pairs as texts of five words, the second of which tells them apart; first: number of the first pair."""
    import pyarrow
    from pyarrow import compute, parquet

    def texts(kind: str, rows: np.ndarray):
        words = [pyarrow.array(rows * prime % 20_011).cast("string") for prime in (7, 11, 13)]
        return compute.binary_join_element_wise(kind, pyarrow.array(rows).cast("string"), *words, " ")

    folder.mkdir(parents=True, exist_ok=True)
    for start in range(0, len(queries), PART):
        part = slice(start, start + PART)
        table = {"query": texts("q", queries[part]), "document": texts("d", documents[part])}
        parquet.write_table(pyarrow.table(table), folder / f"part-{first + start:010}.parquet", use_dictionary=False)


class Step:
    """What is measured, over the files of ``folder``; a first call on ``few`` documents compiles it."""

    def __init__(self, folder: Path):
        self.folder, self.data = folder, folder / "data"
        self.documents, self.queries = (np.load(folder / f"{x}.npy", mmap_mode="r") for x in ("documents", "queries"))

    def prepare(self, few=None):
        import pyarrow.parquet  # noqa: F401

        from mvg.commands.source import Source

        if few:
            return None
        stats = Source(self.folder / "table", "csv").prepare(self.data)
        return sum(stats["pairs"].values()), min(sum(stats["queries"].values()), KEPT)

    def number(self, few=None):
        from mvg.datasets.pairs import load_splits

        if few:
            return None
        pairs = sum(len(split.pairs[0]) for split in load_splits(self.data).values())
        return pairs, pairs

    def bm25(self, few=None):
        from mvg.datasets.reading import each_text
        from mvg.lexical.bm25 import BLOCK, BM25

        if few:
            return None
        made = BM25(each_text(self.data / "corpus.jsonl"))
        made.scores(["d 1"])
        return made.n_weights, min(made.n_weights, BLOCK)

    def cluster(self, few=None):
        from mvg.multiview import allocate, fit

        n = few or len(self.documents)
        pairs = np.load(self.folder / "pairs.npy", mmap_mode="r")
        pairs = pairs[:, pairs[1] < n] if few else pairs
        popularity = np.bincount(pairs[1], minlength=n)
        counts = allocate(popularity, round(M_AVG * n), 0.5)
        found = fit(self.documents[:n], self.queries, tuple(pairs), counts)
        if few is None:
            found.save(self.folder / "vectors.npy", self.folder / "owner.npy")
        return float((popularity * (counts + 1.0))[counts > 0].sum()) * DIM, pairs.shape[1]

    def search(self, few=None):
        from mvg.multiview import Behavioural
        from mvg.search.index import BLOCK, search

        n = few or len(self.documents)
        views = Behavioural.load(self.folder / "vectors.npy", self.folder / "owner.npy")
        views = tuple(side[: np.searchsorted(views.owner, n)] for side in views)
        search(self.documents[:n], self.queries[: 10 if few else ASKED], K, views)
        floats = n * (1 + M_AVG) * DIM
        return ASKED * floats, min(floats, BLOCK)


def measure(step: str, folder: str) -> None:
    """Print seconds, bytes, and what each is to grow with, as JSON."""
    work = getattr(Step(Path(folder)), step)
    work(few=300)
    before, highest, done = _anonymous(), [0], threading.Event()

    def watch():
        while not done.wait(0.005):
            highest[0] = max(highest[0], _anonymous())

    threading.Thread(target=watch, daemon=True).start()
    started = time.process_time()
    grows = work()
    seconds = time.process_time() - started
    done.set()
    print(json.dumps([seconds, max(0, highest[0] - before), *grows]))


def _anonymous() -> int:
    """Bytes that this process holds, without mapped files."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return 1024 * int(status.partition("RssAnon:")[2].split()[0])


def main(*sizes) -> None:
    print("| step | documents | s, predicted | s | MB, predicted | MB |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |", flush=True)
    rates = {}
    for n in map(int, sizes or SIZES):
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder), n)
            for step in STEPS:
                command = [sys.executable, __file__, "--step", step, folder]
                found = np.array(json.loads(subprocess.check_output(command)))
                predicted = ["", ""]
                if step in rates:
                    predicted = [f"{value:.3g}" for value in rates[step] * found[2:] / (1, 1e6)]
                rates.setdefault(step, found[:2] / found[2:])
                print(f"| {step} | {n:,} | {predicted[0]} | {found[0]:.3g} | {predicted[1]} | {found[1] / 1e6:.3g} |")


if __name__ == "__main__":
    measure(*sys.argv[2:]) if sys.argv[1:2] == ["--step"] else main(*sys.argv[1:])
