from pathlib import Path

from mvg.fetch.download import download
from mvg.job import job

with job(snakemake.log[0]) as log:
    download(
        snakemake.wildcards.dataset,
        Path(snakemake.output[0]).parent,
        year=snakemake.params.year,
        files=snakemake.params.files,
        progress=log.bytes,
    )
