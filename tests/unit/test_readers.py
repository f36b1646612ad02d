"""Each raw format is read in every layout of its originals."""

import gzip
import hashlib
import json
import math
from collections import Counter

import pytest
from raw_sets import (
    DEV_PAGE,
    DEV_PMID,
    MICE,
    RAW_FILES,
    TEST_PMID,
    TRAIN_PAGE,
    TRAIN_PMID,
    article,
    jsonl,
    law,
    medline,
    page,
    tar,
    write_files,
    write_zip,
)

from mvg.datasets.records import Document, Query
from mvg.formats import FORMATS


def read(format, path, **options):
    dropped = Counter()
    records = list(FORMATS[format].read(path, dropped, **options))
    documents = {record.id: record for record in records if isinstance(record, Document)}
    queries = {record.id: record for record in records if isinstance(record, Query)}
    return documents, queries, dropped


# EURLEX57K


def test_a_law_is_a_query_and_its_concepts_are_relevant(tmp_path):
    documents, queries, _ = read("eurlex", write_files(tmp_path, RAW_FILES["eurlex"]))
    assert documents == {"1": Document("1", "fish"), "2": Document("2", "tax")}
    assert queries["3B"] == Query("3B", "On fish and tax\n", "train", ("1", "2"))
    assert {query.split for query in queries.values()} == {"train", "dev", "test"}


def test_the_concept_list_lies_beside_the_zip_or_in_it(tmp_path):
    files = dict(RAW_FILES["eurlex"])
    inside = write_zip(tmp_path / "inside" / "dataset.zip", files)
    concepts = files.pop("eurovoc_concepts.jsonl")
    beside = write_zip(tmp_path / "beside" / "dataset.zip", files)
    write_files(beside.parent, {"eurovoc_concepts.jsonl": concepts})

    loose = read("eurlex", write_files(tmp_path / "loose", RAW_FILES["eurlex"]))
    for path in inside, inside.parent, beside, beside.parent:
        assert read("eurlex", path) == loose


def test_dataset_zip_is_taken_among_several_zips(tmp_path):
    write_zip(tmp_path / "dataset.zip", RAW_FILES["eurlex"])
    write_zip(tmp_path / "another.zip", {"train.jsonl": b"not this one"})
    assert len(read("eurlex", tmp_path)[1]) == 4


def test_the_older_layout_gives_the_same_records(tmp_path):
    path = write_zip(tmp_path / "zip" / "any name.zip", RAW_FILES["eurlex-json"])
    loose = write_files(tmp_path / "loose", RAW_FILES["eurlex-json"])
    documents, queries, _ = read("eurlex-json", path)
    assert documents == {"1": Document("1", "fish"), "2": Document("2", "tax")}
    assert queries["3A"] == Query("3A", "On fish\n", "train", ("1",))
    assert (documents, queries, {}) == read("eurlex-json", path.parent) == read("eurlex-json", loose)


def test_attribute_files_of_macos_are_passed_over(tmp_path):
    extra = {"__MACOSX/dataset/train/._3A.json": b"\x00\x05"}
    path = write_zip(tmp_path / "a.zip", RAW_FILES["eurlex-json"] | extra)
    assert len(read("eurlex-json", path)[1]) == 3


# MEDLINE


def read_medline(folder, *articles, prolog=""):
    data = gzip.compress(medline(*articles, prolog=prolog))
    return read("medline", write_files(folder, {"a.xml.gz": data}))


def test_an_article_is_a_query_and_its_descriptors_are_relevant(tmp_path):
    documents, queries, _ = read("medline", write_files(tmp_path, RAW_FILES["medline"]))
    assert documents == {"D01": Document("D01", "Mice")}
    assert queries["101"] == Query("101", "On mice", "train", ("D01",))


def test_the_split_is_a_matter_of_the_pmid_alone(tmp_path):
    _, queries, _ = read("medline", write_files(tmp_path, RAW_FILES["medline"]))
    splits = {id: query.split for id, query in queries.items()}
    expected = {TRAIN_PMID: "train", DEV_PMID: "dev", TEST_PMID: "test"}
    assert splits == {str(pmid): split for pmid, split in expected.items()}


