"""Whatever the server does, a download ends with the right file or with one line that says what to do by hand."""

import gzip
import hashlib
import json
import random
import shutil
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from misbehaving_server import Behaviour, serving
from raw_sets import RAW_FILES, write_zip

from mvg.fetch import transfer
from mvg.fetch.download import catalogue, download, some_of
from mvg.fetch.transfer import File, fetch
from mvg.io.errors import DataError

DATA = random.Random(0).randbytes(50_000)
SHA256 = hashlib.sha256(DATA).hexdigest()
STALE = b"x" * len(DATA)
GZIP = gzip.compress(DATA)
VOUCHED, UNVOUCHED = File("data.bin", (), len(DATA), SHA256), File("data.bin.gz", ())
PAGE = b"<!DOCTYPE html><html><head><title>Log in</title></head></html>"
DATE = "Thu, 01 Jan 2026 00:00:00 GMT"
CUT = {"sends": 9000}
CHUNKED = {"Transfer-Encoding": "chunked", "Content-Length": None}


@pytest.fixture(autouse=True)
def waits(monkeypatch):
    """Waits are recorded instead of waited."""
    waits = []
    monkeypatch.setattr(transfer, "time", SimpleNamespace(monotonic=time.monotonic, sleep=waits.append))
    return waits


def get(folder, *behaviours, file=VOUCHED, **options) -> bytes:
    """The bytes fetched from servers with these behaviours, tried in order."""
    paths = {f"/{number}/{file.name}": behaviour for number, behaviour in enumerate(behaviours)}
    with serving(paths) as address:
        path = fetch(file._replace(urls=tuple(f"{address}{path}" for path in paths)), folder, **options)
    assert [found.name for found in folder.iterdir()] == [file.name]
    return path.read_bytes()


def refusal(folder, *behaviours, file=VOUCHED) -> str:
    with pytest.raises(DataError) as error:
        get(folder, *behaviours, file=file)
    assert str(error.value).isprintable() and not (folder / file.name).exists()
    return str(error.value)


@pytest.mark.parametrize(
    ("faults", "asked"),
    [
        ([], [None]),
        ([CUT], [None, "bytes=9000-"]),
        ([CUT, {"start": 0}], [None, "bytes=9000-"]),  # Range is ignored
        ([CUT, {"tag": '"2"'}], [None, "bytes=9000-"]),  # the file changed
        ([CUT, {"start": 100}], [None, "bytes=9000-", None]),
        ([CUT, {"headers": {"Content-Range": "bytes from 9000"}}], [None, "bytes=9000-", None]),
        ([CUT, {"code": 416}], [None, "bytes=9000-", None]),
        ([CUT, {"data": STALE}], [None, "bytes=9000-", None]),  # a mix, which the checksum reveals
        ([{"code": 503}, CUT, {"code": 429}], [None, None, "bytes=9000-", "bytes=9000-"]),
        ([{"headers": {"Content-Encoding": "gzip"}}], [None]),
        ([{"headers": {"Content-Length": None}, "sends": 9000}], [None, "bytes=9000-"]),
        ([{"headers": CHUNKED, "data": b"2328\r\n" + DATA[:9000] + b"\r\n"}], [None, "bytes=9000-"]),
    ],
)
def test_the_file_is_right(tmp_path, faults, asked):
    server = Behaviour(DATA, *faults)
    assert get(tmp_path, server) == DATA and server.asked == asked


def test_a_stall_is_resumed(tmp_path, monkeypatch):
    monkeypatch.setattr(transfer, "SILENCE", 0.2)
    server = Behaviour(DATA, {"sends": 100, "pause": 0.001})
    assert get(tmp_path, server) == DATA and "bytes=100-" in server.asked


def test_cuts_that_bring_something_are_not_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(transfer, "GAIN", 5000)
    assert get(tmp_path, Behaviour(DATA, always={"sends": 5000})) == DATA


