import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

from mvg.encoders.files import encode_texts, load_encoder
from mvg.io.shards import Shard
from mvg.job import job

with job(snakemake.log[0]) as log:
    given, params = snakemake.input, snakemake.params
    # A model trained by this workflow is a folder like any other.
    init = given.get("model", params.settings["init"])
    encoder = load_encoder(init, params.settings, params.threads, params.device)
    encode_texts(encoder.encode_side, given, snakemake.output, log, Shard.parse(params.shard))
