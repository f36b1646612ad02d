import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

from collections import Counter
from pathlib import Path

from mvg.datasets.splits import thinned
from mvg.datasets.writing import write_prepared
from mvg.formats import FORMATS
from mvg.job import job

with job(snakemake.log[0]) as log:
    # With a storage plugin, the input may be a local copy with another path.
    path, source = snakemake.params.folder or snakemake.input.raw, snakemake.params.reading
    dropped = Counter()
    records = FORMATS[source["format"]].read(path, dropped, **source["options"])
    stats = write_prepared(
        thinned(records, source["keep"], dropped),
        Path(snakemake.output.stats).parent,
        dropped,
        facts={
            "format": source["format"],
            "simulated": source["simulated"],
            "split_rule": FORMATS[source["format"]].split_rule,
            **source["options"],
        },
    )
    log(f"prepared: {stats}")