@pytest.mark.parametrize(
    ("name", "there", "asked"),
    [
        ("data.bin", DATA, []),
        ("data.bin", DATA[:-1], [None]),
        ("data.bin.part", DATA, []),
        ("data.bin.part", DATA[:30_000], ["bytes=30000-"]),
        ("data.bin.part", STALE[:30_000], ["bytes=30000-", None]),
        ("data.bin.part", STALE, [None]),
    ],
)
def test_what_is_there_is_used_if_it_is_right(tmp_path, name, there, asked):
    (tmp_path / name).write_bytes(there)
    server = Behaviour(DATA)
    assert get(tmp_path, server) == DATA and server.asked == asked


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ({}, "bytes=9000-"),
        ({"data": gzip.compress(STALE + DATA), "tag": '"0"'}, "bytes=9000-"),
        ({"data": GZIP[::-1], "tag": DATE, "headers": {"ETag": 'W/"1"', "Last-Modified": DATE}}, "bytes=9000-"),
        ({"data": GZIP[::-1], "headers": {"ETag": None}}, None),
    ],
)
def test_a_file_without_checksum_is_of_one_version(tmp_path, first, then):
    (tmp_path / "data.bin.gz.part").write_bytes(GZIP[:1000])  # of an unknown version
    server = Behaviour(GZIP, CUT | first)
    assert get(tmp_path, server, file=UNVOUCHED) == GZIP and server.asked == [None, then]


@pytest.mark.parametrize("code", [429, 503])
def test_retry_after_is_honoured_and_capped(tmp_path, waits, caplog, code):
    caplog.set_level("INFO")
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    refusals = [{"code": code, "headers": {"Retry-After": after}} for after in ("120", later, "604800", "nonsense")]
    assert get(tmp_path, Behaviour(DATA, *refusals)) == DATA
    assert waits == [120, pytest.approx(100, abs=5), 300, 60]
    assert f"/0/data.bin: {code}; again in 120 s" in caplog.text


def test_waits_grow(tmp_path, waits):
    server = Behaviour(DATA, always={"code": 500})
    assert "it says 500 Internal Server Error" in refusal(tmp_path, server)
    assert waits == [0, 15, 30, 60] and len(server.asked) == 5


def test_mirrors_are_tried_in_order(tmp_path):
    servers = [Behaviour(DATA, always={"code": code}) for code in (401, 403, 404, 410)]
    servers += [Behaviour(STALE), Behaviour(DATA), Behaviour(DATA)]
    assert get(tmp_path, *servers) == DATA
    assert [len(server.asked) for server in servers] == [1, 1, 1, 1, 1, 1, 0]


def test_a_redirect_to_another_host_is_followed_when_resuming_too(tmp_path):
    server = Behaviour(DATA, CUT)
    with serving({"/there": server}) as other:
        away = {"code": 302, "headers": {"Location": f"{other}/there".replace("127.0.0.1", "localhost")}}
        assert get(tmp_path, Behaviour(b"", always=away)) == DATA and server.asked == [None, "bytes=9000-"]


def redirect(location):
    return {"code": 302, "headers": {"Location": location}}


@pytest.mark.parametrize(
    ("always", "reason"),
    [
        ({"data": STALE}, "its sha256 is "),
        ({"data": DATA[:-7]}, "it offers 49993 bytes, expected 50000"),
        ({"headers": {"Content-Length": 60_000}}, "it offers 60000 bytes, expected 50000"),
        ({"data": b""}, "it offers 0 bytes, expected 50000"),
        ({"data": PAGE, "headers": {"Content-Type": "application/zip"}}, "a web page, not the file (Log in)"),
        ({"data": b"<html><![x["}, "it sends a web page, not the file"),
        ({"code": 403}, "it says 403 Forbidden"),
        ({"code": 302}, "it says 302 Found"),
        (redirect("/0/data.bin"), "Exceeded 30 redirects"),
        (redirect("file:///etc/passwd"), "No connection adapters were found"),
        (redirect("http://[::1/"), "Invalid"),
        (redirect("/\xff"), "can't decode"),
        ({"start": 0, "sends": 100}, "cut off 49900 bytes before the end"),
        ({"pause": 0.02}, " bytes a second"),
        ({"sends": 0, "pause": 1}, "timed out"),
    ],
)
def test_a_bad_server_ends_in_one_line_that_says_what_to_do(tmp_path, monkeypatch, always, reason):
    monkeypatch.setattr(transfer, "SILENCE", 0.2)
    monkeypatch.setattr(transfer, "WINDOW", 0.1)
    message = refusal(tmp_path, Behaviour(DATA, always=always))
    assert message.startswith(f"{tmp_path}/data.bin: could not be fetched; put http://127.0.0.1:")
    assert "/data.bin there by hand. 127.0.0.1:" in message and reason in message


