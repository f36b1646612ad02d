"""Compiled loops over several threads. numba's own would compile for ten seconds, and wait for those of BLAS."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor


def in_parallel(work: Callable[[slice], None], n: int, threads: int, least: int = 1) -> None:
    """Call ``work`` with slices that cover 0..n, of at least ``least``; it has to release the interpreter's lock."""
    size = max(least, -(-n // threads))
    parts = [slice(start, min(start + size, n)) for start in range(0, n, size)]
    if len(parts) < 2:
        for part in parts:
            work(part)
        return
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, parts))
