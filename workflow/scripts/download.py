import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

from pathlib import Path

from mvg.fetch.download import download
from mvg.job import job

# Only the last try prints an error.
with job(snakemake.log[0], will_retry=snakemake.resources.try_number < snakemake.params.tries) as log:
    download(
        snakemake.wildcards.dataset,
        Path(snakemake.output[0]).parent,
        year=snakemake.params.year,
        files=snakemake.params.files,
        progress=log.bytes,
    )
