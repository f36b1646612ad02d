import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

from pathlib import Path

from mvg.datasets.pairs import read_split
from mvg.datasets.reading import load_texts
from mvg.encoders import dssm, dssm_training
from mvg.io.files import save_array
from mvg.job import job

with job(snakemake.log[0]) as log:
    given, params = snakemake.input, snakemake.params
    folders = {
        epochs: Path(file).parent for epochs, file in zip(params.checkpoints, snakemake.output.documents, strict=True)
    }

    def save(epochs, documents, queries):
        save_array(folders[epochs] / "documents.npy", documents)
        save_array(folders[epochs] / "queries.npy", queries)
        log(f"checkpoint at {epochs} epochs")

    model = dssm_training.fit_with_checkpoints(
        load_texts(given.corpus)[1],
        load_texts(given.texts)[1],
        train=read_split(given.train),
        dev=read_split(given.dev),
        settings=dssm.Settings.of(params.settings),
        checkpoints=params.checkpoints,
        save=save,
        seed=params.seed,
        log=log,
    )
    model.save_history(snakemake.output.history)
