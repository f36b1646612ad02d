# Baselines without vectors.


rule rank_bm25:
    input:
        corpus="<results>/{dataset}/data/corpus.jsonl",
        queries="<results>/{dataset}/data/queries.jsonl",
        pairs="<results>/{dataset}/data/pairs.test.npz",
    output:
        "<results>/{dataset}/runs/bm25.npz",
    log:
        "<logs>/{dataset}/rank_bm25.log",
    benchmark:
        "<benchmarks>/{dataset}/rank_bm25.tsv"
    conda:
        "../../envs/lexical.yaml"
    threads: 1
    resources:
        mem_mb=bm25_megabytes,
        runtime=60,
    params:
        tokenizer=config["bm25"]["tokenizer"],
        k=lambda wildcards: plan.depth(wildcards.dataset),
        behind=behind_data,
    message:
        "BM25: rank the documents of {wildcards.dataset}"
    script:
        "../scripts/rank_bm25.py"


rule rank_popularity:
    input:
        stats="<results>/{dataset}/data/stats.json",
        train="<results>/{dataset}/data/pairs.train.npz",
        pairs="<results>/{dataset}/data/pairs.test.npz",
    output:
        "<results>/{dataset}/runs/popularity.npz",
    log:
        "<logs>/{dataset}/rank_popularity.log",
    benchmark:
        "<benchmarks>/{dataset}/rank_popularity.tsv"
    conda:
        "../../envs/lexical.yaml"
    threads: 1
    resources:
        mem_mb=megabytes(factor=10, base=1000),
        runtime=20,
    params:
        k=max(config["ks"]),
        behind=behind_data,
    message:
        "Popularity: rank the documents of {wildcards.dataset}"
    script:
        "../scripts/rank_popularity.py"
