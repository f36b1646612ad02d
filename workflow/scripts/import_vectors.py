import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

from mvg.datasets.reading import count_texts
from mvg.encoders import vectors
from mvg.job import job

with job(snakemake.log[0]) as log:
    given, output = snakemake.input, snakemake.output
    shapes = vectors.import_pair(
        (given.document_vectors, given.query_vectors),
        (output.documents, output.queries),
        *map(count_texts, (given.corpus, given.queries)),
    )
    log("{} and {}".format(*shapes))
