"""The user's own encoder, as in docs/encoders.md, and ready-made vectors."""

import csv
import re
import shlex

import numpy as np
import pytest
import yaml

from .conftest import ROOT, copy_of_project

pytestmark = pytest.mark.runs

PAGE = (ROOT / "docs/encoders.md").read_text(encoding="utf-8")
FOLDER = "results/tiny/wikiseealso"


def methods(workflow):
    with open(workflow / "results/tiny/tables/benchmark.csv", newline="", encoding="utf-8") as file:
        return {row["method"] for row in csv.DictReader(file)}


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    """The worked example of the docs, word for word, over one tiny dataset."""
    workflow = copy_of_project(tmp_path_factory.mktemp("own"))
    code = next(block for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
    config = next(block for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL) if "module:" in block)
    (workflow / "workflow/mvg/encoders/trigrams.py").write_text(code, encoding="utf-8")
    (workflow / "mine.yaml").write_text(config, encoding="utf-8")
    titled = "sources={wikiseealso: {title: Our pages}}"
    workflow.run("--configfile", "tests/tiny.yaml", "mine.yaml", "--config", "datasets=['wikiseealso']", titled)
    return workflow


def test_the_worked_example_is_in_the_benchmark(example):
    assert {"trigrams", "prior+trigrams", "mvg+trigrams", "mvg+prior+trigrams"} < methods(example)
    vectors = np.load(example / f"{FOLDER}/trigrams/documents.npy")
    assert vectors.shape == (150, 128) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_the_title_of_a_dataset_is_its_name_everywhere(example):
    for file in ("answer.txt", "index.html", "tables/benchmark.md"):
        text = (example / "results/tiny" / file).read_text(encoding="utf-8")
        assert "Our pages" in text and "WikiSeeAlso (simulated)" not in text, file


def ready(example, change=lambda documents: documents):
    """Run with the example's vectors as the user's files."""
    (example / "mine/wikiseealso").mkdir(parents=True, exist_ok=True)
    for side in ("documents", "queries"):
        vectors = np.load(example / f"{FOLDER}/trigrams/{side}.npy") * 7  # of another norm
        changed = change(vectors) if side == "documents" else vectors
        file = example / f"mine/wikiseealso/{side}.npy"
        file.write_bytes(changed) if isinstance(changed, bytes) else np.save(file, changed)
    entry = {"encoders": ["ready"], "encoder_settings": {"ready": {"kind": "vectors", "path": "mine"}}}
    (example / "ready.yaml").write_text(yaml.safe_dump(entry | {"diversity_encoder": "ready"}))
    configs = ["--configfile", "tests/tiny.yaml", "ready.yaml", "--config", "datasets=['wikiseealso']"]
    return example.run(f"{FOLDER}/ready/documents.npy", *configs, check=False)


def hole(vectors):
    vectors[3, 5] = np.nan
    return vectors


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda v: v[:-1], "expected 150 rows, one for each line of corpus.jsonl, found 149"),
        (hole, "documents.npy: row 3: expected finite numbers"),
        (lambda v: v[:, :-1], "expected 127 floats a vector, as the documents have, found 128"),
        (lambda v: v[0], "expected a matrix of numbers"),
        (lambda v: v * 0, "documents.npy: expected vectors, found nothing but zeros"),
        (lambda v: v.astype(str), "expected a matrix of numbers"),
        (lambda v: b"not an array", "documents.npy: expected a .npy file of numbers"),
        (lambda v: b"PK\3\4hello", "documents.npy: expected a .npy file of numbers"),
        (lambda v: b"", "documents.npy: expected a .npy file of numbers"),
    ],
)
def test_wrong_vectors_are_one_line(example, change, expected):
    done = ready(example, change)
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("error:")]
    assert done.returncode != 0 and len(lines) == 1 and expected in lines[0], done.stdout + done.stderr
    assert not (example / f"{FOLDER}/ready/documents.npy").exists()


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("def encode(*given): raise KeyError('two\\nlines')", "KeyError"),
        ("import no_such_package", "No module named 'no_such_package'"),
        ("def encode(*given): return None", "TypeError"),
        ("def encode(*given): return [[1, 2], [3]], [[1, 2]]", "inhomogeneous"),
        ("def encode(*given): raise SystemExit(0)", "SystemExit"),
        ("", "encode"),
    ],
)
def test_a_module_that_fails_is_one_line(example, code, expected):
    (example / "workflow/mvg/encoders/broken.py").write_text(code)
    entry = {"encoders": ["broken"], "encoder_settings": {"broken": {"kind": "module", "module": "broken"}}}
    (example / "broken.yaml").write_text(yaml.safe_dump(entry | {"diversity_encoder": "broken"}))
    configs = ["--configfile", "tests/tiny.yaml", "broken.yaml", "--config", "datasets=['wikiseealso']"]
    done = example.run(f"{FOLDER}/broken/documents.npy", *configs, check=False)
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("error:")]
    assert done.returncode != 0 and len(lines) == 1, done.stdout + done.stderr
    assert "encoders/broken.py" in lines[0] and expected in lines[0]


def test_texts_can_be_written_before_there_are_vectors_of_them(example):
    entry = {"encoders": ["later"], "encoder_settings": {"later": {"kind": "vectors", "path": "nosuch"}}}
    (example / "later.yaml").write_text(yaml.safe_dump(entry | {"diversity_encoder": "later"}))
    configs = ["--configfile", "tests/tiny.yaml", "later.yaml", "--config", "datasets=['wikiseealso']", "run=later"]
    done = example.run("-n", *configs, check=False)
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("error:")]
    assert len(lines) == 1 and "nosuch/wikiseealso/documents.npy" in lines[0] and "corpus.jsonl" in lines[0], lines
    command, *words = shlex.split(lines[0].split("`")[1])  # as the message shows it
    example.run(*words)
    assert command == "snakemake" and (example / "results/later/wikiseealso/data/corpus.jsonl").exists()


def test_ready_vectors_are_taken_in_unit_norm(example):
    assert ready(example).returncode == 0
    ours, theirs = (np.load(example / f"{FOLDER}/{name}/documents.npy") for name in ("ready", "trigrams"))
    assert np.allclose(ours, theirs, atol=1e-6)
