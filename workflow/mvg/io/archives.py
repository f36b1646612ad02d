"""Bytes from files, zips and gzips that nobody vouches for, and JSON from the bytes.

Nothing is unpacked to disk, everything is streamed, and whatever is wrong with an archive
becomes a DataError that names the file or the member.
"""

import codecs
import gzip
import json
import lzma
import re
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from itertools import count
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple

from .errors import DataError
from .fields import kind

MAX_LINE = 64 * 2**20  # bytes of one line, or of one JSON file: these are held in memory
MAX_UNPACKED = 64 * 2**30  # bytes of one file or member
# Text shrinks to a tenth, hardly ever to a fiftieth; bombs to a thousandth and less.
MAX_RATIO, RATIO_COUNTS_FROM = 200, 16 * 2**20

_FAULTS = (
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
    """A binary file, to be read once from start to end, whose faults are DataErrors.

    ``packed`` is the stream that this one is unpacked from, where there is one.
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
        except _FAULTS as error:
            raise _broken(self.label, error) from error
        if self._packed and not self._packed.size:  # gzip takes no bytes for an empty file
            raise DataError(self.label, "", "expected a gzip file, found it empty")
        self.size += len(data)
        check_size(self.label, self.size, self._packed.size if self._packed else self.size)
        return data


def check_size(label: str, unpacked: int, packed: int) -> None:
    """Refuse what no real data set would hold (bytes)."""
    if unpacked > MAX_UNPACKED:
        raise DataError(label, "", f"expected at most {MAX_UNPACKED} bytes unpacked")
    if unpacked > max(RATIO_COUNTS_FROM, MAX_RATIO * packed):
        raise DataError(label, "", f"expected to unpack to at most {MAX_RATIO} times its size")


def _broken(label: str, error: Exception) -> DataError:
    return DataError(label, "", f"expected a whole, readable file, but: {error}")


class Member(NamedTuple):
    """A file, loose or in a zip: how errors call it, and how it is opened."""

    label: str
    opener: Callable[[], AbstractContextManager[BinaryIO]]

    @contextmanager
    def open(self) -> Iterator[Stream]:
        """Its bytes as they are."""
        with ExitStack() as stack:
            try:
                file = stack.enter_context(self.opener())
            except _FAULTS as error:
                raise _broken(self.label, error) from error
            yield Stream(file, self.label)

    @contextmanager
    def open_gzip(self) -> Iterator[Stream]:
        """Its bytes, gunzipped."""
        with self.open() as packed, gzip.GzipFile(fileobj=packed, mode="rb") as file:
            yield Stream(file, self.label, packed)

    def open_text(self):
        """Its bytes, gunzipped if its name ends in ``.gz``."""
        return self.open_gzip() if self.label.endswith(".gz") else self.open()


def loose(path: Path) -> Member:
    return Member(str(path), lambda: open(path, "rb"))


def read_through(path: Path, name: str) -> None:
    """Read all of a zip or gzip, by the suffix of ``name``: they carry checksums. DataError if broken."""
    if name.endswith(".zip"):
        with open_zip(path) as members:
            for member in members.values():
                with member.open() as file:
                    _exhaust(file)
    elif name.endswith(".gz"):
        with loose(path).open_gzip() as file:
            _exhaust(file)


def _exhaust(file: Stream | BinaryIO) -> None:
    while file.read(2**20):
        pass


@contextmanager
def open_members(path, zip_name: str | None = None) -> Iterator[dict[str, Member]]:
    """The files of a raw data set by their relative names.

    ``path`` is a zip, a folder with one zip (or one called ``zip_name``) or a folder of unpacked
    files. Files that lie beside the zip count as well, unless the zip has one of that name.
    """
    path = Path(path)
    if not path.exists():
        raise DataError(path, "", "expected a file, a zip or a folder here, found nothing")
    if not (path.is_file() or path.is_dir()):
        raise DataError(path, "", "expected a file, a zip or a folder here, found a device or a pipe")
    folder = path if path.is_dir() else path.parent
    archive = _the_zip(path, zip_name) if path.is_dir() else path
    files = folder.iterdir() if archive else folder.rglob("*")
    members = {
        file.relative_to(folder).as_posix(): loose(file) for file in sorted(files) if file.is_file() and file != archive
    }
    with ExitStack() as stack:
        if archive:
            packed = stack.enter_context(open_zip(archive))
            names = {_base(name) for name in packed}
            members = {name: it for name, it in members.items() if name not in names} | packed
        yield members


@contextmanager
def open_one(path, pattern: str, what: str) -> Iterator[Member]:
    """``path`` if it is a file and no zip; or the one file of a zip or folder whose name is like ``pattern``."""
    path = Path(path)
    if path.is_file() and path.suffix != ".zip":
        yield loose(path)
        return
    with open_zip(path) if path.is_file() else open_members(path) as members:
        names = [name for name in members if re.fullmatch(pattern, _base(name))]
        if len(names) != 1:
            raise DataError(path, "", f"expected one {what} here, found {', '.join(names[:5]) or 'none'}")
        yield members[names[0]]


def tar_members(path: Path) -> dict[str, Member]:
    """The files of a ``.tar.gz`` by their names without folders; each opening reads it from its start."""
    packed, members = path.stat().st_size, {}
    try:
        with gzip.open(path) as unpacked, tarfile.open(fileobj=unpacked, mode="r|") as archive:
            for info in archive:
                label = f"{path}/{info.name}"
                check_size(label, info.size, packed)
                if _base(info.name) in members:
                    raise DataError(label, "", "expected each file once in the archive")
                if info.isfile():
                    members[_base(info.name)] = Member(label, partial(_open_in_tar, path, info.name))
            _exhaust(unpacked)  # its end tells whether it is whole
    except _FAULTS as error:
        raise _broken(str(path), error) from error
    return members


@contextmanager
def _open_in_tar(path: Path, name: str) -> Iterator[BinaryIO]:
    with gzip.open(path) as unpacked, tarfile.open(fileobj=unpacked, mode="r|") as archive:
        yield archive.extractfile(next(info for info in archive if info.name == name))


def find(members: dict[str, Member], name: str, path) -> Member | None:
    """The one member called ``name`` (``file`` or ``folder/file``), wherever it lies; None if there is none."""
    found = [full for full in members if f"/{full}".endswith(f"/{name}")]
    if len(found) > 1:
        raise DataError(path, "", f"expected one {name}, found {', '.join(found)}")
    return members[found[0]] if found else None


def need(members: dict[str, Member], name: str, path) -> Member:
    """The one member called ``name``; a DataError if there is none."""
    return found(find(members, name, path), name, path)


def find_either(members: dict[str, Member], name: str, path) -> Member | None:
    """The one member called ``name`` or ``name.gz``; None if there is neither."""
    plain, packed = find(members, name, path), find(members, f"{name}.gz", path)
    if plain and packed:
        raise DataError(path, "", f"expected {name} or {name}.gz, found both")
    return plain or packed


def found(member: Member | None, name: str, path) -> Member:
    """``member``; a DataError if it is None."""
    if member is None:
        raise DataError(path, "", f"expected a file {name} there, loose or in the zip")
    return member


def _base(name: str) -> str:
    return name.rpartition("/")[2]


def _the_zip(folder: Path, preferred: str | None) -> Path | None:
    zips = sorted(folder.glob("*.zip"))
    if preferred and folder / preferred in zips:
        return folder / preferred
    if len(zips) > 1:
        names = ", ".join(file.name for file in zips[:5])
        raise DataError(folder, "", f"expected one zip in the folder, found {names}")
    return zips[0] if zips else None


@contextmanager
def open_zip(path: Path) -> Iterator[dict[str, Member]]:
    try:
        archive = zipfile.ZipFile(path)
    except (*_FAULTS, ValueError) as error:
        raise DataError(path, "", f"expected a whole zip file, but: {error}") from error
    with archive:
        yield _checked_members(archive, path)


def _checked_members(archive: zipfile.ZipFile, path: Path) -> dict[str, Member]:
    members = {}
    for info in archive.infolist():
        label = f"{path}/{info.filename}"
        parts = PurePosixPath(info.filename.replace("\\", "/")).parts
        if not parts or parts[0] == "/" or ".." in parts or ":" in parts[0]:
            raise DataError(path, info.filename, "expected members with relative paths and no '..'")
        if info.filename in members:
            raise DataError(label, "", "expected each member once in the zip")
        check_size(label, info.file_size, info.compress_size)
        if not info.is_dir() and parts[0] != "__MACOSX":  # where macOS puts file attributes
            members[info.filename] = Member(label, lambda info=info: archive.open(info))
    return members


def lines(file, name) -> Iterator[tuple[int, bytes]]:
    """(line number, line) of a binary ``file``, without a byte order mark; lines end at ``\\n`` only."""
    for number in count(1):
        line = file.readline(MAX_LINE + 1)
        if not line:
            return
        if len(line) > MAX_LINE:
            raise DataError(name, f"line {number}", f"expected at most {MAX_LINE} bytes a line")
        yield number, line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line


def text_lines(file, name) -> Iterator[tuple[int, str]]:
    """The same as text; a DataError for what is not UTF-8."""
    for number, line in lines(file, name):
        try:
            yield number, line.decode()
        except UnicodeDecodeError as error:
            raise DataError(name, f"line {number}", f"expected UTF-8, byte {error.start + 1} is not") from error


def json_lines(file, name) -> Iterator[tuple[int, dict]]:
    """(line number, object) for each line of a binary ``file`` of JSON objects.

    U+2028 and its like are text. Blank lines may stand at the end.
    """
    blank = None
    for number, line in lines(file, name):
        if not line.strip():
            blank = blank or number
            continue
        if blank:
            raise DataError(name, f"line {blank}", "expected a JSON object, found a blank line")
        yield number, json_object(line, name, f"line {number}")


def json_array(file, name, field: str) -> Iterator[tuple[int, dict]]:
    """(number from 1, object) for each entry of the list that is the only ``field`` of a JSON object, streamed.

    Bytes that are no UTF-8 become U+FFFD.
    """
    text = _Text(file)
    if not text.skip(rf'\ufeff?\s*\{{\s*"{field}"\s*:\s*\['):
        raise DataError(name, "", f'expected JSON that begins with {{"{field}": [')
    for number in count(1):
        if text.skip(r"\s*\]\s*\}\s*"):
            break
        if number > 1 and not text.skip(r"\s*,"):
            raise DataError(name, f"entry {number}", "expected a comma or the end of the list")
        yield number, text.json_object(name, f"entry {number}")
    if text.more():
        raise DataError(name, "", "expected nothing after the list and the object around it")


class _Text:
    """Text of a binary file, as much of it in memory as a match or an object needs."""

    def __init__(self, file):
        self._file, self._decode = file, codecs.getincrementaldecoder("utf-8")("replace").decode
        self._text, self._at, self._ended = "", 0, False

    def more(self, size: int = 2**16) -> bool:
        """Read on; whether there is any text ahead."""
        if not self._ended:
            data = self._file.read(size)
            self._ended = not data
            self._text, self._at = self._text[self._at :] + self._decode(data, not data), 0
        return self._at < len(self._text)

    def skip(self, pattern: str) -> bool:
        """Go past ``pattern`` if it is ahead; white space may be long."""
        while True:
            found = re.compile(pattern).match(self._text, self._at)
            if found and (found.end() < len(self._text) or self._ended):
                self._at = found.end()
                return True
            rest = self._text[self._at : self._at + 2**10]
            if (not found and rest.strip() and len(rest) == 2**10) or self._ended:
                return False
            if len(self._text) - self._at > MAX_LINE:
                return False
            self.more(max(2**16, len(self._text)))

    def json_object(self, name, where: str) -> dict:
        """The object ahead, of at most MAX_LINE characters."""
        self.skip(r"\s*")
        while True:
            try:
                value, self._at = _decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                ahead = len(self._text) - self._at
                if self._text[self._at : self._at + 1] in ("{", "") and ahead <= MAX_LINE and not self._ended:
                    self.more(max(2**16, ahead))
                    continue
                raise DataError(name, where, f"expected a JSON object, but: {error.msg}") from error
            except (ValueError, RecursionError) as error:
                raise DataError(name, where, f"expected a JSON object, but: {error}") from error
            if not isinstance(value, dict):
                raise DataError(name, where, f"expected a JSON object, found {kind(value)}")
            return value


def read_json(member: Member) -> dict:
    """The JSON object that is the whole of ``member``."""
    with member.open() as file:
        data = file.read(MAX_LINE + 1)
    if len(data) > MAX_LINE:
        raise DataError(member.label, "", f"expected at most {MAX_LINE} bytes")
    return json_object(data.removeprefix(b"\xef\xbb\xbf"), member.label, "")


def json_object(data: bytes, file, where: str) -> dict:
    """The JSON object in ``data``; NaN, infinities and numbers of thousands of digits are none."""
    try:
        value = _decoder.decode(data.decode())
    except UnicodeDecodeError as error:
        raise DataError(file, where, f"expected UTF-8, byte {error.start + 1} is not") from error
    except json.JSONDecodeError as error:
        expected = f"expected a JSON object, but: {error.msg} at character {error.pos + 1}"
        raise DataError(file, where, expected) from error
    except (ValueError, RecursionError) as error:
        raise DataError(file, where, f"expected a JSON object, but: {error}") from error
    if not isinstance(value, dict):
        raise DataError(file, where, f"expected a JSON object, found {kind(value)}")
    return value


def _refuse_constant(name: str):
    raise ValueError(f"{name} is no JSON value")


_decoder = json.JSONDecoder(parse_constant=_refuse_constant)
