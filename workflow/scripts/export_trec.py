import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

from mvg.datasets.pairs import read_split
from mvg.datasets.reading import load_texts
from mvg.io.files import load_arrays, text_writer
from mvg.job import job
from mvg.search.trec import write_qrels, write_run

with job(snakemake.log[0]):
    query_ids, document_ids = (load_texts(file)[0] for file in (snakemake.input.queries, snakemake.input.corpus))
    split = read_split(snakemake.input.pairs)
    with text_writer(snakemake.output[0]) as file:
        if snakemake.input.get("ranking"):
            with load_arrays(snakemake.input.ranking) as arrays:
                ranked, scores = arrays["documents"], arrays["scores"]
            names = [query_ids[row] for row in split.queries]
            write_run(file, names, document_ids, ranked, scores, snakemake.params.method)
        else:
            write_qrels(file, query_ids, document_ids, split.pairs)
