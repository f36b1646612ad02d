"""PubMed as in the paper: a random sample, MeSH as the corpus, and two more raw formats."""

import csv
import gzip
import heapq
import io
import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raw_sets import MICE, RAW_FILES, TEST_PMID, TRAIN_PMID, article, bioasq, medline, mesh, write_files, write_zip

from mvg.datasets.records import Document, Query
from mvg.formats import FORMATS
from mvg.formats.medline import read_medline
from mvg.io.errors import DataError

HUMANS = ("D02", "Humans")


def read(format, path, **options):
    dropped = Counter()
    records = list(FORMATS[format].read(path, dropped, **options))
    documents = {record.id: record.title for record in records if isinstance(record, Document)}
    return documents, {record.id: record for record in records if isinstance(record, Query)}, dict(dropped)


def baseline(folder, pmids, files=1, **more):
    """Articles of ``pmids`` in ``files`` files."""
    parts = {
        f"pubmed26n{number:04d}.xml.gz": gzip.compress(
            medline(*(article(pmid, f"On {pmid}", MICE) for pmid in pmids[number::files]))
        )
        for number in range(files)
    }
    return write_files(folder, parts | more)


# The sample


SAMPLE = {"train": 60, "dev": 7, "test": 20}


def split_of(queries):
    return {id: query.split for id, query in queries.items()}


def test_a_sample_has_the_sizes_asked_for(tmp_path):
    _, queries, dropped = read("medline", baseline(tmp_path, range(500)), sample=SAMPLE)
    assert Counter(split_of(queries).values()) == SAMPLE
    assert all(query == Query(id, f"On {id}", query.split, ("D01",)) for id, query in queries.items())
    assert dropped == {"articles_not_drawn": 500 - 87}


def test_the_order_and_number_of_files_change_nothing(tmp_path):
    expected = split_of(read("medline", baseline(tmp_path / "a", range(500)), sample=SAMPLE)[1])
    other = baseline(tmp_path / "b", range(499, -1, -1), files=7)
    assert split_of(read("medline", other, sample=SAMPLE)[1]) == expected


def test_another_seed_draws_another_sample(tmp_path):
    folder = baseline(tmp_path, range(500))
    first, second = (set(read("medline", folder, sample=SAMPLE | {"seed": seed})[1]) for seed in (0, 1))
    assert 0 < len(first & second) < 60


def test_every_article_is_as_likely_as_another(tmp_path):
    folder = baseline(tmp_path, range(100))
    drawn = Counter()
    for seed in range(200):
        drawn.update(read("medline", folder, sample={"train": 8, "dev": 1, "test": 1, "seed": seed})[1].keys())
    assert sum(drawn.values()) == 2000 and len(drawn) == 100  # each 20 times on average, sd 4.2
    assert min(drawn.values()) > 3 and max(drawn.values()) < 41


def test_a_larger_train_keeps_test_and_dev(tmp_path):
    folder = baseline(tmp_path, range(500))
    small = split_of(read("medline", folder, sample=SAMPLE)[1])
    large = split_of(read("medline", folder, sample=SAMPLE | {"train": 300})[1])
    assert small.items() <= large.items()


def test_train_takes_what_is_left(tmp_path):
    _, queries, dropped = read("medline", baseline(tmp_path, range(50)), sample=SAMPLE)
    assert Counter(split_of(queries).values()) == {"test": 20, "dev": 7, "train": 23} and dropped == {}


def test_too_few_articles_for_a_sample_are_refused(tmp_path):
    with pytest.raises(DataError, match="expected more than 27 articles with MeSH headings, .* found 27"):
        read("medline", baseline(tmp_path, range(27)), sample=SAMPLE)


# Duplicates, check tags, MeSH


@pytest.mark.parametrize("options", [{}, {"sample": {"train": 4, "dev": 1, "test": 1}}])
def test_a_later_record_corrects_or_deletes_an_earlier_one(tmp_path, options):
    deleted = '<DeleteCitation><PMID Version="1">5</PMID><PMID Version="1">77</PMID></DeleteCitation>'
    updates = gzip.compress(medline(article(3, "On 3, revised", MICE), article(9, "On 9", MICE), deleted))
    folder = baseline(tmp_path, range(6), files=2, **{"pubmed26n1300.xml.gz": updates})
    _, queries, dropped = read("medline", folder, **options)
    assert {id: query.text for id, query in queries.items()} == {
        "0": "On 0", "1": "On 1", "2": "On 2", "3": "On 3, revised", "4": "On 4", "9": "On 9",
    }  # fmt: skip
    assert dropped == {"deleted_articles": 1, "earlier_versions_of_articles": 1}


