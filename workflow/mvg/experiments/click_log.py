"""The paper's product search (sections 6.1 and 6.2) on any dataset with traffic weights.

Recall and MAP by traffic, who gains and who loses, and the part of the A/B test that can be measured offline.
"""

import numpy as np

from ..datasets.pairs import of_queries, read_split
from ..datasets.reading import load_facts, load_stats, load_texts, load_weights
from ..evaluation import metrics
from ..evaluation.significance import SIGNIFICANT, sign_test
from ..evaluation.traffic import NEAR, OVERALL, SEEN, UNSEEN, query_groups, traffic_shares, weighted_mean
from ..io.files import load_array, load_arrays
from ..verdicts.claims import Measured

KS = (10, 100)
CURVE = range(1, 201)
COLUMNS = ["queries", "method", "metric", "k", "value", "wins", "losses", "p_value"]
GROUPS = (OVERALL, SEEN, UNSEEN, NEAR)
BECOMES = ("gains", "ties", "loses")
SCORES, SHARES = ("recall", "map"), tuple(f"{name}_percent" for name in BECOMES)
OFFLINE = ("index_gb", *SHARES, "sparse_results_percent", "sparse_own_threshold_percent", "latency_p90_ratio")


def measure(given, params, threads, log) -> list[dict]:
    """Sparse results and latency of MVG against its encoder: rows with ``COLUMNS``."""
    from ..evaluation.offline_ab import offline_ab
    from ..multiview import Behavioural

    numbers = offline_ab(
        load_array(given.documents),
        Behavioural.load(given.vectors, given.owner),
        load_array(given.queries),
        read_split(given.dev).queries,
        read_split(given.test).queries,
        load_weights(given.texts),
        seed=params.seed,
    )
    return offline_rows(numbers, params.encoder)


def offline_rows(offline: dict, base: str) -> list[dict]:
    """The result of :func:`mvg.evaluation.offline_ab.offline_ab` as rows with ``COLUMNS``."""
    mvg = f"mvg+{base}"
    sparse, test = offline["sparse_results_percent"], [offline[name] for name in ("wins", "losses", "p_value")]
    nothing = [None] * 3
    rows = [
        (base, "sparse_results_percent", sparse["base"], *nothing),
        (mvg, "sparse_results_percent", sparse["mvg"], *test),
        (mvg, "sparse_own_threshold_percent", sparse["mvg_own_threshold"], *nothing),
        (base, "score_threshold", offline["threshold"]["base"], *nothing),
        (mvg, "score_threshold", offline["threshold"]["mvg"], *nothing),
        (mvg, "latency_p90_ratio", offline["latency_ratio"]["p90"], *nothing),
    ]
    return [
        dict(zip(COLUMNS, (OVERALL, method, metric, None, *values), strict=True)) for method, metric, *values in rows
    ]


def click_log_numbers(rankings, n_floats, base, pairs, n_documents, weights, texts, training_texts) -> list[dict]:
    """All numbers of the experiment except those of the A/B test, one row each, with ``COLUMNS``.

    rankings: method -> int (n_queries, 200), ranked document rows; n_floats: method -> floats of its
    index, 0 for none; base: the method that others are compared with; pairs: ``(positions, document
    rows)`` of the relevant documents; weights: (n_queries,) traffic; texts: of the test queries

    ``recall`` and ``map`` in percent, weighted by traffic, at ``KS`` for each group of queries; for all
    queries also recall at each k of ``CURVE``. wins, losses and p_value of the sign test against ``base``,
    in which each query counts once. ``traffic_percent`` and ``n_queries`` of each group.
    ``gains_percent``, ``ties_percent``, ``loses_percent``: the traffic whose Recall@100 is above, equal to
    and below that of ``base``; ``index_gb``: 4 bytes a float.
    """
    weights, groups = np.asarray(weights), query_groups(texts, training_texts)
    n_relevant = np.bincount(pairs[0], minlength=len(texts))
    hits = {method: metrics.relevance(ranked, pairs, n_documents) for method, ranked in rankings.items()}
    rows = []

    def add(queries, method, metric, k, value, test=(None, None, None)):
        rows.append(dict(zip(COLUMNS, (queries, method, metric, k, value, *test), strict=True)))

    for group, members in groups.items():
        add(group, "", "traffic_percent", None, 100 * weighted_mean(members, weights))
        add(group, "", "n_queries", None, int(members.sum()))
    for metric, score in ("recall", metrics.recall), ("map", metrics.average_precision):
        for k in KS:
            scores = {method: score(hits[method], n_relevant, k) for method in rankings}
            for group, members in groups.items():
                for method, own in scores.items():
                    test = (None, None, None)
                    if method != base:
                        wins, losses, _, p_value = sign_test(own[members], scores[base][members])
                        test = wins, losses, p_value
                    add(group, method, metric, k, weighted_mean(own[members], weights[members]), test)
    for method in rankings:
        for k in (k for k in CURVE if k not in KS):
            add(OVERALL, method, "recall", k, weighted_mean(metrics.recall(hits[method], n_relevant, k), weights))
    recall = {method: metrics.recall(hits[method], n_relevant, KS[-1]) for method in rankings}
    for method in rankings:
        if n_floats[method]:
            add(OVERALL, method, "index_gb", None, 4 * n_floats[method] / 1e9)
        if n_floats[method] and method != base:
            shares = traffic_shares(recall[method], recall[base], weights)
            for name, value in shares._asdict().items():
                add(OVERALL, method, f"{name}_percent", KS[-1], value)
    return rows


