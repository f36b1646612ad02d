"""The paper's product search: recall by traffic, who gains and who loses, and the A/B test's offline part."""

import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ..evaluation.click_log import COLUMNS, CURVE, KS
from ..evaluation.traffic import NEAR, OVERALL, SEEN, UNSEEN
from .benchmark import SIGNIFICANT, write_table
from .claims import Measured
from .labels import dataset_label, is_simulated, method_label, metric_label
from .style import GREY, ORANGE, SKY_BLUE, legend_below, method_look, panels, save
from .tables import MISSING, Entry, Layout, simulated_note, write_layouts

GROUPS = (OVERALL, SEEN, UNSEEN, NEAR)
BECOMES = {"gains": SKY_BLUE, "ties": GREY, "loses": ORANGE}  # no colours of the methods beside them
SCORES, SHARES = ("recall", "map"), tuple(f"{name}_percent" for name in BECOMES)
OFFLINE = ("index_gb", *SHARES, "sparse_results_percent", "sparse_own_threshold_percent", "latency_p90_ratio")


def click_log_table(dataset, numbers: list[dict], offline: dict, base: str) -> pd.DataFrame:
    """``click_log.csv``: ``dataset`` and the columns of ``click_log_numbers``.

    ``numbers`` and ``offline`` as ``click_log_numbers`` and ``offline_ab`` give them.
    """
    mvg = f"mvg+{base}"
    sparse, test = offline["sparse_results_percent"], [offline[name] for name in ("wins", "losses", "p_value")]
    added = [
        (base, "sparse_results_percent", sparse["base"]),
        (mvg, "sparse_results_percent", sparse["mvg"], *test),
        (mvg, "sparse_own_threshold_percent", sparse["mvg_own_threshold"]),
        (base, "score_threshold", offline["threshold"]["base"]),
        (mvg, "score_threshold", offline["threshold"]["mvg"]),
        (mvg, "latency_p90_ratio", offline["latency_ratio"]["p90"]),
    ]
    rows = [dict(zip(COLUMNS, (OVERALL, method, metric, None, *values))) for method, metric, *values in added]
    table = pd.DataFrame(numbers + rows, columns=COLUMNS)
    table.insert(0, "dataset", dataset)
    return table.astype({"k": "Int64", "wins": "Int64", "losses": "Int64", "p_value": float})


def write_click_log(table: pd.DataFrame, stats: dict, figure_stem, table_stem) -> None:
    """The numbers beside the figure; of them, those of the table beside its two layouts."""
    facts = {dataset: stats for dataset in set(table["dataset"])}
    write_table(table, f"{figure_stem}.csv")
    write_table(table[table["k"].isna() | table["k"].isin(KS)], f"{table_stem}.csv")
    write_layouts("Click log", click_log_layouts(table, facts), table_stem)
    with panels(2) as (figure, axes):
        plot_click_log(table, facts, figure, *axes)
        save(figure, figure_stem)


def plot_click_log(table, facts, figure, left, right) -> None:
    """Recall@k by traffic into ``left``, the traffic that gains, ties and loses into ``right``."""
    (dataset,) = set(table["dataset"])
    curves = table[(table["metric"] == "recall") & (table["queries"] == OVERALL)]
    handles = []
    for method, curve in curves.sort_values("k", kind="stable").groupby("method", sort=False):
        look = method_look(method)._asdict()
        left.plot(curve["k"].astype(int), curve["value"], markevery=(19, 20), **look)
        handles.append(Line2D([], [], label=method_label(method), **look))
    left.set(xlabel="k", ylabel="Recall@k by traffic (%)", xlim=(0, CURVE[-1]), ylim=(0, 100))
    left.set_title(dataset_label(dataset, is_simulated(facts, dataset)).replace("$", r"\$"))

    shares = table[table["metric"].isin(SHARES)]
    shares = shares.pivot(index="method", columns="metric", values="value")
    end = 0
    for name, color in BECOMES.items():
        width = shares[f"{name}_percent"]
        right.barh([method_label(method) for method in shares.index], width, left=end, color=color, height=0.5)
        handles.append(Patch(color=color, label=name))
        end = end + width
    right.set(xlabel=f"Traffic whose Recall@{KS[-1]} gains, ties, loses (%)", xlim=(0, 100))
    right.set_title("Against the plain encoder")
    right.grid(axis="y", visible=False)
    legend_below(figure, handles, [handle.get_label() for handle in handles], columns=4)


