"""How much memory `mvg.build` takes over many documents, memory-mapped: random vectors, a log with a long tail.

python tests/benchmarks/library.py FOLDER mvg [--documents 10000000] [--queries 2000000] [--dimension 64]

FOLDER takes the vectors, which the next call finds there. Memory is anonymous memory; mapped pages are apart.
"""

import argparse
import sys
import threading
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "workflow"))

import mvg

ROWS = 1 << 18


def vectors(path: Path, n: int, dimension: int, seed: int) -> np.ndarray:
    """Unit vectors, memory-mapped."""
    if not path.exists():
        rng, part = np.random.default_rng(seed), path.with_suffix(".part")
        made = np.lib.format.open_memmap(part, mode="w+", dtype=np.float32, shape=(n, dimension))
        for start in range(0, n, ROWS):
            block = rng.standard_normal((min(ROWS, n - start), dimension), dtype=np.float32)
            made[start : start + ROWS] = block / np.linalg.norm(block, axis=1, keepdims=True)
        made.flush()
        part.rename(path)
    return np.load(path, mmap_mode="r")


def anonymous() -> float:
    """GiB that this process holds, mapped files apart."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.partition("RssAnon:")[2].split()[0]) / 2**20


class Peak(threading.Thread):
    """The most memory that was held since it started."""

    def __init__(self):
        super().__init__(daemon=True)
        self.most = 0.0

    def run(self):
        while True:
            self.most = max(self.most, anonymous())
            time.sleep(0.1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("method")
    parser.add_argument("--documents", type=int, default=10_000_000)
    parser.add_argument("--queries", type=int, default=2_000_000)
    parser.add_argument("--dimension", type=int, default=64)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    name = f"{given.dimension}.npy"
    documents = vectors(given.folder / f"d{given.documents}-{name}", given.documents, given.dimension, 0)
    queries = vectors(given.folder / f"q{given.queries}-{name}", given.queries, given.dimension, 1)
    clicked = (np.random.default_rng(2).pareto(1, given.queries) * 1000).astype(np.int64) % given.documents
    dev = None if given.method == "mvg" else (np.asarray(queries[:1000]), (np.arange(1000), clicked[:1000]))
    peak = Peak()
    peak.start()
    started = time.process_time()
    index = mvg.build(documents, queries, (np.arange(given.queries), clicked), given.method, dev=dev)
    spent = time.process_time() - started
    print(f"{index}: {spent:.0f} s of processor time, at most {peak.most:.2f} GiB, {anonymous():.2f} GiB after it")
    started = time.process_time()
    index.search(queries[:20], 10)
    print(f"20 queries: {time.process_time() - started:.1f} s of processor time, at most {peak.most:.2f} GiB")


if __name__ == "__main__":
    main()
