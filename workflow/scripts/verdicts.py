import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

from mvg import experiments
from mvg.datasets.reading import load_facts
from mvg.job import job
from mvg.reporting.tables import read_table
from mvg.verdicts.benchmark import read_benchmark
from mvg.verdicts.table import verdicts_table, write_verdicts

with job(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
    facts = load_facts(params.datasets, given.stats)
    pretrained = {(dataset, encoder): init for dataset, encoder, init in params.pretrained}
    measured = {}
    for name, file in zip(params.experiments, given.experiments, strict=True):
        measured |= experiments.claims(name, read_table(file))
    significance = read_table(given.significance)
    table = verdicts_table(read_benchmark(given.benchmark), facts, measured, pretrained, significance=significance)
    write_verdicts(table, snakemake.output)
