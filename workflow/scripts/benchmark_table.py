from itertools import product

from mvg.datasets.reading import load_facts
from mvg.io.files import load_arrays
from mvg.job import job
from mvg.reporting import benchmark_table, read_scores, significance_table, write_benchmark_layouts, write_table

with job(snakemake.log[0]):
    datasets, methods = snakemake.params.datasets, snakemake.params.methods
    scores = {dataset: {} for dataset in datasets}
    sizes = {}
    rows = zip(product(datasets, methods), snakemake.input.scores, snakemake.input.rankings)
    for (dataset, method), score_file, ranking_file in rows:
        scores[dataset][method] = read_scores(score_file)
        with load_arrays(ranking_file) as ranking:
            sizes[dataset, method] = int(ranking["n_floats"]) / 1e6 or None
    facts = load_facts(datasets, snakemake.input.stats)
    pretrained = {(dataset, encoder): init for dataset, encoder, init in snakemake.params.pretrained}
    table = benchmark_table(scores, sizes, facts, pretrained)
    write_table(table, snakemake.output.csv)
    write_table(significance_table(scores), snakemake.output.significance)
    write_benchmark_layouts(table, facts, snakemake.output.csv.removesuffix(".csv"), note=snakemake.params.note)