def test_the_highest_version_counts_wherever_it_stands(tmp_path):
    second = article(1, "Second", MICE).replace('Version="1"', 'Version="2"')
    texts = [second, article(1, "First", MICE), article(2, "Of mice", MICE)]
    _, queries, dropped = read("medline", write_files(tmp_path, {"a.xml.gz": gzip.compress(medline(*texts))}))
    assert {query.text for query in queries.values()} == {"Second", "Of mice"}
    assert dropped == {"earlier_versions_of_articles": 1}


def test_a_later_version_without_mesh_is_the_article(tmp_path):
    files = {"a.xml.gz": gzip.compress(medline(article(1, "A", MICE), article(1, "B"), article(2, "C", MICE)))}
    _, queries, dropped = read("medline", write_files(tmp_path, files))
    assert list(queries) == ["2"] and dropped == {"articles_without_mesh": 1, "earlier_versions_of_articles": 1}


STEPS = st.lists(st.tuples(st.integers(1, 4), st.sampled_from(["new", "new", "deleted"])), max_size=12)


@given(files=st.lists(STEPS, min_size=1, max_size=3))
def test_files_of_updates_leave_what_applying_them_one_by_one_leaves(tmp_path_factory, files):
    folder, expected, number = tmp_path_factory.mktemp("updates"), {}, 0
    for name, steps in enumerate(files):
        parts = []
        for pmid, kind in steps:
            number += 1
            if kind == "new":
                expected[str(pmid)] = f"T{number}"
                parts.append(article(pmid, f"T{number}", MICE))
            else:
                expected.pop(str(pmid), None)
                parts.append(f"<DeleteCitation><PMID>{pmid}</PMID></DeleteCitation>")
        (folder / f"{name}.xml.gz").write_bytes(gzip.compress(medline(*parts)))
    _, queries, _ = read("medline", folder)
    assert {id: query.text for id, query in queries.items()} == expected


def test_check_tags_are_kept(tmp_path):
    files = {"a.xml.gz": gzip.compress(medline(article(TRAIN_PMID, "T", MICE, HUMANS)))}
    documents, queries, _ = read("medline", write_files(tmp_path, files))
    assert documents == {"D01": "Mice", "D02": "Humans"} and queries[str(TRAIN_PMID)].relevant == ("D01", "D02")


@pytest.mark.parametrize("name", ["desc2026.xml", "desc2026.xml.gz", "desc2026.gz"])
def test_the_corpus_is_mesh_where_it_is_there(tmp_path, name):
    data = mesh(("D01", "Mice"), ("D03", "Men"))
    retired = article(TEST_PMID, "T", MICE, ("D77", "Retired"))
    files = {name: gzip.compress(data) if name.endswith("gz") else data, "a.xml.gz": gzip.compress(medline(retired))}
    documents, queries, dropped = read("medline", write_files(tmp_path, files))
    assert documents == {"D01": "Mice", "D03": "Men"}  # also what nobody asks for; not D99, a cross-reference
    assert queries[str(TEST_PMID)].relevant == ("D01",)
    assert dropped == {"headings_outside_mesh": 1}


def test_of_a_download_only_what_it_lists_is_read(tmp_path):
    listed = json.dumps({"files": [{"name": "pubmed26n0001.xml.gz"}]}).encode()
    more = {"downloaded.json": listed, "desc2025.xml": mesh(HUMANS), "desc2026.xml": mesh(HUMANS)}
    documents, queries, _ = read("medline", baseline(tmp_path, range(10), files=2, **more))
    assert set(queries) == set("13579") and documents == {"D01": "Mice"}


# BioASQ and the table


def test_bioasq_is_read_as_it_is(tmp_path):
    documents, queries, _ = read("bioasq", write_files(tmp_path, RAW_FILES["bioasq"]))
    assert documents == {"Mice": "Mice"}
    assert queries["101"] == Query("101", "On mice", "train", ("Mice",))
    assert [query.split for query in queries.values()] == ["train", "dev", "test"]


