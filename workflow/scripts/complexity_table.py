import pandas as pd
from mvg.datasets.reading import load_facts
from mvg.job import job
from mvg.reporting import write_table
from mvg.reporting.complexity import complexity_table, write_complexity

with job(snakemake.log[0]):
    datasets = snakemake.params.datasets
    table = complexity_table(dict(zip(datasets, map(pd.read_csv, snakemake.input.measured))))
    write_table(table, snakemake.output.csv)
    facts = load_facts(datasets, snakemake.input.stats)
    write_complexity(table, facts, snakemake.output.csv.removesuffix(".csv"))
