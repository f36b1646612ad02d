"""The frontier's rivals: classifiers, expanded documents, vectors in fewer bytes."""

import numpy as np
import pytest
from made import vectors_and_log

from mvg.datasets.pairs import Split
from mvg.evaluation.combinations import Log
from mvg.evaluation.rivals import by_text, by_vectors
from mvg.experiments.frontier import frontier
from mvg.names import Rival
from mvg.search.storage import HEADER

NOTHING = (np.empty(0, dtype=np.int64),) * 2
TOPICS = ("apples", "trains", "violins", "glaciers")


@pytest.fixture(scope="module")
def texts():
    """Documents whose names no query shares: query i is of topic i mod 4; nothing led to the last document."""
    queries = [f"{TOPICS[i % 4]} number {i}" for i in range(40)]
    rows = np.arange(32)
    return ["alpha", "beta", "gamma", "delta", "unseen"], queries, Split(rows, (rows, rows % 4), NOTHING)


@pytest.mark.parametrize("name", ["bm25-expanded", "ova-tfidf"])
def test_rivals_by_text_learn_words_from_the_log(texts, name):
    corpus, queries, train = texts
    found = by_text(name, corpus, queries, train, np.arange(32, 40), NOTHING, k=3)
    assert found.ranking.documents[:, 0].tolist() == [i % 4 for i in range(32, 40)]
    assert 4 not in found.ranking.documents  # shares no word, has no classifier
    assert found.n_floats > 0 and found.search is None


@pytest.fixture(scope="module")
def data():
    documents, queries, target = vectors_and_log(300, 1500, 16, 0.2, asked=290)
    splits = [
        Split(r, (r, target[r]), NOTHING) for r in (np.arange(1000), np.arange(1000, 1250), np.arange(1250, 1500))
    ]
    return documents, queries, *splits


@pytest.fixture(scope="module")
def log(data):
    return Log(*data[:4], k=10)


def recall(found, data):
    return np.mean([d in row for d, row in zip(data[4].pairs[1], found.ranking.documents, strict=True)])


def measured(name, log, data, budget=1.3):
    return by_vectors(name, log, np.asarray(data[1][data[4].queries]), NOTHING, 10, budget)


def test_classifiers_over_vectors_find_what_vectors_alone_do_not(log, data):
    found = measured("ova", log, data)
    assert recall(found, data) > 0.5 > 0.3 > recall(measured("@HNSW32", log, data), data)
    assert found.n_floats == 300 * 17  # a vector and an intercept a document


@pytest.mark.parametrize(("how", "loss"), [("int8", 0.01), ("HNSW32 efSearch=64", 0.02)])
def test_fewer_bytes_or_an_approximate_index_cost_little(log, data, how, loss):
    exact, other = log.build("prior+moved"), measured(f"prior+moved@{how}", log, data)
    from mvg.search.combined import Combined

    whole = Combined(exact.addition).search(np.asarray(data[1][data[4].queries]), 10)
    hits = np.mean([d in row for d, row in zip(data[4].pairs[1], whole.documents, strict=True)])
    assert recall(other, data) > hits - loss
    if how == "int8":  # four bytes are a float; each dimension has two ranges
        assert 300 * 17 / 4 + 2 * 17 < other.n_floats < 300 * 17 / 4 + 2 * 17 + HEADER


@pytest.mark.parametrize("method", ["mvg", "shared+moved", "shared+mvg+moved"])
def test_more_views_of_a_byte_a_dimension_fit_a_budget(log, data, method):
    found = measured(f"{method}@int8", log, data, budget=1.0)
    assert found.n_floats <= 300 * 16
    if method == "mvg":  # about 1,050 vectors of 17 bytes, ranges and a header: nearly the documents in float32
        assert found.n_floats > 0.92 * 300 * 16


@pytest.mark.parametrize("name", ["tuned@", "tuned@pq", "ova@int8", "auto@int8", "mvg+x@int8", "new@int8", "bm25"])
def test_other_names_are_refused(name):
    with pytest.raises(ValueError, match="expected|stores the centers"):
        Rival.parse(name)


def test_rivals_stand_in_the_frontier(data):
    words = [f"w{d}" for d in range(300)]
    asked = [f"q{i % 7}" for i in range(1500)]
    settings = {"budget": 1.3, "m_avg": 0.3, "beta": 0.5}
    rows = frontier(
        *data, ["prior"], [1.3, 2], [10], ["recall"], settings,
        rivals=["bm25-expanded", "mvg@int8", "prior@HNSW32"],
        by_text=lambda name: by_text(name, words, asked, data[2], data[4].queries, NOTHING, k=10),
    )  # fmt: skip
    assert [(row["method"], row["budget"]) for row in rows] == [
        ("prior", None), ("bm25-expanded", None), ("mvg@int8", 1.3), ("mvg@int8", 2), ("prior@HNSW32", None),
    ]  # fmt: skip
    assert np.isnan(rows[1]["latency_ratio"]) and rows[2]["latency_ratio"] > 0
