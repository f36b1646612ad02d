"""Mutates small valid files of every format: each case ends in a dataset or in one line, and leaves nothing half-made.

`MVG_FUZZ_CASES=100000 pytest tests/unit/test_fuzz.py` runs fifty times as many cases as usual. A failure names its
case; `MVG_FUZZ_ONLY=<format>:<number>` runs only that case.
"""

import gzip
import hashlib
import os
import random
import shutil
import signal
from collections import Counter
from contextlib import contextmanager

import pytest
from raw_sets import MICE, RAW_FILES, bioasq, jsonl, mesh, tar, write_files, write_zip

from mvg.datasets.writing import write_prepared
from mvg.formats import FORMATS
from mvg.io.errors import DataError

CASES = int(os.environ.get("MVG_FUZZ_CASES", 2_000))
ONLY = os.environ.get("MVG_FUZZ_ONLY")
LONGEST = 20  # seconds of one case

# Values that have broken readers before.
NASTY = [
    b"", b"\0", b"\n", b"\r", b"\r\n", b"\t", b",", b";", b'"', b"'", b"\\", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf",
    b"\xed\xa0\x80", b"\\ud800", b"\xe2\x80\xa8", b"\xc2\x85", b"\x1b[2J", b"{", b"}", b"[", b"]", b"[" * 3000,
    b'{"a":' * 3000, b"<a>" * 3000, b"</", b"<![CDATA[", b"]]>", b"<!--", b"&lol;", b"&#0;", b"&#xD800;", b"%s",
    b"<!DOCTYPE a [<!ENTITY lol \"lol\">]>", b"null", b"true", b"NaN", b"-Infinity", b"-1", b"0", b"1e999", b"9" * 5000,
    b"0.1", b"1_0", "²".encode(), "é".encode(), "א".encode(), b" " * 5000, b"\n" * 500, b"x" * 20_000, b"../", b"/",
    b"_id", b"query-id", b"title", b"pmid", b"meshMajor", b"PK\x03\x04", b"\x1f\x8b",
]  # fmt: skip


def seeds(format: str, folder) -> list[dict[str, bytes]]:
    """Raw datasets of a format in each of its layouts."""
    files = RAW_FILES[format]
    found = [files]
    if format in ("eurlex", "xc", "beir", "csv", "bioasq"):
        found.append({"raw.zip": write_zip(folder / "raw.zip", files).read_bytes()})
    if format == "beir":
        weight = jsonl({"_id": "q0", "text": "red", "metadata": {"weight": 2.5}})
        files = files | {"queries.jsonl": weight + files["queries.jsonl"].split(b"\n", 1)[1]}
        files |= {"filters/test.tsv": b"query-id\tcorpus-id\nq2\ta\n"}
        found.append({f"{name}.gz": gzip.compress(data) for name, data in files.items()})
    if format == "medline":
        md5 = f"MD5(a.xml.gz)= {hashlib.md5(files['a.xml.gz']).hexdigest()}\n".encode()
        listed = b'{"files": [{"name": "a.xml.gz"}, {"name": "b.xml.gz"}, {"name": "desc2026.xml"}]}'
        more = {"a.xml.gz.md5": md5, "desc2026.xml": mesh(MICE), "downloaded.json": listed}
        found.append(files | more)
    if format == "msmarco":
        found.append({"all.tar.gz": tar(files)})
    if format == "bioasq":
        found.append({"a.json.gz": gzip.compress(bioasq((101, "T", "Mice"), (132, "T", "Mice"), (111, "T", "Mice")))})
    return found


def mutated(data: bytes, rng: random.Random) -> bytes:
    """``data`` changed in a few places; a gzip is usually changed inside, so that its checksum stays right."""
    if data[:2] == b"\x1f\x8b" and rng.random() < 0.8:
        return gzip.compress(mutated(gzip.decompress(data), rng), compresslevel=1)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        at, to = sorted(rng.randrange(len(data) + 1) for _ in range(2))
        to = min(to, at + rng.choice((1, 4, 16, 10_000)))
        some = data[at:to]
        data = rng.choice(
            (
                lambda: data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :],
                lambda: data[:at] + data[to:],
                lambda: data[:to] + some + data[to:],
                lambda: data[:at] + rng.choice(NASTY) + data[at:],
                lambda: data[:at] + rng.choice(NASTY) + data[to:],
                lambda: data[:at] + some[::-1] + data[to:],
                lambda: data[:at],
                lambda: data + rng.choice(NASTY),
                lambda: data.replace(some[:4], rng.choice(NASTY), 50) if some else data,
            )
        )()
    return data


def changes(files: dict[str, bytes], rng: random.Random) -> dict[str, bytes | None]:
    """The changes of a case: a mutated file, a file in another's place, or a missing one (None)."""
    name = rng.choice(list(files))
    chance = rng.random()
    if chance < 0.02:
        return {name: None}
    if chance < 0.05:
        return {name: files[rng.choice(list(files))]}
    return {name: mutated(files[name], rng)}


def options_for(format: str, rng: random.Random) -> dict:
    if format in ("medline", "bioasq", "mesh-csv") and rng.random() < 0.3:
        return {"sample": {"train": rng.choice((1, 100)), "dev": 1, "test": 1}}
    return {}


@contextmanager
def in_time():
    """An AssertionError after LONGEST seconds of computing."""

    def stop(*_):
        raise AssertionError(f"it took more than {LONGEST} s")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def prepared(format: str, raw, out, options: dict) -> str:
    """The outcome of a case: data, or a line that a user can read."""
    dropped = Counter()
    try:
        with in_time():
            write_prepared(FORMATS[format].read(raw, dropped, **options), out / "data", dropped, {})
    except DataError as error:
        assert str(error).isprintable() and "expected" in str(error)
        assert not list(out.glob("*")), "something is left behind"
        return "one line"
    shutil.rmtree(out)
    return "data"


@pytest.mark.parametrize("format", FORMATS)
def test_mutated_files_end_in_data_or_in_one_line(tmp_path, format):
    numbers = range(CASES // len(FORMATS))
    if ONLY:
        numbers = [int(ONLY.partition(":")[2])] if ONLY.partition(":")[0] == format else []
    layouts = [(write_files(tmp_path / f"raw{i}", files), files) for i, files in enumerate(seeds(format, tmp_path))]
    ends = Counter()
    for number in numbers:
        rng = random.Random(f"{format}:{number}")
        raw, files = rng.choice(layouts)
        case = changes(files, rng)
        for name, data in case.items():
            (raw / name).unlink() if data is None else (raw / name).write_bytes(data)
        try:
            ends[prepared(format, raw, tmp_path / "out", options_for(format, rng))] += 1
        except Exception as error:
            raise AssertionError(f"case {format}:{number}: {error!r}") from error
        write_files(raw, {name: files[name] for name in case})
    if len(numbers) > 500:  # both outcomes occur
        assert ends["data"] > len(numbers) // 50 and ends["one line"] > len(numbers) // 5, ends
