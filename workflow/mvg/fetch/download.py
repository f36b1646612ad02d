"""Fetches the public originals listed in ``downloads.yaml`` into a folder with the layout of ``raw_dir``."""

import html
import json
import re
from importlib import resources
from pathlib import Path

import yaml

from ..io.checksums import MANIFEST, digest, listed_md5
from ..io.errors import DataError
from ..io.files import text_writer
from .transfer import File, fetch


def catalogue() -> dict:
    """The contents of ``downloads.yaml``, by dataset."""
    return yaml.safe_load(resources.files(__package__).joinpath("downloads.yaml").read_text(encoding="utf-8"))


def download(
    dataset: str,
    folder,
    year: int | None = None,
    files: int | None = None,
    entry: dict | None = None,
    progress=lambda name, done, total: None,
) -> None:
    """Fetch the files of ``dataset`` into ``folder``, then write ``downloaded.json`` there.

    ``year`` and ``files`` are for a dataset that is a directory listing. Of the files of the year (by
    default the last year listed), ``files`` are fetched, spread evenly from the first to the last (by
    default all), each checked against the ``.md5`` beside it. ``downloaded.json`` lists the files of the
    dataset: name, url, bytes, sha256, and what they were checked against. ``entry`` replaces the dataset's
    entry of ``downloads.yaml``.
    Raises DataError if a file cannot be fetched; its line says what to do by hand.
    """
    folder = Path(folder)
    entry = entry or catalogue()[dataset]
    wanted = []

    def get(file: File) -> Path:
        return fetch(file, folder, lambda done, total: progress(file.name, done, total))

    if "listing" in entry:
        year, names, base = _listed(entry["listing"], folder, year, get)
        for name in some_of(names, files):
            urls = tuple(url + name for url in base)
            wanted.append(File(name, urls, md5=_md5_beside(name, urls, folder, get)))
    wanted += [_file(described, year) for described in entry["files"]]
    seen = [_seen(file, get(file)) for file in wanted]
    with text_writer(folder / MANIFEST) as manifest:
        text = {"dataset": dataset, "title": entry["title"], "licence": entry["licence"], "citation": entry["citation"]}
        manifest.write(json.dumps(text | {"year": year, "files": seen}, indent=2, ensure_ascii=False) + "\n")


def _listed(listing: dict, folder: Path, year: int | None, get) -> tuple[int, list[str], list[str]]:
    """(year, names of its files in order, urls of the directory)."""
    page = get(File("listing.html", tuple(listing["urls"])))
    text = html.unescape(page.read_text(encoding="utf-8", errors="replace"))
    page.unlink()
    years = re.findall(listing["names"].replace("{yy}", r"(\d\d)"), text)
    if not years:
        expected = (
            f"expected names like {listing['names']} in {listing['urls'][0]}, found none; look at it in a browser"
        )
        raise DataError(folder, "", expected)
    latest = 2000 + int(max(years))
    names = sorted(set(re.findall(listing["names"].replace("{yy}", f"{(year or latest) % 100:02d}"), text)))
    if not names:
        expected = f"expected files of {year} in {listing['urls'][0]}, found those of {latest}: set the year to that"
        raise DataError(folder, "", expected)
    return year or latest, names, listing["urls"]


def _md5_beside(name: str, urls: tuple[str, ...], folder: Path, get) -> str:
    """The digest in the ``.md5`` of a file. It is fetched again as long as the file is not there."""
    note = folder / f"{name}.md5"
    if not (folder / name).exists():
        note.unlink(missing_ok=True)
    get(File(note.name, tuple(f"{url}.md5" for url in urls)))
    try:
        return listed_md5(note)
    except DataError:
        note.unlink()
        raise


def some_of(names: list[str], wanted: int | None) -> list[str]:
    """``wanted`` of ``names``, spread evenly from the first to the last."""
    wanted = min(wanted or len(names), len(names))
    return [names[place * len(names) // wanted] for place in range(wanted)]


def _file(described: dict, year: int | None) -> File:
    name, urls = described["name"], described["urls"]
    return File(
        name.replace("{year}", str(year)),
        tuple(url.replace("{year}", str(year)) for url in urls),
        described.get("size"),
        described.get("sha256", ""),
        described.get("md5", ""),
    )


def _seen(file: File, path: Path) -> dict:
    vouched = "sha256 of downloads.yaml" if file.sha256 else "md5" if file.md5 else "itself: no checksum is known"
    return {
        "name": file.name,
        "url": file.urls[0],
        "bytes": path.stat().st_size,
        "sha256": digest(path, "sha256"),
        "checked_against": vouched,
    }
