"""Gains by pair, the two documents that show them, and the pairs that only MVG finds."""

import numpy as np
import pandas as pd
import pytest
from made import made, unit

from mvg.datasets.pairs import Split
from mvg.experiments import claims
from mvg.experiments.case_studies import (
    Cosines,
    case_study_numbers,
    cases,
    cosines,
    draw,
    example_table,
    examples,
    other_pairs,
    write_examples,
)
from mvg.reporting.tables import write_table

NOTHING = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)


def test_gains_by_hand():
    documents, queries = np.float32([[1, 0, 0], [0, 1, 0]]), np.float32([[0.6, 0.8, 0], [0, 0, 1]])
    behavioural = np.float32([[0, 0, 1], [0.6, 0.8, 0]]), np.int32([0, 0])
    found = cosines(documents, queries, ([0, 1, 0], [0, 0, 1]), behavioural)
    np.testing.assert_allclose(found.base, [0.6, 0, 0.8], atol=1e-6)
    np.testing.assert_allclose(found.best, [1, 1, 0.8], atol=1e-6)
    assert found.center.tolist() == [2, 1, 0]


def test_cases_go_by_what_the_documents_own_vector_keeps():
    # Documents 0 and 1 keep half of their queries beside two views, 2 and 3 none, 4 has too few left.
    documents = np.repeat(np.arange(5), 4)
    center = np.array([0, 0, 1, 2] * 2 + [1, 1, 2, 2] * 2 + [0, 1, 1, 2])
    found = Cosines(np.zeros(20), np.repeat([0.1, 0.2, 0.3, 0.2, 0.9], 4), center)
    assert cases(found, documents, np.repeat(np.arange(5), 2), 6) == {"one cluster": 1, "no cluster": 2}
    assert cases(Cosines(np.zeros(20), np.zeros(20), np.zeros(20, dtype=int)), documents, np.arange(0), 6) == {}


def test_cases_have_several_views_if_any_document_has():
    # Document 0 keeps half beside one view and gains most; 1 and 2 have two views and keep less than a fair share.
    documents = np.repeat(np.arange(3), 8)
    center = np.array([0, 1] * 4 + [0, 1, 1, 1, 2, 2, 2, 2] + [0, 0, 1, 1, 1, 2, 2, 2])
    found = Cosines(np.zeros(24), np.repeat([0.9, 0.2, 0.1], 8), center)
    assert cases(found, documents, np.array([0, 1, 1, 2, 2]), 3) == {"one cluster": 2}
    assert cases(found, documents, np.array([0]), 3)["one cluster"] == 0  # nobody has several


def test_other_pairs_have_the_same_documents_and_none_is_relevant():
    pairs = np.repeat(np.arange(50), 3), np.tile(np.arange(15), 10)
    query, document = other_pairs(pairs)
    assert 100 < len(query) < 150
    assert not set(zip(query, document)) & set(zip(*pairs))


@pytest.fixture
def far():
    """200 documents; query 0 is far from its document 7, but one of its views; filtered pairs rank nowhere."""
    rng = np.random.default_rng(0)
    documents, queries = unit(rng.normal(size=(200, 8))), unit(np.eye(8)[0] + 0.2 * rng.normal(size=(30, 8)))
    documents[7] = -queries[0]
    pairs = np.arange(30), np.r_[7, rng.integers(100, 200, 29)]
    excluded = np.zeros(20, dtype=np.int64), np.arange(100, 120)
    behavioural = unit(queries[:1] + 0.05), np.int32([7])
    return documents, queries, Split(np.arange(30), pairs, excluded), behavioural


def test_an_example_is_beyond_100_without_and_within_with_mvg(far):
    documents, queries, split, behavioural = far
    found = examples(documents, queries, split, behavioural)
    assert [(e.query, e.document, e.base_rank, e.mvg_rank) for e in found] == [(0, 7, 180, 1)]  # 20 are filtered
    assert found[0].base_similarity == pytest.approx(-1)
    assert found[0].mvg_similarity == pytest.approx(float(queries[0] @ behavioural[0][0]))


def test_figure_table_and_what_they_say(far, tmp_path):
    documents, queries, split, behavioural = far
    many = Split(np.arange(30), (np.arange(30), np.full(30, 7)), NOTHING)
    titles, texts = ["$x_1$ & 100 % \\input{a} | b"] * 200, ["a\nquery $^"] * 30
    for name in ("a", "b"):
        numbers = case_study_numbers("mine", documents, queries, many, split, behavioural, titles)
        draw(numbers, {"mine": {"simulated": True}}, made(tmp_path / name / "figure"))
        write_table(numbers, made(tmp_path / name / "figure").csv)
        table = example_table("mine", "dssm", documents, queries, split, behavioural, texts, titles)
        write_examples(table, {"mine": {"simulated": True}}, made(tmp_path / name / "examples"))
        write_table(table, made(tmp_path / name / "examples").csv)
    for file in ("figure.csv", "figure.pdf", "figure.png", "examples.csv", "examples.md", "examples.tex"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
    points = numbers[numbers["panel"] != "gains"]
    assert points[["queries", "views", "kept"]].drop_duplicates().to_numpy().tolist() == [[30, 1, 0]]
    assert points["series"].value_counts().to_dict() == {"query": 30, "behavioural vector": 1, "document vector": 1}
    shares = numbers[numbers["panel"] == "gains"].groupby("series")["y"].sum()
    assert shares.tolist() == pytest.approx([100, 100])
    assert table["rank"].tolist() == [180, 1]
    text = (tmp_path / "a/examples.md").read_text()
    assert "a query \\$^ — \\$x\\_1\\$ &amp; 100 % \\\\input{a} &#124; b" in text and "simulated" in text
    assert r"\$x\_1\$ \& 100 \%" in (tmp_path / "a/examples.tex").read_text()


def test_no_example_is_said(far, tmp_path):
    documents, queries, split, _ = far
    table = example_table(
        "mine", "dssm", documents, queries, split, (queries[:1], np.int32([3])), ["q"] * 30, ["d"] * 200
    )
    write_examples(table, {}, made(tmp_path / "examples"))
    assert "MVG brings no training pair" in (tmp_path / "examples.md").read_text()


@pytest.mark.parametrize("higher", [True, False])
def test_the_papers_statement(higher):
    def rows(series, shares):
        return [("gains", series, i * 0.05, share) for i, share in enumerate(shares)]

    table = pd.DataFrame(
        rows("relevant pairs", [20, 80] if higher else [80, 20]) + rows("same documents, other queries", [50, 50]),
        columns=["panel", "series", "x", "y"],
    )
    assert claims("case_studies", table) == {"relevant_boosted_more": (higher, "")}
