"""Downloads end in a right file, or in one line that says what to do by hand, whatever the server does."""

import gzip
import hashlib
import json
import random
import shutil
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
from misbehaving_server import Behaviour, Refuses, fail, serving
from raw_sets import RAW_FILES, write_zip

from mvg.fetch.download import catalogue, download, spread
from mvg.fetch.transfer import File, Patience, fetch
from mvg.io.errors import DataError

DATA = random.Random(0).randbytes(50_000)
SHA256, MD5 = hashlib.sha256(DATA).hexdigest(), hashlib.md5(DATA).hexdigest()
PAGE = b"<!DOCTYPE html><html><head><title>Log in</title></head></html>"


class Waits(list):
    """Waits that are noted, not waited."""

    def patience(self, **changes) -> Patience:
        return Patience(silence=1, window=0.3, sleep=self.append)._replace(**changes)


class Cuts(Behaviour):
    """Closes the connection at random places; each answer brings at least one byte."""

    random = random.Random(1)
    resumes = True

    def answer(self, request):
        self.asked.append(request.headers.get("Range"))
        start = self.start_of(request) if self.resumes else 0
        self.send(request, start, self.random.randint(start + 1, len(self.data)))


class CutsAndIgnoresRange(Cuts):
    resumes = False

    def answer(self, request):
        if len(self.asked) == 3:
            return Behaviour.send(self, request)
        super().answer(request)


class IgnoresRange(Behaviour):
    """Cut once; then the whole file again, whatever is asked."""

    def answer(self, request):
        self.asked.append(request.headers.get("Range"))
        self.send(request, stop=20_000 if len(self.asked) == 1 else None)


class ResumesElsewhere(Behaviour):
    def answer(self, request):
        self.asked.append(request.headers.get("Range"))
        if len(self.asked) == 1:
            return self.send(request, stop=20_000)
        self.send(request, start=10_000 if len(self.asked) == 2 else self.start_of(request))


class Length(Behaviour):
    """Promises another length than it sends."""

    def __init__(self, data, length):
        super().__init__(data)
        self.length = length

    def answer(self, request):
        self.asked.append(request.headers.get("Range"))
        self.send(request, length=self.length)


class Slow(Behaviour):
    def answer(self, request):
        self.asked.append(request.headers.get("Range"))
        self.send(request, start=self.start_of(request), pause=0.02)


class Silent(Behaviour):
    def answer(self, request):
        self.asked.append(request.headers.get("Range"))
        self.send(request, stop=100 if len(self.asked) == 1 else 0)
        request.rfile.read(1)  # until the client goes away


class Page(Behaviour):
    def answer(self, request):
        self.asked.append(request.headers.get("Range"))
        fail(request, 200, [("Content-Type", "application/zip")], self.data)


def get(folder, behaviour, patience=None, file=None, more=None):
    """Fetch ``data.bin`` from a server that has ``behaviour``."""
    with serving({"/a/data.bin": behaviour} | (more or {})) as address:
        urls = (f"{address}/a/data.bin", *(f"{address}{path}" for path in (more or {})))
        file = file or File("data.bin", (), len(DATA), SHA256)
        return fetch(file._replace(urls=urls), folder, patience or Waits().patience())


def refusal(folder, behaviour, **arguments) -> str:
    with pytest.raises(DataError) as error:
        get(folder, behaviour, **arguments)
    message = str(error.value)
    assert message.isprintable() and not (folder / "data.bin").exists()
    return message


@pytest.mark.parametrize(
    "behaviour",
    [Behaviour, Cuts, CutsAndIgnoresRange, IgnoresRange, ResumesElsewhere],
    ids=lambda behaviour: behaviour.__name__,
)
def test_the_file_is_right(tmp_path, behaviour):
    path = get(tmp_path, behaviour(DATA), patience=Waits().patience(gain=1))
    assert path.read_bytes() == DATA
    assert [file.name for file in tmp_path.iterdir()] == ["data.bin"]


def test_a_cut_is_resumed_where_it_was(tmp_path):
    server = Cuts(DATA)
    get(tmp_path, server, patience=Waits().patience(gain=1))
    starts = [int(asked.removeprefix("bytes=").removesuffix("-")) for asked in server.asked[1:]]
    assert server.asked[0] is None and starts and starts == sorted(set(starts))


def test_a_later_run_goes_on_with_what_came_before(tmp_path):
    (tmp_path / "data.bin.part").write_bytes(DATA[:30_000])
    server = Behaviour(DATA)
    assert get(tmp_path, server).read_bytes() == DATA
    assert server.asked == ["bytes=30000-"]


def test_a_part_of_something_else_is_fetched_again(tmp_path):
    (tmp_path / "data.bin.part").write_bytes(b"?" * 30_000)
    server = Behaviour(DATA)
    assert get(tmp_path, server).read_bytes() == DATA
    assert server.asked == ["bytes=30000-", None]


