import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

from mvg.encoders import dssm
from mvg.encoders.files import encode_texts
from mvg.io.shards import Shard
from mvg.job import job

with job(snakemake.log[0]) as log:
    given, settings = snakemake.input, dssm.Settings.of(snakemake.params.settings)
    model = dssm.load(given.model, given.tokenizer, settings)
    encode_texts(model.encode_side, given, snakemake.output, log, Shard.parse(snakemake.params.shard))
