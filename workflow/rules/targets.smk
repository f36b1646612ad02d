# The files of figures and tables, and the settings they depend on.


# The text at the beginning of a report.
report: "../report/overview.rst"


CLICK_LOG, FLAT = config["click_log"], config["flat_popularity"]
FLAT_METHODS = [*plan.methods_over(FLAT["encoder"]), *FLAT["beside"]]
FIRST = {
    "dataset": plan.datasets[0],
    "encoder": plan.first_encoder(),
}  # for experiments on one dataset or encoder
IN_THE_PAPER = {
    *("popularity", "memory_spectrum", "budget_share", "budget_sweep", "dimension_sweep", "training_sweep"),
    *("benchmark", "verdicts", "zero_shot", "complexity", "flat_popularity", "click_log", "case_studies"),
}
CATEGORIES = {
    "table": "2 The paper's tables",
    "figure": "3 The paper's figures",
}  # shown in alphabetical order
STATS = "<results>/{dataset}/data/stats.json"


def title(name):
    """``budget_sweep`` -> ``Budget sweep``."""
    return name.replace("_", " ").capitalize()


def shown(file, name, caption, kind):
    """A file that the report shows."""
    return report(
        file,
        caption=f"../report/{caption or name}.rst",
        category=CATEGORIES[kind] if name in IN_THE_PAPER else "4 Beyond the paper",
        labels={kind: title(name)},
    )


def figure(name, caption=None):
    """A figure and the numbers behind it."""
    stem = f"<results>/figures/{name}"
    return {"csv": f"{stem}.csv", "pdf": f"{stem}.pdf", "png": shown(f"{stem}.png", name, caption, "figure")}


def layouts(name, caption=None):
    """A table laid out for reading."""
    stem = f"<results>/tables/{name}"
    return {"html": shown(f"{stem}.html", name, caption, "table"), "md": f"{stem}.md", "tex": f"{stem}.tex"}


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
