import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

import json
from pathlib import Path

from mvg.io.checksums import MANIFEST
from mvg.io.files import text_writer
from mvg.job import job
from mvg.provenance import checksums

with job(snakemake.log[0]) as log:
    folder = Path(snakemake.params.folder or snakemake.input.raw)
    if snakemake.params.downloaded:  # their checksums were computed when they were fetched
        listed = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["files"]
        files = {file["name"]: {key: file[key] for key in ("url", "bytes", "sha256")} for file in listed}
    else:
        files = checksums(folder, progress=lambda files: log.progress(files, "checksums"))
    with text_writer(snakemake.output[0]) as file:
        json.dump(files, file, indent=2, ensure_ascii=False)
    log(f"{len(files)} files")
