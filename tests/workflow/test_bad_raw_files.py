"""Bad raw files through the workflow: one line, exit code not 0, no output left behind."""

import gzip
import json
import zipfile

import pytest

CONCEPTS = '{"id": "1", "title": "fish"}\n{"id": "2", "title": "ships"}\n'


def law(id, concepts, title="a title"):
    return json.dumps({"celex_id": id, "title": title, "eurovoc_concepts": concepts}) + "\n"


def eurlex(folder, train="", concepts=CONCEPTS):
    folder = folder / "raw/eurlex"
    folder.mkdir(parents=True)
    (folder / "eurovoc_concepts.jsonl").write_text(concepts, encoding="utf-8")
    with zipfile.ZipFile(folder / "dataset.zip", "w") as archive:
        archive.writestr("train.jsonl", train or law("t1", ["1"]))
        archive.writestr("dev.jsonl", law("d1", ["1"]))
        archive.writestr("test.jsonl", law("e1", ["2"]))
    return folder


def prepare(workflow):
    target = "results/bad/eurlex/data/stats.json"
    return workflow.run(target, "--config", "run=bad", "raw_dir=raw", "datasets=[eurlex]", check=False)


def truncated_zip(folder):
    path = eurlex(folder) / "dataset.zip"
    path.write_bytes(path.read_bytes()[:-40])


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (truncated_zip, ["dataset.zip"]),
        (lambda f: eurlex(f, train=law("t1", ["1"]) + '{"celex_id": \n'), ["train.jsonl", "line 2", "JSON"]),
        (lambda f: eurlex(f, train=law("t1", ["9"])), ["train.jsonl", "line 1", "9"]),
        (lambda f: eurlex(f, train=law("t1", ["1"]) * 2), ["train.jsonl", "line 2", "t1"]),
        (lambda f: eurlex(f, concepts=""), ["eurovoc_concepts.jsonl"]),
    ],
)
def test_one_line_and_nothing_left(fresh, damage, words):
    damage(fresh.folder)
    done = prepare(fresh)
    assert done.returncode != 0
    lines = [line for line in done.stderr.splitlines() if line.startswith("error:")]
    assert len(lines) == 1 and all(word in lines[0] for word in words), done.stderr
    assert "Traceback" not in done.stderr
    left = [p for p in (fresh / "results/bad/eurlex").rglob("*") if p.is_file()]
    assert not left


def test_odd_titles_reach_every_file_unharmed(fresh):
    odd = 'a\tb\nc\0d\u2028e"f<b>g</b>\\textbf{h} שלום'
    eurlex(fresh.folder, train=law("t1", ["1"], odd))
    done = prepare(fresh)
    assert done.returncode == 0, done.stderr
    with open(fresh / "results/bad/eurlex/data/queries.jsonl", "rb") as file:
        titles = [json.loads(line)["text"] for line in file]
    assert odd in titles


def test_a_wrong_md5_is_named(fresh):
    folder = fresh / "raw/pubmed"
    folder.mkdir(parents=True)
    (folder / "pubmed26n0001.xml.gz").write_bytes(gzip.compress(b"<PubmedArticleSet/>"))
    (folder / "pubmed26n0001.xml.gz.md5").write_text("MD5(pubmed26n0001.xml.gz)= " + "0" * 32 + "\n")
    done = fresh.run(
        "results/bad/pubmed/data/stats.json", "--config", "run=bad", "raw_dir=raw", "datasets=[pubmed]", check=False
    )
    assert done.returncode != 0
    lines = [line for line in done.stderr.splitlines() if line.startswith("error:")]
    assert len(lines) == 1 and "pubmed26n0001.xml.gz" in lines[0] and "md5" in lines[0].lower()
