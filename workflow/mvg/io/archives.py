"""The files in zips, tars and folders, by name. Nothing is unpacked to disk."""

import gzip
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from .errors import DataError
from .members import FAULTS, Member, Stream, broken, check_size, loose


def read_through(path: Path, name: str) -> None:
    """Read a zip or gzip (by the suffix of ``name``) to its end, which verifies its checksums. DataError if broken."""
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
    """The files of a raw dataset by their relative names.

    If ``path`` is a folder: its files, and those in its zips as ``<zip>/<name>``; if it holds the zip ``zip_name``,
    only that zip is opened. If ``path`` is a zip: its files, and files beside it whose names are not in it. Names
    that begin with a dot are ignored.
    """
    path = Path(path)
    if not path.exists():
        raise DataError(path, "", "expected a file, a zip or a folder here, found nothing")
    if not (path.is_file() or path.is_dir()):
        raise DataError(path, "", "expected a file, a zip or a folder here, found a device or a pipe")
    with ExitStack() as stack:
        if path.is_file():
            packed = stack.enter_context(open_zip(path))
            names = {_base(name) for name in packed}
            yield {name: it for name, it in _loose_files(path.parent).items() if name not in names} | packed
            return
        members = _loose_files(path, "**/*")
        zips = [name for name in members if "/" not in name and _is_zip(name)]
        for name in [zip_name] if zip_name in zips else zips:
            packed = stack.enter_context(open_zip(path / name))
            members |= {f"{name}/{inner}": member for inner, member in packed.items()}
        yield {name: member for name, member in members.items() if name not in zips}


def _loose_files(folder: Path, pattern: str = "*") -> dict[str, Member]:
    files = {file.relative_to(folder).as_posix(): file for file in sorted(folder.glob(pattern)) if file.is_file()}
    return {name: loose(file) for name, file in files.items() if "/." not in f"/{name}"}


def _is_zip(name: str) -> bool:
    return name.lower().endswith(".zip")


@contextmanager
def open_all(path, pattern: str, what: str) -> Iterator[list[Member]]:
    """``path`` itself if it is a file but no zip; otherwise the files of a zip or folder whose names match ``pattern``.

    Raises DataError if there is none.
    """
    path = Path(path)
    if path.is_file() and not _is_zip(path.name):
        yield [loose(path)]
        return
    with open_zip(path) if path.is_file() else open_members(path) as members:
        found = [member for name, member in members.items() if re.fullmatch(pattern, _base(name), re.I)]
        if not found:
            raise DataError(path, "", f"expected one {what} here, found none")
        yield found


@contextmanager
def open_one(path, pattern: str, what: str) -> Iterator[Member]:
    """The same if there must be exactly one."""
    with open_all(path, pattern, what) as found:
        yield the_one(found, what, path)


def the_one(found: list[Member], what: str, path) -> Member:
    """The only one of some members; identical copies count as one. Raises DataError if they differ."""
    if len(found) > 1 and len({_checksum(member) for member in found}) > 1:
        names = ", ".join(member.label.removeprefix(f"{path}/") for member in found[:5])
        raise DataError(path, "", f"expected one {what} here, found {names}, which differ")
    return found[0]


def _checksum(member: Member) -> int:
    checksum = 0
    with member.open() as file:
        while data := file.read(2**20):
            checksum = zlib.crc32(data, checksum)
    return checksum


def tar_members(path: Path) -> dict[str, Member]:
    """The files of a ``.tar.gz`` by their names without folders. Opening one reads the archive from its start."""
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
            _exhaust(unpacked)  # only its end shows whether it is complete
    except FAULTS as error:
        raise broken(str(path), error) from error
    return members


@contextmanager
def _open_in_tar(path: Path, name: str) -> Iterator[BinaryIO]:
    with gzip.open(path) as unpacked, tarfile.open(fileobj=unpacked, mode="r|") as archive:
        yield archive.extractfile(next(info for info in archive if info.name == name))


def find(members: dict[str, Member], name: str, path) -> Member | None:
    """The one member called ``name`` (``file`` or ``folder/file``), in any folder and case; None if there is none."""
    found = [member for full, member in members.items() if f"/{full}".lower().endswith(f"/{name}".lower())]
    return the_one(found, name, path) if found else None


def need(members: dict[str, Member], name: str, path) -> Member:
    """The one member called ``name``. Raises DataError if there is none."""
    return found(find(members, name, path), name, path)


def find_either(members: dict[str, Member], name: str, path) -> Member | None:
    """The one member called ``name`` or ``name.gz``; None if there is neither."""
    plain, packed = find(members, name, path), find(members, f"{name}.gz", path)
    if plain and packed:
        raise DataError(path, "", f"expected {name} or {name}.gz, found both")
    return plain or packed


def found(member: Member | None, name: str, path) -> Member:
    """``member``. Raises DataError if it is None."""
    if member is None:
        raise DataError(path, "", f"expected a file {name} there, loose or in the zip")
    return member


def _base(name: str) -> str:
    return name.rpartition("/")[2]


@contextmanager
def open_zip(path: Path) -> Iterator[dict[str, Member]]:
    try:
        archive = zipfile.ZipFile(path)
    except (*FAULTS, ValueError) as error:
        raise DataError(path, "", f"expected a whole zip file, but: {error}") from error
    with archive:
        yield _checked_members(archive, path)


def _checked_members(archive: zipfile.ZipFile, path: Path) -> dict[str, Member]:
    members = {}
    for info in archive.infolist():
        name = info.filename.replace("\\", "/")  # as some programs of Windows write it
        label, parts = f"{path}/{name}", PurePosixPath(name).parts
        if not parts or parts[0] == "/" or ".." in parts or ":" in parts[0]:
            raise DataError(path, info.filename, "expected members with relative paths and no '..'")
        if name in members:
            raise DataError(label, "", "expected each member once in the zip")
        check_size(label, info.file_size, info.compress_size)
        if not name.endswith("/") and parts[0] != "__MACOSX":  # where macOS puts file attributes
            members[name] = Member(label, lambda info=info: archive.open(info))
    return members
