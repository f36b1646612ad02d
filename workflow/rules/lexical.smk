# Baselines without vectors.


rule rank_bm25:
    input:
        corpus="results/{run}/{dataset}/data/corpus.jsonl",
        queries="results/{run}/{dataset}/data/queries.jsonl",
        pairs="results/{run}/{dataset}/data/pairs.test.npz",
    output:
        "results/{run}/{dataset}/runs/bm25.npz",
    log:
        "results/{run}/logs/{dataset}/rank_bm25.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/rank_bm25.tsv"
    conda:
        "../../envs/lexical.yaml"
    threads: 1
    resources:
        mem_mb=megabytes(factor=30, base=1000),
        runtime=60,
    params:
        tokenizer=config["bm25"]["tokenizer"],
        k=depth,
    message:
        "BM25: rank the documents of {wildcards.dataset}"
    script:
        "../scripts/rank_bm25.py"


rule rank_popularity:
    input:
        stats="results/{run}/{dataset}/data/stats.json",
        train="results/{run}/{dataset}/data/pairs.train.npz",
        pairs="results/{run}/{dataset}/data/pairs.test.npz",
    output:
        "results/{run}/{dataset}/runs/popularity.npz",
    log:
        "results/{run}/logs/{dataset}/rank_popularity.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/rank_popularity.tsv"
    conda:
        "../../envs/lexical.yaml"
    threads: 1
    resources:
        mem_mb=megabytes(factor=10, base=1000),
        runtime=20,
    params:
        k=max(config["ks"]),
    message:
        "Popularity: rank the documents of {wildcards.dataset}"
    script:
        "../scripts/rank_popularity.py"
