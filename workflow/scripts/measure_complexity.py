from mvg.datasets.pairs import read_split
from mvg.evaluation.complexity import complexity
from mvg.io.files import load_array, write_rows
from mvg.job import job

with job(snakemake.log[0]) as log:
    given = snakemake.input
    tokens = [load_array(given[name]) for name in ("token_queries", "tokens", "starts") if given.get(name)]
    rows = complexity(
        load_array(given.documents),
        load_array(given.queries)[read_split(given.test).queries],
        (load_array(given.vectors), load_array(given.owner)),
        snakemake.params.k,
        tokens=tokens or None,
        seed=snakemake.params.seed,
    )
    write_rows(snakemake.output[0], rows)
    log(f"{len(rows)} indexes")
