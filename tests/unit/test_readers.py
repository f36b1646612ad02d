"""Each raw format is read as its originals are, in every layout they come in."""

import gzip
import hashlib
import json
from collections import Counter

import pytest
from mvg.data import READERS, Document, Query
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
    write_files,
    write_zip,
)


def read(format, path):
    dropped = Counter()
    records = list(READERS[format](path, dropped))
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
        record.split for record in READERS["xc"](folder, Counter(), dev_share=0.2) if hasattr(record, "split")
    )
    assert splits["dev"] == pytest.approx(600, abs=70) and splits["test"] == 1


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


@pytest.mark.parametrize("format", READERS)
def test_reading_twice_gives_the_same(tmp_path, format):
    path = write_files(tmp_path, RAW_FILES[format])
    assert list(READERS[format](path, Counter())) == list(READERS[format](path, Counter()))
