import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

import shutil

from mvg.datasets.pairs import read_split
from mvg.datasets.reading import load_texts
from mvg.encoders import colbert, colbert_training
from mvg.job import job

with job(snakemake.log[0]) as log:
    trained = colbert_training.fit(
        load_texts(snakemake.input.corpus)[1],
        load_texts(snakemake.input.queries)[1],
        train=read_split(snakemake.input.train),
        dev=read_split(snakemake.input.dev),
        settings=colbert.Settings.of(snakemake.params.settings),
        folder=snakemake.params.checkpoint,
        seed=snakemake.params.seed,
        threads=snakemake.params.threads,
        device=snakemake.params.device,
        log=log,
    )
    trained.save(snakemake.output.model)
    trained.save_history(snakemake.output.history)
    if snakemake.output.get("tokens"):
        colbert.encode_to_files(trained.model, snakemake.input, snakemake.output, log)
    shutil.rmtree(snakemake.params.checkpoint)
