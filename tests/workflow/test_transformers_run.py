"""SBERT, ColBERT and a pretrained encoder through the whole workflow, on tests/transformers.yaml."""

import csv
import shutil

import numpy as np
import pytest

from .conftest import ROOT, copy_of_project, memory

pytestmark = pytest.mark.runs

BI_ENCODERS = ("sbert", "wordllama")
METHODS = [w + x for x in (*BI_ENCODERS, "colbert") for w in ("", "prior+", "mvg+", "mvg+prior+")]
METHODS += [f"auto+{x}" for x in BI_ENCODERS]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    workflow = copy_of_project(tmp_path_factory.mktemp("transformers"))
    shutil.copy(ROOT / "tests/transformers.yaml", workflow / "tests")
    workflow.run("--benchmark-extended", "--configfile", "tests/transformers.yaml")
    return workflow


def test_no_job_holds_more_memory_than_it_asked_for(finished):
    measured = memory(finished / "results/transformers")
    assert {"train_sbert", "train_colbert", "encode_pretrained", "fit_colbert_views"} <= {rule for rule, _ in measured}
    assert {job: sizes for job, sizes in measured.items() if sizes[0] > sizes[1]} == {}


@pytest.fixture(scope="module")
def sizes(finished):
    with open(finished / "results/transformers/tables/benchmark.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {r["method"] for r in rows} == {"bm25", "popularity", *METHODS}
    return {r["method"]: float(r["value"]) * 1e6 for r in rows if r["metric"] == "index_mfloats"}


def test_every_index_counts_the_floats_it_stores(finished, sizes):
    folder = finished / "results/transformers/wikiseealso"
    for encoder in BI_ENCODERS:
        n, dimension = np.load(folder / encoder / "documents.npy", mmap_mode="r").shape
        assert sizes[encoder] == pytest.approx(n * dimension)
        assert sizes[f"prior+{encoder}"] == pytest.approx(n * (dimension + 1))
        assert sizes[f"mvg+{encoder}"] == pytest.approx(1.3 * n * dimension, rel=0.05)
    tokens = np.load(folder / "colbert/tokens.npy", mmap_mode="r")
    assert sizes["colbert"] == pytest.approx(tokens.size)
    assert sizes["mvg+colbert"] == pytest.approx(1.3 * tokens.size, rel=0.05)


def rows_of(finished, name):
    with open(finished / f"results/transformers/tables/{name}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_zero_shot_has_the_benchmarks_rows_of_the_pretrained_encoder(finished):
    expected = [r for r in rows_of(finished, "benchmark") if r["method"].endswith("wordllama") and r["k"]]
    found = rows_of(finished, "zero_shot")
    assert [list(r.values()) for r in found] == [[r[name] for name in found[0]] for r in expected]
    assert "MVG + WordLlama" in (finished / "results/transformers/tables/zero_shot.md").read_text()


def test_the_complexity_table_knows_the_token_level_encoder(finished, sizes):
    rows = rows_of(finished, "complexity")
    floats = {r["representation"]: float(r["mfloats"]) * 1e6 for r in rows}
    assert floats["token_level"] == pytest.approx(sizes["colbert"])
    assert floats["single_vector"] == pytest.approx(sizes["sbert"])
    assert floats["mvg"] == pytest.approx(sizes["mvg+sbert"])


def test_vectors_are_unit_float32(finished):
    folder = finished / "results/transformers/wikiseealso"
    for name in ("sbert/documents", "sbert/queries", "wordllama/documents", "colbert/tokens"):
        vectors = np.load(folder / f"{name}.npy")
        assert vectors.dtype == np.float32
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)


def test_training_left_its_history(finished):
    for encoder in ("sbert", "colbert"):
        with open(finished / f"results/transformers/wikiseealso/{encoder}/training.csv", newline="") as file:
            assert [*csv.DictReader(file)][-1].keys() == {"step", "loss", "recall", "map"}


def test_a_second_run_has_nothing_to_do(finished):
    done = finished.run("--configfile", "tests/transformers.yaml")
    assert "Nothing to be done" in done.stdout + done.stderr


def test_the_memory_spectrum_has_the_token_level_point(finished, sizes):
    with open(finished / "results/transformers/figures/memory_spectrum.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(r["method"], r["m_avg"]) for r in rows] == [
        ("sbert", "0.0"), ("mvg+sbert", "0.3"), ("mvg+sbert", "1.0"), ("colbert", "")
    ]  # fmt: skip
    for row in (rows[0], rows[1], rows[3]):
        assert float(row["index_mfloats"]) * 1e6 == pytest.approx(sizes[row["method"]])
