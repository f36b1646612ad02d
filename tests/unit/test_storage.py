"""Indexes in fewer bytes: what is stored, searched and written is one thing."""

import faiss
import numpy as np
import pytest
from made import vectors_and_log

import mvg
from mvg.datasets.pairs import Split
from mvg.evaluation.combinations import Log
from mvg.multiview import Addition
from mvg.search.combined import Combined

NOTHING = (np.empty(0, dtype=np.int64),) * 2


@pytest.fixture(scope="module")
def data():
    documents, queries, target = vectors_and_log(300, 1200, 16, 0.2, asked=290)
    splits = [Split(rows, (rows, target[rows]), NOTHING) for rows in (np.arange(800), np.arange(800, 1200))]
    return documents, queries, *splits


@pytest.fixture(scope="module")
def log(data):
    return Log(*data, k=10)


def hits(addition, data) -> float:
    queries, target = data[3].pairs
    found = Combined(addition).search(np.asarray(data[1][queries]), 10).documents
    return (found == target[:, None]).any(axis=1).mean()


@pytest.mark.parametrize(("name", "bytes_a_center"), [("int8", 16), ("int4", 8), ("pq", 4)])
def test_centers_take_a_byte_half_a_byte_or_a_quarter_a_dimension(log, data, name, bytes_a_center):
    built, whole = log.build(f"knn+prior+moved@{name}"), log.build("knn+prior+moved")
    codes, votes = built.addition.codes, built.addition.votes
    tables = 4 * 256 * 16 if name == "pq" else 4 * 2 * 16
    assert 0 <= codes.centers.nbytes - 800 * bytes_a_center - tables < 256
    assert 0 <= codes.vectors.nbytes - 300 * 17 - 4 * 2 * 17 < 256
    assert built.addition.n_floats == (codes.vectors.nbytes + codes.centers.nbytes) / 4 + votes.shares.nnz
    assert hits(built.addition, data) > hits(whole.addition, data) - 0.02


@pytest.mark.parametrize("name", ["mvg+prior+moved@int8", "knn+prior+moved@int4", "shared+mvg+prior+moved@int8"])
def test_what_is_stored_is_what_is_searched(log, data, name, tmp_path):
    built = log.build(name).addition
    built.save(tmp_path / "a.npz")
    again, queries = Addition.load(tmp_path / "a.npz"), np.asarray(data[1][:50])
    found = Combined(again).search(queries, 10)
    for one, other in zip(found, Combined(built).search(queries, 10), strict=True):
        assert (one == other).all()
    if built.votes is None:  # the file alone: the queries get a 1 for the bias, and own views their owner
        index = faiss.deserialize_index(again.codes.vectors)
        scores, vectors = index.search(np.column_stack([queries, np.ones(50, np.float32)]), 1)
        owner = np.concatenate([np.arange(300), again.views.owner])
        assert (owner[vectors[:, 0]] == found.documents[:, 0]).mean() > 0.95
        assert np.allclose(scores[:, 0], found.scores[:, 0], atol=1e-5)


@pytest.mark.parametrize("name", ["prior@int8", "mvg+prior+moved@int8", "knn+moved@int4", "shared+tuned@int8"])
def test_a_folder_holds_the_codes_and_nothing_else(data, name, tmp_path):
    documents, queries, train, dev = data
    given = documents, queries[:800], np.column_stack(train.pairs)
    held = queries[800:], np.column_stack([dev.pairs[0] - 800, dev.pairs[1]])
    index, whole = mvg.build(*given, name, dev=held, k=10), mvg.build(*given, name.partition("@")[0], dev=held, k=10)
    index.save(tmp_path / "index", log=False)
    whole.save(tmp_path / "whole", log=False)
    opened = mvg.load(tmp_path / "index")
    assert opened.method == name and "votes" not in name or opened.explain(queries[0], 3).score
    for one, other in zip(opened.search(queries, 7), index.search(queries, 7), strict=True):
        assert (one == other).all()
    opened.save(tmp_path / "again", log=False)
    for file in ("index.faiss", "centers.faiss"):
        if (tmp_path / "index" / file).exists():
            assert (tmp_path / "index" / file).read_bytes() == (tmp_path / "again" / file).read_bytes()
    if name == "prior@int8":
        assert (tmp_path / "index/index.faiss").stat().st_size < (tmp_path / "whole/index.faiss").stat().st_size / 3


def test_all_queries_vote_where_their_codes_fit(data):
    def form(budget, **options):
        log = Log(*data, k=10, **options)
        return [name for name in ("int8", "int4") if log._may_fit(f"knn+prior+moved@{name}", budget)]

    # Relative to 300 x 16 floats: documents 0.25, the documents of 800 pairs 0.17; queries 0.67 or 0.33.
    assert [form(budget) for budget in (0.74, 0.76, 1.08, 1.09)] == [[], ["int4"], ["int4"], ["int8"]]
    assert form(2, codes=False) == []
    built = Log(*data, k=10, budget=1.3).build("auto")
    assert built.addition.index_ratio < 1.3 * 17 / 16
    assert "knn+prior+moved@int8" in [trial["method"] for trial in built.trials]


def test_many_queries_stand_in_lists(tmp_path):
    documents, queries, target = vectors_and_log(300, 4000, 16, 0.1, asked=290)
    splits = [Split(rows, (rows, target[rows]), NOTHING) for rows in (np.arange(3600), np.arange(3600, 4000))]
    log = Log(documents, queries, *splits, k=10)
    stored, whole = (log.build(name).addition for name in ("knn+prior+moved@int4", "knn+prior+moved"))
    asked = np.asarray(queries[3600:])
    lists = faiss.deserialize_index(stored.codes.centers)
    assert (lists.nlist, lists.nprobe) == (64, 8)  # near the square root of 3,600
    near, exact = Combined(stored), Combined(whole)
    assert not near.centers.exact and near.index.exact
    hits = [(index.search(asked, 10).documents == target[3600:, None]).any(axis=1).mean() for index in (near, exact)]
    assert hits[0] > hits[1] - 0.02
    # Each list entry has a number of eight bytes; 64 vectors say where the lists are.
    assert 0 < stored.codes.centers.nbytes - 3600 * (8 + 8) - 64 * 16 * 4 < 2000
    assert stored.n_floats == stored.codes.n_floats + 3600  # the documents that queries vote for; all weights are 1


def test_only_what_can_be_stored_is(log):
    with pytest.raises(ValueError, match="int4 stores the centers of votes"):
        log.build("prior+moved@int4")
    with pytest.raises(ValueError, match="expected int8, int4, pq behind the @"):
        log.build("moved@int2")
    with pytest.raises(ValueError, match="searched exactly"):
        Combined(log.build("prior@int8").addition, "HNSW32")
