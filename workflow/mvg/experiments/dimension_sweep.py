"""DSSM, MVG and their rivals against the dimension (the paper's section 6.4)."""

from ..datasets.pairs import read_split
from ..io.files import load_array
from ..verdicts.claims import Measured, has_points

SERIES = {  # series -> (as which method it is drawn, line, label)
    "dssm": ("dssm", "-", "DSSM(r)"),
    "mvg+dssm": ("mvg+dssm", "-", "MVG + DSSM(r)"),
    "prior+dssm": ("prior+dssm", "-", "Prior + DSSM(r)"),
    "dssm(2r)": ("dssm", "--", "DSSM(2r)"),
    "dssm(equal)": ("dssm", ":", "DSSM of MVG's size"),
}
PRINTED = {"dimension_dssm_32": ("dssm", 32), "dimension_mvg_32": ("mvg+dssm", 32), "dimension_dssm_64": ("dssm", 64)}


def measure(given, params, threads, log) -> list[dict]:
    """Every dimension of the grid on one dataset, with MVG and the prior over it."""
    from ..evaluation.budgets import Budgets

    train, dev, test = (read_split(given[split]) for split in ("train", "dev", "test"))
    plain, wrapped = {}, {}
    for dimension, *vectors in zip(params.dimensions, given.documents, given.queries, strict=True):
        budgets = Budgets(*map(load_array, vectors), train, test, params.k, params.seed, threads)
        plain[dimension] = budgets.plain()
        if dimension in params.compared:
            wrapped[dimension] = {"mvg+dssm": budgets.mvg(**params.multiview), "prior+dssm": budgets.prior(dev)}
        log(f"{dimension} dimensions: {plain[dimension]}")
    rows = []
    for r, dimensions in params.compared.items():
        series = {name: plain[dimension] for name, dimension in dimensions.items()} | wrapped[r]
        place = {"dataset": params.dataset, "dimension": r}
        rows += [place | {"series": name} | scores for name, scores in series.items()]
    return rows


def draw(table, facts: dict, made) -> None:
    """Write ``made.pdf`` and ``made.png``: a row per dataset, recall beside MAP."""
    from matplotlib.ticker import NullLocator

    from ..reporting.metric_panels import by_dataset, write_metric_panels
    from ..reporting.style import GREY, PAPERS, method_look

    papers = papers_points(table, facts)

    def look(series):
        method, line, _ = SERIES[series]
        hollow = {} if line == "-" else {"markerfacecolor": "white"}
        return method_look(method)._asdict() | {"ls": line} | hollow

    def plot(axis, part, metric):
        for series in SERIES:
            curve = part[part["series"] == series].sort_values("dimension")
            axis.plot(curve["dimension"], curve[metric], **look(series))
        for method, dimension, recall in papers if metric == "recall" and part["dataset"].iloc[0] == "eurlex" else []:
            axis.plot(dimension, recall, **method_look(method)._asdict() | PAPERS)
        plain = part[part["series"] == "dssm"]
        ratio = (plain["index_mfloats"] / plain["dimension"]).iloc[0]
        axis.set(xscale="log", xlabel="Dimension r")
        above = axis.secondary_xaxis("top", functions=(lambda r: r * ratio, lambda size: size / ratio))
        above.set_xlabel("Index of DSSM(r) (millions of floats)")
        ticks = sorted(plain["dimension"])
        axis.set_xticks(ticks, ticks)
        above.set_xticks([r * ratio for r in ticks], [f"{r * ratio:.2g}" for r in ticks])
        for x_axis in (axis.xaxis, above.xaxis):
            x_axis.set_minor_locator(NullLocator())

    size = table.groupby("series")["index_mfloats"].sum()
    legend = {f"{SERIES[name][2]}, {size[name] / size['dssm']:.2g}×": look(name) for name in SERIES}
    if papers:
        legend["the paper's"] = {"color": GREY, "marker": "o"} | PAPERS
    write_metric_panels(made, by_dataset(table, facts), plot, legend, columns=3, height=2.5)


def papers_points(table, facts: dict) -> list[tuple[str, int, float]]:
    """The paper's (method, dimension, Recall@100) for real EurLex."""
    from ..verdicts.paper import load_paper

    of_eurlex = table[table["dataset"] == "eurlex"]
    if of_eurlex.empty or not has_points(facts, "eurlex") or (of_eurlex["k"] != 100).any():
        return []
    printed = {statement.id: statement.printed for statement in load_paper().statements}
    return [(*place, printed[id]) for id, place in PRINTED.items() if place[1] in set(of_eurlex["dimension"])]


def claims(table) -> dict[str, Measured]:
    """The paper's numbers at 32 and 64 dimensions, and whether recall never falls as r grows."""
    recall = table[table["dataset"] == "eurlex"].pivot(index="dimension", columns="series", values="recall")
    if recall.empty:
        return {}
    rising = recall[["dssm", "mvg+dssm"]].diff().dropna() >= 0
    found = {"dimension_recall_rises": Measured(bool(rising.all(axis=None)))}
    if 32 in recall.index:
        at = recall.loc[32]
        found |= {
            "dimension_dssm_32": Measured(at["dssm"]),
            "dimension_mvg_32": Measured(at["mvg+dssm"]),
            "dimension_gain_32": Measured(at["mvg+dssm"] - at["dssm"]),
            "dimension_dssm_64": Measured(at["dssm(2r)"]),
            "dimension_mvg_beats_doubling": Measured(at["mvg+dssm"] > at["dssm(2r)"]),
        }
    return found