def report(given, made, params, log) -> None:
    """The figure and the table, each with its numbers, and the layouts of the table."""
    from ..reporting.tables import read_table, write_layouts, write_table

    rankings = dict(zip(params.methods, map(load_arrays, given.rankings), strict=True))
    test, train, stats = read_split(given.test), read_split(given.train), load_stats(given.stats)
    texts = load_texts(given.queries)[1]
    numbers = click_log_numbers(
        {method: ranking["documents"] for method, ranking in rankings.items()},
        {method: int(ranking["n_floats"]) for method, ranking in rankings.items()},
        params.base,
        of_queries(test.pairs, test.queries),
        stats["documents"],
        load_weights(given.queries)[test.queries],
        [texts[row] for row in test.queries],
        [texts[row] for row in train.queries],
    )
    table = click_log_table(params.dataset, numbers, read_table(given.offline).to_dict("records"))
    facts = load_facts(params.titles, [given.stats])
    write_table(table, made.csv)
    write_table(table[table["k"].isna() | table["k"].isin(KS)], made.table)
    write_layouts("Click log", click_log_layouts(table, facts), made)
    draw(table, facts, made)
    log(f"{len(table)} numbers")


def click_log_table(dataset, numbers: list[dict], offline: list[dict]):
    """``click_log.csv``: ``dataset`` and ``COLUMNS``, from :func:`click_log_numbers` and :func:`offline_rows`."""
    import pandas as pd

    table = pd.DataFrame(numbers + offline, columns=COLUMNS)
    table.insert(0, "dataset", dataset)
    return table.astype({"k": "Int64", "wins": "Int64", "losses": "Int64", "p_value": float})


def draw(table, facts: dict, made) -> None:
    """Write ``made.pdf`` and ``made.png``: recall by k, and the traffic that gains, ties and loses."""
    from ..reporting.style import panels, save

    with panels(2) as (figure, axes):
        plot_click_log(table, facts, figure, *axes)
        save(figure, made)


