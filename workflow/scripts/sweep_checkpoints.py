from mvg.datasets.pairs import read_split
from mvg.evaluation.budgets import Budgets
from mvg.io.files import load_array, write_rows
from mvg.job import job

with job(snakemake.log[0]) as log:
    given, params = snakemake.input, snakemake.params
    train, test = read_split(given.train), read_split(given.test)
    rows = []
    for epochs, *vectors in zip(params.checkpoints, given.documents, given.queries):
        budgets = Budgets(*map(load_array, vectors), train, test, params.k, params.seed, snakemake.threads)
        place = {"dataset": snakemake.wildcards.dataset, "epochs": epochs}
        for method, scores in {"dssm": budgets.plain(), "mvg+dssm": budgets.mvg(**params.multiview)}.items():
            rows.append(place | {"method": method} | scores)
            log(str(rows[-1]))
    write_rows(snakemake.output[0], rows)
