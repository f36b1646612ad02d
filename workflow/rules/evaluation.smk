# Per-query scores of each method.

SCORES = [f"<results>/{{dataset}}/scores/{over}{{encoder}}.csv" for over in WRAPPERS.values()]
MORE_SCORES = [f"<results>/{{dataset}}/scores/{name}+{{encoder}}.csv" for name in METHODS]


# One job for everything that uses one encoder, as in search.
rule evaluate:
    input:
        rankings=[*RANKINGS.values(), *MORE_RANKINGS],
        pairs="<results>/{dataset}/data/pairs.test.npz",
        queries="<results>/{dataset}/data/queries.jsonl",
        stats="<results>/{dataset}/data/stats.json",
    output:
        [*SCORES, *MORE_SCORES],
    log:
        "<logs>/{dataset}/evaluate.{encoder}.log",
    benchmark:
        "<benchmarks>/{dataset}/evaluate.{encoder}.tsv"
    wildcard_constraints:
        encoder=ONE_VECTOR,
    conda:
        "../../envs/retrieval.yaml"
    threads: 1
    resources:
        mem_mb=megabytes(factor=10),
        runtime=20,
    params:
        ks=config["ks"],
        metrics=plan.metrics(),
        behind=behind_rankings,
    message:
        "Score {wildcards.encoder} on {wildcards.dataset}, plain and with additions, query by query"
    script:
        "../scripts/evaluate.py"


use rule evaluate as evaluate_tokens with:
    input:
        rankings=[*RANKINGS.values()],
        pairs="<results>/{dataset}/data/pairs.test.npz",
        queries="<results>/{dataset}/data/queries.jsonl",
        stats="<results>/{dataset}/data/stats.json",
    output:
        SCORES,
    wildcard_constraints:
        encoder=of_kind("colbert"),


use rule evaluate as evaluate_lexical with:
    input:
        rankings=[f"<results>/{{dataset}}/runs/{method}.npz" for method in LEXICAL],
        pairs="<results>/{dataset}/data/pairs.test.npz",
        queries="<results>/{dataset}/data/queries.jsonl",
        stats="<results>/{dataset}/data/stats.json",
    output:
        [f"<results>/{{dataset}}/scores/{method}.csv" for method in LEXICAL],
    log:
        "<logs>/{dataset}/evaluate_lexical.log",
    benchmark:
        "<benchmarks>/{dataset}/evaluate_lexical.tsv"
    message:
        "Score BM25 and Popularity on {wildcards.dataset}, query by query"
