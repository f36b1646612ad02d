# Per-query scores of each method.


# One job for all that stands on one encoder, as in search.
rule evaluate:
    input:
        rankings=RANKINGS,
        pairs="results/{run}/{dataset}/data/pairs.test.npz",
        queries="results/{run}/{dataset}/data/queries.jsonl",
        stats="results/{run}/{dataset}/data/stats.json",
    output:
        expand("results/{run}/{dataset}/scores/{wrapper}{encoder}.csv", wrapper=WRAPPERS, allow_missing=True),
    log:
        "results/{run}/logs/{dataset}/evaluate.{encoder}.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/evaluate.{encoder}.tsv"
    wildcard_constraints:
        encoder=of_kind(*ONE_VECTOR, "colbert"),
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=megabytes(factor=10),
        runtime=20,
    params:
        ks=config["ks"],
    message:
        "Score {wildcards.encoder} on {wildcards.dataset}, plain and with what goes over it, query by query"
    script:
        "../scripts/evaluate.py"


use rule evaluate as evaluate_lexical with:
    input:
        rankings=expand("results/{run}/{dataset}/runs/{method}.npz", method=LEXICAL, allow_missing=True),
        pairs="results/{run}/{dataset}/data/pairs.test.npz",
        queries="results/{run}/{dataset}/data/queries.jsonl",
        stats="results/{run}/{dataset}/data/stats.json",
    output:
        expand("results/{run}/{dataset}/scores/{method}.csv", method=LEXICAL, allow_missing=True),
    log:
        "results/{run}/logs/{dataset}/evaluate_lexical.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/evaluate_lexical.tsv"
    message:
        "Score BM25 and Popularity on {wildcards.dataset}, query by query"
