"""The prepared folder is BEIR, keeps every text intact, and says what was left out."""

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from raw_sets import RAW_FILES, write_files

from mvg.datasets.pairs import load_splits, read_split, save_split
from mvg.datasets.reading import load_texts, load_weights
from mvg.datasets.records import Document, Query
from mvg.datasets.splits import SPLITS, thinned
from mvg.datasets.writing import write_prepared
from mvg.io.errors import DataError

APPLE, PEAR = Document("a", "Apple"), Document("p", "Pear", "A fruit.")
TRAIN = Query("q1", "fruit", "train", ("a", "p"))
DEV, TEST = Query("q2", "red fruit", "dev", ("a",)), Query("q3", "green fruit", "test", ("p",))
RECORDS = [APPLE, PEAR, TRAIN, DEV, TEST]


def write(folder, *records, facts=None):
    return write_prepared(iter(records), folder, Counter(), facts or {})


def everything_in(folder):
    return sorted(path.name for path in folder.rglob("*"))


def test_the_folder_is_beir(tmp_path):
    write(tmp_path / "data", *RECORDS)
    folder = tmp_path / "data"
    assert (folder / "corpus.jsonl").read_text().splitlines() == [
        '{"_id": "a", "title": "Apple", "text": ""}',
        '{"_id": "p", "title": "Pear", "text": "A fruit."}',
    ]
    assert (folder / "queries.jsonl").read_text().startswith('{"_id": "q1", "text": "fruit"}\n')
    table = "query-id\tcorpus-id\tscore\nq1\ta\t1\nq1\tp\t1\n"
    assert (folder / "qrels" / "train.tsv").read_text() == table


def test_traffic_is_kept_beside_the_query(tmp_path):
    write(tmp_path / "data", APPLE, PEAR, TRAIN, DEV._replace(weight=2.5), TEST)
    queries = tmp_path / "data" / "queries.jsonl"
    assert '{"_id": "q2", "text": "red fruit", "metadata": {"weight": 2.5}}\n' in queries.read_text()
    np.testing.assert_array_equal(load_weights(queries), [1, 2.5, 1])


@pytest.mark.parametrize("metadata", ['{"weight": 0}', '{"weight": -1}', '{"weight": "3"}', '{"weight": true}', "[1]"])
def test_traffic_is_a_number_above_0(tmp_path, metadata):
    (tmp_path / "queries.jsonl").write_text(f'{{"_id": "q", "text": "t", "metadata": {metadata}}}\n')
    with pytest.raises(DataError, match="line 1: expected 'metadata"):
        load_weights(tmp_path / "queries.jsonl")


def test_filters_are_always_there(tmp_path):
    left_out = TEST._replace(excluded=("a",))
    write(tmp_path / "data", APPLE, PEAR, TRAIN, DEV, left_out)
    filters = tmp_path / "data" / "filters"
    assert (filters / "train.tsv").read_text() == "query-id\tcorpus-id\n"
    assert (filters / "test.tsv").read_text() == "query-id\tcorpus-id\nq3\ta\n"


def test_records_may_come_in_any_order(tmp_path):
    stats = write(tmp_path / "data", *reversed(RECORDS))
    assert stats["documents"] == 2
    assert load_texts(tmp_path / "data" / "queries.jsonl")[0] == ["q3", "q2", "q1"]


def test_stats_count_what_is_there_and_repeat_the_facts(prepare, tmp_path):
    folder, stats = prepare("eurlex", write_files(tmp_path / "raw", RAW_FILES["eurlex"]))
    assert json.loads((folder / "stats.json").read_text()) == stats
    assert stats == {
        "format": "eurlex",
        "split_rule": "as distributed",
        "simulated": False,
        "queries": {"train": 2, "dev": 1, "test": 1},
        "pairs": {"train": 3, "dev": 1, "test": 1},
        "excluded": {"train": 0, "dev": 0, "test": 0},
        "documents": 2,
        "documents_without_text": 0,
        "repeated_document_texts": 0,
        "repeated_query_texts": 1,
        "dropped": {},
    }


def test_every_drop_is_counted_by_reason(tmp_path):
    stats = write(
        tmp_path / "data",
        *RECORDS,
        Query("blank", " \n", "train", ("a",)),
        Query("aimless", "b", "train", ()),
        Query("itself", "c", "train", ("a",), ("a",)),
        Query("twice", "d", "train", ("p", "p", "a"), ("a",)),
    )
    assert stats["dropped"] == {
        "excluded_pairs": 2,
        "queries_without_relevant_documents": 2,
        "queries_without_text": 1,
        "repeated_pairs": 1,
    }
    assert stats["queries"]["train"] == 2
    assert load_texts(tmp_path / "data" / "queries.jsonl")[0] == ["q1", "q2", "q3", "twice"]


