import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

from mvg.datasets.pairs import read_split
from mvg.datasets.reading import load_texts
from mvg.encoders import dssm, dssm_training
from mvg.encoders.files import encode_texts
from mvg.job import job

with job(snakemake.log[0]) as log:
    _, documents = load_texts(snakemake.input.corpus)
    _, queries = load_texts(snakemake.input.queries)
    model = dssm_training.fit(
        documents,
        queries,
        train=read_split(snakemake.input.train),
        dev=read_split(snakemake.input.dev),
        settings=dssm.Settings.of(snakemake.params.settings),
        seed=snakemake.params.seed,
        log=log,
    )
    model.save(snakemake.output.model, snakemake.output.tokenizer)
    model.save_history(snakemake.output.history)
    if snakemake.output.get("documents"):
        encode_texts(model.encode_side, snakemake.input, snakemake.output, log)