def test_no_server_at_all(tmp_path):
    file = VOUCHED._replace(urls=("http://127.0.0.1:9/data.bin",))
    with pytest.raises(DataError, match=r"put http://127\.0\.0\.1:9/data\.bin there by hand.*refused"):
        fetch(file, tmp_path)


def test_the_disk_is_checked_before(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: shutil._ntuple_diskusage(2**30, 2**30, 1000))
    server = Behaviour(DATA)
    assert "bytes free on the disk, found 1,000" in refusal(tmp_path, server)
    assert list(tmp_path.iterdir()) == [] and len(server.asked) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full is Linux's alone")
def test_a_disk_that_fills_up_is_no_fault_of_the_server(tmp_path):
    (tmp_path / "data.bin.part").symlink_to("/dev/full")
    server = Behaviour(DATA)
    assert "data.bin.part: expected room to write to, but: No space left" in refusal(tmp_path, server)
    assert len(server.asked) == 1


def test_progress_is_told_in_bytes(tmp_path):
    told = []
    get(tmp_path, Behaviour(DATA, CUT), file=VOUCHED._replace(size=None), progress=lambda *bytes: told.append(bytes))
    assert told[-1] == (len(DATA), len(DATA)) and told == sorted(told)


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
    assert reason in refusal(tmp_path, Behaviour(data), file=File(name, ())) and list(tmp_path.iterdir()) == []


def test_the_page_of_google_drive_that_asks_to_confirm(tmp_path):
    form = (
        '<html><head><title>Google Drive - Virus scan warning</title></head><form id="download-form" '
        'action="/download" method="get"><input type="submit" value="Download anyway"/>'
        '<input type="hidden" name="id" value="1Q Z"><input type="hidden" name="confirm" value="t"></form></html>'
    )
    paths = {"/uc": Behaviour(form.encode()), "/download?id=1Q+Z&confirm=t": Behaviour(DATA, CUT)}
    with serving(paths) as address:
        assert fetch(VOUCHED._replace(urls=(f"{address}/uc",)), tmp_path).read_bytes() == DATA


# Whole data sets


def listing(*names):
    rows = "".join(f'<a href="{name}">{name}</a>  2026-01-01 10:00  20M\n' for name in names)
    return f"<html><title>Index of /pubmed/baseline</title><pre>{rows}</pre></html>".encode()


def pubmed(n=4, year=26, **others):
    """The files on a server with a baseline of ``n`` files."""
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
        download("pubmed", folder, entry=entry, **options)
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


def test_files_are_spread_over_the_years():
    assert some_of(list("abcdefghij"), 3) == ["a", "d", "g"]
    assert some_of(list("abc"), None) == some_of(list("abc"), 7) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("options", "others", "message"),
    [
        ({"year": 2025}, {}, "expected files of 2025 in http.*, found those of 2026: set the year to that"),
        ({}, {"/base/": listing("README.txt")}, "expected names like .* found none; look at it in a browser"),
        ({}, {"/base/pubmed26n0002.xml.gz.md5": b"gone"}, r"0002\.xml\.gz\.md5: expected one line 'MD5"),
        ({}, {"/base/pubmed26n0002.xml.gz": b"stale"}, r"0002\.xml\.gz: could not be fetched.* its md5 is"),
    ],
)
def test_a_baseline_that_is_not_there_is_one_line(tmp_path, options, others, message):
    with pytest.raises(DataError, match=message):
        download_pubmed(tmp_path, pubmed(**others), **options)
    assert not (tmp_path / "downloaded.json").exists()
    download_pubmed(tmp_path, pubmed())  # and nothing prevents the next try


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
        download("eurlex", tmp_path / "eurlex", entry=entry)
    assert prepare("eurlex", tmp_path / "eurlex")[1]["documents"] == 2
