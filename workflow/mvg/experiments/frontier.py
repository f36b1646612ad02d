"""The best use of a log at a given size of the index: every method of the grammar at several budgets, and rivals.

Ours, not the paper's, which compares MVG only with plain encoders.
"""

import time
from functools import cache

import numpy as np

from ..datasets.pairs import of_queries, read_split
from ..datasets.reading import load_texts
from ..io.files import load_array
from ..names import RIVALS_BY_TEXT, Method, Rival

REFERENCE = "mvg+prior"  # all others are tested against it
TIMED, REPEATS = 200, 3  # queries, one after the other, and rounds of them; the fastest counts


def measure(given, params, threads, log) -> list[dict]:
    """All methods over some encoders on one dataset, one row per metric and k."""
    train, dev, test = (read_split(given[name]) for name in ("train", "dev", "test"))
    rows = []

    @cache  # they depend neither on the encoder nor on a seed
    def by_text(name):
        from ..evaluation import rivals

        texts = (load_texts(given[file])[1] for file in ("corpus", "texts"))
        return rivals.by_text(name, *texts, train, test.queries, test.excluded, max(params.ks))

    over_all = zip(params.encoders, given.documents, given.queries, params.seeds, strict=True)
    for encoder, documents, queries, seeds in over_all:
        vectors = load_array(documents), load_array(queries)
        place = {"dataset": params.dataset, "encoder": encoder}
        repeats = [
            frontier(
                *vectors, train, dev, test, params.methods, params.budgets, params.ks, params.metrics,
                params.multiview, seed, threads, log, params.rivals, by_text,
            )
            for seed in seeds
        ]  # fmt: skip
        for row in averaged(repeats):
            of_texts = row["method"] in RIVALS_BY_TEXT
            over = "" if of_texts else encoder
            rows.append(place | row | {"method": "+".join(filter(None, [row["method"], over]))})
    return rows


def frontier(
    documents,
    queries,
    train,
    dev,
    test,
    methods,
    budgets,
    ks,
    metrics,
    multiview,
    seed=0,
    threads=1,
    log=print,
    rivals=(),
    by_text=None,
) -> list[dict]:
    """``method, budget, index_ratio, metric, k, value, p_value, wins, losses, train_s, latency_ratio``.

    documents, queries: float32 (n, dim), unit rows; train, dev, test: :class:`mvg.datasets.pairs.Split`
    methods: names without an encoder; those that can grow are built within each of ``budgets``; for others, ``budget``
        is empty
    multiview: ``budget, m_avg, beta`` of the config
    rivals: names of :class:`mvg.names.Rival`; by_text: makes those that read texts, by name

    Tests are against MVG with the prior, at ``budget``. ``train_s`` includes choosing on dev; ``latency_ratio`` is the
    time of single queries relative to that over the encoder's vectors alone.
    """
    from ..evaluation.combinations import Log
    from ..evaluation.metrics import per_query
    from ..evaluation.rivals import by_vectors
    from ..evaluation.significance import sign_test
    from ..multiview import Addition
    from ..search.combined import Combined

    asked, k = np.asarray(queries[test.queries]), max(ks)
    relevant, excluded = (of_queries(pairs, test.queries) for pairs in (test.pairs, test.excluded))
    settings = {key: multiview[key] for key in ("budget", "m_avg", "beta")}
    built_on = Log(documents, queries, train, dev, k, **settings, seed=seed, threads=threads)
    alone = seconds(Combined(Addition(documents), threads=threads).search, asked[:TIMED], k)

    def scored(ranking):
        return per_query(ranking.documents, relevant, len(documents), ks, metrics)

    def method(name, budget):
        built = built_on.build(name, budget)
        index = Combined(built.addition, threads=threads)
        log(f"{name or 'nothing'} within {budget}: {built.method}, {built.chosen}")
        return index.search(asked, k, excluded), built.addition.n_floats, built.seconds, index.search

    def rival(name, budget):
        log(f"{name} within {budget}")
        if name in RIVALS_BY_TEXT:
            return by_text(name)
        return by_vectors(name, built_on, asked, excluded, k, budget, threads)

    reference = scored(method(REFERENCE, multiview["budget"])[0])
    rows = []
    asked_for = [(name, method, grows(name)) for name in methods]
    asked_for += [(name, rival, Rival.parse(name).grows) for name in rivals]
    for name, make, growing in asked_for:
        for budget in sorted(budgets) if growing else [None]:
            ranking, n_floats, train_s, search = make(name, budget)
            took = np.nan if search is None else seconds(search, asked[:TIMED], k) / alone
            for column, values in scored(ranking).items():
                metric, at = column.split("@")
                wins, losses, _, p_value = sign_test(values, reference[column])
                rows.append({
                    "method": name, "budget": budget, "index_ratio": n_floats / documents.size, "metric": metric,
                    "k": int(at), "value": float(values.mean()), "p_value": p_value, "wins": wins, "losses": losses,
                    "train_s": round(train_s, 2), "latency_ratio": round(took, 2),
                })  # fmt: skip
    return rows