def test_the_split_is_80_10_10(tmp_path):
    _, queries, _ = read_medline(tmp_path, *(article(pmid, "T", MICE) for pmid in range(5000)))
    sizes = Counter(query.split for query in queries.values())
    assert sizes["train"] == pytest.approx(4000, abs=100)
    assert sizes["dev"] == pytest.approx(500, abs=75)


def test_a_title_is_the_text_of_all_its_descendants(tmp_path):
    title = "Uptake of <sup>14</sup>CO<sub><i>2</i></sub> &amp; [H<b>2</b>O]&#x2028;."
    _, queries, _ = read_medline(tmp_path, article(1, title, MICE))
    assert queries["1"].text == "Uptake of 14CO2 & [H2O]\u2028."


def test_the_doctype_of_medline_is_accepted_and_not_fetched(tmp_path):
    prolog = '<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD" "https://nowhere.invalid/p.dtd">'
    assert "1" in read_medline(tmp_path, article(1, "A", MICE), prolog=prolog)[1]


def test_articles_without_mesh_are_counted_and_skipped(tmp_path):
    _, queries, dropped = read_medline(tmp_path, article(1, "A", MICE), article(2, "B"))
    assert list(queries) == ["1"]
    assert dropped == {"articles_without_mesh": 1}


def test_a_descriptor_without_ui_goes_by_its_name(tmp_path):
    documents, queries, _ = read_medline(tmp_path, article(1, "A", ("", "Set, Psychology")))
    assert documents == {"Set, Psychology": Document("Set, Psychology", "Set, Psychology")}
    assert queries["1"].relevant == ("Set, Psychology",)


def test_the_first_name_of_a_descriptor_is_kept_and_others_are_counted(tmp_path):
    renamed = article(2, "B", ("D01", "Mus"))
    documents, queries, dropped = read_medline(tmp_path, article(1, "A", MICE), renamed)
    assert documents["D01"].title == "Mice"
    assert queries["2"].relevant == ("D01",)
    assert dropped == {"other_names_of_descriptors": 1}


def test_pmids_and_titles_of_others_are_not_taken(tmp_path):
    other = (
        "<CommentsCorrectionsList><CommentsCorrections><PMID>77</PMID></CommentsCorrections>"
        "</CommentsCorrectionsList></MedlineCitation>"
    )
    commented = article(1, "A", MICE).replace("</MedlineCitation>", other)
    deleted = "<DeleteCitation><PMID>88</PMID></DeleteCitation>"
    _, queries, _ = read_medline(tmp_path, commented, deleted)
    assert list(queries) == ["1"]


def test_a_file_that_fits_its_md5_is_read(tmp_path):
    data = RAW_FILES["medline"]["a.xml.gz"]
    line = f"MD5(a.xml.gz)= {hashlib.md5(data).hexdigest()}\n".encode()
    write_files(tmp_path, {"a.xml.gz": data, "a.xml.gz.md5": line})
    assert "101" in read("medline", tmp_path)[1]


def test_one_file_is_a_data_set_too(tmp_path):
    write_files(tmp_path, RAW_FILES["medline"])
    assert list(read("medline", tmp_path / "a.xml.gz")[1]) == ["101"]


# The Extreme Classification Repository


def test_a_page_is_a_query_and_its_targets_are_relevant(tmp_path):
    documents, queries, _ = read("xc", write_files(tmp_path, RAW_FILES["xc"]))
    assert documents == {"l0": Document("l0", "Apple"), "l1": Document("l1", "Pear")}
    assert queries[TRAIN_PAGE] == Query(TRAIN_PAGE, "Fruit", "train", ("l0", "l1"))
    assert queries[DEV_PAGE].split == "dev"
    assert queries["page-t"].split == "test"


def test_the_zip_may_hold_its_files_in_any_folder(tmp_path):
    loose = read("xc", write_files(tmp_path / "loose", RAW_FILES["xc"]))
    files = {f"LF-Any/raw/{name}": data for name, data in RAW_FILES["xc"].items()}
    path = write_zip(tmp_path / "zip" / "raw.zip", files)
    assert read("xc", path) == read("xc", path.parent) == loose


