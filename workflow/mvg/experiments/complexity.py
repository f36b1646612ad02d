"""The cost of each way to represent documents: the paper's related-work table (section 2), measured.

Sizes are exact. Times are those of this machine, on one thread. Only their ratios within one run mean
anything, so each query goes to all indexes in turn, and a busy machine slows all of them alike.
"""

import os
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

from ..datasets.pairs import read_split
from ..io.files import load_array
from ..verdicts.claims import Measured

FIXED = 4  # vectors a document, the m of the paper's cost model
INDEXES = ("exact", "HNSW32")
MOST_QUERIES = 200
REPRESENTATIONS = {
    "single_vector": "One vector",
    "fixed_vectors": "Four vectors",
    "mvg": "MVG",
    "token_level": "A vector a token",
}
NEGLIGIBLE = 0.1  # of a query's median latency
HEADS = ["Mfloats", "MB", "Build", "p50", "p90", "p99", "Rate", "Dedup."]
CAPTION = (
    "Index size in millions of floats and in MB on disk, and seconds to build. p50, p90 and p99: latency of a query as "
    "a multiple of the single vector's median with the same index. Rate: queries a second, as a multiple likewise. "
    "Dedup.: share of deduplication in the median latency, in percent. Ratios of times hold for this run only."
)


def measure(given, params, threads, log) -> list[dict]:
    """Every representation of one dataset: with one encoder, and with token vectors if the run has them."""
    from ..multiview import Behavioural

    tokens = [load_array(given[name]) for name in ("token_queries", "tokens", "starts") if given.get(name)]
    return complexity(
        load_array(given.documents),
        load_array(given.queries)[read_split(given.test).queries],
        Behavioural.load(given.vectors, given.owner),
        params.k,
        tokens=tokens or None,
        seed=params.seed,
    )


def complexity(documents, queries, behavioural, k, tokens=None, seed=0, indexes=INDEXES) -> list[dict]:
    """One row per representation and index.

    documents, queries: float32 (n, dim); the first 200 queries are searched one by one, then together
    behavioural: ``(vectors, owner)``
    tokens: ``(queries, tokens, starts)`` of a token-level encoder, as for :func:`mvg.search.maxsim.search`, or
        None; its search is always exact

    Sizes: ``vectors``, ``mfloats``, ``mbytes`` on disk. Times: ``build_s``; ``p50_ms``, ``p90_ms``, ``p99_ms`` of
    a query; ``queries_per_s`` of all together; and the medians of two parts, ``neighbours_ms`` of the
    nearest-neighbour search and ``deduplication_ms`` of keeping the first vector of each document.
    """
    from ..search import maxsim
    from ..search.index import Index

    queries = np.asarray(queries[:MOST_QUERIES])
    built, rows = {}, {}
    for name, views in _representations(documents, behavioural, seed):
        for factory in indexes:
            start = perf_counter()
            index = built[name, factory] = Index(views, factory)
            seconds = perf_counter() - start
            rows[name, factory] = _sizes(views) | {"mbytes": _disk(index) / 1e6, "build_s": seconds}
    searches = {key: (partial(index.search, k=k), queries) for key, index in built.items()}
    if tokens is not None:
        token_queries, vectors, starts = tokens
        key = "token_level", "exact"
        # There is nothing to build, because the vectors are the index.
        rows[key] = {"vectors": len(vectors), "mfloats": vectors.size / 1e6}
        rows[key] |= {"mbytes": (vectors.nbytes + starts.nbytes) / 1e6, "build_s": 0.0}
        searches[key] = partial(maxsim.search, tokens=vectors, starts=starts, k=k), token_queries[:MOST_QUERIES]

    latencies = _one_by_one(searches)
    for key, (search, given) in searches.items():
        p50, p90, p99 = np.percentile(latencies[key], [50, 90, 99])
        start = perf_counter()
        search(given)
        rows[key] |= {"p50_ms": p50, "p90_ms": p90, "p99_ms": p99}
        rows[key] |= {"queries_per_s": len(given) / (perf_counter() - start)}
        rows[key] |= (
            _parts(built[key], queries, k) if key in built else {"neighbours_ms": None, "deduplication_ms": None}
        )
    return [{"representation": name, "index": factory, **row} for (name, factory), row in rows.items()]


def _representations(documents, behavioural, seed):
    from ..search.views import Views

    yield "single_vector", Views.of(documents)
    yield "fixed_vectors", around(documents, FIXED, seed)
    yield "mvg", Views.of(documents, behavioural)


def around(documents, count, seed=0):
    """Views of ``count`` random unit vectors around each document's own, with cosines of about 0.9.

    They stand in for encoders that give every document as many vectors. They serve for sizes and times only.
    """
    from ..search.views import Views

    n, dimension = documents.shape
    noise = np.random.default_rng(seed).normal(scale=0.5 / np.sqrt(dimension), size=(n, count, dimension))
    vectors = (documents[:, None] + noise).reshape(-1, dimension)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return Views(vectors.astype(np.float32), np.repeat(np.arange(n, dtype=np.int32), count))


