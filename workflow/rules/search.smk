# What dev decides, then exact (or approximate) search over semantic and behavioural vectors.


rule choose_on_dev:
    input:
        documents="results/{run}/{dataset}/{encoder}/documents.npy",
        queries="results/{run}/{dataset}/{encoder}/queries.npy",
        train="results/{run}/{dataset}/data/pairs.train.npz",
        dev="results/{run}/{dataset}/data/pairs.dev.npz",
        vectors=f"results/{{run}}/{{dataset}}/{{encoder}}/mvg/{BUDGET}/vectors.npy",
        owner=f"results/{{run}}/{{dataset}}/{{encoder}}/mvg/{BUDGET}/owner.npy",
    output:
        prior="results/{run}/{dataset}/{encoder}/choice.json",
        both=f"results/{{run}}/{{dataset}}/{{encoder}}/mvg/{BUDGET}/choice.json",
    log:
        "results/{run}/logs/{dataset}/{encoder}/choose_on_dev.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/{encoder}/choose_on_dev.tsv"
    wildcard_constraints:
        encoder=of_kind(*ONE_VECTOR),
    conda:
        "../../envs/retrieval.yaml"
    threads: search_threads
    resources:
        mem_mb=megabytes(factor=1.2, base=2500),  # most of it mapped from disk
        runtime=60,
    params:
        k=max(config["ks"]),
        seed=seed_of,
    message:
        "Choose the popularity prior and the bias of views over {wildcards.encoder} on dev of {wildcards.dataset}"
    script:
        "../scripts/choose_on_dev.py"


# One job for all that stands on one encoder: a job of its own for each would cost more in imports.
rule search:
    input:
        documents="results/{run}/{dataset}/{encoder}/documents.npy",
        queries="results/{run}/{dataset}/{encoder}/queries.npy",
        vectors=f"results/{{run}}/{{dataset}}/{{encoder}}/mvg/{BUDGET}/vectors.npy",
        owner=f"results/{{run}}/{{dataset}}/{{encoder}}/mvg/{BUDGET}/owner.npy",
        prior="results/{run}/{dataset}/{encoder}/choice.json",
        both=f"results/{{run}}/{{dataset}}/{{encoder}}/mvg/{BUDGET}/choice.json",
        train="results/{run}/{dataset}/data/pairs.train.npz",
        test="results/{run}/{dataset}/data/pairs.test.npz",
    output:
        [sharded(ranking) for ranking in RANKINGS],
    log:
        in_shards("results/{run}/logs/{dataset}/{encoder}/search.log"),
    benchmark:
        in_shards("results/{run}/benchmarks/{dataset}/{encoder}/search.tsv")
    wildcard_constraints:
        encoder=of_kind(*ONE_VECTOR),
    conda:
        "../../envs/retrieval.yaml"
    threads: search_threads
    resources:
        # An approximate index is built over all vectors at once.
        mem_mb=megabytes(
            factor=5, base=2000, mapped=["documents", "queries", "vectors"] if config["index"] == "exact" else []
        ),
        runtime=120,
    params:
        shard=shard_of,
        index=config["index"],
        k=depth,
    message:
        "Search {wildcards.dataset} with {wildcards.encoder}, plain and with what goes over it"
    script:
        "../scripts/search.py"


rule export_qrels:
    input:
        queries="results/{run}/{dataset}/data/queries.jsonl",
        corpus="results/{run}/{dataset}/data/corpus.jsonl",
        pairs="results/{run}/{dataset}/data/pairs.test.npz",
    output:
        "results/{run}/{dataset}/trec/qrels.test.txt",
    log:
        "results/{run}/logs/{dataset}/export_qrels.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/export_qrels.tsv"
    conda:
        "../../envs/data.yaml"
    threads: 1
    resources:
        mem_mb=megabytes(factor=10),
        runtime=20,
    message:
        "Write the test qrels of {wildcards.dataset} for trec_eval"
    script:
        "../scripts/export_trec.py"


use rule export_qrels as export_run with:
    input:
        queries="results/{run}/{dataset}/data/queries.jsonl",
        corpus="results/{run}/{dataset}/data/corpus.jsonl",
        pairs="results/{run}/{dataset}/data/pairs.test.npz",
        ranking="results/{run}/{dataset}/runs/{method}.npz",
    output:
        "results/{run}/{dataset}/trec/{method}.run",
    log:
        "results/{run}/logs/{dataset}/export_run.{method}.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/export_run.{method}.tsv"
    message:
        "Write the ranking of {wildcards.method} on {wildcards.dataset} for trec_eval"