def test_without_uid_an_id_is_the_line_index(tmp_path):
    pages = [{"title": f"T{i}", "target_ind": [1]} for i in range(3)]
    files = dict.fromkeys(["trn.json.gz", "tst.json.gz"], gzip.compress(jsonl(*pages)))
    files["lbl.json.gz"] = gzip.compress(jsonl({"title": "Apple"}, {"title": "Pear"}))
    documents, queries, _ = read("xc", write_files(tmp_path, files))
    assert list(documents) == ["0", "1"]
    assert list(queries) == ["trn-0", "trn-1", "trn-2", "tst-0", "tst-1", "tst-2"]
    assert queries["tst-2"].relevant == ("1",)


def test_filter_lines_exclude_pairs(tmp_path):
    filters = {"filter_labels_train.txt": b"0 1\n0 0\n1 1\n", "filter_labels_test.txt": b"0 1"}
    _, queries, _ = read("xc", write_files(tmp_path, RAW_FILES["xc"] | filters))
    assert queries[TRAIN_PAGE].excluded == ("l1", "l0")
    assert queries[DEV_PAGE].excluded == ("l1",)
    assert queries["page-t"].excluded == ("l1",)


def test_filter_files_may_be_missing(tmp_path):
    files = {name: data for name, data in RAW_FILES["xc"].items() if name.endswith(".gz")}
    _, queries, _ = read("xc", write_files(tmp_path, files))
    assert all(query.excluded == () for query in queries.values())


def test_a_tenth_of_train_is_dev(tmp_path):
    pages = gzip.compress(jsonl(*(page(f"p{i}", "T", 0) for i in range(3000))))
    _, queries, _ = read("xc", write_files(tmp_path, RAW_FILES["xc"] | {"trn.json.gz": pages}))
    sizes = Counter(query.split for query in queries.values())
    assert sizes["dev"] == pytest.approx(300, abs=50)
    assert sizes["train"] + sizes["dev"] == 3000


def test_another_share_of_train_is_dev(tmp_path):
    pages = gzip.compress(jsonl(*(page(f"p{i}", "T", 0) for i in range(3000))))
    folder = write_files(tmp_path, RAW_FILES["xc"] | {"trn.json.gz": pages})
    splits = Counter(
        record.split for record in FORMATS["xc"].read(folder, Counter(), dev_share=0.2) if hasattr(record, "split")
    )
    assert splits["dev"] == pytest.approx(600, abs=70) and splits["test"] == 1


# Click logs


def clicklog(folder, *rows, columns="query,document,count,date", documents=None):
    files = {"clicks.csv": "\n".join([columns, *rows]).encode()}
    if documents:
        files["documents.csv"] = "\n".join(["document,text", *documents]).encode()
    return write_files(folder, files)


def test_a_query_of_a_split_is_its_clicks_there(tmp_path):
    documents, queries, dropped = read("clicklog", write_files(tmp_path, RAW_FILES["clicklog"]))
    assert documents == {"p1": Document("p1", "", "Green tea"), "p2": Document("p2", "", "A cup")}
    assert list(queries.values()) == [
        Query("train-0", "tea", "train", ("p1",), weight=3),
        Query("train-1", "Tea", "train", ("p2",), weight=1),
        Query("dev-0", "tea", "dev", ("p1",), weight=2),
        Query("test-2", "cup 7", "test", ("p2",), weight=4),
    ]
    assert not dropped


def test_clicks_of_a_query_add_up_over_days_and_files(tmp_path):
    rows = "q,b,1,2024-01-01", "q,a,2,2024-01-02 23:59:59", "q,b,3,2024-01-02"
    clicklog(tmp_path, *rows)
    more = b'query,document,count,date\r\n"q",a,1.5,2024-01-14\r\n\r\n'
    write_files(tmp_path, {"clicks-2.csv.gz": gzip.compress(more)})
    documents, queries, _ = read("clicklog", tmp_path)
    assert list(documents.values()) == [Document("a", "a"), Document("b", "b")]
    assert queries["train-0"] == Query("train-0", "q", "train", ("a", "b"), weight=6)
    assert queries["test-0"] == Query("test-0", "q", "test", ("a",), weight=1.5)


