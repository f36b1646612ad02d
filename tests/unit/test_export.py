"""`mvg export`: engines that run here find what our exact search finds; for the others, what they are sent."""

import http.server
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from test_library import made

import mvg
from mvg.__main__ import main

METHODS = ["mvg+prior", "shared+tuned", "knn+prior+moved", "knn+prior+moved@int4", "adapter"]
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
    assert [line["index"] for line in lines[::2]] == [{"_index": "mvg_documents", "_id": str(row)} for row in range(40)]
    views = index._index.views
    for row, line in enumerate(lines[1::2]):
        assert line["row"] == row and line["id"] == index.ids[row]
        assert np.allclose([view["vector"] for view in line["views"]], views.vectors[views.owner == row])


def test_opensearch_is_asked_for_distinct_documents(indexes, tmp_path):
    code = "import json, numpy as np, opensearch as o; print(json.dumps(o.nearest(np.ones(2), 5, [3, 4])))"
    body = json.loads(script(indexes, tmp_path, "mvg+prior", "opensearch", code))
    knn = {"vector": [1.0, 1.0], "k": 5, "filter": {"terms": {"row": [3, 4]}}}
    nested = {"path": "views", "score_mode": "max", "query": {"knn": {"views.vector": knn}}}
    assert body == {"size": 5, "_source": ["row", "id"], "query": {"nested": nested}}
    code = "import opensearch as o; print([o.similarity(x) for x in (1.5, 1, 0.5)])"
    assert script(indexes, tmp_path / "again", "mvg+prior", "opensearch", code) == "[0.5, 0, -1.0]\n"


class StandIn(http.server.BaseHTTPRequestHandler):
    """Answers as OpenSearch's documentation says that it does, from memory and exactly."""

    def do_PUT(self):
        self.server.held[self.path.strip("/")] = {}
        self.answer({})

    def do_DELETE(self):
        assert self.path == "/mvg_documents,mvg_centers?ignore_unavailable=true"
        self.server.held.clear()
        self.answer({})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/_bulk":
            lines = [json.loads(line) for line in body.splitlines()]
            for action, document in zip(lines[::2], lines[1::2], strict=True):
                self.server.held[action["index"]["_index"]][action["index"]["_id"]] = document
            self.answer({"errors": False, "items": [{"index": {}} for _ in lines[::2]]})
        elif self.path.endswith("_search"):
            self.answer({"hits": {"hits": self.hits(json.loads(body))}})
        else:
            self.answer({})

    def hits(self, body):
        query = body["query"]["nested"]["query"] if "nested" in body["query"] else body["query"]
        (knn,) = query["knn"].values()
        among = knn.get("filter", {}).get("terms", {}).get("row")
        hits = []
        for id, document in self.server.held[self.path.split("/")[1]].items():
            if among is None or document["row"] in among:
                views = [view["vector"] for view in document.get("views", [document])]
                best = float(np.max(np.array(views) @ knn["vector"]))
                score = 1 / (1 - best) if best <= 0 else best + 1
                hits.append({"_id": id, "_score": score, "_source": document})
        return sorted(hits, key=lambda hit: -hit["_score"])[: min(body["size"], knn["k"])]

    def answer(self, what):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(what).encode())

    def log_message(self, *_):
        pass


@pytest.mark.parametrize("method", METHODS)
def test_opensearch_is_loaded_and_asked_over_http(indexes, tmp_path, method):
    with http.server.HTTPServer(("127.0.0.1", 0), StandIn) as server:
        server.held = {}
        threading.Thread(target=server.serve_forever, daemon=True).start()
        code = DRIVER.format(engine="opensearch", where=f"'http://127.0.0.1:{server.server_port}'", k=K)
        found = json.loads(script(indexes, tmp_path, method, "opensearch", code))
        server.shutdown()
    ids, scores = mvg.load(indexes / method).search(asked(), K, ids=True)
    assert [[id for id, _ in answer] for answer in found] == ids.tolist()
    assert np.allclose([[score for _, score in answer] for answer in found], scores, atol=1e-5)


@pytest.mark.parametrize(
    ("engine", "arguments", "words"),
    [
        ("opensearch", ["load"], "error: http://localhost:1: "),
        ("qdrant", [], "error: expected load, or search and the file of an encoded query"),
        ("pgvector", ["drop"], "error: expected load, or search and the file of an encoded query"),
        ("pgvector", ["search", "settings.json"], "error: settings.json: expected a query's vector"),
        ("milvus", ["search", "queries.npy"], "error: queries.npy: expected 8 numbers, found float32 of the shape"),
    ],
)
def test_a_script_ends_with_one_line(indexes, tmp_path, engine, arguments, words):
    into = tmp_path / engine
    assert main(["export", str(indexes / "mvg+prior"), "--to", engine, "--into", str(into)]) == 0
    np.save(into / "queries.npy", asked())
    command = [sys.executable, f"{engine}.py", *arguments]
    environment = {**os.environ, "OPENSEARCH_URL": "http://localhost:1"}
    done = subprocess.run(command, cwd=into, capture_output=True, text=True, env=environment)
    assert done.returncode == 1 and done.stderr.startswith(words) and done.stderr.count("\n") == 1


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