def test_a_part_that_is_whole_is_not_fetched(tmp_path):
    (tmp_path / "data.bin.part").write_bytes(DATA)
    server = Behaviour(DATA)
    assert get(tmp_path, server).read_bytes() == DATA and server.asked == []


def test_a_whole_file_is_never_fetched_again(tmp_path):
    (tmp_path / "data.bin").write_bytes(DATA)
    server = Behaviour(DATA)
    assert get(tmp_path, server).read_bytes() == DATA and server.asked == []


def test_a_broken_file_is_replaced(tmp_path):
    (tmp_path / "data.bin").write_bytes(DATA[:-1])
    assert get(tmp_path, Behaviour(DATA)).read_bytes() == DATA


def test_three_retries_with_growing_waits(tmp_path):
    waits, server = Waits(), Refuses(DATA, 503)
    assert "it says 503" in refusal(tmp_path, server, patience=waits.patience())
    assert waits == [2, 15, 60] and len(server.asked) == 4


@pytest.mark.parametrize("code", [403, 429, 503])
def test_retry_after_is_honoured_and_capped(tmp_path, code):
    waits = Waits()
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=100))
    server = Refuses(DATA, code, [("Retry-After", "120")], times=2)
    assert get(tmp_path / "seconds", server, patience=waits.patience()).read_bytes() == DATA
    assert waits == [120, 120]
    get(tmp_path / "date", Refuses(DATA, code, [("Retry-After", later)], times=1), patience=waits.patience())
    assert 95 < waits[2] <= 100
    get(tmp_path / "week", Refuses(DATA, code, [("Retry-After", "604800")], times=1), patience=waits.patience())
    assert waits[3] == 300


@pytest.mark.parametrize("code", [401, 403, 404, 410])
def test_what_will_not_change_is_not_retried(tmp_path, code):
    server = Refuses(DATA, code)
    assert f"it says {code}" in refusal(tmp_path, server) and len(server.asked) == 1


def test_mirrors_are_tried_in_order(tmp_path):
    first, second, third = Refuses(DATA, 404), Behaviour(b"stale" * 10_000), Behaviour(DATA)
    path = get(tmp_path, first, more={"/b/data.bin": second, "/c/data.bin": third})
    assert path.read_bytes() == DATA
    assert [len(server.asked) for server in (first, second, third)] == [1, 1, 1]


STALE = b"x" * len(DATA)
BAD_SERVERS = {
    "stale bytes": (lambda: Behaviour(STALE), "its sha256 is "),
    "another size": (lambda: Behaviour(DATA[:-7]), "it offers 49993 bytes, expected 50000"),
    "a length that is too small": (lambda: Length(DATA, 100), "it offers 100 bytes, expected 50000"),
    "a length that is too large": (lambda: Length(DATA, 60_000), "it offers 60000 bytes, expected 50000"),
    "a page with status 200": (lambda: Page(PAGE), "it sends a web page, not the file (Log in)"),
    "an empty answer": (lambda: Page(b""), "it offers 0 bytes, expected 50000"),
    "403": (lambda: Refuses(DATA, 403), "it says 403 Forbidden"),
    "429": (lambda: Refuses(DATA, 429), "it says 429 Too Many Requests"),
    "503 with a date": (lambda: Refuses(DATA, 503, [("Retry-After", "nonsense")]), "it says 503 Service Unavailable"),
    "a redirect loop": (lambda: Refuses(DATA, 302, [("Location", "/a/data.bin")]), "it redirects in a circle"),
    "a redirect to a file": (lambda: Refuses(DATA, 302, [("Location", "file:///etc/passwd")]), "it "),
    "a byte now and then": (lambda: Slow(DATA), " bytes a second"),
    "silence": (lambda: Silent(DATA), "timed out"),
    "cuts without Range": (lambda: Length(DATA[:100], len(DATA)), "cut off after 100 of 50000 bytes"),
}


@pytest.mark.parametrize("name", BAD_SERVERS)
def test_a_bad_server_ends_in_one_line_that_says_what_to_do(tmp_path, name):
    make, reason = BAD_SERVERS[name]
    message = refusal(tmp_path, make(), patience=Waits().patience(silence=0.2, window=0.1))
    assert message.startswith(f"{tmp_path}/data.bin: expected to fetch it; put http://127.0.0.1:")
    assert "/a/data.bin there by hand. 127.0.0.1:" in message and reason in message


def test_no_server_at_all(tmp_path):
    file = File("data.bin", ("http://127.0.0.1:9/data.bin",), len(DATA), SHA256)
    with pytest.raises(DataError, match=r"put http://127\.0\.0\.1:9/data\.bin there by hand.*refused"):
        fetch(file, tmp_path, Waits().patience())