def test_dates_of_the_split_may_be_given(tmp_path):
    path = write_files(tmp_path, RAW_FILES["clicklog"])
    queries = read("clicklog", path, dev_from="2024-01-05", test_from="2024-01-06")[1]
    assert list(queries) == ["train-0", "dev-1", "test-0", "test-2"]


def test_a_random_split_needs_no_date_and_keeps_a_text_together(tmp_path):
    rows = [f"{spelling} {i},d,1" for i in range(1000) for spelling in ("Tea", "tea", "TEA")]
    path = clicklog(tmp_path, *rows, columns="query,document,count")
    queries = read("clicklog", path, split="random")[1].values()
    by_text = {}
    for query in queries:
        by_text.setdefault(query.text.lower(), set()).add(query.split)
    assert len(by_text) == 1000 and all(len(splits) == 1 for splits in by_text.values())
    assert sum(splits == {"train"} for splits in by_text.values()) == pytest.approx(800, abs=40)


def test_rare_queries_and_bots_are_dropped_and_counted(tmp_path):
    rows = "rare,a,1,2024-01-01", "fair,a,2,2024-01-01", "much,a,90,2024-01-01"
    scraper = [f"wide,{document},1,2024-01-01" for document in "abcd"]
    path = clicklog(tmp_path, *rows, *scraper, "rare,a,9,2024-01-14")
    _, queries, dropped = read("clicklog", path, min_clicks=2, max_clicks=50, max_documents=3)
    assert {(q.text, q.split) for q in queries.values()} == {("fair", "train"), ("rare", "test")}
    assert dropped == {"rare_queries": 1, "bots": 2}


def test_rows_that_say_nothing_are_dropped_and_counted(tmp_path):
    rows = " ,a,1,2024-01-01", "q,,1,2024-01-01", "q,a,0,2024-01-01", "q,z,1,2024-01-01", "q,a,1,2024-01-14"
    path = clicklog(tmp_path, "q,b,2,2024-01-01", *rows, documents=["a,An apple", "b,A pear"])
    documents, queries, dropped = read("clicklog", path)
    assert list(documents) == ["a", "b"] and [q.weight for q in queries.values()] == [2, 1]
    assert dropped == {
        "rows_without_query": 1,
        "rows_without_document": 1,
        "rows_without_clicks": 1,
        "rows_of_documents_without_text": 1,
    }


def test_weights_may_be_logarithms(tmp_path):
    path = write_files(tmp_path, RAW_FILES["clicklog"])
    weights = [query.weight for query in read("clicklog", path, weights="log")[1].values()]
    assert weights == pytest.approx([math.log(4), math.log(2), math.log(3), math.log(5)])


def test_parquet_reads_as_csv_does(tmp_path):
    import datetime

    import pyarrow
    from pyarrow import parquet

    csv = read("clicklog", write_files(tmp_path / "csv", RAW_FILES["clicklog"]))
    days = [datetime.datetime(2024, 1, day, 12) for day in (1, 5, 12, 14)]
    table = {"q": ["tea", "Tea", "tea", "cup 7"], "d": ["p1", "p2", "p1", "p2"], "n": [3, 1, 2, 4], "t": days}
    (tmp_path / "parquet").mkdir()
    parquet.write_table(pyarrow.table(table), tmp_path / "parquet/clicks.parquet")
    texts = pyarrow.table({"d": ["p1", "p2"], "text": ["Green tea", "A cup"]})
    for row in range(2):  # parts are read as one table
        parquet.write_table(texts.slice(row, 1), tmp_path / f"parquet/documents-{row}.parquet")
    columns = {"query": "q", "document": "d", "count": "n", "date": "t"}
    assert read("clicklog", tmp_path / "parquet", columns=columns) == csv
    alone = read("clicklog", tmp_path / "parquet/clicks.parquet", columns=columns)
    assert list(alone[0]) == ["p1", "p2"] and alone[1] == csv[1]


