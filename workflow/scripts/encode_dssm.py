from mvg.data import load_texts
from mvg.data.files import save_array
from mvg.encoders import dssm
from mvg.job import job

with job(snakemake.log[0]) as log:
    model = dssm.load(
        snakemake.input.model,
        snakemake.input.tokenizer,
        dssm.Settings.of(snakemake.params.settings),
        threads=snakemake.params.threads,
    )
    for side, texts, vectors in (
        ("documents", snakemake.input.corpus, snakemake.output.documents),
        ("queries", snakemake.input.queries, snakemake.output.queries),
    ):
        encoded = model.encode(
            load_texts(texts)[1],
            documents=side == "documents",
            progress=lambda items: log.progress(items, f"encode {side}"),
        )
        save_array(vectors, encoded)
        log(f"{side}: {encoded.shape}")
