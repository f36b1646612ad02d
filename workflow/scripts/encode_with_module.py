import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

from mvg.datasets.pairs import read_split
from mvg.datasets.reading import load_texts
from mvg.encoders.vectors import from_module, unit_pair
from mvg.io.files import save_array
from mvg.job import job

with job(snakemake.log[0]) as log:
    given, params = snakemake.input, snakemake.params
    texts = [load_texts(file)[1] for file in (given.corpus, given.queries)]
    splits = read_split(given.train), read_split(given.dev)
    vectors = from_module(params.module, *texts, *splits, params.seed, params.arguments)
    names = [f"{params.module}.encode: {side}" for side in ("documents", "queries")]
    documents, queries = unit_pair(*vectors, *map(len, texts), names)
    save_array(snakemake.output.documents, documents)
    save_array(snakemake.output.queries, queries)
    log(f"{documents.shape} and {queries.shape}")
