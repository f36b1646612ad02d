from itertools import product

import pandas as pd
from mvg.datasets.reading import load_facts
from mvg.job import job
from mvg.reporting import read_benchmark, write_table
from mvg.reporting.ablations import ablations_table, write_ablations

with job(snakemake.log[0]):
    datasets, encoders = snakemake.params.datasets, snakemake.params.encoders
    measured = dict(zip(product(datasets, encoders), map(pd.read_csv, snakemake.input.measured)))
    table = ablations_table(read_benchmark(snakemake.input.benchmark), measured, snakemake.params.losses)
    write_table(table, snakemake.output.csv)
    facts = load_facts(datasets, snakemake.input.stats)
    write_ablations(table, facts, snakemake.output.csv.removesuffix(".csv"), note=snakemake.params.note)
