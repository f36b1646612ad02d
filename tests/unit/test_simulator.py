"""The simulator: a Pitman-Yor process, three raw formats, and the properties of the simulated datasets."""

import csv
import hashlib
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from tables import expected_tables, pitman_yor

from mvg.datasets.records import Document, Query
from mvg.datasets.splits import SPLITS
from mvg.evaluation.metrics import per_query
from mvg.evaluation.traffic import query_groups
from mvg.formats.clicklog import read_clicklog
from mvg.formats.eurlex import read_eurlex
from mvg.formats.medline import read_medline
from mvg.formats.msmarco import read_msmarco
from mvg.formats.xc import read_xc
from mvg.lexical.bm25 import BM25
from mvg.lexical.popularity import training_popularity
from mvg.simulate import raw_writers, simulator
from mvg.simulate.pitman_yor import Restaurant
from mvg.simulate.simulator import SHAPES, simulate

# The shapes of the paper's public datasets; the others have their own sections.
READERS = {"eurlex": read_eurlex, "pubmed": read_medline, "wikiseealso": read_xc}
every_shape = pytest.mark.parametrize("shape", SHAPES)


# --- the process ----------------------------------------------------------------------------


@pytest.mark.parametrize("alpha, beta", [(1.0, 0.5), (0.3, 0.8), (5.0, 0.1)])
def test_the_mean_number_of_tables_is_the_lemmas(alpha, beta):
    rng = np.random.default_rng(0)
    n, draws = 60, 1500
    tables = np.array([pitman_yor(n, alpha, beta, rng).max() + 1 for _ in range(draws)])
    error = tables.std() / np.sqrt(draws)
    assert abs(tables.mean() - expected_tables(n, alpha, beta)) < 4 * error


def test_the_lemma_by_hand():
    # The second customer opens a table with probability (alpha + beta) / (1 + alpha).
    assert expected_tables(0, 1.0, 0.5) == 0
    assert expected_tables(1, 1.0, 0.5) == pytest.approx(1)
    assert expected_tables(2, 1.0, 0.5) == pytest.approx(1 + 1.5 / 2)


def test_the_lemma_grows_as_n_to_the_beta():
    assert expected_tables(4_000_000, 1.0, 0.5) / expected_tables(1_000_000, 1.0, 0.5) == (pytest.approx(2, rel=1e-3))


def test_an_occupied_table_is_joined_in_proportion_to_its_size_less_the_discount():
    restaurant = Restaurant(1.0, 0.5)
    restaurant.seats, restaurant.sizes = [0, 0, 0, 1], [3, 1]
    rng = np.random.default_rng(0)
    joined = np.bincount([restaurant._occupied_table(rng) for _ in range(20_000)]) / 20_000
    assert joined == pytest.approx([2.5 / 3, 0.5 / 3], abs=0.01)


def test_tables_are_numbered_as_they_are_first_occupied():
    tables = pitman_yor(200, 1.0, 0.5, np.random.default_rng(3))
    assert (np.diff(np.unique(tables, return_index=True)[1]) > 0).all() and tables[0] == 0


@pytest.mark.parametrize("alpha, beta", [(0, 0.5), (1, 0), (1, 1), (float("nan"), 0.5)])
def test_parameters_outside_the_model_are_refused(alpha, beta):
    with pytest.raises(ValueError):
        pitman_yor(3, alpha, beta, np.random.default_rng(0))


# --- the files ------------------------------------------------------------------------------


def bytes_of(folder):
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


@every_shape
def test_a_seed_gives_the_same_bytes_and_another_seed_others(tmp_path, shape):
    for folder, seed in ("a", 1), ("b", 1), ("c", 2):
        simulate(shape, tmp_path / folder, seed, documents=40, queries=150)
    assert bytes_of(tmp_path / "a") == bytes_of(tmp_path / "b") != bytes_of(tmp_path / "c")


