import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

from mvg.datasets.reading import load_shard
from mvg.encoders import pretrained
from mvg.io.files import save_array
from mvg.io.shards import Shard
from mvg.job import job

with job(snakemake.log[0]) as log:
    settings, shard = snakemake.params.settings, Shard.parse(snakemake.params.shard)
    # A model trained here is a folder like any other.
    encoder = pretrained.load(
        snakemake.input.get("model", settings["init"]),
        settings["max_tokens"],
        threads=snakemake.params.threads,
        precision=settings["precision"],
        device=snakemake.params.device,
    )
    for side, texts, vectors in (
        ("documents", snakemake.input.corpus, snakemake.output.documents),
        ("queries", snakemake.input.queries, snakemake.output.queries),
    ):
        encoded = encoder.encode(
            load_shard(texts, shard)[1],
            progress=lambda batches: log.progress(batches, f"encode {side}"),
        )
        save_array(vectors, encoded)
        log(f"{side}: {encoded.shape}")
