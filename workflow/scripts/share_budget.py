import numpy as np
from mvg.datasets.pairs import read_split
from mvg.datasets.reading import load_stats
from mvg.evaluation.budgets import budget_share
from mvg.io.files import write_rows
from mvg.job import job
from mvg.lexical.popularity import training_popularity

with job(snakemake.log[0]) as log:
    n_documents = load_stats(snakemake.input.stats)["documents"]
    popularity = training_popularity(read_split(snakemake.input.train).pairs, n_documents)
    total = round(snakemake.params.m_avg * n_documents)
    rows = budget_share(popularity, total, betas=np.linspace(0, 1, 21).round(2).tolist())
    write_rows(snakemake.output[0], [{"dataset": snakemake.wildcards.dataset} | row for row in rows])
    log(f"{total} vectors over {(popularity > 0).sum()} documents with a training query")
