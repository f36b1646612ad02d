"""Which names occur again or are missing, and how many texts repeat others: for any number, in bounded memory."""

import hashlib
import json
import tempfile
from collections.abc import Iterable, Iterator

import numpy as np

from ..io.sorting import Sorter, starts_of_groups, temporary_disk

LATELY = 1 << 19  # names, or digests of texts, in memory at a time


class Names:
    """Names, each with a note. The latest are known at once; the others lie in a temporary file.

    Whether a name has occurred before the latest, or is missing among others, is found at the end by sorting hashes.
    """

    def __init__(self):
        self._lately: dict[str, str] = {}
        self._file, self._n_before = None, 0
        self._hashes = Sorter(2)  # (hash, number) of the names in the file

    def __len__(self) -> int:
        return self._n_before + len(self._lately)

    def __contains__(self, name: str) -> bool:
        """Whether it is one of the latest."""
        return name in self._lately

    def add(self, name: str, note: str = "") -> None:
        self._lately[name] = note
        if len(self._lately) >= LATELY:
            self._let_go()

    def add_unknown(self, names: Iterable[str], note: str, others: "Names") -> None:
        """Add those that are neither among the latest here nor among those of ``others``."""
        lately, elsewhere = self._lately, others._lately
        for name in names:
            if name not in elsewhere and name not in lately:
                lately[name] = note
        if len(lately) >= LATELY:
            self._let_go()

    def discard(self, name: str) -> None:
        """Forget ``name`` if it is one of the latest."""
        self._lately.pop(name, None)

    def repeated(self) -> str | None:
        """The first name that was added again, although it was not one of the latest; None if there is none."""
        if self._file is None:
            return None
        self._let_go()
        suspects = []
        for block in self._hashes.blocks():
            starts = starts_of_groups(block[:, 0])
            sizes = np.diff(np.append(starts, len(block)))
            suspects += block[np.repeat(sizes > 1, sizes), 1].tolist()
        seen = set()
        for name, _ in self._with_numbers(set(suspects)):
            if name in seen:
                return name
            seen.add(name)
        return None

    def first_not_in(self, others: "Names") -> tuple[str, str] | None:
        """The first name, with its note, that ``others`` lack; None if there is none."""
        if self._file is None and others._file is None:
            return next(((name, note) for name, note in self._lately.items() if name not in others), None)
        self._let_go()
        others._let_go()
        both = Sorter(2)  # (hash, 0) of the others, then (hash, 1 + number)
        for block in others._hashes.blocks():
            both.extend(np.column_stack([block[:, 0], np.zeros(len(block), np.uint64)]))
        for block in self._hashes.blocks():
            both.extend(block + np.array([0, 1], np.uint64))
        missing = []
        for block in both.blocks():
            first = block[starts_of_groups(block[:, 0]), 1]
            missing += first[first > 0].tolist()
        return next(self._with_numbers({min(missing) - 1}), None) if missing else None

    def _let_go(self) -> None:
        """Move the latest names to the file."""
        self._file = self._file or tempfile.TemporaryFile("w+", encoding="utf-8")
        hashes = np.fromiter(map(hash, self._lately), np.int64, len(self._lately)).view(np.uint64)
        numbers = np.arange(self._n_before, len(self), dtype=np.uint64)
        self._hashes.extend(np.column_stack([hashes, numbers]))
        with temporary_disk():
            # All at once: ten times as fast as one by one.
            self._file.write(json.dumps(list(self._lately.items())) + "\n")
            self._file.flush()
        self._n_before, self._lately = len(self), {}

    def _with_numbers(self, numbers: set[int]) -> Iterator[tuple[str, str]]:
        """The names in the file that have one of ``numbers``, in order, with their notes."""
        number = 0
        if numbers:
            self._file.seek(0)
            for line in self._file:
                for name, note in json.loads(line):
                    if number in numbers:
                        yield name, note
                    number += 1


class Repeats:
    """Counts texts that equal an earlier one; it keeps 16 bytes of each text, not more than some of them in memory."""

    def __init__(self):
        self._added, self._seen = 0, set()
        self._before = None  # digests that no longer are in memory, as two numbers each

    def add(self, text: str) -> None:
        data = text.encode("utf-8", "surrogatepass")
        self._seen.add(hashlib.blake2b(data, digest_size=16).digest())
        self._added += 1
        if len(self._seen) >= LATELY:
            self._let_go()

    def count(self) -> int:
        if self._before is None:
            return self._added - len(self._seen)
        self._let_go()
        distinct = 0
        for block in self._before.blocks():
            block = block[np.lexsort((block[:, 1], block[:, 0]))]
            distinct += 1 + int((block[1:] != block[:-1]).any(axis=1).sum())
        return self._added - distinct

    def _let_go(self) -> None:
        self._before = self._before or Sorter(2)
        self._before.extend(np.frombuffer(b"".join(self._seen), np.uint64).reshape(-1, 2))
        self._seen = set()
