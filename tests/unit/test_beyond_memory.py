"""What doesn't fit into memory gives the same files, and the same errors, as what does."""

import errno
import gc
import random
import tempfile

import numpy as np
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet
from test_prepared import APPLE, DEV, PEAR, TEST, TRAIN, write

from mvg.commands.source import Source
from mvg.datasets import distinct, rows
from mvg.encoders import vectors
from mvg.formats import two_columns
from mvg.io import sorting
from mvg.io.errors import DataError
from mvg.io.files import let_go
from mvg.io.sorting import Sorter, Texts


@pytest.fixture
def little_memory(monkeypatch):
    monkeypatch.setattr(distinct, "LATELY", 3)
    monkeypatch.setattr(two_columns, "LATELY", 1000)
    monkeypatch.setattr(sorting, "RECORDS", 60)
    monkeypatch.setattr(sorting, "SPOOL", 100)


@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 3)), st.integers(1, 40))
def test_records_come_in_order_and_equal_ones_as_they_were_added(keys, most):
    sorter = Sorter(2, most)
    records = [(key, number) for number, key in enumerate(keys)]
    for record in records[: len(records) // 2]:
        sorter.add(record)
    sorter.extend(np.array(records[len(records) // 2 :], np.uint64).reshape(-1, 2))
    blocks = [block.tolist() for block in sorter.blocks()]
    assert [tuple(record) for block in blocks for record in block] == sorted(records, key=lambda record: record[0])
    assert all(before[-1][0] < after[0][0] for before, after in zip(blocks, blocks[1:]))


def test_texts_are_found_by_their_places(little_memory):
    texts = ["", "a" * 200, "line\nbreak", "ü\udc80"]
    kept = Texts()
    places = [kept.add(text) for text in texts]
    assert [kept[place] for place in reversed(places)] == texts[::-1]


def a_log(rows, seed=0):
    """Pairs with repeats, and texts in several spellings."""
    draw = random.Random(seed)
    queries = [f"query{' ' * draw.randint(1, 2)}{draw.randint(0, 60)}" for _ in range(rows)]
    return [(query, f"item {draw.randint(0, 40)}") for query in queries]


def files_of(folder, path):
    Source(path, "csv").prepare(folder)
    return {file.relative_to(folder): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_a_table_gives_the_same_files(tmp_path, request):
    (tmp_path / "pairs.csv").write_text("".join(f"{q},{d}\n" for q, d in [("query", "document"), *a_log(900)]))
    expected = files_of(tmp_path / "at once", tmp_path / "pairs.csv")
    request.getfixturevalue("little_memory")
    assert files_of(tmp_path / "in parts", tmp_path / "pairs.csv") == expected
    assert expected


def test_parts_of_parquet_are_one_table(tmp_path):
    rows = a_log(300)
    for folder, cuts in ("whole", [0, 300]), ("parts", [0, 1, 150, 300]):
        (tmp_path / folder).mkdir()
        for part, (start, stop) in enumerate(zip(cuts, cuts[1:])):
            queries, documents = zip(*rows[start:stop])
            table = pyarrow.table({"query": queries, "document": documents})
            parquet.write_table(table, tmp_path / folder / f"part-{part}.parquet")
    assert files_of(tmp_path / "a", tmp_path / "whole") == files_of(tmp_path / "b", tmp_path / "parts")


MANY = [APPLE._replace(id=f"d{number}", title=f"item {number}") for number in range(10)]
WRONG = {
    "document 'd1': expected each id once, found 'd1' again": [*MANY, MANY[1], APPLE, PEAR, TRAIN, DEV, TEST],
    "query 'q1': expected each id once, found 'q1' again": [
        *(APPLE, PEAR, TRAIN, DEV, TEST),
        *(TRAIN._replace(id=id) for id in ("q4", "q5", "q6", "q1")),
    ],
    "query 'q8': expected documents of the corpus, found 'nowhere'": [
        *(APPLE, PEAR, TRAIN, DEV, TEST, *MANY),
        TRAIN._replace(id="q8", relevant=("a", "d1", "nowhere")),
        TRAIN._replace(id="q9", relevant=tuple(document.id for document in MANY)),
    ],
}


@pytest.mark.parametrize("expected", WRONG)
def test_the_errors_are_the_same(expected, tmp_path, request):
    for memory in "at once", "in parts":
        with pytest.raises(DataError) as error:
            write(tmp_path / memory, *WRONG[expected])
        assert str(error.value) == f"{tmp_path / memory}: {expected}"
        assert not list(tmp_path.iterdir())
        request.getfixturevalue("little_memory")


def test_repeated_texts_are_counted_the_same(tmp_path, request):
    records = [APPLE, PEAR, *MANY, DEV, TEST]
    records += [TRAIN._replace(id=f"t{number}", text=f"text {number % 7}") for number in range(20)]
    expected = write(tmp_path / "at once", *records)
    request.getfixturevalue("little_memory")
    assert write(tmp_path / "in parts", *records) == expected
    assert expected["repeated_query_texts"] == 13


def test_ids_whose_first_hashes_are_equal_keep_their_rows(tmp_path, monkeypatch):
    hashes = rows._hashes
    monkeypatch.setattr(rows, "_hashes", lambda ids: np.array([[len(id) for id in ids], hashes(ids)[1]]))
    ids = ["a", "b", "cc", "d", "ee"]
    (tmp_path / "corpus.jsonl").write_text("".join(f'{{"_id": "{id}"}}\n' for id in ids))
    found = rows.Rows(tmp_path / "corpus.jsonl").of(["ee", "d", "x", "a", "cc", "yyy", "b"])
    assert found.tolist() == [4, 3, -1, 0, 2, -1, 1]


def test_vectors_are_imported_in_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(vectors, "ROWS", 3)
    given = [np.random.default_rng(0).standard_normal((n, 4)).astype(kind) for n, kind in ((10, "f2"), (7, "f8"))]
    for side, name in zip(given, "dq"):
        np.save(tmp_path / f"{name}.npy", side)
    paths = [[tmp_path / f"{name}{end}.npy" for name in "dq"] for end in ("", "-unit")]
    assert vectors.import_pair(*paths, 10, 7) == ((10, 4), (7, 4))
    for side, expected, path in zip(given, vectors.unit_pair(*given, 10, 7, "dq"), paths[1]):
        np.testing.assert_array_equal(np.load(path), expected)
        np.testing.assert_allclose(expected, side / np.linalg.norm(side.astype(float), axis=1, keepdims=True), 1e-3)


def test_what_was_written_to_a_map_is_not_let_go(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros(5000))
    array = np.load(tmp_path / "a.npy", mmap_mode="c")
    array[:] = 1
    let_go(array)
    assert array.all()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # such a file cannot be closed either
def test_a_full_disk_of_temporary_files_is_named(tmp_path, little_memory, monkeypatch):
    def full(mode="w+b", encoding=None, **_):
        return open("/dev/full", mode, encoding=encoding)

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    (tmp_path / "pairs.csv").write_text("".join(f"{query},{document}\n" for query, document in a_log(100)))
    with pytest.raises(OSError) as error:
        Source(tmp_path / "pairs.csv", "csv").prepare(tmp_path / "data")
    assert error.value.errno == errno.ENOSPC and error.value.filename == tempfile.gettempdir()
    assert not (tmp_path / "data").exists()
    del error
    gc.collect()  # so that the file is closed here