def click_log_layouts(table: pd.DataFrame, facts: dict) -> list[Layout]:
    """Recall and MAP of each group of queries, and what of the A/B test can be had offline."""
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
        caption = f"{metric_label(metric)}@k in percent, weighted by traffic. {_groups_note(table)} {_MARKS}{note}"
        layouts.append(layout(caption, columns, list(GROUPS)))
    columns = [((metric, KS[-1] if metric in SHARES else None), OVERALL) for metric in OFFLINE]
    label = dataset_label(dataset, is_simulated(facts, dataset))
    return [*layouts, layout(_offline_note(table) + note, columns, [label])]


_MARKS = (
    "Bold: the best. Underlined: better than the plain encoder by the two-sided sign test over "
    "queries, each counted once (p below 0.001)."
)


def _groups_note(table) -> str:
    sizes = table[table["method"] == ""].pivot(index="queries", columns="metric", values="value")
    shares = {
        queries: f"{sizes.loc[queries, 'traffic_percent']:.1f} % of the traffic, "
        f"{sizes.loc[queries, 'n_queries']:.0f} of {sizes.loc[OVERALL, 'n_queries']:.0f} queries"
        for queries in GROUPS[1:]
    }
    return (
        f"Memorization: test queries whose text is a training query's ({shares[SEEN]}); generalization: all others "
        f"({shares[UNSEEN]}); near-duplicates: those of them that are one but for numbers ({shares[NEAR]})."
    )


def _offline_note(table) -> str:
    threshold = table[table["metric"] == "score_threshold"]["value"].iloc[0]
    return (
        "What of the paper's A/B test can be had offline. Traffic by what becomes of its Recall@100 against the plain "
        "encoder. Sparse results: traffic with fewer than 16 distinct documents above a score, the same for both "
        f"({threshold:.3f}: the plain encoder has them on a tenth of dev traffic); more vectors never score a "
        "document lower, so a fixed threshold favours MVG by construction, and a threshold of its own, by the same "
        "rule, says by how much. Latency: single queries, one thread, over the plain encoder's. Units, "
        "product sales and the share of exact and substitute products need live traffic or human judgements."
    )


def _by_place(table) -> dict:
    """The rows by (queries, method, metric, k); k is None and method empty where there is none."""
    return {
        (row.queries, row.method, row.metric, None if pd.isna(row.k) else int(row.k)): row
        for row in table.fillna({"method": ""}).itertuples()
    }


def _entries(table, methods) -> dict:
    """(queries, method, metric, k) -> Entry; the best method is bold, the first of equals."""
    rows, entries = _by_place(table), {}
    for (queries, method, metric, k), row in rows.items():
        scored = metric in SCORES and k in KS
        best = scored and max(methods, key=lambda m: rows[queries, m, metric, k].value) == method
        better = scored and row.p_value < SIGNIFICANT and row.wins > row.losses
        text = f"{row.value:#.3g}" if metric == "index_gb" else MISSING if pd.isna(row.value) else f"{row.value:.2f}"
        entries[queries, method, metric, k] = Entry(text, bool(best), bool(better))
    return entries


def measured(table: pd.DataFrame) -> dict[str, Measured]:
    """Our numbers for the paper's of its product search; the encoder stands for its production model."""
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
    found |= {f"prodsearch/prodsearch/{theirs[m]}/index_gb": size for m, size in zip((base, mvg), sizes)}

    def gain(metric, k, queries=OVERALL):
        return rows[queries, mvg, metric, k].value - rows[queries, base, metric, k].value

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
        "prod_gain_every_k": all(gain("recall", k) > 0 for k in CURVE),
        "prod_generalizes": all(gain(metric, k, UNSEEN) > 0 for metric in SCORES for k in KS),
        **{f"prod_traffic_{name}": rows[OVERALL, mvg, f"{name}_percent", KS[-1]].value for name in BECOMES},
        "ab_test/prodsearch/mvg+prod/sparse_results_percent": 100 * (sparse[1].value / sparse[0].value - 1),
        "ab_sparse_significant": bool(sparse[1].p_value < SIGNIFICANT and sparse[1].wins > sparse[1].losses),
    }
    return {id: Measured(value) for id, value in found.items() if not pd.isna(value)}
