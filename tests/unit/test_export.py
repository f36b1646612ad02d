"""`mvg export`: engines that run here find what our exact search finds; for the others, what they are sent."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from test_library import made

import mvg
from mvg.__main__ import main

METHODS = ["mvg+prior", "shared+tuned", "knn+prior+moved", "adapter"]
K = 10
# In a process of its own, as on a user's machine: the script, its data, and not this package.
DRIVER = """
import json, numpy as np, scoring
from {engine} import Engine
engine = Engine({where})
engine.load()
engine.load()  # tonight's update takes the place of yesterday's
print(json.dumps([scoring.search(engine, query, {k}) for query in np.load("queries.npy")]))
"""


@pytest.fixture(scope="module")
def indexes(tmp_path_factory):
    """Method -> a folder with its index."""
    documents, queries, pairs = made(40, 300)
    folder = tmp_path_factory.mktemp("indexes")
    for method in METHODS:
        ids = [f'it\'s {row}, \\ "{row}"' for row in range(40)]
        mvg.build(documents, queries, pairs, method, k=5, budget=12, ids=ids).save(folder / method)
    return folder


def asked(n=25):
    return made(40, 300, seed=1)[1][:n]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("engine", "where"), [("milvus", "'milvus.db'"), ("qdrant", "None")])
def test_an_engine_finds_what_exact_search_finds(indexes, tmp_path, method, engine, where):
    into = tmp_path / "served"
    assert main(["export", str(indexes / method), "--to", engine, "--into", str(into)]) == 0
    np.save(into / "queries.npy", asked())
    code = DRIVER.format(engine=engine, where=where, k=K)
    done = subprocess.run([sys.executable, "-c", code], cwd=into, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    ids, scores = mvg.load(indexes / method).search(asked(), K, ids=True)
    for ours, our_scores, theirs in zip(ids.tolist(), scores, found):
        assert [id for id, _ in theirs] == ours and len(set(ours)) == K
        assert np.allclose([score for _, score in theirs], our_scores, atol=1e-5)


@pytest.mark.parametrize("engine", ["milvus", "qdrant"])
def test_the_commands_that_export_prints_answer_a_query(indexes, tmp_path, engine):
    into = tmp_path / "served"
    assert main(["export", str(indexes / "mvg+prior"), "--to", engine, "--into", str(into)]) == 0
    np.save(into / "query.npy", asked(1)[0])
    for command in (["load"], ["search", "query.npy"]):
        done = subprocess.run([sys.executable, f"{engine}.py", *command], cwd=into, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    ids, _ = mvg.load(indexes / "mvg+prior").search(asked(1)[0], 10, ids=True)
    assert [line.split("\t")[1] for line in done.stdout.splitlines()] == ids.tolist()


def script(indexes, tmp_path, method, engine, code):
    """What some code prints beside an exported script."""
    into = tmp_path / engine
    assert main(["export", str(indexes / method), "--to", engine, "--into", str(into)]) == 0
    np.save(into / "queries.npy", asked())
    return subprocess.check_output([sys.executable, "-c", code], cwd=into, text=True)


def test_opensearch_gets_a_document_with_nested_vectors(indexes, tmp_path):
    code = "import json, opensearch as o; print(json.dumps([o.mapping(9, True), o.bulk(o.actions())]))"
    mapping, bulk = json.loads(script(indexes, tmp_path, "mvg+prior", "opensearch", code))
    assert mapping["settings"] == {"index": {"knn": True}}
    assert mapping["mappings"]["properties"]["views"]["type"] == "nested"
    assert mapping["mappings"]["properties"]["views"]["properties"]["vector"] == {
        "type": "knn_vector",
        "dimension": 9,
        "method": {"name": "hnsw", "space_type": "innerproduct", "engine": "faiss"},
    }
    lines = [json.loads(line) for line in bulk.splitlines()]
    assert bulk.endswith("\n") and len(lines) == 2 * 40
    index = mvg.load(indexes / "mvg+prior")
    assert [line["index"] for line in lines[::2]] == [{"_index": "documents", "_id": id} for id in index.ids]
    views = index._index.views
    for row, line in enumerate(lines[1::2]):
        assert line["row"] == row
        assert np.allclose([view["vector"] for view in line["views"]], views.vectors[views.owner == row])


def test_opensearch_is_asked_for_distinct_documents(indexes, tmp_path):
    code = "import json, numpy as np, opensearch as o; print(json.dumps(o.nearest(np.ones(2), 5, [3, 4])))"
    body = json.loads(script(indexes, tmp_path, "mvg+prior", "opensearch", code))
    knn = {"vector": [1.0, 1.0], "k": 5, "filter": {"terms": {"row": [3, 4]}}}
    nested = {"path": "views", "score_mode": "max", "query": {"knn": {"views.vector": knn}}}
    assert body == {"size": 5, "_source": ["row"], "query": {"nested": nested}}
    code = "import opensearch as o; print([o.similarity(x) for x in (1.5, 1, 0.5)])"
    assert script(indexes, tmp_path / "again", "mvg+prior", "opensearch", code) == "[0.5, 0, -1.0]\n"


@pytest.mark.parametrize("method", METHODS)
def test_pgvector_gets_tables_and_one_statement(indexes, tmp_path, method):
    code = (
        "import sys, numpy as np, pgvector as p; p.load(sys.stdout.write); "
        "print(p.search(np.load('queries.npy')[0], 10)); print(p.search(np.load('queries.npy')[0], 10, 99))"
    )
    sql = script(indexes, tmp_path, method, "pgvector", code)
    index = mvg.load(indexes / method)
    views, votes = index._index.views, index._fitted.addition.votes
    width = views.vectors.shape[1]
    assert f"id text NOT NULL, vector vector({width}))" in sql
    rows = [
        line.split("\t") for line in sql.partition("COPY views FROM stdin;\n")[2].partition("\\.\n")[0].splitlines()
    ]
    assert [int(row[1]) for row in rows] == views.owner.tolist()
    assert [row[2].replace("\\\\", "\\") for row in rows] == [index.ids[owner] for owner in views.owner]
    assert np.allclose([json.loads(row[3]) for row in rows], views.vectors, atol=1e-8)
    assert ("COPY shares" in sql) == (votes is not None)
    if votes is not None:
        shares = sql.partition("COPY shares FROM stdin;\n")[2].partition("\\.\n")[0].splitlines()
        assert len(shares) == votes.shares.nnz and "LEFT JOIN votes USING (document)" in sql
    assert "LIMIT 10;" in sql and "{" not in sql


def test_what_cannot_be_exported_is_one_line(indexes, tmp_path, capsys):
    assert main(["export", str(tmp_path), "--to", "milvus"]) == 1
    assert "expected a folder with an index" in capsys.readouterr().err
    assert main(["export", str(indexes / "adapter"), "--to", "milvus", "--into", str(tmp_path)]) == 1
    assert "expected a new folder" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main(["export", str(indexes / "adapter"), "--to", "elastic"])
    assert capsys.readouterr().err.startswith("error: argument --to: invalid choice")


PAGE = (Path(__file__).parents[2] / "docs/serving.md").read_text(encoding="utf-8")


def test_what_the_page_shows_works(indexes, tmp_path, monkeypatch):
    shutil.copytree(indexes / "mvg+prior", tmp_path / "shop")
    monkeypatch.chdir(tmp_path)
    with_faiss, update = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.M | re.S)
    names = {"query": 3 * asked(1)[0]}
    exec(with_faiss, names)
    ids = mvg.load("shop").search(asked(1)[0], 40, ids=True)[0].tolist()
    assert names["documents"][:20] == ids[:20]
    new = made(2, 3, seed=2)
    names = {"mvg": mvg, "new_documents": new[0], "new_ids": ["a", "b"], "new_texts": None, "queries": None}
    exec(update, names | {"new_queries": new[1], "texts": None, "pairs": [(0, 41), (1, 3)]})
    assert len(mvg.load("shop")) == 42
    blocks = re.findall(r"^```bash\n(.*?)^```", PAGE, flags=re.M | re.S)
    commands = [line for block in blocks for line in block.splitlines()]
    assert main(next(shlex.split(line, comments=True)[1:] for line in commands if line.startswith("mvg export"))) == 0
    loads = [line.split()[1] for line in commands if line.startswith("python ")]
    assert len(loads) == 2 and all(Path(script).is_file() for script in loads)


def test_the_page_names_the_versions_that_are_tested():
    pinned = (Path(__file__).parents[1] / "requirements.txt").read_text(encoding="utf-8")
    versions = dict(line.split("==") for line in pinned.splitlines() if "==" in line)
    for name, title in (("milvus-lite", "Milvus Lite"), ("pymilvus", "pymilvus"), ("qdrant-client", "qdrant-client")):
        assert f"{title} {versions[name]}" in PAGE
