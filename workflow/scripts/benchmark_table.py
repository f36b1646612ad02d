import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

from mvg.datasets.reading import load_facts
from mvg.io.files import load_arrays
from mvg.job import job
from mvg.reporting.tables import write_table
from mvg.verdicts.benchmark import benchmark_table, read_scores, significance_table, write_benchmark_layouts

with job(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
    scores, sizes = {dataset: {} for dataset in params.datasets}, {}
    for (dataset, method), score_file, ranking_file in zip(params.rows, given.scores, given.rankings, strict=True):
        scores[dataset][method] = read_scores(score_file)
        with load_arrays(ranking_file) as ranking:
            sizes[dataset, method] = int(ranking["n_floats"]) / 1e6 or None
    facts = load_facts(params.datasets, given.stats)
    pretrained = {(dataset, encoder): init for dataset, encoder, init in params.pretrained}
    table = benchmark_table(scores, sizes, facts, pretrained)
    write_table(table, snakemake.output.csv)
    write_table(significance_table(scores), snakemake.output.significance)
    write_benchmark_layouts(table, facts, snakemake.output, note=params.note)
