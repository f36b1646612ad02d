"""Facts about the real files in ../shared/data, if a checkout has them beside it."""

from pathlib import Path

import pytest

DATA = Path(__file__).parents[3] / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"the real data files are not there: {DATA}")


def test_eurlex57k(prepare):
    _, stats = prepare("eurlex", DATA / "eurlex")
    assert stats["queries"] == {"train": 45_000, "dev": 6_000, "test": 6_000}
    assert stats["pairs"] == {"train": 228_322, "dev": 30_240, "test": 30_356}
    assert stats["documents"] == 7_201
    assert stats["repeated_query_texts"] == 32
    assert stats["dropped"] == {}


def test_eurlex57k_from_the_zip_itself(prepare):
    _, stats = prepare("eurlex", DATA / "eurlex" / "dataset.zip")
    assert stats["documents"] == 7_201


@pytest.mark.parametrize("path", ["eurlex_aueb_sample.zip", "."])
def test_eurlex57k_in_its_older_layout(prepare, path):
    _, stats = prepare("eurlex-json", DATA / path)
    assert stats["queries"] == {"train": 300, "dev": 60, "test": 60}
    assert stats["documents"] == 7_201


def test_pubmed(prepare):
    _, stats = prepare("medline", DATA / "pubmed")
    assert sum(stats["queries"].values()) == 15_389
    assert sum(stats["pairs"].values()) == 209_990
    assert stats["documents"] == 8_298
    assert stats["repeated_query_texts"] == 15_389 - 15_350
    assert stats["dropped"] == {"articles_without_mesh": 26}
    assert stats["queries"]["dev"] / 15_389 == pytest.approx(0.1, abs=0.01)
    assert stats["queries"]["test"] / 15_389 == pytest.approx(0.1, abs=0.01)


def test_wikiseealso(prepare):
    _, stats = prepare("xc", DATA / "wikiseealso")
    queries, pairs = stats["queries"], stats["pairs"]
    assert queries["train"] + queries["dev"] == 16_971 - 4
    assert queries["test"] == 5_657 - 3
    assert pairs["train"] + pairs["dev"] == 32_923
    assert pairs["test"] == 11_101
    assert stats["documents"] == 9_963
    assert stats["dropped"] == {
        "excluded_pairs": 189 + 58,
        "queries_without_relevant_documents": 4 + 3,
    }