def _sizes(views) -> dict:
    return {"vectors": len(views.owner), "mfloats": views.n_floats / 1e6}


def _disk(index) -> int:
    """Bytes of the files that :meth:`Index.save` writes."""
    with TemporaryDirectory() as folder:
        index.save(Path(folder) / "index")
        return sum(os.path.getsize(file) for file in Path(folder).iterdir())


def _one_by_one(searches) -> dict:
    """Milliseconds of each query, after one search to warm up."""
    times = {key: [] for key in searches}
    for i in [0, *range(min(len(given) for _, given in searches.values()))]:
        for key, (search, given) in searches.items():
            start = perf_counter()
            search(given[i : i + 1])
            times[key].append(1e3 * (perf_counter() - start))
    return {key: some[1:] for key, some in times.items()}


def _parts(index, queries, k) -> dict:
    """Medians, in milliseconds, of the search for vectors and of the step from vectors to documents."""
    neighbours, deduplication = [], []
    for i in range(len(queries)):
        query = index.views.extend(queries[i : i + 1])
        start = perf_counter()
        _, found = index.faiss.search(query, min(k, index.faiss.ntotal))
        between = perf_counter()
        # A dict keeps the first vector of each document, in the order of the search.
        dict.fromkeys(index.views.owner[found[0]].tolist())
        neighbours.append(between - start)
        deduplication.append(perf_counter() - between)
    return {"neighbours_ms": 1e3 * np.median(neighbours), "deduplication_ms": 1e3 * np.median(deduplication)}


def report(given, made, params, log) -> None:
    """``complexity.csv`` and its two layouts."""
    from ..datasets.reading import load_facts
    from ..reporting.tables import read_table, write_table

    table = complexity_table(dict(zip(params.datasets, map(read_table, given.measured), strict=True)))
    write_table(table, made.csv)
    write_complexity(table, load_facts(params.datasets, given.stats), made)


def complexity_table(measured: dict):
    """``complexity.csv`` from the frames of :func:`complexity` by dataset.

    Columns up to ``mbytes`` are the same in every run; those from ``build_s`` on are times. The last,
    ``latency_ratio``, is the median latency as a multiple of that of the single vector with the same index.
    """
    import pandas as pd

    table = pd.concat([frame.assign(dataset=dataset) for dataset, frame in measured.items()], ignore_index=True)
    table = table[["dataset", *table.columns.drop("dataset")]]
    return table.assign(latency_ratio=table["p50_ms"] / _single(table)["p50_ms"])


def write_complexity(table, facts: dict, made) -> None:
    """Write ``made.md`` and ``made.tex`` for the frame of ``complexity_table``: a table per dataset."""
    from ..reporting.labels import dataset_title
    from ..reporting.tables import MISSING, Entry, Layout, simulated_note, write_layouts

    times = ["p50_ms", "p90_ms", "p99_ms", "queries_per_s"]
    single = _single(table)
    shown = table[["mfloats", "mbytes", "build_s"]].copy()
    shown[times] = table[times].div(single["p50_ms"], axis=0)
    shown["queries_per_s"] = table["queries_per_s"] / single["queries_per_s"]
    shown["deduplication"] = 100 * table["deduplication_ms"] / table["p50_ms"]
    places = zip(table["dataset"], table["representation"], table["index"], strict=True)
    entries = {
        place: [Entry(_number(value)) for value in row] for place, row in zip(places, shown.to_numpy(), strict=True)
    }
    indexes = list(dict.fromkeys(table["index"]))
    layouts = []
    for dataset, part in table.groupby("dataset", sort=False):
        rows = [
            (
                REPRESENTATIONS[name],
                [e for index in indexes for e in entries.get((dataset, name, index), [Entry(MISSING)] * len(HEADS))],
            )
            for name in dict.fromkeys(part["representation"])
        ]
        caption = f"{dataset_title(facts, dataset)}. {CAPTION}{simulated_note([dataset], facts)}"
        layouts.append(Layout(caption, indexes, HEADS, [rows], head="Documents have"))
    write_layouts("Complexity", layouts, made)


def _single(table):
    """For each row, the row of the single vector with the same index and dataset."""
    single = table[table["representation"] == "single_vector"].set_index(["dataset", "index"])
    return single.loc[list(zip(table["dataset"], table["index"], strict=True))].reset_index(drop=True)


def _number(value) -> str:
    """Three significant digits, without an exponent."""
    from ..reporting.tables import MISSING

    if np.isnan(value):
        return MISSING
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:#.3g}".rstrip(".")


def claims(table) -> dict[str, Measured]:
    """Whether deduplication takes less than a tenth of a query's median latency, in every index of MVG."""
    mvg = table[table["representation"] == "mvg"]
    return {"deduplication_negligible": Measured(bool((mvg["deduplication_ms"] < NEGLIGIBLE * mvg["p50_ms"]).all()))}
