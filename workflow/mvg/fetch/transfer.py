"""Fetches one file over HTTP from servers that cut, stall, lie and send web pages instead of files.

The bytes received so far are in ``<name>.part``, which is renamed once it is complete.
"""

import logging
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from html.parser import HTMLParser
from itertools import chain
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

import requests
import urllib3
from requests.adapters import HTTPAdapter
from urllib3.exceptions import HTTPError, IncompleteRead, InvalidHeader

from ..io.archives import read_through
from ..io.checksums import digest
from ..io.errors import DataError, one_line
from ..io.members import MAX_UNPACKED

CHUNK = 2**16
PAGE = 2**20  # bytes of a web page that are read
DISK_RESERVE = 64 * 2**20  # bytes of the disk to leave free
SILENCE = 60  # seconds without a byte
WINDOW, SLOWEST = 60, 1000  # seconds over which speed is measured; bytes a second, below which it counts as a cut
GAIN = 2**20  # bytes; a cut after this many new bytes does not count as a failed try
HEADERS = {"User-Agent": "mvg-download/2 (+python-requests)", "Accept-Encoding": "identity"}
logger = logging.getLogger(__name__)


class File(NamedTuple):
    """A file to fetch: its urls in the order to try, and its checksums (empty if unknown)."""

    name: str
    urls: tuple[str, ...]
    size: int | None = None  # bytes
    sha256: str = ""
    md5: str = ""

    @property
    def vouched(self) -> bool:
        return bool(self.sha256 or self.md5)


class Retry(urllib3.Retry):
    """urllib3's Retry, which also logs why it waits, and ignores a Retry-After that it cannot parse."""

    def parse_retry_after(self, retry_after):
        try:
            return super().parse_retry_after(retry_after)
        except (InvalidHeader, ValueError, OverflowError):
            return 0

    def sleep(self, response=None):
        last = self.history[-1]
        wait = (response and self.get_retry_after(response)) or self.get_backoff_time()
        logger.info("%s: %s; again in %g s", last.url, last.status or _cause(last.error), wait)
        time.sleep(wait)


RETRY = Retry(  # after 0, 15, 30 and 60 seconds, or what Retry-After asks for
    total=4,
    backoff_factor=7.5,
    retry_after_max=300,
    status_forcelist=(408, 425, 429, 500, 502, 503, 504),
    raise_on_status=False,
)


class Failed(Exception):
    """The url does not deliver the file."""


class Cut(HTTPError):
    """The transfer ended early; the next one resumes there."""


class Unfit(Cut):
    """The bytes received are useless; the next transfer starts from the beginning."""


def fetch(file: File, folder, progress=lambda done, total: None) -> Path:
    """Fetch ``folder/<file.name>`` and return its path. A complete file is not fetched again.

    ``progress`` receives bytes done and in total (or None). Raises DataError, which says what to do by
    hand, if no url delivers the file or the disk is too full.
    """
    target = Path(folder) / file.name
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists() and not fault(target, file):
        return target
    part = target.with_name(f"{file.name}.part")
    reasons = []
    for url in file.urls:
        logger.info("%s: from %s", file.name, url)
        try:
            _fetch_from(url, file, part, progress)
            os.replace(part, target)
            return target
        except DataError:
            raise
        except (Failed, HTTPError, requests.RequestException, ValueError) as error:  # ValueError: malformed addresses
            reasons.append(f"{urlsplit(url).netloc}: {one_line(_cause(error), 120)}")
            logger.info(reasons[-1])
    if not file.vouched:
        part.unlink(missing_ok=True)
    raise DataError(target, "", f"could not be fetched; put {file.urls[0]} there by hand. {'; '.join(reasons)}")


def _fetch_from(url: str, file: File, part: Path, progress) -> None:
    """Fetch ``part`` from ``url``. The session repeats failed requests; this function resumes cut bodies."""
    retry, most, version = RETRY, _size(part), ""
    with requests.Session() as session:
        session.headers.update(HEADERS)
        for scheme in ("http://", "https://"):
            session.mount(scheme, HTTPAdapter(max_retries=RETRY))
        while True:
            # Without a checksum or a version, a mix of two versions would go unnoticed.
            done = _size(part) if file.vouched or version else 0
            try:
                if not file.size or done < file.size:
                    headers = {"Range": f"bytes={done}-", "If-Range": version or None} if done else {}
                    response, chunks = _open(session, url, headers, file)
                    with response:
                        start, whole = _offered(response, file, done)
                        version = version if start else _version(response)
                        _write(chunks, part, start, whole, progress)
                if not (reason := fault(part, file)):
                    return
                raise Unfit(reason) if done else Failed(reason)
            except HTTPError as error:
                if isinstance(error, Unfit):
                    part.unlink(missing_ok=True)
                if _size(part) - most >= GAIN:
                    retry, most = RETRY, _size(part)
                retry = retry.increment("GET", url, error=error)
                retry.sleep()


