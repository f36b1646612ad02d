import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

from mvg.datasets.pairs import of_queries, read_split
from mvg.datasets.reading import load_stats, load_texts
from mvg.evaluation.metrics import per_query
from mvg.io.files import load_arrays, write_rows
from mvg.job import job

with job(snakemake.log[0]) as log:
    given, params = snakemake.input, snakemake.params
    split, n_documents = read_split(given.pairs), load_stats(given.stats)["documents"]
    ids = load_texts(given.queries)[0]
    queries = [ids[row] for row in split.queries]
    relevant = of_queries(split.pairs, split.queries)
    for ranked, file in zip(given.rankings, snakemake.output, strict=True):
        with load_arrays(ranked) as ranking:
            scores = per_query(ranking["documents"], relevant, n_documents, params.ks, params.metrics)
        columns = [queries, *(values.tolist() for values in scores.values())]
        write_rows(file, [dict(zip(["query", *scores], row, strict=True)) for row in zip(*columns, strict=True)])
        log(f"{file}: {', '.join(f'{metric} {values.mean():.2f}' for metric, values in scores.items())}")
