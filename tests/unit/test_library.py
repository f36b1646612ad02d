"""The library: build, search, explain, update, save and load, against numpy and against a fresh build."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made import unit

import mvg
from mvg.datasets.pairs import Split
from mvg.evaluation import combinations
from mvg.io.errors import DataError
from mvg.library.methods import Settings
from mvg.library.run import index_of_run
from mvg.multiview import allocate, fit

WORKFLOW = Path(mvg.__file__).parents[1]
METHODS = ["plain", "mvg", "mvg+prior", "moved", "mvg+prior+moved", "shared+tuned", "adapter", "auto"]


def made(n_documents=30, n_queries=200, dimension=8, seed=0):
    """Unit documents, queries around them, a skewed log."""
    rng = np.random.default_rng(seed)
    documents = unit(rng.normal(size=(n_documents, dimension)))
    answered = (rng.pareto(1, n_queries) * 3).astype(int) % n_documents
    queries = unit(documents[answered] + rng.normal(size=(n_queries, dimension)))
    return documents, queries, np.stack([np.arange(n_queries), answered], axis=1)


def expected(documents, views, owner, queries, k, bias=0.0):
    """Max-sim in plain numpy."""
    scores = queries.astype(np.float64) @ documents.T.astype(np.float64)
    for vector, document in zip(views, owner):
        scores[:, document] = np.maximum(scores[:, document], queries.astype(np.float64) @ vector)
    scores += bias
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(scores, order, axis=1)


def test_mvg_is_the_papers():
    documents, queries, pairs = made()
    counts = allocate(np.bincount(pairs[:, 1], minlength=30), round(0.3 * 30), 0.5)
    views, owner = fit(documents, queries, (pairs[:, 0], pairs[:, 1]), counts)
    index = mvg.build(documents, queries, pairs)
    rows, scores = index.search(queries[:20], k=7)
    right = expected(documents, views, owner, queries[:20], 7)
    assert np.array_equal(rows, right[0]) and np.allclose(scores, right[1])
    assert len(index) == 30 and "39 vectors" in repr(index)


def test_repeated_pairs_count_once_and_lengths_of_vectors_do_not_matter():
    documents, queries, pairs = made()
    index = mvg.build(documents, queries, pairs)
    again = mvg.build(documents * 3.0, queries.astype(np.float64) * 0.1, np.concatenate([pairs, pairs[::-1]]))
    assert same(index, again, tolerance=1e-6)


def test_a_prior_is_added_where_dev_finds_it_useful():
    documents, queries, pairs = made()
    index = mvg.build(documents, queries, pairs, method="prior", dev=(queries, pairs), k=3)
    popularity = np.bincount(pairs[:, 1], minlength=30)
    bias = index.constants["prior"] * np.log((popularity + 1) / (popularity.sum() + 30))
    right = expected(documents, [], [], queries[:9], 5, bias)
    rows, scores = index.search(queries[:9], 5)
    assert index.constants["prior"] > 0
    assert np.array_equal(rows, right[0]) and np.allclose(scores, right[1], atol=1e-6)
    measured = index.metrics
    assert (measured["k"], measured["queries"]) == (3, 200)
    assert sum(measured["prior"].values()) > sum(measured["plain"].values())


def test_auto_says_what_it_chose():
    documents, queries, pairs = made()
    given = documents, queries[:150], pairs[:150]
    dev = queries[150:], pairs[150:] - [150, 0]
    index = mvg.build(*given, "auto", dev=dev, k=5)
    assert index.method != "auto" and index.method in index.metrics
    assert mvg.build(*given, index.method, dev=dev, k=5).metrics == index.metrics


def test_auto_leaves_out_what_no_budget_has_room_for():
    documents, queries, pairs = made(n_documents=1)
    index = mvg.build(documents, queries, pairs, "auto")
    assert index.search(queries[0], 2)[0].tolist() == [0, -1] and index._index.views.vectors.shape[0] == 1


def test_weights_go_where_they_count():
    documents, queries, pairs = made()
    weights = np.where(pairs[:, 0] < 100, 1.0, 0.0)
    index = mvg.build(documents, queries, pairs, weights=weights)
    assert same(index, mvg.build(documents, queries, pairs[:100]))
    with pytest.raises(ValueError, match="weights go with the methods mvg and mvg"):
        mvg.build(documents, queries, pairs, "tuned", weights=weights)


def test_one_vector_is_one_query():
    documents, queries, pairs = made()
    index = mvg.build(documents, queries, pairs)
    rows, scores = index.search(queries[:1], 3)
    for form in (queries[0], queries[0].tolist()):
        row, score = index.search(form, 3)
        assert row.shape == score.shape == (3,)
        assert np.array_equal(row, rows[0]) and np.allclose(score, scores[0])


def test_documents_have_their_ids():
    documents, queries, pairs = made(n_documents=3)
    index = mvg.build(documents, queries, pairs, ids=["a", "b", "c"])
    rows, _ = index.search(queries[:4], k=5)
    ids, scores = index.search(queries[:4], k=5, ids=True)
    assert [["abc"[row] if row >= 0 else None for row in line] for line in rows] == ids.tolist()
    assert (scores[:, 3:] == -np.inf).all() and (rows[:, 3:] == -1).all()
    assert index.explain(queries[0], "b").document == "b"


def test_an_explanation_names_the_vector_and_its_queries():
    documents = [[1, 0, 0], [0, 1, 0]]
    queries = [[0, 0, 1], [0, 0.1, 1], [0, 1, 0.1], [1, 0, 0]]
    pairs = [(0, 1), (1, 1), (2, 1), (3, 0)]
    index = mvg.build(
        documents, queries, pairs, budget=1.5, query_texts=["sea", "blue sea", None, "red"], asked=[1, 4, 9, 9]
    )
    found = index.explain([0, 0, 2], 1)
    assert (found.document, found.kind, found.vector) == (1, "behavioural", 2)
    assert found.score == pytest.approx(found.similarity) and found.similarity > 0.99
    assert {(query.row, query.text) for query in found.queries[:2]} == {(0, "sea"), (1, "blue sea")}
    assert found.queries[2][:2] == (2, None) and found.queries[2].similarity < found.queries[1].similarity
    assert [query.row for query in index.explain([0, 0, 2], 1, min_count=2).queries] == [1, 2]
    assert index.explain([0, 1, 0], 1).kind == "document"
    assert np.isclose(found.score, index.search([0, 0, 2], 1)[1][0])


def same(one, other, tolerance=0.0):
    """Whether two indexes hold the same vectors and answer alike."""
    a, b = one._index.views, other._index.views
    if a.vectors.shape != b.vectors.shape or not np.array_equal(a.owner, b.owner):
        return False
    votes, others = one._fitted.addition.votes, other._fitted.addition.votes
    if votes and ((votes.shares != others.shares).nnz or not np.array_equal(votes.centers, others.centers)):
        return False
    return np.allclose(a.vectors, b.vectors, rtol=0, atol=tolerance) and one.constants == other.constants


@pytest.mark.parametrize("method", [*METHODS, "mvg+prior+adapter"])
@given(seed=st.integers(0, 10**6), documents=st.integers(0, 10), queries=st.integers(0, 60), weighted=st.booleans())
@settings(max_examples=4)
def test_an_update_equals_a_fresh_build_bit_for_bit(method, seed, documents, queries, weighted):
    all_documents, all_queries, pairs = made(40, 260, seed=seed)
    n, m = 40 - documents, 260 - queries
    first = pairs[(pairs[:, 0] < m) & (pairs[:, 1] < n)]
    later = pairs[pairs[:, 0] >= m]
    weighted = weighted and method in ("mvg", "mvg+prior")
    weights = np.random.default_rng(seed).random(260) if weighted else None
    of = (lambda rows: None) if weights is None else (lambda rows: weights[rows[:, 0]])
    index = mvg.build(all_documents[:n], all_queries[:m], first, method, weights=of(first), seed=seed % 3, k=5)
    index.update(all_documents[n:], all_queries[m:], later - [m, 0], weights=of(later))
    everything = np.concatenate([first, later])
    fresh = mvg.build(all_documents, all_queries, everything, method, weights=of(everything), seed=seed % 3, k=5)
    assert same(index, fresh)
    assert index.constants == fresh.constants and index.metrics == fresh.metrics


def test_an_update_refits_only_what_changed(monkeypatch):
    from mvg.library import methods

    documents, queries, pairs = made()
    index = mvg.build(documents, queries, pairs)
    spent = []
    monkeypatch.setattr(methods, "fit", lambda *given, **more: spent.append(given[3]) or fit(*given, **more))
    index.update(queries=queries[:1], pairs=[(0, 7)])
    assert 0 < np.count_nonzero(spent[0]) <= 3 and same(
        index, mvg.build(documents, np.concatenate([queries, queries[:1]]), [*pairs, (200, 7)])
    )


def test_the_index_of_a_run_is_updated_by_the_settings_of_the_run(tmp_path):
    documents, queries, pairs = made(40, 300)
    nothing = np.empty(0, dtype=np.int64)
    train = Split(np.arange(200), tuple(pairs[:200].T), (nothing, nothing))
    excluded = (pairs[200:, 0], (pairs[200:, 1] + 1) % 40)  # these change what dev chooses
    dev = Split(np.arange(200, 300), tuple(pairs[200:].T), excluded)
    given = {"budget": 1.9, "m_avg": 0.6, "beta": 0.2, "seed": 3, "objective": "propensity"}
    built = combinations.Log(documents, queries, train, dev, k=3, **given).build("mvg+prior")
    texts = {"ids": None, "document_texts": None, "query_texts": ["a"] * 300, "asked": [1] * 300}
    run = index_of_run(
        built.addition, built.facts() | {"trials": []}, documents, queries, train, dev,
        Settings("mvg+prior", k=3, **given), texts,
    )  # fmt: skip
    run.save(tmp_path / "index")
    opened = mvg.load(tmp_path / "index")
    opened.update()
    assert len(opened._index.views.owner) == 40 + 24 and same(opened, run)
    assert opened.metrics["mvg+prior"] == run.metrics["mvg+prior"]  # with what is excluded, and propensities


def test_facts_about_the_encoder_outlast_an_update(tmp_path):
    documents, queries, pairs = made()
    (tmp_path / "runs/model").mkdir(parents=True)
    encoder = {"kind": "dssm", "model": "../model"}
    mvg.build(documents, queries, pairs).save(tmp_path / "runs/index", encoder=encoder, data={"queries": 200})
    index = mvg.load(tmp_path / "runs/index")
    index.save(tmp_path / "named", encoder="ours")
    assert mvg.load(tmp_path / "named").facts["encoder"] == "ours"
    index.save(tmp_path / "copy", owner="me")
    facts = {"encoder": {"kind": "dssm", "model": str(tmp_path / "runs/model")}}
    assert mvg.load(tmp_path / "copy").facts == facts | {"data": {"queries": 200}, "owner": "me"}
    index.update(queries=queries[:1], pairs=[(0, 7)])
    index.save(tmp_path / "copy")
    assert mvg.load(tmp_path / "copy").facts == facts  # 200 queries are no longer true


@pytest.mark.parametrize("facts", [{"method": "mine"}, {"files": {}}, {"data": np.arange(3)}, {"data": np.nan}])
def test_facts_that_a_manifest_cannot_hold_are_one_clear_error(tmp_path, facts):
    with pytest.raises(ValueError, match="fact") as error:
        mvg.build(*made()).save(tmp_path / "index", **facts)
    assert "\n" not in str(error.value) and not (tmp_path / "index").exists()


def test_an_update_that_fails_leaves_the_index_as_it_was():
    documents, queries, pairs = made()
    index = mvg.build(documents, queries, pairs)
    before = index.search(queries, 5)
    with pytest.raises(ValueError, match="document row 99"):
        index.update(queries=queries[:1], pairs=[(0, 99)])
    with pytest.raises(ValueError, match="ids"):
        index.update(documents=documents[:1], ids=["new"])
    assert all(np.array_equal(a, b) for a, b in zip(before, index.search(queries, 5)))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("factory", ["exact", "HNSW8"])
def test_a_folder_gives_back_the_index(tmp_path, method, factory):
    documents, queries, pairs = made()
    ids, texts = [f"d{row}" for row in range(30)], [f"text {row}" for row in range(30)]
    index = mvg.build(
        documents, queries, pairs, method, k=5, ids=ids, document_texts=texts, query_texts=list("ab" * 100),
        index=factory,
    )  # fmt: skip
    index.save(tmp_path / "index")
    opened = mvg.load(tmp_path / "index")
    assert all(np.array_equal(a, b) for a, b in zip(index.search(queries, 9), opened.search(queries, 9)))
    assert (opened.method, opened.constants, opened.metrics) == (index.method, index.constants, index.metrics)
    assert opened.explain(queries[3], "d5") == index.explain(queries[3], "d5")
    assert opened.texts == texts
    for each in (index, opened):
        each.update(queries=queries[:5], pairs=[(0, 1), (4, 2)])
    assert same(index, opened)
    opened.save(tmp_path / "index")  # in place of the one that it is mapped from
    assert same(index, mvg.load(tmp_path / "index"))


def test_the_files_of_a_folder_speak_for_themselves(tmp_path):
    import faiss

    documents, queries, pairs = made()
    index = mvg.build(documents, queries, pairs, "mvg+prior", ids=[f"d{row}" for row in range(30)], k=5)
    index.save(tmp_path / "index", encoder={"init": "package:wordllama"})
    manifest = json.loads((tmp_path / "index/manifest.json").read_text())
    assert manifest["encoder"] == {"init": "package:wordllama"} and "append 1.0" in manifest["bias"]
    assert set(manifest["files"]) == {
        *("index.faiss", "documents.tsv"),
        *("log/documents.npy", "log/queries.npy", "log/pairs.npz"),
    }
    # As an engine would: each document counts once, by its best vector.
    lines = (tmp_path / "index/documents.tsv").read_text().splitlines()[1:]
    found = faiss.read_index(str(tmp_path / "index/index.faiss"))
    scores, vectors = found.search(np.append(queries[0], 1.0).astype(np.float32)[None], len(lines))
    ranked = list(dict.fromkeys(lines[vector].split("\t")[0] for vector in vectors[0]))
    assert ranked[:9] == index.search(queries[0], 9, ids=True)[0].tolist()


def test_without_its_log_an_index_searches_and_says_what_it_lacks(tmp_path):
    documents, queries, pairs = made()
    index = mvg.build(documents, queries, pairs, query_texts=["secret"] * 200)
    index.save(tmp_path / "index", log=False)
    assert not any(b"secret" in file.read_bytes() for file in (tmp_path / "index").rglob("*") if file.is_file())
    opened = mvg.load(tmp_path / "index")
    assert np.array_equal(opened.search(queries, 3)[0], index.search(queries, 3)[0])
    assert opened.explain(queries[0], 1).queries == []
    with pytest.raises(ValueError, match="without its log"):
        opened.update(queries=queries[:1], pairs=[(0, 1)])


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda folder: (folder / "index.faiss").unlink(), "index.faiss: .* there is none"),
        (lambda folder: (folder / "manifest.json").unlink(), "with manifest.json"),
        (lambda folder: (folder / "manifest.json").write_text("{"), "JSON"),
        (lambda folder: (folder / "manifest.json").write_text('{"format": 99}'), "format 1, found 99"),
        (lambda folder: edit(folder / "manifest.json", {"documents": None}), "manifest.json: expected what saving"),
        (lambda folder: edit(folder / "manifest.json", {"documents": 31}), "expected 31 documents"),
        (lambda folder: edit(folder / "manifest.json", {"settings": {"k": 1}}), "manifest.json: expected what saving"),
        (lambda folder: edit(folder / "manifest.json", {"files": ["x"]}), "manifest.json: expected what saving"),
        (lambda folder: flip(folder / "index.faiss"), "index.faiss: .* altered"),
        (lambda folder: flip(folder / "documents.tsv"), "documents.tsv: .* altered"),
        (lambda folder: (folder / "log/queries.npy").write_bytes(b""), "queries.npy: .* altered"),
    ],
)
def test_a_damaged_folder_is_one_clear_error(tmp_path, harm, words):
    mvg.build(*made()).save(tmp_path / "index")
    harm(tmp_path / "index")
    with pytest.raises(DataError, match=words) as error:
        mvg.load(tmp_path / "index")
    assert "\n" not in str(error.value)


def test_what_is_altered_but_not_checked_is_one_clear_error(tmp_path):
    mvg.build(*made()).save(tmp_path / "index")
    flip(tmp_path / "index/log/pairs.npz")
    with pytest.raises(DataError, match="manifest.json: expected what saving"):
        mvg.load(tmp_path / "index", check=False)


def edit(path, changes):
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_names_and_texts_may_be_anything_that_fits_a_line(tmp_path):
    documents, queries, pairs = made(n_documents=4)
    ids = ["caf\u00e9 \u00a0noir", "a\u00ad\u2028b", " ", "\U0001f600"]
    texts = ["line\nbreak\ttab", "\ud800 half", None, "\u2028"]
    index = mvg.build(documents, queries, pairs, ids=ids, document_texts=texts, query_texts=["\udc00"] * 200)
    index.save(tmp_path / "index")
    opened = mvg.load(tmp_path / "index", check=False)
    assert opened.ids == ids and opened.texts == ["line break tab", "? half", "", ""]
    assert opened.explain(queries[0], ids[1]).queries[0].text == "?"


def flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def test_a_folder_of_something_else_is_not_replaced(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(DataError, match="expected a new folder"):
        mvg.build(*made()).save(tmp_path)
    assert (tmp_path / "thesis.tex").read_text() == "years of work"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"documents": []}, "documents must"),
        ({"documents": np.empty((0, 8))}, "at least one"),
        ({"documents": ["a text"]}, "documents must"),
        ({"queries": [["a text"]]}, "encode the texts"),
        ({"pairs": [(0, 0.5)]}, "whole numbers"),
        ({"method": "best"}, "names an encoder"),
        ({"method": "mvg+mvg"}, "'mvg.mvg': expected"),
        ({"method": None}, "method must be a name"),
        ({"method": "mvg+"}, "method must be a name"),
        ({"method": "shared", "budget": 1}, "room for a shared view"),
        ({"method": "tuned", "pairs": [], "dev": (made()[1], [(0, 0)])}, "learns from pairs"),
        ({"budget": 0.5}, "budget must be a number from 1 to"),
        ({"budget": float("inf")}, "budget must be a number from 1 to"),
        ({"beta": "even"}, "beta must be a number from 0"),
        ({"seed": 0.5}, "seed must be a whole number"),
        ({"k": 0}, "k must be a whole number of at least 1"),
        ({"threads": 0}, "threads must be a whole number of at least 1"),
        ({"index": None}, "index must be exact, or"),
        ({"queries": "red shoes"}, "found str: encode the texts first"),
        ({"pairs": None}, "found NoneType"),
        ({"pairs": zip([0], [0])}, "found zip"),
        ({"pairs": [(2.0**63, 0)]}, "query row 9223372036854775808 .* outside"),
        ({"weights": [1e308] * 200}, "finite sum"),
        ({"ids": "a" * 30}, "ids must be a list"),
        ({"ids": ["a"] * 30}, "distinct"),
        ({"ids": ["a"]}, "ids must be 30"),
        ({"ids": [f"{n}\t" for n in range(30)]}, "fit into a line"),
        ({"ids": [f"{n}\ud800" for n in range(30)]}, "fit into a line"),
        ({"asked": [1]}, "asked must be 200"),
        ({"dev": np.ones(3)}, "dev must be"),
        ({"index": "NOSUCH"}, "NOSUCH"),
        ({"normalize": False, "queries": np.ones((200, 8))}, "unit norm"),
    ],
)
def test_a_wrong_input_is_one_clear_error(given, words):
    right = dict(zip(("documents", "queries", "pairs"), made()))
    with pytest.raises(ValueError, match=words) as error:
        mvg.build(**(right | given))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("k", [0, -1, 2.5, True, "10"])
def test_k_is_a_whole_number_from_1(k):
    documents, queries, pairs = made()
    with pytest.raises(ValueError, match="k must be a whole number of at least 1"):
        mvg.build(documents, queries, pairs).search(queries, k)


def test_more_documents_than_there_can_be_are_refused_before_they_take_memory():
    index = mvg.build(*made())
    assert index.search(made()[1][0], 10**6)[0][30] == -1
    with pytest.raises(ValueError, match="k must be at most 1,000,000"):
        index.search(made()[1][:1], 2**40)


def test_whole_numbers_of_numpy_are_whole_numbers():
    assert same(mvg.build(*made(), seed=np.int64(2), budget=np.float32(1.5)), mvg.build(*made(), seed=2, budget=1.5))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"query": made()[1][:2]}, "one vector: found 2"),
        ({"document": True}, "document must be"),
        ({"n": 1.5}, "n must be a whole number"),
        ({"min_count": "all"}, "min_count must be a number"),
    ],
)
def test_what_cannot_be_explained_is_one_clear_error(given, words):
    with pytest.raises(ValueError, match=words):
        mvg.build(*made()).explain(**({"query": made()[1][0], "document": 0} | given))


@pytest.mark.parametrize("new", [{}, {"documents": []}, {"queries": []}, {"documents": [], "queries": [], "pairs": []}])
def test_an_update_with_nothing_new_changes_nothing(new):
    index = mvg.build(*made())
    index.update(**new)
    assert same(index, mvg.build(*made()))


@pytest.mark.parametrize("what", ["ids", "document_texts"])
def test_texts_of_no_new_document_are_refused(what):
    for known in ({}, {what: [f"d{row}" for row in range(30)]}):
        with pytest.raises(ValueError, match=f"{what} must be 0"):
            mvg.build(*made(), **known).update(**{what: ["a"]})


def test_texts_as_queries_are_refused():
    with pytest.raises(ValueError, match="encode the texts"):
        mvg.build(*made()).search(["red shoes"])


def test_importing_the_package_is_cheap():
    code = "import sys, mvg; assert not {'numpy', 'faiss', 'numba', 'torch'} & set(sys.modules); mvg.build"
    subprocess.run([sys.executable, "-c", code], cwd=WORKFLOW, check=True)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        mvg.nothing  # noqa: B018


def test_docstrings_show_what_happens():
    import doctest
    from importlib import import_module

    modules = (
        "library.build",
        "library.index",
        "multiview.budget",
        "multiview.clustering",
        "search.views",
        "search.index",
    )
    for module in modules:
        failed, tried = doctest.testmod(import_module(f"mvg.{module}"))
        assert tried and not failed


def test_the_page_of_the_library_shows_what_happens():
    import doctest
    import re

    page = (WORKFLOW.parent / "docs/library.md").read_text(encoding="utf-8")
    examples = "\n".join(re.findall(r"^```python\n(.*?)^```", page, flags=re.M | re.S))
    test = doctest.DocTestParser().get_doctest(examples, {}, "library.md", "docs/library.md", 0)
    result = doctest.DocTestRunner().run(test)
    assert result.attempted > 15 and result.failed == 0
