import numpy as np
import pandas as pd
from mvg.data import load_stats, load_texts, read_split
from mvg.data.files import text_writer
from mvg.data.pairs import of_queries
from mvg.evaluation.metrics import per_query
from mvg.job import job

with job(snakemake.log[0]) as log:
    split = read_split(snakemake.input.pairs)
    ids = load_texts(snakemake.input.queries)[0]
    n_documents = load_stats(snakemake.input.stats)["documents"]
    with np.load(snakemake.input.ranking, allow_pickle=False) as file:
        ranked = file["documents"]
    relevant = of_queries(split.pairs, split.queries)
    scores = per_query(ranked, relevant, n_documents, snakemake.params.ks)
    table = pd.DataFrame(scores, index=pd.Index([ids[row] for row in split.queries], name="query"))
    with text_writer(snakemake.output[0]) as file:
        table.to_csv(file, lineterminator="\n")
    log(table.mean().to_string())
