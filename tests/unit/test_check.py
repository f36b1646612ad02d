"""`mvg check`: numbers counted by hand, an answer with its reasons, one line for bad data."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from raw_sets import RAW_FILES, jsonl, write_files, write_zip

from mvg.__main__ import main
from mvg.commands.check import check, verdict
from mvg.formats import FORMATS
from mvg.formats.guess import guess_format
from mvg.io.errors import DataError

WORKFLOW = Path(__file__).parents[2] / "workflow"
QRELS = b"query-id\tcorpus-id\tscore\n"


def beir(train, test=(("t", "a"),), texts=None):
    """A BEIR folder of documents a to j ("word a" ...) with these pairs; queries are texts of their ids."""
    texts = texts or {}
    ids = dict.fromkeys(query for query, _ in (*train, ("d", "a"), *test))
    tables = {"train": train, "dev": [("d", "a")], "test": test}
    return {
        "corpus.jsonl": jsonl(*({"_id": id, "text": f"word {id}"} for id in "abcdefghij")),
        "queries.jsonl": jsonl(*({"_id": id, "text": texts.get(id, id)} for id in ids)),
    } | {
        f"qrels/{split}.tsv": QRELS + b"".join(f"{q}\t{d}\t1\n".encode() for q, d in pairs)
        for split, pairs in tables.items()
    }


def test_the_numbers_are_those_of_the_data(tmp_path):
    train = [("q1", "a"), ("q2", "a"), ("q3", "a"), ("q1", "b")]
    test = [("t1", "a"), ("t1", "b"), ("t2", "a"), ("t2", "c")]
    texts = {"t1": "Q1 ", "t2": "a word here"}
    page = check(write_files(tmp_path, beir(train, test, texts)))
    for line in (
        "beir (guessed)",
        "10 documents, 0 of them without text",
        "train: 3 queries, 4 pairs, 1.3 documents a query",
        "test: 2 queries, 4 pairs, 2.0 documents a query",
        "the top 1 % (1) of the documents have 75% of the training pairs; Gini 0.85",
        "the most popular one has 3 training queries; 80% have none",
        "50% of the test pairs are of documents with two training queries or more",
        "50% of the test queries (1) and 0% of dev's (0) are training queries, letter case, spaces and",
        "that is a leak, unless they were asked again",
        "38% of a document's words are in a query that it answers, on average",  # 0, 0, 2 of 2, 1 of 2
        "queries: 1 words (median)",
    ):
        assert f"  {line}" in page, line


@pytest.mark.parametrize(
    ("texts", "test", "dev"),
    [
        ({"t1": "CAF\u00c9  ol\u00e9"}, 1, 0),
        ({"t1": "cafe\u0301 ol\u00e9", "d": "caf\u00e9 ol\u00e9 "}, 1, 1),
        ({"t1": "cafe ole"}, 0, 0),
    ],
)
def test_leaks_between_given_splits_are_counted_in_one_normal_form(tmp_path, texts, test, dev):
    page = check(write_files(tmp_path, beir([("q1", "a")], [("t1", "b")], {"q1": "caf\u00e9 ol\u00e9"} | texts)))
    assert f"{test:.0%} of the test queries ({test}) and {dev:.0%} of dev's ({dev}) are training queries" in page
    assert ("a leak" in page) == (test + dev > 0)


def test_what_people_ask_again_is_no_leak(tmp_path):
    days = [f"q{day % 3},d,1,2024-01-{day:02}" for day in range(1, 31)]
    log = write_files(tmp_path, {"log.csv": "\n".join(["query,document,count,date", *days]).encode()}) / "log.csv"
    page = check(log)
    assert "100% of the test queries (3) and" in page and "leak" not in page


def test_queries_that_are_documents_are_counted_until_they_are_left_out(tmp_path):
    files = beir([("a", "b"), ("b", "a"), ("q", "c")], [("c", "d")])
    folder = write_files(tmp_path, files)
    # a, b, c, and the d of dev's qrels
    assert "4 of 5 queries have the id of a document: `ignore_identical_ids: true` leaves" in check(folder)
    assert "have the id of a document" not in check(folder, "beir", ignore_identical_ids=True)
    filters = {f"filters/{split}.tsv": b"query-id\tcorpus-id\n" for split in ("train", "dev", "test")}
    filters["filters/train.tsv"] += b"a\ta\nb\tb\n"
    assert "2 of 5 queries have the id of a document" in check(write_files(tmp_path, filters))


def facts(**changes):
    good = {"training": 5000, "test": 500, "behaviour": 0.9, "head_share": 0.1, "overlap": 0.3}
    return good | changes


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "Yes, over an encoder as it comes"),
        ({"head_share": 0.4}, "prior+"),
        ({"overlap": 0.9}, "BM25"),
        ({"behaviour": 0.1}, "Not likely. Only 10%"),
        ({"training": 90}, "Too few queries to tell: 90 for training"),
        ({"test": 9}, "Too few queries to tell: 5,000 for training, 9 for test"),
    ],
)
def test_the_answer_follows_the_papers_conditions(changes, words):
    answer = " ".join(verdict(facts(**changes)))
    assert words in answer
    assert ("prior+" in answer) == ("head_share" in changes) and ("BM25" in answer) == ("overlap" in changes)


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_is_recognised(tmp_path, format):
    assert guess_format(write_files(tmp_path / "loose", RAW_FILES[format])) == format
    assert guess_format(write_zip(tmp_path / "zip/any.zip", RAW_FILES[format])) == format


def test_a_table_with_counts_is_a_click_log(tmp_path):
    table = write_files(tmp_path, {"log.csv": RAW_FILES["clicklog"]["clicks.csv"]}) / "log.csv"
    assert guess_format(table) == "clicklog"


def test_what_is_dropped_is_said(tmp_path, capsys):
    files = write_files(tmp_path, {"pairs.csv": RAW_FILES["csv"]["pairs.csv"] + b"fruit,\n,Pear\nfruit,Apple\n"})
    assert main(["check", str(files / "pairs.csv")]) == 0
    page = capsys.readouterr().out
    assert "2 rows without query or document" in page and "1 repeated pairs" in page and "csv (guessed)" in page


def test_columns_are_named_on_the_command_line(tmp_path, capsys):
    text = RAW_FILES["csv"]["pairs.csv"].replace(b"query,document", b"search,product")
    path = str(write_files(tmp_path, {"log.csv": text}) / "log.csv")
    assert main(["check", path, "--query", "search", "--document", "product"]) == 0
    assert "2 documents" in capsys.readouterr().out


LOG = [f"q{day % 7};d{day % 5};2;2024-01-{day:02}" for day in range(1, 31)]


@pytest.mark.parametrize("header", ["query;document;count;date", "term;item no;hits;on"])
def test_a_log_with_columns_of_its_own_is_checked_as_one_without(tmp_path, capsys, header):
    path = str(write_files(tmp_path, {"log.csv": "\n".join([header, *LOG]).encode()}) / "log.csv")
    flags = zip(("--query", "--document", "--count", "--date"), header.split(";"), strict=True)
    assert main(["check", path, *(word for pair in flags for word in pair)]) == 0
    page = capsys.readouterr().out
    for line in ("clicklog\n", "dev from: 2024-01-23\n", "test from: 2024-01-26\n", "  5 documents", "test: 5 queries"):
        assert line in page, line


def test_a_log_without_dates_is_split_at_random(tmp_path, capsys):
    rows = (f"q{number};d{number % 5};1" for number in range(60))
    path = str(write_files(tmp_path, {"log.csv": "\n".join(["query;document;count", *rows]).encode()}) / "log.csv")
    assert main(["check", path]) == 1
    assert "--date, or set split: random (--split random)" in capsys.readouterr().err
    assert main(["check", path, "--split", "random"]) == 0
    assert "(0) and 0% of dev's (0) are training queries" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--query", "a"], "--query and --document go together"),
        (["--query", "a", "--document", "a"], "--query and --document are different columns"),
        (["--query", "a", "--document", "b", "--format", "beir"], "--query goes with the format clicklog or csv"),
        (
            ["--format", "csv", "--query", "a", "--document", "b", "--date", "c"],
            "--date does not go with the format csv",
        ),
        (["--format", "csv", "--split", "random"], "--split goes with the format clicklog"),
    ],
)
def test_flags_that_do_not_go_together(tmp_path, capsys, flags, words):
    with pytest.raises(SystemExit, match="2"):
        main(["check", str(tmp_path), *flags])
    assert words in capsys.readouterr().err


def test_an_error_after_a_guess_says_how_to_name_the_format(tmp_path, capsys):
    path = str(write_files(tmp_path, {"mine.csv": b"a,b,c\n"}) / "mine.csv")
    assert main(["check", path]) == 1
    assert "(the format csv is a guess: say another with --format)" in capsys.readouterr().err
    assert main(["check", path, "--format", "csv"]) == 1
    assert "is a guess" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"readme.txt": b"x"}, "expected files of one of the formats beir, "),
        ({"pairs.csv": b"fruit,Apple\n"}, "expected queries with relevant documents in dev, found none"),
        ({"pairs.csv": b"a,b,c\n"}, "pairs.csv: line 1: expected two columns"),
    ],
)
def test_bad_data_is_one_line(tmp_path, capsys, files, words):
    assert main(["check", str(write_files(tmp_path, files))]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"error: {tmp_path}") and error.count("\n") == 1 and words in error


def test_it_runs_as_a_module_without_torch():
    code = "import sys, mvg.__main__; assert not {'torch', 'faiss', 'numba', 'pandas'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=WORKFLOW, check=True)
    done = subprocess.run(
        [sys.executable, "-m", "mvg", "check", "nosuch"], cwd=WORKFLOW, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stderr == "error: nosuch: expected a file, a zip or a folder here, found nothing\n"


def test_a_zip_is_guessed_by_what_is_in_it(tmp_path):
    (tmp_path / "clicks.csv").write_text("query,document,count\na,b,1\n", encoding="utf-8")
    with zipfile.ZipFile(tmp_path / "mine.zip", "w") as archive:
        archive.writestr("pairs.csv", "query,document\na,b\n")
    assert guess_format(tmp_path / "mine.zip") == "csv"
    assert guess_format(tmp_path / "clicks.csv") == "clicklog"
    (tmp_path / "notes.txt").write_text("no data set", encoding="utf-8")
    with pytest.raises(DataError, match="expected files of one of the formats"):
        guess_format(tmp_path / "notes.txt")
