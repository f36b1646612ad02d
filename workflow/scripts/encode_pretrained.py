import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

from mvg.encoders import pretrained
from mvg.encoders.files import encode_texts
from mvg.io.shards import Shard
from mvg.job import job

with job(snakemake.log[0]) as log:
    given, params = snakemake.input, snakemake.params
    # A model trained here is a folder like any other.
    encoder = pretrained.load(
        given.get("model", params.settings["init"]),
        params.settings["max_tokens"],
        threads=params.threads,
        precision=params.settings["precision"],
        device=params.device,
    )
    encode_texts(encoder.encode_side, given, snakemake.output, log, Shard.parse(params.shard))
