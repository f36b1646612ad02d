# The files of figures and tables, and the settings they depend on.

CLICK_LOG, FLAT = config["click_log"], config["flat_popularity"]
FLAT_METHODS = [*plan.methods_over(FLAT["encoder"]), *FLAT["beside"]]
FIRST = {
    "dataset": plan.datasets[0],
    "encoder": plan.first_encoder(),
}  # for experiments on one dataset or encoder
STATS = "<results>/{dataset}/data/stats.json"


def title(name):
    """``budget_sweep`` -> ``Budget sweep``."""
    return name.replace("_", " ").capitalize()


def figure(name, caption=None):
    """A figure and the numbers behind it."""
    stem = f"<results>/figures/{name}"
    png = report(
        f"{stem}.png",
        caption=f"../report/{caption or name}.rst",
        category="Figures",
        labels={"figure": title(name)},
    )
    return {"csv": f"{stem}.csv", "pdf": f"{stem}.pdf", "png": png}


def layouts(name, caption=None):
    """A table laid out for reading."""
    stem = f"<results>/tables/{name}"
    html = report(
        f"{stem}.html",
        caption=f"../report/{caption or name}.rst",
        category="Tables",
        labels={"table": title(name)},
    )
    return {"html": html, "md": f"{stem}.md", "tex": f"{stem}.tex"}


def table(name):
    """A table: its numbers as csv, and its layouts."""
    return {"csv": f"<results>/tables/{name}.csv", **layouts(name)}


def behind(measured=None, datasets=None, of=plan.behind_rankings, **more):
    """All settings that an experiment depends on.

    measured: its encoders; without them it depends on the data only
    of: the settings that count for each encoder, of its rankings or of its vectors
    """
    datasets = plan.datasets if datasets is None else datasets
    if measured is None:
        return {dataset: plan.behind_data(dataset) for dataset in datasets} | more
    return {f"{d} {e}": of(d, e) for d in datasets for e in measured} | more