def test_bioasq_in_every_wrapping_is_the_same(tmp_path):
    data = RAW_FILES["bioasq"]["allMeSH.json"]
    plain = read("bioasq", write_files(tmp_path / "a", {"allMeSH.json": data}) / "allMeSH.json")
    packed = write_files(tmp_path / "b", {"allMeSH.json.gz": gzip.compress(data)})
    zipped = write_zip(tmp_path / "c" / "allMeSH.zip", {"allMeSH.json": data})
    pretty = write_files(tmp_path / "d", {"a.json": json.dumps(json.loads(data), indent=8).encode()})
    for path in packed, packed / "allMeSH.json.gz", zipped, zipped.parent, pretty:
        assert read("bioasq", path) == plain


def test_bioasq_is_streamed_over_any_chunks(tmp_path):
    articles = [(pmid, f"über {pmid} " + "x" * (pmid * 97 % 5000), "Mice") for pmid in range(400)]
    _, queries, _ = read("bioasq", write_files(tmp_path, {"a.json": bioasq(*articles)}))
    assert [query.text for query in queries.values()] == [title for _, title, _ in articles]


def test_names_become_uis_where_mesh_is_there(tmp_path):
    files = {"a.json": bioasq((1, "T", "Mice", "Retired")), "desc2026.xml": mesh(MICE)}
    documents, queries, dropped = read("bioasq", write_files(tmp_path, files))
    assert documents == {"D01": "Mice"} and queries["1"].relevant == ("D01",)
    assert dropped == {"headings_outside_mesh": 1}


def test_odd_bytes_and_missing_titles_of_bioasq(tmp_path):
    data = bioasq((1, "na?ve", "Mice"), (2, None, "Mice")).replace(b"?", b"\xef")
    _, queries, _ = read("bioasq", write_files(tmp_path, {"a.json": data}))
    assert [query.text for query in queries.values()] == ["na\ufffdve", ""]


def test_a_table_of_titles_and_lists(tmp_path):
    text = (
        'abstractText,meshMajor,Title,pmid\n"x, y","[\'Mice\', ""Alzheimer\'s, late"", \'O\\\'Brien\']",On mice,1\n'
        "x,[],Nothing,2\nx,\"['Mice',]\",On mice,3\n"
    )
    documents, queries, dropped = read("mesh-csv", write_files(tmp_path, {"a.csv": text.encode()}))
    assert set(documents) == {"Mice", "Alzheimer's, late", "O'Brien"}
    assert queries["row-1"].relevant == ("Mice", "Alzheimer's, late", "O'Brien")
    assert queries["row-3"].text == "On mice"  # repeated titles are queries of their own
    assert dropped == {"articles_without_mesh": 1}


def test_lists_are_read_as_python_prints_them(tmp_path):
    names = [
        "Mice",
        "d'Alembert",
        'say "hi"',
        "both ' and \"",
        "back\\slash",
        "na\u00efve\u200b",
        "\U0001f42d",
        "x,y",
        "[z]",
    ]
    rows = io.StringIO()
    csv.writer(rows).writerows([("Title", "meshMajor"), ("T", str(names)), ("U", ascii(names))])
    _, queries, _ = read("mesh-csv", write_files(tmp_path, {"a.csv": rows.getvalue().encode()}))
    assert [list(query.relevant) for query in queries.values()] == [names, names]


@pytest.mark.parametrize("format", ["bioasq", "mesh-csv"])
def test_samples_are_drawn_from_all_formats(tmp_path, format):
    options = {"sample": {"train": 1, "dev": 1, "test": 1}}
    _, queries, _ = read(format, write_files(tmp_path, RAW_FILES[format]), **options)
    assert Counter(split_of(queries).values()) == {"train": 1, "dev": 1, "test": 1}


def test_a_sample_holds_no_more_than_it_draws(tmp_path, monkeypatch):
    """Of 3,000 articles, never more than the 30 of the sample are kept."""
    sizes = []
    push = heapq.heappush
    monkeypatch.setattr(heapq, "heappush", lambda heap, entry: (push(heap, entry), sizes.append(len(heap))))
    list(read_medline(baseline(tmp_path, range(3000)), Counter(), sample={"train": 20, "dev": 5, "test": 5}))
    assert max(sizes) == 30
