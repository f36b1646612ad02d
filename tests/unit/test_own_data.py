"""The user's own data without code: BEIR folders, and two columns of text."""

import gzip
import json
from collections import Counter

import pytest
from raw_sets import RAW_FILES, jsonl, write_files, write_zip

from mvg.datasets.pairs import load_splits, of_queries
from mvg.datasets.records import Document, Query
from mvg.datasets.splits import hashed_fraction
from mvg.datasets.writing import write_prepared
from mvg.formats import FORMATS
from mvg.formats.guess import guess_format
from mvg.io.errors import DataError
from mvg.lexical.bm25 import BM25

BEIR = RAW_FILES["beir"]
QRELS = b"query-id\tcorpus-id\tscore\n"


def read(format, folder, files=None, **options):
    dropped = Counter()
    path = write_files(folder, files) if files else folder
    records = list(FORMATS[format].read(path, dropped, **options))
    documents = [record for record in records if isinstance(record, Document)]
    return documents, {record.id: record for record in records if isinstance(record, Query)}, dropped


# BEIR


def test_a_beir_folder_is_read_as_it_is(tmp_path):
    documents, queries, dropped = read("beir", tmp_path, BEIR)
    assert documents == [Document("a", "Apple"), Document("p", "", "Pear")]
    assert queries["q0"] == Query("q0", "red", "train", ("a", "p"))
    assert [query.split for query in queries.values()] == ["train", "dev", "test"]
    assert not dropped


def test_gzipped_and_zipped_folders_are_the_same(tmp_path):
    plain = read("beir", tmp_path / "plain", BEIR)
    packed = {f"{name}.gz": gzip.compress(data) for name, data in BEIR.items()}
    assert read("beir", tmp_path / "gz", packed) == plain
    in_a_folder = {f"scifact/{name}": data for name, data in BEIR.items()}
    assert read("beir", write_zip(tmp_path / "scifact.zip", in_a_folder)) == plain


def test_a_zip_of_something_else_in_the_folder_is_passed_over(tmp_path):
    plain = read("beir", tmp_path / "plain", BEIR)
    write_zip(write_files(tmp_path / "set", BEIR) / "vectors.zip", {"documents.npy": b"1"})
    assert guess_format(tmp_path / "set") == "beir" and read("beir", tmp_path / "set") == plain


def test_names_in_a_zip_may_have_backslashes(tmp_path):
    """Some Windows programs write them."""
    packed = write_zip(
        tmp_path / "windows.zip", {f"set\\{name.replace('/', chr(92))}": it for name, it in BEIR.items()}
    )
    assert read("beir", packed) == read("beir", tmp_path / "plain", BEIR) and guess_format(packed) == "beir"


@pytest.mark.parametrize("format", FORMATS)
def test_what_we_prepare_is_a_beir_folder_that_comes_back_the_same(tmp_path, format):
    """Byte for byte: ids, texts, splits, filters and weights."""
    once, twice = tmp_path / "once", tmp_path / "twice"
    write_prepared(
        FORMATS[format].read(write_files(tmp_path / "raw", RAW_FILES[format]), Counter()), once, Counter(), {}
    )
    write_prepared(FORMATS["beir"].read(once, Counter()), twice, Counter(), {})
    for file in once.rglob("*.*l"):
        assert file.read_bytes() == (twice / file.relative_to(once)).read_bytes()


def test_titles_may_be_missing_or_null(tmp_path):
    corpus = jsonl({"_id": "a", "text": "Apple"}, {"_id": "p", "title": None, "text": "Pear"})
    documents, _, _ = read("beir", tmp_path, BEIR | {"corpus.jsonl": corpus})
    assert documents == [Document("a", "", "Apple"), Document("p", "", "Pear")]


def test_grades_above_0_are_relevant(tmp_path):
    graded = QRELS + b"q0\ta\t0\nq0\tp\t2\nq0\ta\t-1\n"
    _, queries, dropped = read("beir", tmp_path, BEIR | {"qrels/train.tsv": graded})
    assert queries["q0"].relevant == ("p",)
    assert dropped == {"pairs_of_score_0_or_less": 2}


def test_qrels_may_come_without_header_and_score(tmp_path):
    for number, table in enumerate((b"q0\ta\t1\nq0\tp\t3\n", b"q0\ta\nq0\tp\n", QRELS[:-7] + b"\r\nq0\ta\r\nq0\tp")):
        _, queries, _ = read("beir", tmp_path / str(number), BEIR | {"qrels/train.tsv": table})
        assert queries["q0"].relevant == ("a", "p")


