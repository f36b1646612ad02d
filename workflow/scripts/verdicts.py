import pandas as pd
from mvg.datasets.reading import load_facts
from mvg.job import job
from mvg.reporting import measure, read_benchmark, verdicts_table, write_verdicts

with job(snakemake.log[0]):
    facts = load_facts(snakemake.params.datasets, snakemake.input.stats)
    pretrained = {(dataset, encoder): init for dataset, encoder, init in snakemake.params.pretrained}
    measured = {}
    for name, file in zip(snakemake.params.experiments, snakemake.input.experiments):
        measured |= measure(name, pd.read_csv(file))
    table = verdicts_table(read_benchmark(snakemake.input.benchmark), facts, measured, pretrained)
    write_verdicts(table, snakemake.output.csv.removesuffix(".csv"))
