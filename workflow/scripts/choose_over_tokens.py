from mvg.data import read_split
from mvg.data.files import load_array
from mvg.evaluation.choice import choose_over_tokens
from mvg.job import job
from mvg.lexical.popularity import training_popularity

with job(snakemake.log[0]) as log:
    given = snakemake.input
    starts = load_array(given.starts)
    views = [given.get(name) for name in ("vectors", "owner")]
    choice = choose_over_tokens(
        load_array(given.tokens),
        starts,
        load_array(given.queries),
        read_split(given.dev),
        training_popularity(read_split(given.train).pairs, len(starts) - 1),
        snakemake.params.k,
        behavioural=tuple(load_array(file) for file in views) if all(views) else None,
        progress=lambda items: log.progress(items, "dev"),
    )
    choice.save(snakemake.output[0])
    log(f"prior {choice.prior}, view bias {choice.view_bias}")