@every_shape
@pytest.mark.parametrize("documents, queries", [(1, 1), (3, 20)])
def test_the_smallest_sets_can_be_drawn(tmp_path, shape, documents, queries):
    simulate(shape, tmp_path, 0, documents, queries)
    assert (tmp_path / "intents.csv").exists()


@every_shape
def test_nothing_is_left_behind_when_writing_fails(tmp_path, shape, monkeypatch):
    monkeypatch.setattr(simulator, "_write_intents", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        simulate(shape, tmp_path / "raw", 0, documents=10, queries=20)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("wrong", [{"shape": "round"}, {"documents": 0}, {"queries": -1}])
def test_an_unknown_shape_or_size_is_refused(tmp_path, wrong):
    with pytest.raises(ValueError):
        simulate(**{"shape": "eurlex", "folder": tmp_path, "seed": 0} | wrong)


def test_pubmed_has_what_a_reader_of_medline_meets(tmp_path):
    simulate("pubmed", tmp_path, 0, documents=50, queries=900)
    dropped = Counter()
    titles = [r.text for r in read_medline(tmp_path, dropped) if not isinstance(r, Document)]
    assert dropped["articles_without_mesh"] > 0
    assert not any("<" in title for title in titles) and all(titles)
    raw = b"".join(raw_xml(file) for file in tmp_path.glob("*.xml.gz"))
    assert b"<i>" in raw and b"<sub>" in raw and b"<!DOCTYPE PubmedArticleSet" in raw
    for file in tmp_path.glob("*.xml.gz"):
        md5 = hashlib.md5(file.read_bytes()).hexdigest()
        assert file.with_name(f"{file.name}.md5").read_text() == f"MD5({file.name})= {md5}\n"


def raw_xml(file):
    return raw_writers.gzip.decompress(file.read_bytes())


def test_some_pages_of_wikiseealso_are_query_and_label(tmp_path):
    simulate("wikiseealso", tmp_path, 0)
    records = list(read_xc(tmp_path, Counter()))
    titles = {r.id: r.title for r in records if isinstance(r, Document)}
    same = [r for r in records if not isinstance(r, Document) and r.excluded]
    assert len(same) > 50
    assert all(r.excluded == (r.id,) and titles[r.id] == r.text for r in same)
    positive = [r for r in same if r.id in r.relevant]
    assert 0 < len(positive) < len(same) and all(len(r.relevant) > 1 for r in positive)


def test_a_click_log_has_heads_tails_and_sizes(tmp_path):
    simulate("clicklog", tmp_path, 0)
    records = list(read_clicklog(tmp_path, Counter()))
    queries = {split: [r for r in records if isinstance(r, Query) and r.split == split] for split in SPLITS}
    traffic = {split: sum(query.weight for query in part) for split, part in queries.items()}
    assert traffic["test"] / sum(traffic.values()) == pytest.approx(2 / 14, abs=0.01)
    test = queries["test"]
    weights = np.array([query.weight for query in test])
    groups = query_groups([query.text for query in test], [query.text for query in queries["train"]])
    seen, near = (weights @ groups[name] / weights.sum() for name in ("memorization", "near-duplicates"))
    assert 0.9 < seen < 0.99 and 0.005 < near < 1 - seen
    head = np.sort(weights)[::-1][: len(weights) // 10]
    assert head.sum() > 0.5 * weights.sum() and (weights == 1).mean() > 0.3
    popularity = Counter(document for query in queries["train"] for document in query.relevant)
    assert gini(np.array([popularity[r.id] for r in records if isinstance(r, Document)])) > 0.6


def test_flat_popularity_is_flat(tmp_path):
    simulate("flat", tmp_path, 0)
    records = list(read_msmarco(tmp_path, Counter()))
    queries = [r for r in records if isinstance(r, Query)]
    assert {len(query.relevant) for query in queries} == {1}
    popularity = Counter(query.relevant[0] for query in queries if query.split == "train")
    n = np.array([popularity[r.id] for r in records if isinstance(r, Document)])
    assert 0.8 < n.mean() < 1.2 and n.max() < 8
    assert Counter(query.split for query in queries).keys() == set(SPLITS)


# --- the properties of the datasets, at their full size --------------------------------------


def mean_recall(scores, pairs):
    ranked = np.argsort(-scores, axis=1, kind="stable")[:, :100]
    return np.nanmean(per_query(ranked, pairs, scores.shape[1], [100])["recall@100"])


@pytest.fixture(scope="module", params=READERS)
def measured(request, tmp_path_factory):
    """A full-size set as read back: its popularity, baselines and true intents."""
    folder = tmp_path_factory.mktemp(request.param)
    simulate(request.param, folder, seed=0)
    records = list(READERS[request.param](folder, Counter()))
    documents = [r for r in records if isinstance(r, Document)]
    rows = {document.id: row for row, document in enumerate(documents)}

    def split(name):
        queries = [r for r in records if not isinstance(r, Document) and r.split == name]
        positives = [(i, rows[d]) for i, q in enumerate(queries) for d in q.relevant]
        return queries, tuple(np.array(positives).T)

    train, test = split("train"), split("test")
    popularity = training_popularity(train[1], len(documents))
    bm25 = BM25([document.title for document in documents]).scores([q.text for q in test[0]])
    with open(folder / "intents.csv", encoding="utf-8", newline="") as file:
        truth = list(csv.DictReader(file))
    return SimpleNamespace(
        shape=request.param,
        documents=documents,
        popularity=popularity,
        train_share=popularity / len(train[0]),
        labels=len(train[1][0]) / len(train[0]),
        popularity_recall=mean_recall(np.tile(popularity, (len(test[0]), 1)), test[1]),
        bm25_recall=mean_recall(bm25, test[1]),
        truth={row["document"]: (int(row["n"]), int(row["intents"])) for row in truth},
        n_queries={d.id: 0 for d in documents}
        | Counter(d for r in records if not isinstance(r, Document) for d in r.relevant),
    )


def gini(n):
    n = np.sort(n)
    return (2 * np.arange(1, len(n) + 1) - len(n) - 1) @ n / (len(n) * n.sum())


def test_popularity_beats_bm25_where_popularity_is_skewed_and_nowhere_else(measured):
    if measured.shape == "wikiseealso":
        assert len(measured.documents) >= 2500
        assert measured.popularity_recall < 5 < measured.bm25_recall
    else:
        assert measured.popularity_recall > measured.bm25_recall > 5


def test_skew_and_labels_are_those_of_the_original(measured):
    skew, labels = gini(measured.popularity), measured.labels
    if measured.shape == "eurlex":
        assert 0.8 < skew < 0.95 and 4.5 < labels < 5.5
    elif measured.shape == "pubmed":  # check tags: a few labels on most queries
        assert 0.8 < skew < 0.95 and 9 < labels < 11
        assert measured.train_share.max() > 0.8 and (measured.train_share > 0.3).sum() < 10
    else:
        assert skew < 0.5 and 1 < labels < 2 and 1 < measured.popularity.mean() < 3


def test_the_true_intents_are_written_for_every_document(measured):
    assert {id: n for id, (n, _) in measured.truth.items()} == measured.n_queries
    assert all(min(n, 1) <= intents <= n for n, intents in measured.truth.values())


def test_intents_grow_with_queries_as_the_lemma_says(measured):
    form = SHAPES[measured.shape]
    n, intents = np.array([entry for entry in measured.truth.values()]).T
    expected = np.array([expected_tables(i, form.alpha, form.beta) for i in n.tolist()])
    cuts = [2, 4, 8, 16, 64, n.max() + 1]  # one query is one intent, always
    for low, end in zip(cuts, cuts[1:]):
        group = (low <= n) & (n < end)
        if group.sum() >= 20:
            error = (intents - expected)[group].std() / np.sqrt(group.sum())
            assert abs((intents - expected)[group].mean()) <= 4 * error