def test_repeated_texts_and_documents_without_text_are_kept_and_counted(tmp_path):
    again = TRAIN._replace(id="q4", text=" fruit ")
    more = [Document("a2", "Apple"), Document("none", "\t"), again]
    stats = write(tmp_path / "data", *RECORDS, *more)
    assert stats["repeated_query_texts"] == 1
    assert stats["repeated_document_texts"] == 1
    assert stats["documents_without_text"] == 1
    assert load_texts(tmp_path / "data" / "corpus.jsonl") == (
        ["a", "p", "a2", "none"],
        ["Apple", "Pear A fruit.", "Apple", ""],
    )


# Texts


def round_trip(folder, title):
    """``title`` as a document and, after an x, as a query, as load_texts returns them."""
    records = [Document("a", title), Query("q1", f"x{title}", "train", ("a",))]
    records += [DEV, TEST._replace(relevant=("a",))]
    write(folder, *records)
    document, query = load_texts(folder / "corpus.jsonl"), load_texts(folder / "queries.jsonl")
    return document[1][0], query[1][0]


@pytest.mark.parametrize(
    "title",
    [
        "tab\tand\nnewline\r\n inside",
        "NUL \x00 and bell \x07",
        "line\u2028and paragraph\u2029separators\x85\x0b\x0c\x1cinside",
        'quotes " and \\" and \'',
        "<b>bold</b> &amp; \\textbf{bold} $x_1$ %",
        "\u202eright to left\u202c \u05e2\u05d1\u05e8\u05d9\u05ea",
        "emoji \U0001f469\u200d\U0001f52c, Zalgo Z\u0351\u0300",
        "=cmd|' /C calc'!A0",
    ],
)
def test_nothing_inside_a_text_is_touched(tmp_path, title):
    assert round_trip(tmp_path / "data", title) == (title, f"x{title}")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(title=st.text())
def test_any_text_survives_outer_whitespace_aside(tmp_path, title):
    assert round_trip(tmp_path / "data", title) == (title.strip(), f"x{title}".strip())


def test_a_lone_surrogate_becomes_a_replacement_character(tmp_path):
    assert round_trip(tmp_path / "data", "a\ud800b") == ("a\ufffdb", "xa\ufffdb")


# Refusals: nothing is left behind


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([TRAIN, DEV, TEST], "expected at least one document"),
        ([APPLE, PEAR, TRAIN, DEV], "expected queries with relevant documents in test, found none"),
        ([*RECORDS, APPLE], "document 'a': expected each id once"),
        ([*RECORDS, DEV], "query 'q2': expected each id once"),
        ([APPLE, TRAIN, DEV, TEST], "query 'q1': expected documents of the corpus, found 'p'"),
        ([*RECORDS, TRAIN._replace(id="q9", excluded=("z",))], "query 'q9': expected documents"),
        ([*RECORDS, Document("", "x")], "document '': expected an id, found an empty one"),
        ([*RECORDS, Document("x\ty", "x")], r"found 'x\ty'"),
        ([*RECORDS, TRAIN._replace(id="x\ny")], r"found 'x\ny'"),
        ([*RECORDS, TRAIN._replace(id="x\ry")], "expected an id without tabs, line breaks"),
        ([*RECORDS, TRAIN._replace(id="x\x00y")], "expected an id without tabs, line breaks"),
        ([*RECORDS, TRAIN._replace(id="x\ud800y")], "expected an id without tabs, line breaks"),
    ],
)
def test_what_is_no_data_set_is_refused(tmp_path, records, message):
    with pytest.raises(DataError) as error:
        write(tmp_path / "data", *records)
    assert message in str(error.value)
    assert str(tmp_path / "data") in str(error.value)
    assert "\n" not in str(error.value)
    assert everything_in(tmp_path) == []


def test_a_reader_that_fails_halfway_leaves_what_was_there(tmp_path):
    write(tmp_path / "data", *RECORDS)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    def failing():
        yield from [Document("other", "Other"), TRAIN]
        raise DataError("raw.zip", "line 7", "expected better")

    with pytest.raises(DataError, match=r"raw\.zip: line 7: expected better"):
        write_prepared(failing(), tmp_path / "data", Counter(), {})
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}


# Splits


def test_a_split_is_its_queries_and_sorted_pairs_as_rows(tmp_path):
    late = Query("q4", "late", "train", ("p",), ("a",))
    write(tmp_path / "data", PEAR, APPLE, DEV, TRAIN, TEST, late)
    split = load_splits(tmp_path / "data")["train"]
    assert split.queries.tolist() == [1, 3]
    assert np.stack(split.pairs, axis=1).tolist() == [[1, 0], [1, 1], [3, 0]]
    assert np.stack(split.excluded, axis=1).tolist() == [[3, 1]]
    assert {array.dtype for array in (split.queries, *split.pairs)} == {np.dtype("int64")}


