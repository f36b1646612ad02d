"""One file over HTTP from servers that cut, stall, lie and send pages instead of files.

What has come so far lies in ``<name>.part``; it is renamed when it is whole.
"""

import http.client
import os
import re
import shutil
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode, urljoin, urlsplit

from ..io.archives import MAX_UNPACKED, read_through
from ..io.checksums import digest
from ..io.errors import DataError, one_line

CHUNK = 2**16
PAGE = 2**20  # bytes of a web page that are read
SPARE = 64 * 2**20  # bytes of the disk to leave free
USER_AGENT = "mvg-download/1 (+python-urllib)"
PASSING = {408, 425, 429, 500, 502, 503, 504}  # answers that another try may better


class File(NamedTuple):
    """A file to fetch: places in the order to try, and what vouches for it (empty if nothing does)."""

    name: str
    urls: tuple[str, ...]
    size: int | None = None  # bytes
    sha256: str = ""
    md5: str = ""

    @property
    def vouched(self) -> bool:
        return bool(self.sha256 or self.md5)


class Patience(NamedTuple):
    """How long to bear with a server (seconds, bytes)."""

    waits: tuple[float, ...] = (2, 15, 60)  # before each retry
    longest_wait: float = 300  # whatever Retry-After asks for
    silence: float = 60  # without a byte
    window: float = 60  # over which the speed is measured
    slowest: float = 1000  # bytes a second; less counts as a cut
    gain: int = 2**20  # bytes that a try must add, where it can be resumed, to count for nothing
    sleep: Callable[[float], None] = time.sleep


PATIENCE = Patience()


class Failed(Exception):
    """Why a try failed; ``again``: whether another may do better; ``after``: seconds the server asks for."""

    def __init__(self, reason: str, again: bool, after: float = 0):
        super().__init__(one_line(reason, 120))
        self.again, self.after = again, after


def fetch(file: File, folder, patience=PATIENCE, say=lambda line: None, progress=lambda done, total: None) -> Path:
    """``folder/<file.name>``, whole. One that is there and whole is not fetched again.

    Each url is tried 1 + ``len(patience.waits)`` times, resuming where the server can; tries that
    brought ``patience.gain`` bytes are not counted. ``progress`` is told bytes done and in all (or None).
    Raises DataError, with what to do by hand, if no url gives the file, or the disk is too full.
    """
    target = Path(folder) / file.name
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists() and not fault(target, file):
        return target
    part = target.with_name(f"{file.name}.part")
    reasons = []
    for url in file.urls:
        if not file.vouched:  # nothing would tell a mix of two versions
            part.unlink(missing_ok=True)
        try:
            _try(url, file, part, patience, say, progress)
            os.replace(part, target)
            return target
        except Failed as error:
            reasons.append(f"{urlsplit(url).netloc}: {error}")
            say(f"{url}: {error}")
    if not file.vouched:
        part.unlink(missing_ok=True)
    raise DataError(target, "", f"expected to fetch it; put {file.urls[0]} there by hand. {'; '.join(reasons)}")


def _try(url: str, file: File, part: Path, patience: Patience, say, progress) -> None:
    """Fetch ``part`` from ``url`` with retries; Failed if it does not get whole."""
    waits = list(patience.waits)
    most = _size(part)
    while True:
        before = _size(part)
        try:
            _transfer(url, file, part, patience, progress)
            if reason := fault(part, file):
                part.unlink()
                raise Failed(reason, again=before > 0)  # of two versions, perhaps
            return
        except Failed as error:
            if _size(part) - most >= patience.gain:
                most, waits = _size(part), list(patience.waits)
            if not (error.again and waits):
                raise
            wait = min(max(waits.pop(0), error.after), patience.longest_wait)
            say(f"{url}: {error}; again in {wait:g} s")
            patience.sleep(wait)


def _transfer(url: str, file: File, part: Path, patience: Patience, progress) -> None:
    """Add to ``part`` what the server sends, from where it ends if the server can."""
    done = _size(part)
    if file.size and done >= file.size:
        return
    try:
        with _open(url, file, done, patience) as response:
            done, total = _offered(response, done, part)
            if file.size and total not in (None, file.size):
                raise Failed(f"it offers {total} bytes, expected {file.size}", again=False)
            _check_disk(part.parent, (file.size or total or 0) - done)
            with open(part, "ab" if done else "wb") as output:
                for chunk in _chunks(response, patience):
                    _write(output, chunk)
                    done += len(chunk)
                    if done > (file.size or MAX_UNPACKED):
                        raise Failed("it sends more than it should", again=False)
                    progress(done, file.size or total)
    except (OSError, http.client.HTTPException) as error:
        raise Failed(f"{type(error).__name__}: {error}", again=True) from error
    whole = file.size or total
    if whole and done < whole:
        raise Failed(f"cut off after {done} of {whole} bytes", again=True)