def test_ids_that_look_like_numbers_stay_texts(tmp_path, prepare):
    files = {
        "corpus.jsonl": b'{"_id": "007", "text": "Apple"}\n{"_id": 7, "text": "Pear"}\n{"_id": "1e3", "text": "Fig"}\n',
        "queries.jsonl": b'{"_id": "0", "text": "red"}\n{"_id": 12345678901234567890, "text": "green"}\n'
        b'{"_id": "-0.0", "text": "ripe"}\n',
        "qrels/train.tsv": QRELS + b"0\t007\t1\n0\t1e3\t1\n",
        "qrels/dev.tsv": QRELS + b"12345678901234567890\t7\t1\n",
        "qrels/test.tsv": QRELS + b"-0.0\t1e3\t1\n",
    }
    folder, _ = prepare("beir", write_files(tmp_path / "raw", files))
    ids = [json.loads(line)["_id"] for line in (folder / "corpus.jsonl").open()]
    assert ids == ["007", "7", "1e3"]
    assert load_splits(folder)["train"].pairs[1].tolist() == [0, 2]
    assert load_splits(folder)["dev"].pairs[1].tolist() == [1]


def test_weights_are_kept(tmp_path, prepare):
    queries = jsonl(
        {"_id": "q0", "text": "red", "metadata": {"weight": 12, "source": "log"}},
        {"_id": "q1", "text": "green", "metadata": {}},
        {"_id": "q2", "text": "ripe", "metadata": {"weight": 0.5}},
    )
    folder, _ = prepare("beir", write_files(tmp_path / "raw", BEIR | {"queries.jsonl": queries}))
    records = [json.loads(line) for line in (folder / "queries.jsonl").open()]
    assert [record.get("metadata") for record in records] == [{"weight": 12.0}, None, {"weight": 0.5}]


def with_ids(ids, texts) -> bytes:
    return jsonl(*({"_id": id, "text": text} for id, text in zip(ids, texts, strict=True)))


@pytest.mark.parametrize("ignore", [False, True])
def test_queries_that_are_documents_do_not_find_themselves_if_the_option_says_so(tmp_path, prepare, ignore):
    """Like BEIR's ignore_identical_ids: with it the best other document comes first."""
    arguments = ["red apple pie", "red apple jam", "green pear pie", "green pear jam"]
    documents, queries = [*arguments, "bread", "rice"], [*arguments, "pie", "apple jam"]
    files = {
        "corpus.jsonl": with_ids(["a0", "a1", "a2", "a3", "b", "c"], documents),
        "queries.jsonl": with_ids(["a0", "a1", "a2", "a3", "d", "t"], queries),
        "qrels/train.tsv": QRELS + b"a0\ta1\t1\na0\ta0\t1\n",
        "qrels/dev.tsv": QRELS + b"a1\ta0\t1\nd\ta0\t1\n",
        "qrels/test.tsv": QRELS + b"a2\ta3\t1\na3\ta2\t1\nt\ta1\t1\n",
    }
    options = {"ignore_identical_ids": True} if ignore else {}
    folder, stats = prepare("beir", write_files(tmp_path / "raw", files), **options)
    splits = load_splits(folder)
    assert list(zip(*splits["test"].excluded)) == ([(2, 2), (3, 3)] if ignore else [])
    assert stats["excluded"] == {split: ignore * n for split, n in {"train": 1, "dev": 1, "test": 2}.items()}
    assert stats["pairs"]["train"] == 2 - ignore and stats["dropped"].get("excluded_pairs", 0) == ignore

    bm25, test = BM25(documents), splits["test"]
    asked, hidden = [queries[row] for row in test.queries], of_queries(test.excluded, test.queries)
    best = bm25.search(asked, 1, hidden)[0][:, 0]
    assert best.tolist() == ([3, 2, 1] if ignore else [2, 3, 1])


def numbered(n: int, *splits) -> dict[str, bytes]:
    """``n`` queries, all with one document, in the qrels of each of ``splits``."""
    table = QRELS + b"".join(b"%d\ta\t1\n" % number for number in range(n))
    queries = jsonl(*({"_id": str(number), "text": f"red {number}"} for number in range(n)))
    return {"corpus.jsonl": jsonl({"_id": "a", "text": "Apple"}), "queries.jsonl": queries} | {
        f"qrels/{split}.tsv": table for split in splits
    }


def test_a_missing_dev_and_test_are_a_tenth_of_train_each(tmp_path):
    _, queries, _ = read("beir", tmp_path, numbered(5000, "train"))
    sizes = Counter(query.split for query in queries.values())
    assert sizes["dev"] == pytest.approx(500, abs=75) and sizes["test"] == pytest.approx(500, abs=75)
    assert all((query.split == "dev") == (hashed_fraction(id) < 0.1) for id, query in queries.items())


def test_only_what_is_missing_is_taken_from_train(tmp_path):
    files = numbered(2000, "train") | {"qrels/test.tsv": QRELS + b"t\ta\t1\n"}
    files["queries.jsonl"] += jsonl({"_id": "t", "text": "green"})
    _, queries, _ = read("beir", tmp_path, files)
    sizes = Counter(query.split for query in queries.values())
    assert sizes["test"] == 1 and sizes["dev"] == pytest.approx(200, abs=50)


