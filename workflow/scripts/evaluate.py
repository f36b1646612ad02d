import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

import pandas as pd

from mvg.datasets.pairs import of_queries, read_split
from mvg.datasets.reading import load_stats, load_texts
from mvg.evaluation.metrics import per_query
from mvg.io.files import load_arrays, text_writer
from mvg.job import job

with job(snakemake.log[0]) as log:
    given = snakemake.input
    split, n_documents = read_split(given.pairs), load_stats(given.stats)["documents"]
    ids = load_texts(given.queries)[0]
    queries = pd.Index([ids[row] for row in split.queries], name="query")
    relevant = of_queries(split.pairs, split.queries)
    for name, scores in snakemake.output.items():
        with load_arrays(given[name]) as file:
            ranked = file["documents"]
        table = pd.DataFrame(per_query(ranked, relevant, n_documents, snakemake.params.ks), index=queries)
        with text_writer(scores) as file:
            table.to_csv(file, lineterminator="\n")
        log(f"{scores}\n{table.mean().to_string()}")
