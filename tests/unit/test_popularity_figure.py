"""Popularity and query diversity: the numbers, and the files."""

import numpy as np
import pandas as pd
import pytest
from made import made

from mvg.evaluation import diversity as diversity_module
from mvg.evaluation.diversity import (
    ball_radius,
    bounding_ball_diversity,
    bounding_box_diversity,
    random_ball,
    random_diversity,
)
from mvg.experiments import claims
from mvg.experiments.popularity import draw, popularity_numbers
from mvg.reporting.style import dataset_looks, method_look
from mvg.reporting.tables import write_table


@pytest.fixture
def data():
    """200 queries in 6 dimensions, 30 documents of very different popularity."""
    random = np.random.default_rng(0)
    vectors = random.normal(size=(200, 6)).astype(np.float32)
    weights = 1 / np.arange(1, 31) ** 1.5
    queries = np.repeat(np.arange(200), 4)
    documents = random.choice(30, size=800, p=weights / weights.sum())
    return vectors, queries, documents


def test_a_box_by_hand():
    vectors = np.array([[0, 0], [1, 4], [0.5, 1]], dtype=np.float32)
    found = bounding_box_diversity(vectors, [0, 1, 2, 0, 2], [1, 1, 1, 2, 2], 4)
    np.testing.assert_allclose(found, [np.nan, 2.0, np.sqrt(0.5), np.nan])


def test_a_repeated_pair_is_one_query_and_a_flat_box_has_no_volume():
    vectors = np.array([[0, 0], [1, 0]], dtype=np.float32)
    found = bounding_box_diversity(vectors, [0, 0, 0, 1], [0, 0, 1, 1], 2)
    np.testing.assert_array_equal(found, [np.nan, 0.0])


@pytest.mark.parametrize("rows", [1, 2, 7, 1000])
def test_blocks_change_nothing(data, rows, monkeypatch):
    vectors, queries, documents = data
    monkeypatch.setattr(diversity_module, "ROWS", rows)
    found = bounding_box_diversity(vectors, queries, documents, 30)
    for document in range(30):
        own = vectors[np.unique(queries[documents == document])]
        sides = np.ptp(own, axis=0) if len(own) > 1 else np.array([np.nan])
        expected = np.exp(np.log(sides.astype(float)).mean())
        np.testing.assert_allclose(found[document], expected)


def test_no_pairs():
    empty = np.array([], dtype=int)
    assert np.isnan(bounding_box_diversity(np.zeros((0, 2)), empty, empty, 2)).all()


def test_random_boxes_grow_with_n_and_with_all_queries_are_the_whole_box(data):
    vectors = data[0]
    found = random_diversity(vectors, np.arange(200), [200, 1, 2, 50], repeats=3, seed=1)
    whole = bounding_box_diversity(vectors, np.arange(200), np.zeros(200, dtype=int), 1)
    assert np.isnan(found[1])
    assert found[2] < found[3] < found[0] == pytest.approx(whole[0])
    again = random_diversity(vectors, np.arange(200), [200, 1, 2, 50], repeats=3, seed=1)
    np.testing.assert_array_equal(found, again)


def test_more_random_queries_than_there_are_is_an_error(data):
    with pytest.raises(ValueError, match="at most 5 queries, got 6"):
        random_diversity(data[0], np.arange(5), [6], repeats=1, seed=0)


def test_numbers(data):
    table = popularity_numbers("eurlex", "dssm", *data, 30)
    assert table.columns.tolist() == ["dataset", "encoder", "series", "n", "value", "documents"]
    by_series = {name: part for name, part in table.groupby("series")}
    ranks = by_series["rank"]
    assert ranks["documents"].sum() == 30 == ranks["n"].iloc[-1]
    distinct = len(np.unique(np.stack(data[1:]), axis=1).T)
    assert (ranks["value"] * ranks["documents"]).sum() == distinct
    assert by_series["diversity"]["n"].tolist() == by_series["control"]["n"].tolist()
    assert by_series["control"]["documents"].isna().all()
    assert by_series["ball"]["n"].tolist() == by_series["ball_control"]["n"].tolist()
    assert (by_series["ball_control"]["value"].diff().dropna() > 0).all()


def test_documents_all_alike_or_without_queries(tmp_path):
    vectors = np.ones((3, 2), dtype=np.float32)
    table = popularity_numbers("flat", "dssm", vectors, np.array([0, 1]), np.array([0, 1]), 5)
    assert set(table["series"]) == {"rank"}
    draw(table, {}, made(tmp_path / "popularity"))
    assert (tmp_path / "popularity.png").stat().st_size > 0


def test_files_are_the_same_bytes_each_time(data, tmp_path):
    tables = [popularity_numbers(name, "dssm", *data, 30) for name in ("eurlex", "my $set_1")]
    for name in ("a", "b"):
        draw(pd.concat(tables), {"eurlex": {"simulated": True}}, made(tmp_path / name / "popularity"))
        write_table(pd.concat(tables), made(tmp_path / name / "popularity").csv)
    for suffix in ("csv", "pdf", "png"):
        first, second = ((tmp_path / n / f"popularity.{suffix}").read_bytes() for n in "ab")
        assert first == second and len(first) > 100
    assert len(list((tmp_path / "a").iterdir())) == 3


