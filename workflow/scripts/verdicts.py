from mvg.data import load_stats
from mvg.job import job
from mvg.reporting import read_benchmark, verdicts_table, write_verdicts

with job(snakemake.log[0]):
    facts = {dataset: load_stats(file) for dataset, file in zip(snakemake.params.datasets, snakemake.input.stats)}
    pretrained = {(dataset, encoder): init for dataset, encoder, init in snakemake.params.pretrained}
    table = verdicts_table(read_benchmark(snakemake.input.benchmark), facts, pretrained=pretrained)
    write_verdicts(table, snakemake.output.csv.removesuffix(".csv"))
