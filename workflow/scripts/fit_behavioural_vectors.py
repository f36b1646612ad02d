from mvg.data import load_weights, read_split
from mvg.data.files import load_array, save_array
from mvg.job import job
from mvg.multiview import fit

with job(snakemake.log[0]) as log:
    counts, pairs = load_array(snakemake.input.counts), read_split(snakemake.input.pairs).pairs
    traffic = snakemake.input.get("traffic")
    vectors, owner = fit(
        load_array(snakemake.input.documents),
        load_array(snakemake.input.queries),
        pairs,
        counts,
        weights=load_weights(traffic)[pairs[0]] if traffic else None,
        seed=snakemake.params.seed,
        threads=snakemake.threads,
    )
    save_array(snakemake.output.vectors, vectors)
    save_array(snakemake.output.owner, owner)
    log(f"{len(owner)} vectors of a budget of {counts.sum()}")