def test_simulated_is_said_in_the_figure(data):
    from mvg.experiments.popularity import plot_popularity
    from mvg.reporting.style import panels

    table = popularity_numbers("eurlex", "dssm", *data, 30)
    with panels(3) as (figure, axes):
        plot_popularity(table, {"eurlex": {"simulated": True}}, figure, axes)
        assert [axis.get_title() for axis in axes] == ["Popularity", "Query diversity, DSSM", "Query diversity, DSSM"]
        labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["EurLex (simulated)", "as many random queries"]


def test_looks_are_fixed_and_differ():
    wrappers = ("", "prior+", "mvg+", "mvg+prior+")
    methods = ["bm25", "popularity", "colbert"]
    methods += [w + x for x in ("dssm", "dssm-tuned", "sbert", "sbert-tuned") for w in wrappers]
    assert len({method_look(method) for method in methods}) == len(methods)
    assert method_look("mvg+new").color == method_look("mvg+dssm").color
    assert method_look("mvg+new") == method_look("mvg+new")
    assert len(set(dataset_looks(["eurlex", "mine", "pubmed", "flat"]).values())) == 4


def test_balls_by_hand():
    """For two points it is half their distance; for a regular simplex its circumscribed sphere."""
    assert ball_radius(np.array([[0.0, 0], [3, 4]])) == pytest.approx(2.5)
    assert ball_radius(np.eye(5)) == pytest.approx(np.sqrt(4 / 5))
    assert np.isnan(ball_radius(np.ones((1, 3)))) and ball_radius(np.ones((4, 3))) == pytest.approx(0)
    # Many points at one end do not pull the center there.
    assert ball_radius(np.array([[0.0]] * 50 + [[1.0]])) == pytest.approx(0.5, rel=0.02)


def test_a_ball_holds_all_points_and_a_larger_set_has_no_smaller_one(data):
    vectors = data[0]
    radius = ball_radius(vectors)
    farthest = max(np.linalg.norm(vectors - v, axis=1).max() for v in vectors)
    assert farthest / 2 <= radius <= farthest / np.sqrt(2) * 1.05  # Jung's theorem
    assert ball_radius(vectors[:20]) <= radius * 1.01


def test_balls_of_documents_and_of_random_queries(data, monkeypatch):
    vectors, queries, documents = data
    pairs = np.unique(np.stack([documents, queries]), axis=1)
    found = bounding_ball_diversity(vectors, pairs[1], pairs[0], np.array([0, 7]))
    assert found == pytest.approx([ball_radius(vectors[pairs[1][pairs[0] == d]]) for d in (0, 7)])
    whole = random_ball(vectors, np.arange(200), [200, 2], repeats=3, seed=0)
    assert whole[0] == pytest.approx(ball_radius(vectors)) and whole[1] < whole[0]
    monkeypatch.setattr(diversity_module, "BALL_POINTS", 50)
    assert random_ball(vectors, np.arange(200), [200], repeats=1, seed=0)[0] <= whole[0] * 1.01


def numbers(skews, rising=True, encoder="bertbase"):
    """The figure's csv, for datasets with this many queries for each of four documents."""
    rows = []
    for dataset, counts in skews.items():
        rows += [(dataset, "rank", i + 1, n, 1) for i, n in enumerate(sorted(counts, reverse=True))]
        for series in ("diversity", "ball"):
            rows += [(dataset, series, n, value, 2) for n, value in ((2, 0.1), (9, 0.3 if rising else 0.05))]
    return pd.DataFrame(rows, columns=["dataset", "series", "n", "value", "documents"]).assign(encoder=encoder)


MORE_DIVERSE = ("head_more_diverse", "head_more_diverse_ball")


def test_what_the_figure_says_of_the_papers_statements():
    skews = {"eurlex": [97, 1, 1, 1], "pubmed": [80, 10, 9, 1], "wikiseealso": [25, 25, 25, 25]}
    found = claims("popularity", numbers(skews))
    assert found == dict.fromkeys(MORE_DIVERSE, (True, "")) | {"wikiseealso_least_skewed": (True, "")}
    skews["wikiseealso"] = [100, 0, 0, 0]
    found = claims("popularity", numbers(skews, rising=False))
    assert found == dict.fromkeys(MORE_DIVERSE, (False, "")) | {"wikiseealso_least_skewed": (False, "")}
    found = claims("popularity", numbers(skews, encoder="dssm"))
    assert found["head_more_diverse"].reason == "another encoder (DSSM against BertBase)"


def test_one_dataset_does_not_answer_for_three():
    found = claims("popularity", numbers({"eurlex": [5, 1, 1, 1], "mine": [1, 1, 1, 1]}))
    assert found == dict.fromkeys(MORE_DIVERSE, (True, "1 of 3 datasets run"))
    assert claims("popularity", numbers({"mine": [1, 1, 1, 1]})) == {}
