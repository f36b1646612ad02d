import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

import csv
import json
from pathlib import Path

import numpy as np

from mvg.datasets.pairs import read_split
from mvg.datasets.reading import load_stats, load_texts, load_weights
from mvg.io.errors import DataError
from mvg.io.files import load_array
from mvg.job import job
from mvg.library.methods import Settings
from mvg.library.run import how_to_encode, index_of_run
from mvg.multiview import Addition

with job(snakemake.log[0]) as log:
    given, params = snakemake.input, snakemake.params
    ids, document_texts = load_texts(given.corpus)
    asked = np.ceil(load_weights(given.queries_jsonl))
    all_texts = load_texts(given.queries_jsonl)[1]
    texts = [text if n >= params.min_count else None for text, n in zip(all_texts, asked, strict=True)]
    chosen = {key: params.multiview[key] for key in ("budget", "beta", "m_avg", "objective")}
    try:
        index = index_of_run(
            Addition.load(given.addition),
            json.loads(Path(given.choice).read_text(encoding="utf-8")),
            load_array(given.documents),
            load_array(given.queries),
            read_split(given.train),
            read_split(given.dev),
            Settings(params.method, seed=params.seed, k=params.k, **chosen),
            {"ids": ids, "document_texts": document_texts, "query_texts": texts, "asked": asked},
            params.index,
            snakemake.threads,
        )
    except ValueError as error:
        raise DataError("config", "index", str(error)) from error
    with open(given.scores, encoding="utf-8", newline="") as file:
        scores = list(csv.DictReader(file))
    stats = load_stats(given.stats)
    index.save(
        Path(snakemake.output[0]).parent,
        run=params.run,
        dataset=snakemake.wildcards.dataset,
        encoder=how_to_encode(snakemake.wildcards.encoder, params.encoder),
        min_count=params.min_count,
        data={key: stats[key] for key in ("format", "simulated", "queries", "pairs")},
        test={name: float(np.mean([float(row[name]) for row in scores])) for name in scores[0] if name != "query"},
    )
    log(f"{snakemake.output[0]}: {index}")
