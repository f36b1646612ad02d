import pandas as pd
from mvg.datasets.reading import load_facts
from mvg.job import job
from mvg.reporting import read_benchmark, spectrum, write_sweep

with job(snakemake.log[0]):
    facts = load_facts(snakemake.params.datasets, snakemake.input.stats)
    table = spectrum(
        pd.read_csv(snakemake.input.sweeps),
        read_benchmark(snakemake.input.benchmark),
        snakemake.params.beta,
        snakemake.params.token_level,
    )
    write_sweep("memory_spectrum", table, facts, snakemake.output.csv.removesuffix(".csv"))
