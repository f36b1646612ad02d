import pandas as pd
from mvg.datasets.reading import load_facts
from mvg.job import job
from mvg.reporting import loss_curves, write_loss_curves

with job(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
    facts = load_facts(params.datasets, given.stats)
    histories = dict(zip(map(tuple, params.trained), map(pd.read_csv, given.histories)))
    write_loss_curves(loss_curves(histories), facts, snakemake.output.csv.removesuffix(".csv"))
