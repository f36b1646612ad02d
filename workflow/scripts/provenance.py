import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

import json
import os
from importlib import metadata
from pathlib import Path

from mvg.io.files import text_writer
from mvg.job import job
from mvg.provenance import code, machine, software, without_home, without_secrets

with job(snakemake.log[0]):
    given, root = snakemake.params, Path(snakemake.scriptdir).resolve().parents[1]
    inputs = {
        dataset: json.loads(Path(file).read_text(encoding="utf-8"))
        for dataset, file in zip(given.datasets, snakemake.input.checksums, strict=True)
    }
    facts = {
        "command": without_secrets(os.environ.get("MVG_COMMAND")),
        "code": code(root),
        "seeds": given.seeds,
        "config": given.config,
        "inputs": inputs,
        # The version of Snakemake, which every script can import; the packages are those of this job's environment.
        "software": {"snakemake": metadata.version("snakemake"), "deployment": given.deployment}
        | software(root / "envs/requirements.txt"),
        "machine": machine(),
    }
    with text_writer(snakemake.output[0]) as file:
        json.dump(without_home(facts), file, indent=2, ensure_ascii=False)
