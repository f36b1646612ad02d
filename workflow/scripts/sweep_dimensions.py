from mvg.datasets.pairs import read_split
from mvg.evaluation.budgets import Budgets
from mvg.io.files import load_array, write_rows
from mvg.job import job

with job(snakemake.log[0]) as log:
    given, params = snakemake.input, snakemake.params
    train, dev, test = (read_split(given[split]) for split in ("train", "dev", "test"))
    plain, wrapped = {}, {}
    for dimension, *vectors in zip(params.dimensions, given.documents, given.queries):
        budgets = Budgets(*map(load_array, vectors), train, test, params.k, params.seed, snakemake.threads)
        plain[dimension] = budgets.plain()
        if dimension in params.compared:
            wrapped[dimension] = {"mvg+dssm": budgets.mvg(**params.multiview), "prior+dssm": budgets.prior(dev)}
        log(f"{dimension} dimensions: {plain[dimension]}")
    rows = []
    for r, dimensions in params.compared.items():
        series = {name: plain[dimension] for name, dimension in dimensions.items()} | wrapped[r]
        place = {"dataset": snakemake.wildcards.dataset, "dimension": r}
        rows += [place | {"series": name} | scores for name, scores in series.items()]
    write_rows(snakemake.output[0], rows)
