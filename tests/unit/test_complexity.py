"""The measured related-work table: sizes are exact, times are present and kept apart."""

import numpy as np
import pandas as pd
import pytest
from made import made, unit

from mvg.experiments import claims
from mvg.experiments.complexity import around, complexity, complexity_table, write_complexity

TIMES = ["build_s", "p50_ms", "p90_ms", "p99_ms", "queries_per_s", "neighbours_ms", "deduplication_ms"]


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    documents, queries, views = (unit(rng.normal(size=(n, 8))) for n in (60, 12, 20))
    tokens = rng.normal(size=(12, 4, 8)).astype(np.float32), unit(rng.normal(size=(150, 8))), np.arange(0, 151, 50)
    return complexity(documents, queries, (views, np.arange(20, dtype=np.int32)), 10, tokens)


def test_sizes_by_hand(rows):
    vectors = {"single_vector": 60, "fixed_vectors": 240, "mvg": 80, "token_level": 150}
    assert [(r["representation"], r["index"]) for r in rows] == [
        *((name, index) for name in ("single_vector", "fixed_vectors", "mvg") for index in ("exact", "HNSW32")),
        ("token_level", "exact"),
    ]
    for row in rows:
        n = vectors[row["representation"]]
        assert row["vectors"] == n and row["mfloats"] == pytest.approx(8e-6 * n)
        # float32 vectors, an int32 owner each (float tokens have offsets instead), headers; HNSW has links.
        assert row["mbytes"] * 1e6 == pytest.approx(
            (36 if row["index"] == "exact" else 36 + 4 * 64) * n, rel=0.3, abs=400
        )


def test_every_time_is_there_and_percentiles_rise(rows):
    for row in rows:
        assert 0 < row["p50_ms"] <= row["p90_ms"] <= row["p99_ms"] and row["queries_per_s"] > 0
        assert (row["deduplication_ms"] is None) == (row["representation"] == "token_level")


def test_stand_ins_lie_around_their_document():
    documents = unit(np.random.default_rng(0).normal(size=(50, 64)))
    views = around(documents, 4)
    cosines = (views.vectors * documents[views.owner]).sum(axis=1)
    assert len(cosines) == 200 and cosines.mean() == pytest.approx(0.9, abs=0.02)
    np.testing.assert_allclose(np.linalg.norm(views.vectors, axis=1), 1, rtol=1e-6)


def test_table_and_layouts(rows, tmp_path):
    table = complexity_table({"eurlex": pd.DataFrame(rows), "my_$et": pd.DataFrame(rows[:2])})
    assert list(table) == [
        "dataset",
        "representation",
        "index",
        "vectors",
        "mfloats",
        "mbytes",
        *TIMES,
        "latency_ratio",
    ]
    ratio = table.set_index(["dataset", "representation", "index"])["latency_ratio"]
    assert ratio["eurlex", "single_vector", "HNSW32"] == 1
    assert ratio["eurlex", "token_level", "exact"] == pytest.approx(rows[-1]["p50_ms"] / rows[0]["p50_ms"])
    write_complexity(table, {"eurlex": {"simulated": True}}, made(tmp_path / "complexity"))
    text = (tmp_path / "complexity.md").read_text()
    assert "EurLex (simulated)" in text and "| A vector a token |" in text and "my\\_\\$et." in text
    assert r"my\_\$et." in (tmp_path / "complexity.tex").read_text()


@pytest.mark.parametrize(("deduplication", "negligible"), [(0.09, True), (0.11, False)])
def test_the_papers_statement(deduplication, negligible):
    table = pd.DataFrame(
        {"representation": ["mvg", "fixed_vectors"], "p50_ms": 1.0, "deduplication_ms": [deduplication, 5]}
    )
    assert claims("complexity", table) == {"deduplication_negligible": (negligible, "")}
