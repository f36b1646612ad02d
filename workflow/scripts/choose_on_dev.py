from mvg.data import read_split
from mvg.data.files import load_array
from mvg.evaluation.choice import choose
from mvg.job import job
from mvg.lexical.popularity import training_popularity

with job(snakemake.log[0]) as log:
    documents = load_array(snakemake.input.documents)
    views = [snakemake.input.get(name) for name in ("vectors", "owner")]
    choice = choose(
        documents,
        load_array(snakemake.input.queries),
        read_split(snakemake.input.dev),
        training_popularity(read_split(snakemake.input.train).pairs, len(documents)),
        snakemake.params.k,
        behavioural=tuple(load_array(file) for file in views) if all(views) else None,
        seed=snakemake.params.seed,
        progress=lambda items: log.progress(items, "dev"),
    )
    choice.save(snakemake.output[0])
    log(f"prior {choice.prior}, view bias {choice.view_bias}")
