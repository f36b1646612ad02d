from mvg.datasets.reading import load_facts
from mvg.job import job
from mvg.reporting import read_benchmark, write_table
from mvg.reporting.zero_shot import write_zero_shot, zero_shot_table

with job(snakemake.log[0]):
    table = zero_shot_table(read_benchmark(snakemake.input.benchmark), snakemake.params.encoders)
    write_table(table, snakemake.output.csv)
    facts = load_facts(snakemake.params.datasets, snakemake.input.stats)
    write_zero_shot(table, facts, snakemake.output.csv.removesuffix(".csv"), note=snakemake.params.note)