def _write(output, chunk: bytes) -> None:
    try:
        output.write(chunk)
        output.flush()
    except OSError as error:  # not the server's fault
        raise DataError(output.name, "", f"expected room to write to, but: {error.strerror}") from error


def _open(url: str, file: File, done: int, patience: Patience):
    """The response to ``url``, behind a page that asks to confirm; Failed for other pages."""
    response = _request(url, done, patience)
    if not _is_page(response, file):
        return response
    with response:
        page = response.read(PAGE)
    if confirmed := _form_url(page, response.url):
        response = _request(confirmed, done, patience)
        if not _is_page(response, file):
            return response
        with response:
            page = response.read(PAGE)
    raise Failed(f"it sends a web page, not the file{_title(page)}", again=False)


def _request(url: str, done: int, patience: Patience):
    if urlsplit(url).scheme not in ("http", "https"):
        raise Failed(f"it leads to {url}", again=False)
    headers = {"User-Agent": USER_AGENT, "Accept-Encoding": "identity"}
    if done:
        headers["Range"] = f"bytes={done}-"
    try:
        return urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=patience.silence)
    except urllib.error.HTTPError as error:
        with error:
            raise _refusal(error, done) from error


def _refusal(error: urllib.error.HTTPError, done: int) -> Failed:
    if 300 <= error.code < 400:
        return Failed("it redirects in a circle", again=False)
    after = _retry_after(error.headers.get("Retry-After"))
    again = error.code in PASSING or after is not None or (error.code == 416 and done > 0)
    return Failed(f"it says {error.code} {error.reason}", again, after or 0)


def _retry_after(value: str | None) -> float | None:
    """Seconds, from a number of them or a date."""
    if not value:
        return None
    if value.strip().isdecimal():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None


def _offered(response, done: int, part: Path) -> tuple[int, int | None]:
    """(bytes that count as done, bytes in all if the server says so)."""
    if response.status == 206:
        found = re.fullmatch(r"bytes (\d{1,18})-\d+/(\d{1,18}|\*)", response.headers.get("Content-Range", ""))
        if not found or int(found[1]) != done:
            part.unlink(missing_ok=True)
            raise Failed("it resumes at another place than asked", again=True)
        return done, None if found[2] == "*" else int(found[2])
    return 0, response.length  # all of it, from the start


def _chunks(response, patience: Patience):
    """What comes, as it comes; Failed if it comes too slowly."""
    start, came = time.monotonic(), 0
    while chunk := response.read1(CHUNK):
        yield chunk
        came += len(chunk)
        if (passed := time.monotonic() - start) > patience.window:
            if came < patience.slowest * passed:
                raise Failed(f"it sends {came / passed:.0f} bytes a second", again=True)
            start, came = time.monotonic(), 0


def _check_disk(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if needed + SPARE > free:
        raise DataError(folder, "", f"expected {needed + SPARE:,} bytes free on the disk, found {free:,}")


def fault(path: Path, file: File) -> str:
    """What is wrong with ``path`` as ``file``; empty if nothing is."""
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


# Web pages


def _is_page(response, file: File) -> bool:
    start = response.peek(64).lstrip()[:14].lower() if response.status == 200 else b""
    return not file.name.endswith(".html") and start.startswith((b"<!doctype html", b"<html"))


def _form_url(page: bytes, base: str) -> str:
    """Where the form "download-form" of Google Drive's page leads; empty if there is none."""
    form = _Form()
    form.feed(page.decode("utf-8", "replace"))
    return f"{urljoin(base, form.action)}?{urlencode(form.fields)}" if form.action else ""


class _Form(HTMLParser):
    def __init__(self):
        super().__init__()
        self.action, self.fields = "", {}

    def handle_starttag(self, tag, attrs):
        found = {name: value or "" for name, value in attrs}
        if tag == "form" and found.get("id") == "download-form":
            self.action = found.get("action", "")
        elif tag == "input" and self.action and found.get("type") == "hidden":
            self.fields[found.get("name", "")] = found.get("value", "")


def _title(page: bytes) -> str:
    found = re.search(rb"<title[^>]*>([^<]*)", page, flags=re.I)
    return f" ({found[1].decode('utf-8', 'replace').strip()})" if found else ""
