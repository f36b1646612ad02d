"""One file, loose or in an untrusted archive. It is streamed, and its faults become DataErrors."""

import gzip
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from .errors import DataError

MAX_UNPACKED = 64 * 2**30  # bytes of one file or member
# Text compresses to a tenth, very rarely to a fiftieth; zip bombs to a thousandth or less.
MAX_RATIO, RATIO_COUNTS_FROM = 200, 16 * 2**20

FAULTS = (
    OSError,  # also gzip.BadGzipFile
    EOFError,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    zipfile.BadZipFile,
    tarfile.TarError,
    NotImplementedError,  # an unknown compression method
    RuntimeError,  # an encrypted member
    UnicodeDecodeError,  # a member's name
)


class Stream:
    """A binary file that is read once, from start to end. Its faults become DataErrors.

    ``packed`` is the compressed stream that this one is unpacked from, if any.
    """

    def __init__(self, file: BinaryIO, label: str, packed: "Stream | None" = None):
        self.label, self.size = label, 0
        self._file, self._packed = file, packed

    def read(self, size: int) -> bytes:
        return self._take(self._file.read, size)

    def readline(self, size: int) -> bytes:
        return self._take(self._file.readline, size)

    def _take(self, method, size: int) -> bytes:
        try:
            data = method(size)
        except FAULTS as error:
            raise broken(self.label, error) from error
        if self._packed and not self._packed.size:  # gzip accepts zero bytes as an empty file
            raise DataError(self.label, "", "expected a gzip file, found it empty")
        self.size += len(data)
        check_size(self.label, self.size, self._packed.size if self._packed else self.size)
        return data


def check_size(label: str, unpacked: int, packed: int) -> None:
    """Refuse sizes (in bytes) that no real dataset has."""
    if unpacked > MAX_UNPACKED:
        raise DataError(label, "", f"expected at most {MAX_UNPACKED} bytes unpacked")
    if unpacked > max(RATIO_COUNTS_FROM, MAX_RATIO * packed):
        raise DataError(label, "", f"expected to unpack to at most {MAX_RATIO} times its size")


def broken(label: str, error: Exception) -> DataError:
    return DataError(label, "", f"expected a whole, readable file, but: {error}")


class Member(NamedTuple):
    """A file, loose or in an archive: its name in error messages, and a way to open it."""

    label: str
    opener: Callable[[], AbstractContextManager[BinaryIO]]

    @property
    def name(self) -> str:
        """Its name without folders, in lower case, since suffixes may be in capitals."""
        return self.label.rpartition("/")[2].lower()

    @contextmanager
    def open(self) -> Iterator[Stream]:
        """Its raw bytes."""
        with ExitStack() as stack:
            try:
                file = stack.enter_context(self.opener())
            except FAULTS as error:
                raise broken(self.label, error) from error
            yield Stream(file, self.label)

    @contextmanager
    def open_gzip(self) -> Iterator[Stream]:
        """Its bytes, gunzipped."""
        with self.open() as packed, gzip.GzipFile(fileobj=packed, mode="rb") as file:
            yield Stream(file, self.label, packed)

    def open_text(self):
        """Its bytes, gunzipped if its name ends in ``.gz``."""
        return self.open_gzip() if self.name.endswith(".gz") else self.open()


def loose(path: Path) -> Member:
    return Member(str(path), lambda: open(path, "rb"))