def _open(session: requests.Session, url: str, headers: dict, file: File, fields=None):
    """(response, its chunks), past a web page that asks for confirmation. Raises Failed for any other page."""
    response = session.get(url, params=fields, headers=headers, stream=True, timeout=SILENCE)
    if response.status_code not in (200, 206):
        response.close()
        refusal = Unfit if response.status_code == 416 and headers else Failed
        raise refusal(f"it says {response.status_code} {response.reason}")
    chunks = _chunks(response.raw)
    head = _next(chunks, 64)
    is_page = response.status_code == 200 and re.match(rb"(?i)\s*<(!doctype html|html)", head)
    if not is_page or file.name.endswith(".html"):
        return response, chain([head], chunks)
    with response:
        head += _next(chunks, PAGE)
    page = _Page()
    with suppress(AssertionError):  # which HTMLParser raises for malformed markup
        page.feed(head.decode("utf-8", "replace"))
    if page.action and fields is None:
        return _open(session, urljoin(response.url, page.action), headers, file, page.fields)
    raise Failed(f"it sends a web page, not the file ({page.title.strip()})")


def _chunks(raw: urllib3.BaseHTTPResponse) -> Iterator[bytes]:
    """The raw bytes as they arrive, not decoded: a checksum is that of the file, not of what a gzip contains."""
    start, came = time.monotonic(), 0
    while chunk := raw.read1(CHUNK, decode_content=False):
        yield chunk
        came += len(chunk)
        if (passed := time.monotonic() - start) > WINDOW:
            if came < SLOWEST * passed:
                raise Cut(f"it sends {came / passed:.0f} bytes a second")
            start, came = time.monotonic(), 0


def _next(chunks: Iterator[bytes], size: int) -> bytes:
    """The next ``size`` bytes or somewhat more; fewer at the end."""
    head = b""
    while len(head) < size and (chunk := next(chunks, b"")):
        head += chunk
    return head


def _offered(response: requests.Response, file: File, done: int) -> tuple[int, int | None]:
    """(byte at which the response starts, total bytes or None)."""
    if response.status_code == 206:
        found = re.fullmatch(r"bytes (\d{1,18})-\d+/(\d{1,18}|\*)", response.headers.get("Content-Range", ""))
        if not found or int(found[1]) != done:
            raise Unfit("it resumes at another place than asked")
        total = None if found[2] == "*" else int(found[2])
    else:
        done, left = 0, response.raw.length_remaining
        total = None if left is None else response.raw.tell() + left
    if file.size and total not in (None, file.size):
        raise Failed(f"it offers {total} bytes, expected {file.size}")
    return done, file.size or total


def _version(response: requests.Response) -> str:
    """A value for If-Range: a strong ETag, or a date; empty if there is neither."""
    tag = response.headers.get("ETag", "W/")
    return response.headers.get("Last-Modified", "") if tag.startswith("W/") else tag


def _write(chunks: Iterator[bytes], part: Path, done: int, whole: int | None, progress) -> None:
    """Write ``part`` from byte ``done`` on."""
    needed, free = (whole or 0) - done + DISK_RESERVE, shutil.disk_usage(part.parent).free
    if needed > free:
        raise DataError(part.parent, "", f"expected {needed:,} bytes free on the disk, found {free:,}")
    try:
        with open(part, "ab" if done else "wb") as output:
            for chunk in chunks:
                output.write(chunk)
                done += len(chunk)
                if done > (whole or MAX_UNPACKED):
                    raise Failed("it sends more than it should")
                progress(done, whole)
    except OSError as error:  # not the server's fault
        raise DataError(part, "", f"expected room to write to, but: {error.strerror}") from error
    if whole and done < whole:
        raise Cut(f"cut off after {done} of {whole} bytes")


def fault(path: Path, file: File) -> str:
    """What is wrong with ``path`` as a copy of ``file``; empty if nothing is."""
    size = _size(path)
    if file.size is not None and size != file.size:
        return f"it is {size} bytes, expected {file.size}"
    for algorithm, wanted in (("sha256", file.sha256), ("md5", file.md5)):
        if wanted and (found := digest(path, algorithm)) != wanted:
            return f"its {algorithm} is {found[:12]}…, expected {wanted[:12]}…"
    if file.vouched:
        return ""
    try:
        read_through(path, file.name)
    except DataError as error:
        return error.expected
    return "" if size else "it is empty"


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _cause(error: BaseException) -> str:
    """The message of the innermost of nested errors; the outer ones only repeat the address."""
    while error.__context__:
        error = error.__context__
    if isinstance(error, IncompleteRead):
        return f"cut off {error.expected} bytes before the end"
    return str(error) or type(error).__name__


class _Page(HTMLParser):
    """The title of a web page, and the target and fields of the form "download-form" of Google Drive."""

    def __init__(self):
        super().__init__()
        self.title, self.action, self.fields, self._tag = "", "", {}, ""

    def handle_starttag(self, tag, attrs):
        self._tag, found = tag, {name: value or "" for name, value in attrs}
        if tag == "form" and found.get("id") == "download-form":
            self.action = found.get("action", "")
        elif tag == "input" and self.action and found.get("type") == "hidden":
            self.fields[found.get("name", "")] = found.get("value", "")

    def handle_data(self, data):
        if self._tag == "title":
            self.title += data

    def handle_endtag(self, tag):
        self._tag = ""