# MS MARCO


def test_a_question_and_its_passages(tmp_path):
    documents, queries, dropped = read("msmarco", write_files(tmp_path, RAW_FILES["msmarco"]))
    assert documents == {"7": Document("7", "", "Cows give milk."), "8": Document("8", "", "Hens lay eggs.")}
    assert list(queries.values()) == [
        Query("1", "who gives milk", "train", ("7",)),
        Query("9", "what do hens lay", "dev", ("8",)),
        Query("4", "unjudged", "train", ()),
        Query("2", "who lays eggs", "test", ("8",)),
    ]
    assert dropped == {"pairs_of_score_0_or_less": 1}


def test_with_a_test_file_dev_is_dev(tmp_path):
    more = {"queries.test.tsv": b"5\twhat is milk\n", "qrels.test.tsv": b"5 0 7 2\n"}
    _, queries, _ = read("msmarco", write_files(tmp_path, RAW_FILES["msmarco"] | more))
    assert {id: query.split for id, query in queries.items()} == {
        "1": "train", "9": "train", "4": "train", "2": "dev", "5": "test",
    }  # fmt: skip


def test_the_small_dev_set_is_taken_and_its_texts_may_lie_in_the_full_one(tmp_path):
    files = RAW_FILES["msmarco"] | {"qrels.dev.small.tsv": b"6\t0\t7\t1\n"}
    files["queries.dev.tsv"] += b"6\twhat do cows give\n"
    test = [query for query in read("msmarco", write_files(tmp_path, files))[1].values() if query.split == "test"]
    assert test == [Query("2", "who lays eggs", "test", ()), Query("6", "what do cows give", "test", ("7",))]


def test_msmarco_may_be_gzipped(tmp_path):
    plain = read("msmarco", write_files(tmp_path / "plain", RAW_FILES["msmarco"]))
    packed = {f"{name}.gz": gzip.compress(data) for name, data in RAW_FILES["msmarco"].items()}
    assert read("msmarco", write_files(tmp_path / "packed", packed)) == plain


def test_msmarco_may_lie_in_its_tar_as_it_is_downloaded(tmp_path):
    files = RAW_FILES["msmarco"]
    plain = read("msmarco", write_files(tmp_path / "plain", files))
    inside = {f"./{name}": data for name, data in files.items() if name != "qrels.train.tsv"}
    packed = {"collectionandqueries.tar.gz": tar(inside), "qrels.train.tsv": files["qrels.train.tsv"]}
    assert read("msmarco", write_files(tmp_path / "packed", packed)) == plain
    # What somebody unpacked is read from there.
    more = packed | {"collection.tsv": b"7\tunpacked\n8\t\n"}
    assert read("msmarco", write_files(tmp_path / "more", more))[0]["7"].text == "unpacked"


def test_tabs_inside_a_passage_are_text(tmp_path):
    files = RAW_FILES["msmarco"] | {"collection.tsv": b"7\ta\tb\r\n8\t\n"}
    documents = read("msmarco", write_files(tmp_path, files))[0]
    assert [document.text for document in documents.values()] == ["a\tb", ""]


# All


def test_a_byte_order_mark_and_blank_last_lines_are_tolerated(tmp_path):
    files = dict(RAW_FILES["eurlex"])
    files["train.jsonl"] = b"\xef\xbb\xbf" + files["train.jsonl"] + b"\r\n\n"
    assert len(read("eurlex", write_files(tmp_path, files))[1]) == 4


def test_only_newlines_end_a_line(tmp_path):
    title = "one\u2028two\x85three\x0bfour"
    line = json.dumps(law("3X", title, "1"), ensure_ascii=False).encode()
    files = RAW_FILES["eurlex"] | {"dev.jsonl": line}
    assert read("eurlex", write_files(tmp_path, files))[1]["3X"].text == title


@pytest.mark.parametrize("format", FORMATS)
def test_reading_twice_gives_the_same(tmp_path, format):
    path = write_files(tmp_path, RAW_FILES[format])
    assert list(FORMATS[format].read(path, Counter())) == list(FORMATS[format].read(path, Counter()))