def test_the_disk_is_checked_before(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: shutil._ntuple_diskusage(2**30, 2**30, 1000))
    server = Behaviour(DATA)
    message = refusal(tmp_path, server)
    assert "bytes free on the disk, found 1,000" in message
    assert list(tmp_path.iterdir()) == [] and len(server.asked) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full is Linux's alone")
def test_a_disk_that_fills_up_is_no_fault_of_the_server(tmp_path):
    (tmp_path / "data.bin.part").symlink_to("/dev/full")
    server = Behaviour(DATA)
    assert "data.bin.part: expected room to write to, but: No space left" in refusal(tmp_path, server)
    assert len(server.asked) == 1


def test_the_part_of_a_file_without_checksum_is_not_trusted_in_a_later_run(tmp_path):
    (tmp_path / "data.bin.gz.part").write_bytes(GZIP[:1000])
    server = Behaviour(GZIP)
    assert get(tmp_path, server, file=UNVOUCHED).read_bytes() == GZIP and server.asked == [None]


def test_progress_is_told_in_bytes(tmp_path):
    told = []
    with serving({"/x": Behaviour(DATA)}) as address:
        file = File("data.bin", (f"{address}/x",), None, SHA256)
        fetch(file, tmp_path, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (len(DATA), len(DATA)) and told == sorted(told)


# Files that nobody vouches for


GZIP = gzip.compress(DATA)
UNVOUCHED = File("data.bin.gz", ())


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("x.gz", GZIP[:-20], "expected a whole, readable file, but: Compressed file ended"),
        ("x.gz", b"", "expected a gzip file, found it empty"),
        ("x.gz", gzip.compress(bytes(20 * 2**20)), "expected to unpack to at most 200 times its size"),
        ("x.zip", b"no zip", "expected a whole zip file"),
        ("x.jsonl", b"", "it is empty"),
        ("x.jsonl", PAGE, "it sends a web page"),
    ],
)
def test_a_file_without_checksum_is_read_through(tmp_path, name, data, reason):
    with serving({"/x": Behaviour(data)}) as address, pytest.raises(DataError) as error:
        fetch(File(name, (f"{address}/x",)), tmp_path, Waits().patience())
    assert reason in str(error.value) and list(tmp_path.iterdir()) == []


def test_a_gzip_without_checksum_survives_cuts(tmp_path):
    path = get(tmp_path, Cuts(GZIP), patience=Waits().patience(gain=1), file=UNVOUCHED)
    assert path.read_bytes() == GZIP


def test_the_page_of_google_drive_that_asks_to_confirm(tmp_path):
    form = (
        '<html><head><title>Google Drive - Virus scan warning</title></head><form id="download-form" '
        'action="/download" method="get"><input type="submit" value="Download anyway"/>'
        '<input type="hidden" name="id" value="1Q Z"><input type="hidden" name="confirm" value="t"></form></html>'
    )
    more = {"/download?id=1Q+Z&confirm=t": Behaviour(DATA)}
    with serving({"/uc": Page(form.encode())} | more) as address:
        path = fetch(File("data.bin", (f"{address}/uc",), None, SHA256), tmp_path, Waits().patience())
    assert path.read_bytes() == DATA


def test_the_page_of_google_drive_that_has_had_enough(tmp_path):
    page = b"<html><head><title>Google Drive - Quota exceeded</title></head></html>"
    message = refusal(tmp_path, Page(page))
    assert "it sends a web page, not the file (Google Drive - Quota exceeded)" in message


# Whole data sets


def listing(*names):
    rows = "".join(f'<a href="{name}">{name}</a>  2026-01-01 10:00  20M\n' for name in names)
    return f"<html><title>Index of /pubmed/baseline</title><pre>{rows}</pre></html>".encode()


def pubmed(n=4, year=26, **others):
    """What the server has of a baseline of ``n`` files."""
    data = RAW_FILES["medline"]["a.xml.gz"]
    names = [f"pubmed{year}n{number:04d}.xml.gz" for number in range(1, n + 1)]
    files = {f"/base/{name}": data for name in names}
    files |= {f"/base/{name}.md5": f"MD5({name})= {hashlib.md5(data).hexdigest()}\n".encode() for name in names}
    page = listing("README.txt", *(f"{name}{end}" for name in names for end in ("", ".md5")))
    files |= {"/base/": page, f"/mesh/desc20{year}.gz": gzip.compress(b"<DescriptorRecordSet/>")} | others
    return {path: Behaviour(content) for path, content in files.items()}


