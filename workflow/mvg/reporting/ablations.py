"""What each part of MVG is worth: variants at the same budget, and bounds that memory does not limit."""

import pandas as pd

from .labels import method_label
from .tables import entries_of, layout, simulated_note, write_layouts

COLUMNS = ["dataset", "encoder", "loss", "variant", "metric", "k", "value"]
VARIANTS = {
    "base": "document vectors alone",
    "random_queries": "random training queries",
    "free_centers": "centers, none of them fixed",
    "uniform_budget": "MVG, even budget (beta 0)",
    "mvg": "MVG",
    "proportional_budget": "MVG, budget by popularity (beta 1)",
    "view_bias": "MVG, a bias on views",
    "prior": "prior instead of MVG",
    "prior_and_views": "prior and MVG",
    "prior_and_view_bias": "prior and MVG, a bias on views or none",
    "all_queries": "all training queries",
    "query_vote": "vote of the 50 nearest training queries",
}
NONE = "This run has no encoder with one vector a document."
IN_BENCHMARK = {"base": "", "mvg": "mvg+", "prior": "prior+", "prior_and_view_bias": "mvg+prior+"}


def ablations_table(benchmark, measured, losses) -> pd.DataFrame:
    """``ablations.csv``: ``dataset, encoder, loss, variant, metric, k, value``.

    ``benchmark``: the frame of ``benchmark_table``, of which four variants are rows. ``measured``:
    (dataset, encoder) -> frame of the others, as :func:`mvg.evaluation.ablations.ablations` gives
    them. ``losses``: encoder -> what it was trained with, of those that have a choice.
    """
    parts = [pd.DataFrame(columns=COLUMNS)]
    for (dataset, encoder), others in measured.items():
        rows = benchmark[benchmark["dataset"] == dataset]
        known = [
            rows[rows["method"] == wrapper + encoder].assign(variant=variant)
            for variant, wrapper in IN_BENCHMARK.items()
        ]
        part = pd.concat([*known, others.assign(dataset=dataset)])
        part = part.assign(encoder=encoder, loss=losses.get(encoder, ""))
        parts.append(part.sort_values("variant", key=lambda names: names.map(list(VARIANTS).index), kind="stable"))
    return pd.concat(parts, ignore_index=True)[COLUMNS].astype({"k": "Int64", "value": float})


def write_ablations(table, facts, stem, note="") -> None:
    """Write ``stem.md`` and ``stem.tex``: a group an encoder, at the largest k; one line if there is none."""
    if table.empty:
        return write_layouts("Ablations", [], stem, nothing=NONE)
    datasets = list(dict.fromkeys(table["dataset"]))
    losses = dict(zip(table["encoder"], table["loss"]))
    k = int(table["k"].max())
    entries = entries_of(table.assign(method=list(zip(table["encoder"], table["variant"]))))

    def label(row):
        encoder, variant = row
        loss = f" ({losses[encoder]} softmax)" if variant == "base" and losses[encoder] else ""
        return f"{method_label(encoder)}{loss}: {VARIANTS[variant]}"

    caption = (
        f"Recall@{k} and MAP@{k} in percent. Views by chance, by other clusterings "
        "and by other budgets; biases chosen on dev. The last two rows of an encoder are bounds: they keep every "
        f"training query.{simulated_note(datasets, facts)} {note}"
    ).rstrip()
    groups = [[(encoder, variant) for variant in VARIANTS] for encoder in losses]
    tables = {caption: [("recall", k), ("map", k)], "Index size in millions of floats.": [("index_mfloats", None)]}
    layouts = [layout(says, columns, datasets, groups, entries, facts, label) for says, columns in tables.items()]
    write_layouts("Ablations", layouts, stem)
