import pandas as pd
from mvg.datasets.reading import load_facts
from mvg.job import job
from mvg.reporting import write_sweep

with job(snakemake.log[0]):
    facts = load_facts(snakemake.params.datasets, snakemake.input.stats)
    table = pd.concat([pd.read_csv(file) for file in snakemake.input.numbers], ignore_index=True)
    write_sweep(snakemake.params.experiment, table, facts, snakemake.output.csv.removesuffix(".csv"))
