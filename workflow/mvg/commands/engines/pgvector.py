"""pgvector: ``python pgvector.py load | psql shop``, then ``python pgvector.py search query.npy | psql shop``.

It prints SQL and connects to nothing. Needs numpy alone, and a PostgreSQL with the extension vector.
"""

import sys

import numpy as np
import scoring

TABLES = """\
CREATE EXTENSION IF NOT EXISTS vector;
DROP TABLE IF EXISTS views, centers, shares;
CREATE TABLE views (view integer PRIMARY KEY, document integer NOT NULL, id text NOT NULL, vector vector({dimension}));
"""
TABLES_OF_VOTES = """\
CREATE TABLE centers (center integer PRIMARY KEY, vector vector({dimension}));
CREATE TABLE shares (center integer NOT NULL, document integer NOT NULL, share real NOT NULL);
"""
# <#> is the negative inner product. All vectors are read: exact, and fast up to some hundred thousand of them.
SEARCH = """\
SELECT min(id) AS id, -min(vector <#> '{query}') AS score
FROM views GROUP BY document ORDER BY score DESC, document LIMIT {k};
"""
# With CREATE INDEX ON views USING hnsw (vector vector_ip_ops): the best {many} vectors first, then their documents.
APPROXIMATE = """\
SELECT min(id) AS id, max(score) AS score
FROM (SELECT document, id, -(vector <#> '{query}') AS score FROM views ORDER BY vector <#> '{query}' LIMIT {many}) best
GROUP BY document ORDER BY score DESC, document LIMIT {k};
"""
SEARCH_WITH_VOTES = """\
WITH near AS (
    SELECT center, -(vector <#> '{adapted}') AS similarity FROM centers ORDER BY vector <#> '{adapted}' LIMIT {nearest}
), weights AS (
    SELECT center, {scale} * {weight} AS weight FROM near
), votes AS (
    SELECT document, sum(weight * share) AS votes FROM weights JOIN shares USING (center) GROUP BY document
), scores AS (
    SELECT document, min(id) AS id, -min(vector <#> '{query}') AS score FROM views GROUP BY document
)
SELECT id, score + coalesce(votes, 0) AS total
FROM scores LEFT JOIN votes USING (document) ORDER BY total DESC, document LIMIT {k};
"""
EXP = "exp((similarity - (SELECT max(similarity) FROM near)) / {temperature})"
WEIGHTS = {"softmax": f"{EXP} / sum({EXP}) OVER ()", "sum": "1", "similarity": "similarity"}


def text(vector) -> str:
    """A vector as pgvector reads it."""
    return f"[{','.join(f'{value:.9g}' for value in np.asarray(vector).tolist())}]"


def load(write) -> None:
    """SQL that makes the tables and fills them."""
    write(TABLES.format(dimension=scoring.VECTORS.shape[1]))
    write("COPY views FROM stdin;\n")
    for number, (row, id) in enumerate(scoring.owners()):
        escaped = id.replace("\\", "\\\\")
        write(f"{number}\t{row}\t{escaped}\t{text(scoring.VECTORS[number])}\n")
    write("\\.\n")
    if scoring.SETTINGS["votes"]:
        write(TABLES_OF_VOTES.format(dimension=scoring.CENTERS.shape[1]))
        write("COPY centers FROM stdin;\n")
        for number, vector in enumerate(scoring.CENTERS):
            write(f"{number}\t{text(vector)}\n")
        write("\\.\nCOPY shares FROM stdin;\n")
        starts = scoring.VOTES["starts"].tolist()
        documents, values = scoring.VOTES["documents"].tolist(), scoring.VOTES["values"].tolist()
        for center, (first, end) in enumerate(zip(starts, starts[1:], strict=False)):
            for place in range(first, end):
                write(f"{center}\t{documents[place]}\t{values[place]:.9g}\n")
        write("\\.\n")


def search(query, k: int, many: int | None = None) -> str:
    """One statement that gives the k best documents; ``many``: through an index, from so many vectors."""
    asked = text(scoring.extended(query))
    votes = scoring.SETTINGS["votes"]
    if not votes:
        return (APPROXIMATE if many else SEARCH).format(query=asked, k=k, many=many)
    weight = WEIGHTS[votes["how"]].format(**votes)
    return SEARCH_WITH_VOTES.format(query=asked, adapted=text(scoring.adapted(query)), k=k, weight=weight, **votes)


if __name__ == "__main__":
    if sys.argv[1] == "load":
        load(sys.stdout.write)
    else:
        print(search(np.load(sys.argv[2]), 10), end="")
