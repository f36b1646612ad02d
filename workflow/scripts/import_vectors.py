import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

from mvg.datasets.reading import load_texts
from mvg.encoders import vectors
from mvg.io.files import save_array
from mvg.job import job

with job(snakemake.log[0]) as log:
    given = snakemake.input
    counts = (len(load_texts(texts)[0]) for texts in (given.corpus, given.queries))
    documents, queries = vectors.read_pair(given.document_vectors, given.query_vectors, *counts)
    save_array(snakemake.output.documents, documents)
    save_array(snakemake.output.queries, queries)
    log(f"{documents.shape} and {queries.shape}")
