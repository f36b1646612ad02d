import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

import shutil

from mvg.datasets.pairs import read_split
from mvg.datasets.reading import load_texts
from mvg.encoders import sbert
from mvg.encoders.files import encode_texts
from mvg.job import job

with job(snakemake.log[0]) as log:
    model = sbert.fit(
        load_texts(snakemake.input.corpus)[1],
        load_texts(snakemake.input.queries)[1],
        train=read_split(snakemake.input.train),
        dev=read_split(snakemake.input.dev),
        settings=sbert.Settings.of(snakemake.params.settings),
        folder=snakemake.params.checkpoint,
        seed=snakemake.params.seed,
        threads=snakemake.params.threads,
        device=snakemake.params.device,
        log=log,
    )
    model.save(snakemake.output.model)
    model.save_history(snakemake.output.history)
    if snakemake.output.get("documents"):
        encode_texts(model.encoder.encode_side, snakemake.input, snakemake.output, log)
    shutil.rmtree(snakemake.params.checkpoint)
