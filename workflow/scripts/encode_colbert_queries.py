import numpy as np
from mvg.data import load_texts, read_split
from mvg.data.files import save_array
from mvg.encoders import colbert
from mvg.job import job

with job(snakemake.log[0]) as log:
    model = colbert.load(snakemake.input.model, snakemake.params.threads, snakemake.params.device)
    texts = load_texts(snakemake.input.queries)[1]
    split = read_split(snakemake.input.pairs)
    pieces = colbert.tokenize(model, [texts[row] for row in split.queries], "query")
    vectors = colbert.encode_queries(
        model,
        pieces,
        np.arange(len(pieces)),
        progress=lambda items: log.progress(items, f"encode {snakemake.wildcards.split} queries"),
    )
    save_array(snakemake.output.vectors, vectors.astype(np.float16))
    save_array(snakemake.output.real, pieces.real)
    log(f"{vectors.shape} vectors, {pieces.real.mean():.0%} of them of text")
