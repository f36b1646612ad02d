"""Recall and MAP against the budget, one curve per beta (paper, section 6.4)."""

from ..datasets.pairs import read_split
from ..datasets.reading import load_weights
from ..io.files import load_array
from ..verdicts.claims import POINTS, Measured, not_public


def measure(given, params, threads, log) -> list[dict]:
    """The whole grid over one encoder on one dataset. Its points share the search over the semantic vectors."""
    from ..evaluation.budgets import Budgets

    test = read_split(given.test)
    budgets = Budgets(
        load_array(given.documents),
        load_array(given.queries),
        read_split(given.train),
        test,
        params.k,
        seed=params.seed,
        threads=threads,
        weights=load_weights(given.texts)[test.queries] if params.by_traffic else None,
    )
    place = {"dataset": params.dataset, "encoder": params.encoder, "by_traffic": params.by_traffic}
    rows = budget_sweep(budgets, params.betas, params.budgets, lambda points: log.progress(points, "points"))
    return [place | row for row in rows]


def budget_sweep(budgets, betas, m_avgs, progress=iter) -> list[dict]:
    """The plain encoder, then MVG on a grid: ``beta, m_avg`` and the scores of :class:`Budgets`."""
    rows = [dict(beta=None, m_avg=0, **budgets.plain())]
    for beta, m_avg in progress([(beta, m_avg) for beta in betas for m_avg in m_avgs]):
        rows.append(dict(beta=beta, m_avg=m_avg, **budgets.mvg(beta, m_avg)))
    return rows


def draw(table, facts: dict, made) -> None:
    """Write ``made.pdf`` and ``made.png``: a row per dataset and encoder, recall beside MAP."""
    from ..reporting.labels import dataset_title, method_label
    from ..reporting.metric_panels import write_metric_panels
    from ..reporting.style import GREY, log_ticks, ordered_looks

    looks = ordered_looks(table["beta"].dropna().unique())
    # The thickest line and the largest marker are at the bottom, so that all betas stay visible where they agree.
    looks = {
        beta: look._asdict() | {"lw": 0.8 + 0.6 * below, "ms": 2.5 + 1.2 * below}
        for (beta, look), below in zip(looks.items(), reversed(range(len(looks))), strict=True)
    }
    rows = {
        f"{dataset_title(facts, dataset)}, MVG + {method_label(encoder)}{', by traffic' * by_traffic}": part
        for (dataset, encoder, by_traffic), part in table.groupby(["dataset", "encoder", "by_traffic"], sort=False)
    }

    def plot(axis, part, metric):
        for beta, look in looks.items():
            curve = part[part["beta"] == beta].sort_values("m_avg")
            axis.plot(curve["m_avg"], curve[metric], **look)
        axis.axhline(part.loc[part["beta"].isna(), metric].iloc[0], color=GREY, ls="--")
        axis.set(xscale="log", xlabel="Behavioural vectors a document")
        log_ticks(axis.xaxis)

    legend = {rf"$\beta$ = {beta:g}": look for beta, look in looks.items()}
    legend["encoder alone"] = {"color": GREY, "ls": "--"}
    write_metric_panels(made, rows, plot, legend)


def claims(table) -> dict[str, Measured]:
    """The numbers that the paper reads off its product-search figure, from our click log or else the first dataset.

    As in the paper, the best point is that of the figure, on test; nothing is chosen by it. A curve falls
    if it loses more than 0.5 points from its best to the largest budget.
    """
    dataset, encoder = table.sort_values("by_traffic", ascending=False, kind="stable")[["dataset", "encoder"]].iloc[0]
    table = table[(table["dataset"] == dataset) & (table["encoder"] == encoder)]
    base = table.loc[table["beta"].isna(), "recall"].iloc[0]
    points = table.dropna(subset="beta")
    best = points.loc[points["recall"].idxmax()]
    curves = points.pivot(index="beta", columns="m_avg", values="recall")
    falls = curves.max(axis=1) - curves.iloc[:, -1]
    values = {
        "budget_best_beta": best["beta"],
        "budget_best_m_avg": best["m_avg"],
        "budget_recall_falls_beyond_best": falls[best["beta"]] > POINTS,
        "budget_large_beta_falls_faster": falls.iloc[-1] > falls.iloc[0] + POINTS,
        "budget_never_below_base": points["recall"].min() >= base - POINTS,
    }
    return {name: Measured(value, not_public(dataset)) for name, value in values.items()}
