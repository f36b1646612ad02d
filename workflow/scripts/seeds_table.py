from mvg.datasets.reading import load_facts
from mvg.job import job
from mvg.reporting import read_scores, write_table
from mvg.reporting.seeds import seeds_table, write_seeds

with job(snakemake.log[0]):
    scores = {}
    for place, file in zip(snakemake.params.rows, snakemake.input.scores):
        scores.setdefault(tuple(place), []).append(read_scores(file))
    table = seeds_table(scores)
    write_table(table, snakemake.output.csv)
    facts = load_facts(snakemake.params.datasets, snakemake.input.stats)
    write_seeds(table, facts, snakemake.output.csv.removesuffix(".csv"), note=snakemake.params.note)
