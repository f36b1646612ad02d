# Per-query scores of each method.


rule evaluate:
    input:
        ranking="results/{run}/{dataset}/runs/{method}.npz",
        pairs="results/{run}/{dataset}/data/pairs.test.npz",
        queries="results/{run}/{dataset}/data/queries.jsonl",
        stats="results/{run}/{dataset}/data/stats.json",
    output:
        "results/{run}/{dataset}/scores/{method}.csv",
    log:
        "results/{run}/logs/{dataset}/evaluate.{method}.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/evaluate.{method}.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=megabytes(factor=10),
        runtime=20,
    params:
        ks=config["ks"],
    message:
        "Score {wildcards.method} on {wildcards.dataset}, query by query"
    script:
        "../scripts/evaluate.py"
