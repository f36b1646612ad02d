"""DSSM and MVG at checkpoints of one training (the paper's section 6.4)."""

from ..datasets.pairs import read_split
from ..io.files import load_array
from ..verdicts.claims import POINTS, Measured, has_points

METHODS = ("dssm", "mvg+dssm")
METRICS = ("recall", "map")


def measure(given, params, threads, log) -> list[dict]:
    """Both methods on one dataset at each checkpoint."""
    from ..evaluation.budgets import Budgets

    train, test = read_split(given.train), read_split(given.test)
    rows = []
    for epochs, *vectors in zip(params.checkpoints, given.documents, given.queries, strict=True):
        budgets = Budgets(*map(load_array, vectors), train, test, params.k, params.seed, threads)
        place = {"dataset": params.dataset, "epochs": epochs}
        for method, scores in zip(METHODS, (budgets.plain(), budgets.mvg(**params.multiview)), strict=True):
            rows.append(place | {"method": method} | scores)
            log(str(rows[-1]))
    return rows


def draw(table, facts: dict, made) -> None:
    """Write ``made.pdf`` and ``made.png``: a row per dataset, recall beside MAP."""
    from matplotlib.ticker import NullLocator

    from ..reporting.labels import method_label
    from ..reporting.metric_panels import by_dataset, write_metric_panels
    from ..reporting.style import PAPERS, method_look

    papers = method_look("mvg+dssm")._asdict() | PAPERS

    def plot(axis, part, metric):
        for method in METHODS:
            curve = part[part["method"] == method].sort_values("epochs")
            axis.plot(curve["epochs"], curve[metric], **method_look(method)._asdict())
        if part["dataset"].iloc[0] == "eurlex" and has_points(facts, "eurlex") and (part["k"] == 100).all():
            axis.plot(*zip(*papers_points(part, metric), strict=True), **papers)
        epochs = sorted(part["epochs"].unique())
        first = next(e for e in epochs if e > 0)
        axis.set_xscale("symlog", linthresh=first, linscale=0.3)  # which has room for 0, the untrained encoder
        axis.set(xlim=(-first / 3, None), xlabel="Epochs (logarithmic after the first)")
        axis.set_xticks(epochs, [f"{e:g}" for e in epochs])
        axis.xaxis.set_minor_locator(NullLocator())

    legend = {method_label(method): method_look(method)._asdict() for method in METHODS}
    if has_points(facts, "eurlex") and "eurlex" in set(table["dataset"]):
        legend["DSSM here plus the paper's gain"] = papers
    write_metric_panels(made, by_dataset(table, facts), plot, legend)


def papers_points(table, metric) -> list[tuple[float, float]]:
    """(epochs, value) of DSSM at two checkpoints of ``table``, each with the paper's gain for it."""
    from ..verdicts.paper import load_paper

    printed = {statement.id: statement.printed for statement in load_paper().statements}
    plain = table[table["method"] == "dssm"].set_index("epochs").sort_index()
    return [
        (epochs, plain.loc[epochs, metric] + printed[f"training_gain_{metric}_{when}"])
        for when, epochs in _checkpoints(plain).items()
    ]


def _checkpoints(plain) -> dict[str, float]:
    """Epochs of the first checkpoint after the untrained encoder, and of the best recall."""
    return {"early": plain.index[plain.index > 0][0], "best": plain["recall"].idxmax()}


def claims(table) -> dict[str, Measured]:
    """Gains of MVG early and where DSSM's recall is best, and whether DSSM overfits.

    As in the paper, the best checkpoint is that of the figure, on test; nothing is chosen by it. "Early"
    is the first checkpoint after the untrained encoder; the paper doesn't say which it means.
    """
    table = table[table["dataset"] == "eurlex"]
    if table.empty:
        return {}
    found, overfits = {}, True
    plain, mvg = (table[table["method"] == method].set_index("epochs").sort_index() for method in METHODS)
    early, best = _checkpoints(plain).values()
    for metric in METRICS:
        gain = mvg[metric] - plain[metric]
        found[f"training_gain_{metric}_early"] = Measured(gain[early], f"at {early:g} epochs; the paper gives no step")
        found[f"training_gain_{metric}_best"] = Measured(gain[best])
        overfits = overfits and plain[metric].iloc[-1] < plain[metric].max() - POINTS
    return found | {"training_overfits": Measured(bool(overfits))}
