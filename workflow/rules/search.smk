# What dev decides, then exact (or approximate) search over semantic and behavioural vectors.


rule choose_prior:
    input:
        documents="results/{run}/{dataset}/{encoder}/documents.npy",
        queries="results/{run}/{dataset}/{encoder}/queries.npy",
        train="results/{run}/{dataset}/data/pairs.train.npz",
        dev="results/{run}/{dataset}/data/pairs.dev.npz",
    output:
        "results/{run}/{dataset}/{encoder}/choice.json",
    log:
        "results/{run}/logs/{dataset}/{encoder}/choose_prior.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/{encoder}/choose_prior.tsv"
    wildcard_constraints:
        encoder=of_kind(*ONE_VECTOR),
    conda:
        "../../envs/retrieval.yaml"
    threads: search_threads
    resources:
        mem_mb=megabytes(factor=2, base=2000),
        runtime=60,
    params:
        k=max(config["ks"]),
        seed=seed_of,
    message:
        "Choose the popularity prior over {wildcards.encoder} on dev of {wildcards.dataset}"
    script:
        "../scripts/choose_on_dev.py"


use rule choose_prior as choose_prior_and_views with:
    input:
        documents="results/{run}/{dataset}/{encoder}/documents.npy",
        queries="results/{run}/{dataset}/{encoder}/queries.npy",
        train="results/{run}/{dataset}/data/pairs.train.npz",
        dev="results/{run}/{dataset}/data/pairs.dev.npz",
        vectors="results/{run}/{dataset}/{encoder}/mvg/beta{beta}-m{m_avg}/vectors.npy",
        owner="results/{run}/{dataset}/{encoder}/mvg/beta{beta}-m{m_avg}/owner.npy",
    output:
        "results/{run}/{dataset}/{encoder}/mvg/beta{beta}-m{m_avg}/choice.json",
    log:
        "results/{run}/logs/{dataset}/{encoder}/choose_views.beta{beta}-m{m_avg}.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/{encoder}/choose_views.beta{beta}-m{m_avg}.tsv"
    message:
        "Choose prior and view bias over {wildcards.encoder} on dev of {wildcards.dataset}"


rule search:
    input:
        unpack(views_of),
        unpack(choice_of),
        documents="results/{run}/{dataset}/{encoder}/documents.npy",
        queries="results/{run}/{dataset}/{encoder}/queries.npy",
        pairs="results/{run}/{dataset}/data/pairs.test.npz",
    output:
        sharded("results/{run}/{dataset}/runs/{wrapper}{encoder}.npz"),
    log:
        in_shards("results/{run}/logs/{dataset}/{encoder}/search.{wrapper}{encoder}.log"),
    benchmark:
        in_shards("results/{run}/benchmarks/{dataset}/{encoder}/search.{wrapper}{encoder}.tsv")
    wildcard_constraints:
        encoder=of_kind(*ONE_VECTOR),
    conda:
        "../../envs/retrieval.yaml"
    threads: search_threads
    resources:
        mem_mb=megabytes(factor=4, base=1500),
        runtime=120,
    params:
        shard=shard_of,
        index=config["index"],
        k=depth,
    message:
        "Search {wildcards.dataset} with {wildcards.wrapper}{wildcards.encoder}"
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