def download_pubmed(folder, behaviours, **options):
    with serving(behaviours) as address:
        entry = {
            "title": "a baseline", "licence": "", "citation": "",
            "listing": {"names": r"pubmed{yy}n\d{4}\.xml\.gz", "urls": [f"{address}/base/"]},
            "files": [{"name": "desc{year}.xml.gz", "urls": [f"{address}/mesh/desc{{year}}.gz"]}],
        }  # fmt: skip
        download("pubmed", folder, entry=entry, patience=Waits().patience(), **options)
    return json.loads((folder / "downloaded.json").read_text())


def test_a_baseline_is_read_from_its_listing(tmp_path):
    seen = download_pubmed(tmp_path, pubmed(), files=2)
    assert [file["name"] for file in seen["files"]] == [
        "pubmed26n0001.xml.gz", "pubmed26n0003.xml.gz", "desc2026.xml.gz",
    ]  # fmt: skip
    assert [file["checked_against"] for file in seen["files"]] == ["md5", "md5", "itself: no checksum is known"]
    assert seen["year"] == 2026
    data = RAW_FILES["medline"]["a.xml.gz"]
    assert seen["files"][0]["sha256"] == hashlib.sha256(data).hexdigest() and seen["files"][0]["bytes"] == len(data)
    assert {file.name for file in tmp_path.iterdir()} == {
        "downloaded.json", "desc2026.xml.gz", "pubmed26n0001.xml.gz", "pubmed26n0001.xml.gz.md5",
        "pubmed26n0003.xml.gz", "pubmed26n0003.xml.gz.md5",
    }  # fmt: skip


def test_more_files_later_fetch_only_those(tmp_path):
    download_pubmed(tmp_path, pubmed(), files=2)
    behaviours = pubmed()
    assert len(download_pubmed(tmp_path, behaviours)["files"]) == 5
    asked = {path for path, behaviour in behaviours.items() if behaviour.asked}
    assert asked == {"/base/"} | {f"/base/pubmed26n000{n}.xml.gz{end}" for n in (2, 4) for end in ("", ".md5")}


def test_files_arespread_over_the_years():
    assert spread(list("abcdefghij"), 3) == ["a", "d", "g"]
    assert spread(list("abc"), None) == spread(list("abc"), 7) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("options", "others", "message"),
    [
        ({"year": 2025}, {}, "expected files of 2025 in http.*, found those of 2026: set the year to that"),
        ({}, {"/base/": listing("README.txt")}, "expected names like .* found none; look at it in a browser"),
        ({}, {"/base/pubmed26n0002.xml.gz.md5": b"gone"}, r"0002\.xml\.gz\.md5: expected one line 'MD5"),
        ({}, {"/base/pubmed26n0002.xml.gz": b"stale"}, r"0002\.xml\.gz: expected to fetch it.* its md5 is"),
    ],
)
def test_a_baseline_that_is_not_there_is_one_line(tmp_path, options, others, message):
    with pytest.raises(DataError, match=message):
        download_pubmed(tmp_path, pubmed(**others), **options)
    assert not (tmp_path / "downloaded.json").exists()
    download_pubmed(tmp_path, pubmed())  # and nothing stands in the way of the next try


def test_the_catalogue_has_what_a_user_must_know():
    for dataset, entry in catalogue().items():
        assert entry["title"] and entry["licence"] and entry["citation"], dataset
        described = entry["files"] + ([entry["listing"]] if "listing" in entry else [])
        assert all(url.startswith("https://") for file in described for url in file["urls"])
        assert all(set(file) <= {"name", "urls", "size", "sha256", "md5"} for file in entry["files"])


def test_eurlex_is_vouched_for():
    zip_file, concepts = catalogue()["eurlex"]["files"]
    assert (zip_file["size"], zip_file["sha256"][:8], len(zip_file["sha256"])) == (50_289_403, "dc6830ce", 64)
    assert "sha256" not in concepts  # not known


def test_what_is_downloaded_is_what_the_readers_read(tmp_path, prepare):
    write_zip(
        tmp_path / "server/dataset.zip",
        {k: v for k, v in RAW_FILES["eurlex"].items() if k.endswith(("n.jsonl", "v.jsonl", "t.jsonl"))},
    )
    data = (tmp_path / "server/dataset.zip").read_bytes()
    concepts = RAW_FILES["eurlex"]["eurovoc_concepts.jsonl"]
    with serving({"/dataset.zip": Behaviour(data), "/concepts": Behaviour(concepts)}) as address:
        files = [
            {"name": "dataset.zip", "urls": [f"{address}/dataset.zip"], "size": len(data)},
            {"name": "eurovoc_concepts.jsonl", "urls": [f"{address}/concepts"]},
        ]
        entry = {"title": "", "licence": "", "citation": "", "files": files}
        download("eurlex", tmp_path / "eurlex", entry=entry, patience=Waits().patience())
    assert prepare("eurlex", tmp_path / "eurlex")[1]["documents"] == 2
