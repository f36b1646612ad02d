import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

from mvg.datasets.pairs import read_split
from mvg.evaluation.choice import choose_over_tokens
from mvg.io.files import load_array
from mvg.job import job
from mvg.lexical.popularity import training_popularity
from mvg.multiview import Behavioural

with job(snakemake.log[0]) as log:
    given = snakemake.input
    starts = load_array(given.starts)
    both = choose_over_tokens(
        load_array(given.tokens),
        starts,
        load_array(given.queries),
        read_split(given.dev),
        training_popularity(read_split(given.train).pairs, len(starts) - 1),
        snakemake.params.k,
        behavioural=Behavioural.load(given.vectors, given.owner),
        progress=lambda items: log.progress(items, "dev"),
    )
    for choice, file in (both.without_views(), snakemake.output.prior), (both, snakemake.output.both):
        choice.save(file)
        log(f"{file}: prior {choice.prior}, view bias {choice.view_bias}")