def plot_click_log(table, facts, figure, left, right) -> None:
    """Draw Recall@k by traffic into ``left``, the traffic that gains, ties and loses into ``right``."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    from ..reporting.labels import dataset_title, method_label
    from ..reporting.style import GREY, ORANGE, SKY_BLUE, legend_below, log_ticks, method_look

    (dataset,) = set(table["dataset"])
    curves = table[(table["metric"] == "recall") & (table["queries"] == OVERALL)]
    handles = []
    for number, (method, curve) in enumerate(curves.sort_values("k", kind="stable").groupby("method", sort=False)):
        look = method_look(method)._asdict()
        # Alternating markers, so that close curves can be distinguished.
        left.plot(curve["k"].astype(int), curve["value"], markevery=(0.04 * number, 0.16), **look)
        handles.append(Line2D([], [], label=method_label(method), **look))
    left.set(xlabel="k", ylabel="Recall@k by traffic (%)", xscale="log", xlim=(1, CURVE[-1]), ylim=(0, 102))
    log_ticks(left.xaxis)
    left.set_title(dataset_title(facts, dataset).replace("$", r"\$"))

    shares = table[table["metric"].isin(SHARES)]
    shares = shares.pivot(index="method", columns="metric", values="value")
    labels = [
        f"{method_label(row.Index)}\n{row.gains_percent:.1f} gain, {row.loses_percent:.1f} lose"
        for row in shares.itertuples()
    ]
    end = 0
    for name, color in zip(BECOMES, (SKY_BLUE, GREY, ORANGE), strict=True):  # not the colours of methods
        width = shares[f"{name}_percent"]
        right.barh(labels, width, left=end, color=color, height=0.5)
        handles.append(Patch(color=color, label=name))
        end = end + width
    right.set(xlabel=f"Traffic whose Recall@{KS[-1]} gains, ties, loses (%)", xlim=(0, 100))
    right.set_title("Against the plain encoder")
    right.grid(axis="y", visible=False)
    legend_below(figure, handles, [handle.get_label() for handle in handles], columns=4)


def click_log_layouts(table, facts: dict) -> list:
    """Recall and MAP of each group of queries, and the offline part of the A/B test."""
    from ..reporting.labels import dataset_title, method_label, metric_label
    from ..reporting.tables import BOLD, MISSING, Entry, Layout, simulated_note

    (dataset,) = set(table["dataset"])
    methods = list(dict.fromkeys(table.loc[table["metric"] == "recall", "method"]))
    entries = _entries(table, methods)
    note = simulated_note([dataset], facts)

    def layout(caption, columns, heads):
        rows = [(method_label(m), [entries.get((q, m, *c), Entry(MISSING)) for c, q in columns]) for m in methods]
        labels = [metric_label(metric, k if metric in SCORES else None) for (metric, k), _ in columns]
        return Layout(caption, list(dict.fromkeys(labels)), heads, [rows])

    layouts = []
    for metric in SCORES:
        columns = [((metric, k), queries) for k in KS for queries in GROUPS]
        caption = (
            f"{metric_label(metric)}@k in percent, weighted by traffic. {_groups_note(table)} {BOLD} {_MARKS}{note}"
        )
        layouts.append(layout(caption, columns, list(GROUPS)))
    columns = [((metric, KS[-1] if metric in SHARES else None), OVERALL) for metric in OFFLINE]
    label = dataset_title(facts, dataset)
    return [*layouts, layout(_offline_note(table) + note, columns, [label])]


_MARKS = "Underlined: better than the plain encoder by the two-sided sign test, each query once (p below 0.001)."


def _groups_note(table) -> str:
    sizes = table[table["method"] == ""].pivot(index="queries", columns="metric", values="value")
    shares = {
        queries: f"{sizes.loc[queries, 'traffic_percent']:.1f} % of the traffic, "
        f"{sizes.loc[queries, 'n_queries']:.0f} of {sizes.loc[OVERALL, 'n_queries']:.0f} queries"
        for queries in GROUPS[1:]
    }
    return (
        f"Memorization: test queries with the text of a training query ({shares[SEEN]}); generalization: all others "
        f"({shares[UNSEEN]}); near-duplicates: others that differ from one only in numbers ({shares[NEAR]})."
    )


def _offline_note(table) -> str:
    threshold = table[table["metric"] == "score_threshold"]["value"].iloc[0]
    return (
        "The part of the paper's A/B test that can be measured offline. Traffic that gains, ties and loses in "
        "Recall@100 against the plain encoder. Sparse results: traffic with fewer than 16 distinct documents above a "
        f"score, the same for both ({threshold:.3f}: the plain encoder has them on a tenth of dev traffic). More "
        "vectors never score a document lower, so a fixed threshold favours MVG by construction; a threshold of its "
        "own, by the same rule, shows by how much. Latency: single queries, one thread, relative to the plain "
        "encoder. Units, product sales and the share of exact and substitute products need live traffic or human "
        "judgements."
    )


def _by_place(table) -> dict:
    """The rows by (queries, method, metric, k); a missing k is None, a missing method empty."""
    from pandas import isna

    return {
        (row.queries, row.method, row.metric, None if isna(row.k) else int(row.k)): row
        for row in table.fillna({"method": ""}).itertuples()
    }


def _entries(table, methods) -> dict:
    """(queries, method, metric, k) -> Entry."""
    from ..reporting.tables import MISSING, Entry, best_rows

    rows, entries = _by_place(table), {}
    for (queries, method, metric, k), row in rows.items():
        scored = metric in SCORES and k in KS
        bold = best_rows(methods, lambda m: rows[queries, m, metric, k].value) if scored else []  # noqa: B023
        best = method in dict(bold)
        better = scored and row.p_value < SIGNIFICANT and row.wins > row.losses
        text = f"{row.value:#.3g}" if metric == "index_gb" else MISSING if np.isnan(row.value) else f"{row.value:.2f}"
        entries[queries, method, metric, k] = Entry(text, bool(best), bool(better))
    return entries


def claims(table) -> dict[str, Measured]:
    """Our numbers for those of the paper's product search; our encoder stands for its production model."""
    rows = _by_place(table)
    (base,) = {method.removeprefix("mvg+") for _, method, *_ in rows if method.startswith("mvg+")}
    mvg = f"mvg+{base}"
    theirs = {"bm25": "bm25", base: "prod", mvg: "mvg+prod"}
    found = {
        f"prodsearch/prodsearch/{queries}/{theirs[method]}/{metric}@{k}": row.value
        for (queries, method, metric, k), row in rows.items()
        if metric in SCORES and k in KS and method in theirs and queries != NEAR
    }
    sizes = [rows[OVERALL, method, "index_gb", None].value for method in (base, mvg)]
    found |= {f"prodsearch/prodsearch/{theirs[m]}/index_gb": size for m, size in zip((base, mvg), sizes, strict=True)}

    def gain(metric, k, queries=OVERALL):
        return rows[queries, mvg, metric, k].value - rows[queries, base, metric, k].value

    def is_above(method, other, queries=OVERALL):
        return all(rows[queries, method, m, k].value > rows[queries, other, m, k].value for m in SCORES for k in KS)

    underlined = {
        (queries, metric, k): bool(row.p_value < SIGNIFICANT and row.wins > row.losses)
        for (queries, method, metric, k), row in rows.items()
        if method == mvg and metric in SCORES and k in KS and queries != NEAR
    }
    not_underlined = {place for place, significant in underlined.items() if not significant}
    recall, average_precision = ([gain(metric, k) for k in KS] for metric in SCORES)
    sparse = [rows[OVERALL, method, "sparse_results_percent", None] for method in (base, mvg)]
    found |= {
        "prod_gain_recall": recall[-1],
        "prod_gain_map": average_precision[-1],
        "prod_index_increase": 100 * (sizes[1] / sizes[0] - 1),
        "prod_gain_recall_min": min(recall),
        "prod_gain_recall_max": max(recall),
        "prod_gain_map_min": min(average_precision),
        "prod_gain_map_max": max(average_precision),
        "prod_gains_significant": all(underlined[OVERALL, metric, k] for metric in SCORES for k in KS),
        "prod_bold": all(
            is_above(mvg, other, queries) for other in ("bm25", base) for queries in (OVERALL, SEEN, UNSEEN)
        ),
        "prod_underlined": not_underlined == {(UNSEEN, "map", KS[-1])},
        "prod_bm25_below": is_above(base, "bm25"),
        "prod_gain_every_k": all(gain("recall", k) > 0 for k in CURVE),
        "prod_generalizes": all(gain(metric, k, UNSEEN) > 0 for metric in SCORES for k in KS),
        **{f"prod_traffic_{name}": rows[OVERALL, mvg, f"{name}_percent", KS[-1]].value for name in BECOMES},
        "ab_test/prodsearch/mvg+prod/sparse_results_percent": 100 * (sparse[1].value / sparse[0].value - 1),
        "ab_sparse_significant": bool(sparse[1].p_value < SIGNIFICANT and sparse[1].wins > sparse[1].losses),
    }
    return {id: Measured(value) for id, value in found.items() if not np.isnan(value)}
