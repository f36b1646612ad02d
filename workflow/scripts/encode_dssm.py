import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

from mvg.datasets.reading import load_shard
from mvg.encoders import dssm
from mvg.io.files import save_array
from mvg.io.shards import Shard
from mvg.job import job

with job(snakemake.log[0]) as log:
    shard = Shard.parse(snakemake.params.shard)
    model = dssm.load(
        snakemake.input.model,
        snakemake.input.tokenizer,
        dssm.Settings.of(snakemake.params.settings),
    )
    for side, file, vectors in (
        ("documents", snakemake.input.corpus, snakemake.output.documents),
        ("queries", snakemake.input.queries, snakemake.output.queries),
    ):
        first, texts = load_shard(file, shard)
        encoded = model.encode(
            texts,
            first_document=first if side == "documents" else None,
            progress=lambda items: log.progress(items, f"encode {side}"),
        )
        save_array(vectors, encoded)
        log(f"{side}: {encoded.shape}")
