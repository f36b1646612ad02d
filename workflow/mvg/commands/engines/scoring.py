"""What stands before and after an engine's search: the query that it is asked, and the votes of shared views.

Files beside this one: ``vectors.npy``, ``documents.tsv`` (the document of each vector), ``settings.json``; of some
methods ``adapter.npy``, and ``votes.npz`` with the shared views and what each says of documents. Needs numpy alone.
"""

import json
import os
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
NAME = os.environ.get("MVG_NAME", "mvg")  # what names of collections and tables begin with
SETTINGS = json.loads((HERE / "settings.json").read_text(encoding="utf-8"))
VECTORS = np.load(HERE / "vectors.npy", mmap_mode="r")
VOTES = np.load(HERE / "votes.npz") if SETTINGS["votes"] else None
CENTERS = np.empty((0, 0)) if VOTES is None else VOTES["centers"]


def owners() -> list[tuple[int, str]]:
    """(row, id) of the document of each vector."""
    rows: dict[str, int] = {}
    with open(HERE / "documents.tsv", encoding="utf-8", newline="\n") as file:
        ids = [line.split("\t", 1)[0] for line in file][1:]
    return [(rows.setdefault(id, len(rows)), id) for id in ids]


def adapted(query) -> np.ndarray:
    """The query of unit norm that shared views are searched with, float32 (dim,)."""
    query = np.asarray(query, dtype=np.float32)
    if SETTINGS["adapter"]:
        query = np.load(HERE / "adapter.npy") @ query
    return query / np.linalg.norm(query)


def extended(query) -> np.ndarray:
    """The query that the vectors are searched with: where they have a bias, 1 is appended."""
    query = adapted(query)
    return np.append(query, np.float32(1)) if SETTINGS["biased"] else query


def loaded(path) -> np.ndarray:
    """The encoded query in a file, (dim,)."""
    width = VECTORS.shape[1] - SETTINGS["biased"]
    try:
        query = np.load(path)
    except (OSError, ValueError) as error:
        raise SystemExit(f"error: {path}: expected a query's vector, as np.save writes it: {error}") from error
    if query.size != width or query.dtype.kind not in "fiu":
        raise SystemExit(f"error: {path}: expected {width} numbers, found {query.dtype} of the shape {query.shape}")
    return query.ravel()


def votes(near: list[tuple[int, float]]) -> dict[int, float]:
    """What shared views, ``(number, similarity)`` of the nearest ones, add to the score of documents, by row."""
    if not near:
        return {}
    how, scale = SETTINGS["votes"]["how"], SETTINGS["votes"]["scale"]
    similarity = np.array([score for _, score in near])
    weights = np.ones(len(near)) if how == "sum" else similarity
    if how == "softmax":
        weights = np.exp((similarity - similarity.max()) / SETTINGS["votes"]["temperature"])
        weights /= weights.sum()
    found: dict[int, float] = {}
    for (center, _), weight in zip(near, scale * weights, strict=True):
        part = slice(*VOTES["starts"][center : center + 2])
        for document, share in zip(VOTES["documents"][part].tolist(), VOTES["values"][part].tolist(), strict=True):
            found[document] = found.get(document, 0.0) + float(weight) * share
    return found


def search(engine, query, k: int) -> list[tuple[str, float]]:
    """The ``k`` best documents of an encoded query: (id, score), best first, each once.

    engine: has ``documents(query, k, only)``, the best k documents by their best vector (among some rows, if they are
        given) as ``{row: (id, score)}``, and ``centers(query, k)``, the nearest shared views as ``[(number, score)]``
    """
    voted = votes(engine.centers(adapted(query), SETTINGS["votes"]["nearest"])) if SETTINGS["votes"] else {}
    asked = extended(query)
    # With so many, k of them have no vote; those with a vote that are not among them are asked for by name.
    found = engine.documents(asked, k + len(voted), None)
    if missing := sorted(voted.keys() - found.keys()):
        found |= engine.documents(asked, len(missing), missing)
    scored = [(id, score + voted.get(row, 0.0), row) for row, (id, score) in found.items()]
    return [(id, score) for id, score, _ in sorted(scored, key=lambda it: (-it[1], it[2]))[:k]]


def run(engine) -> None:
    """The command line of a script: ``load``, or ``search query.npy``."""
    if sys.argv[1:] == ["load"]:
        engine.load()
    elif len(sys.argv) == 3 and sys.argv[1] == "search":
        for id, score in search(engine, loaded(sys.argv[2]), 10):
            print(f"{score:.4f}\t{id}")
    else:
        raise SystemExit("error: expected load, or search and the file of an encoded query")
