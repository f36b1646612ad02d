import json

from mvg.datasets.pairs import of_queries, read_split
from mvg.datasets.reading import load_stats, load_texts, load_weights
from mvg.evaluation.click_log import click_log_numbers
from mvg.io.files import load_arrays
from mvg.job import job
from mvg.reporting import click_log_table, write_click_log

with job(snakemake.log[0]) as log:
    given, methods = snakemake.input, snakemake.params.methods
    rankings = dict(zip(methods, (load_arrays(file) for file in given.rankings)))
    test, train, stats = read_split(given.test), read_split(given.train), load_stats(given.stats)
    texts = load_texts(given.queries)[1]
    numbers = click_log_numbers(
        {method: ranking["documents"] for method, ranking in rankings.items()},
        {method: int(ranking["n_floats"]) for method, ranking in rankings.items()},
        snakemake.params.base,
        of_queries(test.pairs, test.queries),
        stats["documents"],
        load_weights(given.queries)[test.queries],
        [texts[row] for row in test.queries],
        [texts[row] for row in train.queries],
    )
    with open(given.offline_ab, encoding="utf-8") as file:
        table = click_log_table(snakemake.params.dataset, numbers, json.load(file), snakemake.params.base)
    write_click_log(
        table, stats, snakemake.output.figure.removesuffix(".csv"), snakemake.output.table.removesuffix(".csv")
    )
    log(f"{len(table)} numbers")