def averaged(repeats: list[list[dict]]) -> list[dict]:
    """Rows of several seeds as one: means, ``sd`` of the values (None for one seed), the tests of the first seed."""
    rows = []
    for same in zip(*repeats, strict=True):
        values = [row["value"] for row in same]
        sd = float(np.std(values, ddof=1)) if len(values) > 1 else None
        rows.append({})
        for name, first in same[0].items():
            averages = name in ("value", "index_ratio", "train_s", "latency_ratio") and len(same) > 1
            rows[-1][name] = float(np.mean([row[name] for row in same])) if averages else first
            if name == "value":
                rows[-1] |= {"sd": sd, "seeds": len(same)}
    return rows


def grows(name: str) -> bool:
    """Whether a method can use a larger budget."""
    method = Method.parse(name) if name else None
    return bool(method) and (method.alone == "auto" or method.votes == "shared" or bool(method.views))


def seconds(search, queries, k) -> float:
    """The time of the fastest of several rounds of single queries."""
    times = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        for query in queries:
            search(query[None], k)
        times.append(time.perf_counter() - started)
    return min(times)


def report(given, made, params, log) -> None:
    """The table and the figure."""
    from ..datasets.reading import load_facts
    from ..reporting.tables import read_tables, write_table

    table = read_tables(given.numbers)
    for file in (made.table, made.csv):
        write_table(table, file)
    draw(table, load_facts(params.datasets, given.stats), made)


def draw(table, facts: dict, made) -> None:
    """Write ``made.pdf`` and ``made.png``: a row per dataset and encoder, recall beside MAP, with the hull."""
    from matplotlib.ticker import NullLocator

    from ..reporting.labels import dataset_title, method_label, split_method
    from ..reporting.metric_panels import write_metric_panels
    from ..reporting.style import GREY, added_looks, log_ticks, ring

    deepest = table[table["k"] == table["k"].max()]
    added = [method if method in RIVALS_BY_TEXT else split_method(method)[0] for method in deepest["method"]]
    deepest = deepest.assign(added=added)
    rows = {
        f"{dataset_title(facts, dataset)}, over {method_label(encoder)}": part
        for (dataset, encoder), part in deepest.groupby(["dataset", "encoder"], sort=False)
    }
    looks = {
        added: look._asdict() | ring(number)
        for number, (added, look) in enumerate(added_looks(deepest["added"]).items())
    }
    sizes = [1, *sorted(deepest["budget"].dropna().unique())]
    best = {"color": GREY, "lw": 3, "alpha": 0.4}

    def plot(axis, part, metric):
        part = part[part["metric"] == metric].sort_values("index_ratio", kind="stable")
        axis.plot(*hull(part["index_ratio"], part["value"]), **best, zorder=0)
        for added, points in part.groupby("added", sort=False):
            axis.plot(points["index_ratio"], points["value"], **looks[added])
        axis.set(xscale="log", xlabel="Index, relative to one vector a document")
        if part["index_ratio"].min() < 0.9:  # compressed rivals
            return log_ticks(axis.xaxis)
        axis.set_xticks(sizes, [f"{size:g}" for size in sizes])
        axis.xaxis.set_minor_locator(NullLocator())

    legend = {method_label(added) if added else "encoder alone": look for added, look in looks.items()}
    write_metric_panels(made, rows, plot, legend | {"best within a size": best}, height=3)


def hull(sizes, values) -> tuple[list, list]:
    """The best value within each size, as steps up to the largest; ``sizes`` are ascending, at least one."""
    best, steps = -np.inf, ([], [])
    for size, value in zip(sizes, values, strict=True):
        if value > best:
            if steps[0]:
                steps[0].append(size)
                steps[1].append(best)
            steps[0].append(size)
            steps[1].append(value)
            best = value
    steps[0].append(size)
    steps[1].append(best)
    return steps