def test_a_query_of_two_splits_stays_in_the_held_out_one(tmp_path):
    _, queries, dropped = read("beir", tmp_path, numbered(3, "train", "test"))
    assert {query.split for query in queries.values()} == {"test"}
    assert all(query.relevant == ("a",) for query in queries.values())
    assert dropped == {"pairs_of_a_query_in_a_second_split": 3}


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_a_judgement_of_0_may_be_of_a_document_that_has_gone(tmp_path, split):
    """Or of a missing query: neither is looked up."""
    table = f"qrels/{split}.tsv"
    gone = BEIR | {table: BEIR[table] + b"q0\tgone\t0\nnobody\ta\t-1\n"}
    documents, queries, dropped = read("beir", tmp_path / "a", gone)
    assert (documents, queries) == read("beir", tmp_path / "b", BEIR)[:2]
    assert dropped == {"pairs_of_score_0_or_less": 2}
    with pytest.raises(DataError, match=rf"{split}\.tsv: line \d: expected an id of the corpus, found 'gone'"):
        read("beir", tmp_path / "c", BEIR | {table: BEIR[table] + b"q0\tgone\t1\n"})


# Two columns


def read_table(folder, text: str, name="pairs.csv", **options):
    documents, queries, dropped = read("csv", folder, {name: text.encode()}, **options)
    titles = {document.id: document.title for document in documents}
    return {query.text: [titles[id] for id in query.relevant] for query in queries.values()}, dropped


PAIRS = {"red": ["Apple", "Fig"], "green": ["Apple"]}


@pytest.mark.parametrize(
    "text",
    [
        "red,Apple\nred,Fig\ngreen,Apple\n",
        "query,document\nred,Apple\nred,Fig\ngreen,Apple\n",
        "Document;Query\nApple;red\nFig;red\nApple;green",
        'Query\tshop\tDocument\nred\t1\tApple\nred\t"2"\tFig\n\ngreen\t3\t Apple \n',
        "\ufeffred,Apple\r\nred,Fig\r\ngreen,Apple\r\n",
    ],
)
def test_rows_of_the_same_text_are_one_query_or_document(tmp_path, text):
    assert read_table(tmp_path, text) == (PAIRS, {})


def test_columns_are_named_in_the_config(tmp_path):
    columns = {"query": "search term", "document": "product"}
    text = "id,product,query,search term\n1,Apple,x,red\n2,Fig,y,red\n3,Apple,z,green\n"
    assert read_table(tmp_path, text, columns=columns) == (PAIRS, {})


def test_a_quoted_cell_holds_delimiters_quotes_and_line_breaks(tmp_path):
    queries, _ = read_table(tmp_path, '"red, ""ripe""\nand round",Apple\n')
    assert queries == {'red, "ripe"\nand round': ["Apple"]}


def test_gzipped_and_zipped_tables_are_read(tmp_path):
    text = b"red\tApple\nred\tFig\ngreen\tApple\n"
    packed = write_files(tmp_path, {"pairs.tsv.gz": gzip.compress(text)}) / "pairs.tsv.gz"
    zipped = write_zip(tmp_path / "download.zip", {"export/pairs.tsv": text})
    documents, queries, _ = read("csv", packed)
    assert len(documents) == 2 and len(queries) == 2 and read("csv", zipped)[:2] == (documents, queries)


def test_rows_with_an_empty_cell_are_counted_and_skipped(tmp_path):
    assert read_table(tmp_path, "red,Apple\n ,Fig\ngreen,\n") == (
        {"red": ["Apple"]},
        {"rows_without_query_or_document": 2},
    )


def test_the_corpus_says_nothing_of_popularity_and_ids_survive_new_rows(tmp_path):
    rows = [f"query {number},document {number % 50}\n" for number in range(500)]
    documents, queries, _ = read("csv", tmp_path / "a", {"pairs.csv": "".join(rows).encode()})
    assert [document.id for document in documents] == sorted(document.id for document in documents)
    more, _, _ = read("csv", tmp_path / "b", {"pairs.csv": "".join(["new,new\n", *rows[::-1]]).encode()})
    assert set(documents) < set(more)
    sizes = Counter(query.split for query in queries.values())
    assert sizes["train"] == pytest.approx(400, abs=30) and sizes["dev"] == pytest.approx(50, abs=25)


def test_two_tables_in_a_folder_are_refused(tmp_path):
    with pytest.raises(DataError, match=r"expected one \.csv, \.tsv or \.parquet here, found a\.csv, b\.tsv, which"):
        read("csv", tmp_path, {"a.csv": b"x,y\n", "b.tsv": b"x\ty\n"})
