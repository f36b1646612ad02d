from mvg.datasets.pairs import of_queries, read_split
from mvg.datasets.reading import load_stats
from mvg.evaluation.flat_popularity import flat_popularity_numbers
from mvg.io.files import load_arrays
from mvg.job import job
from mvg.lexical.popularity import training_popularity
from mvg.reporting import flat_popularity_table, write_flat_popularity

with job(snakemake.log[0]) as log:
    given, methods = snakemake.input, snakemake.params.methods
    rankings = dict(zip(methods, (load_arrays(file) for file in given.rankings)))
    test, stats = read_split(given.test), load_stats(given.stats)
    numbers = flat_popularity_numbers(
        {method: ranking["documents"] for method, ranking in rankings.items()},
        {method: int(ranking["n_floats"]) for method, ranking in rankings.items()},
        snakemake.params.base,
        of_queries(test.pairs, test.queries),
        training_popularity(read_split(given.train).pairs, stats["documents"]),
    )
    table = flat_popularity_table(snakemake.params.dataset, numbers)
    write_flat_popularity(table, stats, snakemake.output.csv.removesuffix(".csv"))
    log(table.to_string())
