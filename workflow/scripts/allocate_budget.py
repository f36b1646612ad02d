import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

from mvg.datasets.pairs import read_split
from mvg.datasets.reading import load_stats
from mvg.io.files import save_array
from mvg.job import job
from mvg.lexical.popularity import training_popularity
from mvg.multiview.budget import allocate

with job(snakemake.log[0]) as log:
    n_documents = load_stats(snakemake.input.stats)["documents"]
    popularity = training_popularity(read_split(snakemake.input.pairs).pairs, n_documents)
    total = round(float(snakemake.params.m_avg) * n_documents)
    counts = allocate(popularity, total, float(snakemake.params.beta))
    save_array(snakemake.output[0], counts)
    log(f"{counts.sum()} vectors over {(counts > 0).sum()} of {n_documents} documents")
