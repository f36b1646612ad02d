import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

from mvg.datasets.pairs import read_split
from mvg.evaluation.choice import choose_over_tokens
from mvg.evaluation.propensity import worth
from mvg.io.files import load_array
from mvg.job import job
from mvg.lexical.popularity import training_popularity
from mvg.multiview import Behavioural

with job(snakemake.log[0]) as log:
    given, params = snakemake.input, snakemake.params
    starts, train = load_array(given.starts), read_split(given.train)
    popularity = training_popularity(train.pairs, len(starts) - 1)
    both = choose_over_tokens(
        load_array(given.tokens),
        starts,
        load_array(given.queries),
        read_split(given.dev),
        popularity,
        params.k,
        behavioural=Behavioural.load(given.vectors, given.owner),
        progress=lambda items: log.progress(items, "dev"),
        worth=worth(params.objective, popularity, len(train.queries)),
    )
    for choice, file in (both.without_views(), snakemake.output.prior), (both, snakemake.output.both):
        choice.save(file)
        log(f"{file}: prior {choice.prior}, view bias {choice.view_bias}")
