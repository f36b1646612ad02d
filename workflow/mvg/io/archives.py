"""The files of zips, tars and folders by their names. Nothing is unpacked to disk."""

import gzip
import re
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from .errors import DataError
from .members import FAULTS, Member, Stream, broken, check_size, loose


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
    except FAULTS as error:
        raise broken(str(path), error) from error
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
    except (*FAULTS, ValueError) as error:
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