def test_a_split_survives_its_file(tmp_path):
    write(tmp_path / "data", APPLE, PEAR, TRAIN, DEV, TEST._replace(excluded=("a",)))
    for name in SPLITS:
        split = load_splits(tmp_path / "data")[name]
        save_split(tmp_path / "split.npz", split)
        found = read_split(tmp_path / "split.npz")
        np.testing.assert_equal(found, split)


def beir(folder, **tables):
    """The user's own BEIR folder: a plain corpus, two queries and the given tables."""
    files = {
        "corpus.jsonl": b'{"_id": "a", "text": "Apple"}\n{"_id": "p", "title": "P", "text": "ear"}',
        "queries.jsonl": b'{"_id": "q1", "text": "x", "metadata": {"weight": 3}}\n{"_id": "q2", "text": "y"}\n',
    }
    files |= {f"{kind}/test.tsv": text.encode() for kind, text in tables.items()}
    return write_files(folder, files)


QRELS = "query-id\tcorpus-id\tscore\n"


def test_a_beir_folder_of_ones_own_needs_no_filters(tmp_path):
    folder = beir(tmp_path, qrels=f"{QRELS}q2\tp\t2\r\nq1\ta\t0\nq2\tp\t1")
    split = load_splits(folder, ["test"])["test"]
    assert split.queries.tolist() == [1]
    assert [rows.tolist() for rows in split.pairs] == [[1], [1]]
    assert [rows.tolist() for rows in split.excluded] == [[], []]
    assert load_texts(tmp_path / "corpus.jsonl") == (["a", "p"], ["Apple", "P ear"])


def test_filters_of_a_beir_folder_are_taken_out_of_its_qrels(tmp_path):
    filters = "query-id\tcorpus-id\nq2\tp\n"
    folder = beir(tmp_path, qrels=f"{QRELS}q1\ta\t1\nq2\tp\t1\n", filters=filters)
    assert load_splits(folder, ["test"])["test"].queries.tolist() == [0]


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        ("q1\ta\t1\n", r"line 1: expected the header 'query-id\tcorpus-id\tscore'"),
        (f"{QRELS}q1\ta\t1\nq1 a 1\n", "line 3: expected"),
        (f"{QRELS}q1\ta\n", "line 2: expected"),
        (f"{QRELS}q1\ta\tyes\n", "line 2: expected"),
        (f"{QRELS}q7\ta\t1\n", "line 2: expected an id of queries.jsonl, found 'q7'"),
        (f"{QRELS}q1\tz\t1\n", "line 2: expected an id of corpus.jsonl, found 'z'"),
        (f"{QRELS}q1\ta\t0\n", "expected at least one relevant pair"),
        (QRELS, "expected at least one relevant pair"),
    ],
)
def test_qrels_that_are_not_beir_are_refused(tmp_path, qrels, message):
    with pytest.raises(DataError) as error:
        load_splits(beir(tmp_path, qrels=qrels), ["test"])
    assert str(error.value).startswith(f"{tmp_path}/qrels/test.tsv: {message}")


def test_a_missing_table_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"qrels/test\.tsv: expected a file here"):
        load_splits(beir(tmp_path), ["test"])["test"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"_id": "b"}', "expected a field 'text'"),
        (b'{"text": "b"}', "expected a field '_id'"),
        (b'{"_id": "b", "text": null}', "expected 'text' to be a text, found null"),
        (b'{"_id": "b", "title": 3, "text": "b"}', "expected 'title' to be a text"),
        (b'{"_id": 1, "text": "b"}', "expected '_id' to be a text, found a whole number"),
        (b'{"_id": "a", "text": "b"}', "expected each id once, found 'a' again"),
        (b"{", "expected a JSON object"),
    ],
)
def test_texts_that_are_not_beir_are_refused(tmp_path, line, message):
    write_files(tmp_path, {"corpus.jsonl": b'{"_id": "a", "text": "a"}\n' + line + b"\n"})
    with pytest.raises(DataError) as error:
        load_texts(tmp_path / "corpus.jsonl")
    assert f"corpus.jsonl: line 2: {message}" in str(error.value)


def test_a_share_of_the_queries_of_a_split_may_be_kept():
    records = [Document("d", "oak")]
    records += [Query(f"{split}{row}", "oak", split, ("d",)) for split in ("train", "test") for row in range(2000)]
    dropped = Counter()
    kept = list(thinned(records, {"test": 0.1}, dropped))
    counts = Counter(record.split for record in kept if isinstance(record, Query))
    assert kept[0] == records[0] and counts["train"] == 2000 and 150 < counts["test"] < 250
    assert dropped == {"test_queries_beyond_keep": 2000 - counts["test"]}
    assert [r for r in kept if r in records[2001:]] == list(thinned(records[2001:], {"test": 0.1}, Counter()))
    more = thinned(records, {"test": 0.2}, Counter())
    assert set(kept) <= set(more)  # a larger share holds the smaller one
