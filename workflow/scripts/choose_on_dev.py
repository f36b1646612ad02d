import sys

sys.path.insert(0, f"{snakemake.scriptdir}/..")

from mvg.datasets.pairs import read_split
from mvg.evaluation.choice import choose
from mvg.evaluation.combinations import Log
from mvg.evaluation.propensity import worth
from mvg.io.files import load_array
from mvg.job import job
from mvg.lexical.popularity import training_popularity
from mvg.multiview import Behavioural

with job(snakemake.log[0]) as log:
    given, params = snakemake.input, snakemake.params
    documents, queries = load_array(given.documents), load_array(given.queries)
    train, dev = read_split(given.train), read_split(given.dev)
    popularity = training_popularity(train.pairs, len(documents))
    views = Behavioural.load(given.vectors, given.owner)
    both = choose(
        documents,
        queries,
        dev,
        popularity,
        params.k,
        behavioural=views,
        seed=params.seed,
        progress=lambda items: log.progress(items, "dev"),
        worth=worth(params.multiview["objective"], popularity, len(train.queries)),
    )
    for choice, file in (both.without_views(), snakemake.output.prior), (both, snakemake.output.both):
        choice.save(file)
        log(f"{file}: prior {choice.prior}, view bias {choice.view_bias}")

    with_log = Log(
        documents,
        queries,
        train,
        dev,
        params.k,
        **{key: params.multiview[key] for key in ("budget", "m_avg", "beta", "objective")},
        seed=params.seed,
        threads=snakemake.threads,
        views=views,
        progress=lambda items: log.progress(items, "methods"),
        checkpoint=params.checkpoint,
        codes=params.index == "exact",
    )
    outputs = zip(params.multiview["methods"], snakemake.output.additions, snakemake.output.choices, strict=True)
    for name, file, choice in outputs:
        built = with_log.build(name)
        built.addition.save(file)
        built.save(choice)
        log(f"{file}: {built.method or 'nothing'}, {built.chosen}, in {built.seconds:.1f} s")
