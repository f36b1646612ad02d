"""pgvector: ``python pgvector.py load | psql shop``, then ``python pgvector.py search query.npy | psql shop``.

It prints SQL and connects to nothing. Needs numpy alone, and a PostgreSQL with the extension vector.
"""

import sys

import numpy as np
import scoring

# One transaction: a load that breaks off leaves the tables of the last one.
TABLES = """\
\\set ON_ERROR_STOP on
SET client_encoding = 'UTF8';
BEGIN;
CREATE EXTENSION IF NOT EXISTS vector;
DROP TABLE IF EXISTS {name}_views, {name}_centers, {name}_shares;
CREATE TABLE {name}_views (
    view integer PRIMARY KEY, document integer NOT NULL, id text NOT NULL, vector vector({dimension})
);
"""
TABLES_OF_VOTES = """\
CREATE TABLE {name}_centers (center integer PRIMARY KEY, vector vector({dimension}));
CREATE TABLE {name}_shares (center integer NOT NULL, document integer NOT NULL, share real NOT NULL);
"""
# <#> is the negative inner product. All vectors are read: exact, and fast up to some hundred thousand of them.
SEARCH = """\
SELECT min(id) AS id, -min(vector <#> '{query}') AS score
FROM {name}_views GROUP BY document ORDER BY score DESC, document LIMIT {k};
"""
# With CREATE INDEX ON mvg_views USING hnsw (vector vector_ip_ops): the best {many} vectors first, then their documents.
# Such an index returns hnsw.ef_search vectors at most, 40 by default.
APPROXIMATE = """\
SET hnsw.ef_search = {reach};
SELECT min(id) AS id, max(score) AS score
FROM (
    SELECT document, id, -(vector <#> '{query}') AS score FROM {name}_views ORDER BY vector <#> '{query}' LIMIT {many}
) best
GROUP BY document ORDER BY score DESC, document LIMIT {k};
"""
SEARCH_WITH_VOTES = """\
WITH near AS (
    SELECT center, -(vector <#> '{adapted}') AS similarity
    FROM {name}_centers ORDER BY vector <#> '{adapted}' LIMIT {nearest}
), weights AS (
    SELECT center, {scale} * {weight} AS weight FROM near
), votes AS (
    SELECT document, sum(weight * share) AS votes FROM weights JOIN {name}_shares USING (center) GROUP BY document
), scores AS (
    SELECT document, min(id) AS id, -min(vector <#> '{query}') AS best FROM {name}_views GROUP BY document
)
SELECT id, best + coalesce(votes, 0) AS score
FROM scores LEFT JOIN votes USING (document) ORDER BY score DESC, document LIMIT {k};
"""
EXP = "exp((similarity - (SELECT max(similarity) FROM near)) / {temperature})"
WEIGHTS = {"softmax": f"{EXP} / sum({EXP}) OVER ()", "sum": "1", "similarity": "similarity"}


def text(vector) -> str:
    """A vector as pgvector reads it."""
    return f"[{','.join(f'{value:.9g}' for value in np.asarray(vector).tolist())}]"


def load(write) -> None:
    """SQL that makes the tables and fills them."""
    name = scoring.NAME
    write(TABLES.format(name=name, dimension=scoring.VECTORS.shape[1]))
    write(f"COPY {name}_views FROM stdin;\n")
    for number, (row, id) in enumerate(scoring.owners()):
        escaped = id.replace("\\", "\\\\")
        write(f"{number}\t{row}\t{escaped}\t{text(scoring.VECTORS[number])}\n")
    write("\\.\n")
    if scoring.SETTINGS["votes"]:
        write(TABLES_OF_VOTES.format(name=name, dimension=scoring.CENTERS.shape[1]))
        write(f"COPY {name}_centers FROM stdin;\n")
        for number, vector in enumerate(scoring.CENTERS):
            write(f"{number}\t{text(vector)}\n")
        write(f"\\.\nCOPY {name}_shares FROM stdin;\n")
        starts = scoring.VOTES["starts"].tolist()
        documents, values = scoring.VOTES["documents"].tolist(), scoring.VOTES["values"].tolist()
        for center, (first, end) in enumerate(zip(starts, starts[1:], strict=False)):
            for place in range(first, end):
                write(f"{center}\t{documents[place]}\t{values[place]:.9g}\n")
        write("\\.\n")
    write("COMMIT;\n")


def search(query, k: int, many: int | None = None) -> str:
    """SQL that gives the k best documents; ``many``: through an index, from so many vectors, at most 1,000."""
    values = {"name": scoring.NAME, "query": text(scoring.extended(query)), "k": k}
    votes = scoring.SETTINGS["votes"]
    if votes:
        weight = WEIGHTS[votes["how"]].format(**votes)
        return SEARCH_WITH_VOTES.format(adapted=text(scoring.adapted(query)), weight=weight, **values, **votes)
    if many:
        return APPROXIMATE.format(many=many, reach=min(many, 1000), **values)
    return SEARCH.format(**values)


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    if sys.argv[1:] == ["load"]:
        load(sys.stdout.write)
    elif len(sys.argv) == 3 and sys.argv[1] == "search":
        print(search(scoring.loaded(sys.argv[2]), 10), end="")
    else:
        raise SystemExit("error: expected load, or search and the file of an encoded query")
