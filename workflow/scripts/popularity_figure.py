import pandas as pd
from mvg.datasets.pairs import read_split
from mvg.datasets.reading import load_stats
from mvg.io.files import load_array
from mvg.job import job
from mvg.reporting import popularity_numbers, write_popularity

with job(snakemake.log[0]) as log:
    given = snakemake.input
    facts, numbers = {}, []
    for dataset, pairs, stats, vectors in zip(snakemake.params.datasets, given.pairs, given.stats, given.vectors):
        facts[dataset] = load_stats(stats)
        numbers.append(
            popularity_numbers(
                dataset,
                load_array(vectors),
                *read_split(pairs).pairs,
                facts[dataset]["documents"],
                seed=snakemake.params.seed,
            )
        )
        log(f"{dataset}: {len(numbers[-1])} points")
    write_popularity(pd.concat(numbers, ignore_index=True), facts, snakemake.output.csv.removesuffix(".csv"))
