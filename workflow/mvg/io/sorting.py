"""More records and texts than fit into memory: they are sorted, and kept, in temporary files.

Small ones never touch the disk. The files have no names and lie where ``TMPDIR`` says, so that nothing stays behind.
"""

import tempfile
from array import array
from collections.abc import Iterable, Iterator

import numpy as np

RECORDS = 1 << 22  # numbers in memory at a time, and as many while they are sorted
SPOOL = 1 << 26  # bytes of texts in memory


class temporary_disk:
    """Errors of files without names get that of their folder: that is where the disk is full."""

    def __enter__(self): ...

    def __exit__(self, kind, error, trace):
        if isinstance(error, OSError) and error.filename is None:
            error.filename = tempfile.gettempdir()


class Sorter:
    """Records of ``width`` whole numbers below 2^64, in order of the first; equal ones stay in the order of addition.

    Sorted runs go to disk and are merged (an external merge sort; Knuth 1998, 5.4).
    """

    def __init__(self, width: int, most: int | None = None):
        self._width, self._most = width, max(1, (most or RECORDS) // width)
        self._records = array("Q")
        self._file, self._lengths = None, []

    def add(self, record: Iterable[int]) -> None:
        self._records.extend(record)
        if len(self._records) >= self._most * self._width:
            self._spill()

    def extend(self, records: np.ndarray) -> None:
        """Add ``records``, uint64 (n, width)."""
        for start in range(0, len(records), self._most):
            self._records.frombytes(np.ascontiguousarray(records[start : start + self._most]).tobytes())
            if len(self._records) >= self._most * self._width:
                self._spill()

    def blocks(self) -> Iterator[np.ndarray]:
        """All records, sorted, uint64 (n, width) at a time. Records with the same first number are in one block."""
        if not self._lengths:
            if self._records:
                yield self._sorted_records()
            return
        self._spill()
        everything = np.memmap(self._file, np.uint64, "r").reshape(-1, self._width)
        runs = np.split(everything, np.cumsum(self._lengths)[:-1])
        # Between two samples next to each other, a run has fewer than ``step`` records.
        step = max(1, self._most // (2 * len(runs)))
        samples = np.sort(np.concatenate([run[::step, 0] for run in runs]))
        cuts = np.unique(samples[:: max(1, self._most // step)])[1:]
        edges = [[0, *np.searchsorted(run[:, 0], cuts), len(run)] for run in runs]
        for low, high in zip(zip(*edges, strict=True), list(zip(*edges, strict=True))[1:], strict=False):
            parts = [run[a:b] for run, a, b in zip(runs, low, high, strict=True)]
            yield _in_order(np.concatenate(parts))

    def _sorted_records(self) -> np.ndarray:
        return _in_order(np.frombuffer(self._records, np.uint64).reshape(-1, self._width))

    def _spill(self) -> None:
        if self._records:
            self._file = self._file or tempfile.TemporaryFile()
            records, self._records = self._sorted_records(), array("Q")
            with temporary_disk():
                self._file.write(records.data)  # not tofile, which does not say why it fails
                self._file.flush()
            self._lengths.append(len(records))


def _in_order(records: np.ndarray) -> np.ndarray:
    return records[np.argsort(records[:, 0], kind="stable")]


def starts_of_groups(sorted_values: np.ndarray) -> np.ndarray:
    """The first position of each distinct value, int64."""
    return np.flatnonzero(np.concatenate([[True], sorted_values[1:] != sorted_values[:-1]]))


class Texts:
    """Texts that are added once and read again by the place that :meth:`add` returned."""

    def __init__(self):
        self._file, self._end = tempfile.SpooledTemporaryFile(SPOOL), 0

    def add(self, text: str) -> int:
        data = text.encode("utf-8", "surrogatepass")
        place, self._end = self._end, self._end + 8 + len(data)
        with temporary_disk():
            self._file.write(len(data).to_bytes(8, "little") + data)
        return place

    def __getitem__(self, place: int) -> str:
        with temporary_disk():  # what was added may be written only now
            self._file.seek(place)
        length = int.from_bytes(self._file.read(8), "little")
        return self._file.read(length).decode("utf-8", "surrogatepass")
