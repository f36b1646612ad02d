import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

from mvg.encoders import colbert
from mvg.io.shards import Shard
from mvg.job import job

with job(snakemake.log[0]) as log:
    given, params = snakemake.input, snakemake.params
    model = colbert.load(given.model, params.threads, params.device)
    colbert.encode_to_files(model, given, snakemake.output, log, Shard.parse(params.shard))
