from mvg.data import load_texts
from mvg.data.files import save_array
from mvg.encoders import colbert
from mvg.job import job

with job(snakemake.log[0]) as log:
    model = colbert.load(snakemake.input.model, snakemake.params.threads, snakemake.params.device)
    pieces = colbert.tokenize(model, load_texts(snakemake.input.corpus)[1], "document")
    tokens, starts = colbert.encode_documents(
        model, pieces, progress=lambda items: log.progress(items, "encode documents")
    )
    save_array(snakemake.output.tokens, tokens)
    save_array(snakemake.output.starts, starts)
    log(f"{len(tokens)} vectors of {len(starts) - 1} documents")
