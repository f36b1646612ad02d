# What dev decides, then exact (or approximate) search over semantic and behavioural vectors.

CONFIGURED_MVG = f"results/{{run}}/{{dataset}}/{{encoder}}/mvg/{BUDGET}"


def views_of(wildcards):
    """Behavioural vectors, if the method has them."""
    if "mvg+" not in wildcards.wrapper:
        return {}
    return {"vectors": CONFIGURED_MVG + "/vectors.npy", "owner": CONFIGURED_MVG + "/owner.npy"}


def choice_of(wildcards):
    """What was chosen on dev, if the method has a prior."""
    if "prior+" not in wildcards.wrapper:
        return {}
    folder = CONFIGURED_MVG if "mvg+" in wildcards.wrapper else VECTORS
    return {"choice": folder + "/choice.json", "train": PREPARED + "/pairs.train.npz"}


rule choose_prior:
    input:
        documents=VECTORS + "/documents.npy",
        queries=VECTORS + "/queries.npy",
        train=PREPARED + "/pairs.train.npz",
        dev=PREPARED + "/pairs.dev.npz",
    output:
        VECTORS + "/choice.json",
    log:
        "results/{run}/logs/{dataset}/{encoder}/choose_prior.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/{encoder}/choose_prior.tsv"
    conda:
        "../../envs/retrieval.yaml"
    threads: 2
    resources:
        mem_mb=megabytes(factor=2, base=2000),
        runtime=60,
    params:
        k=max(config["ks"]),
        seed=config["seed"],
    message:
        "Choose the popularity prior over {wildcards.encoder} on dev of {wildcards.dataset}"
    script:
        "../scripts/choose_on_dev.py"


use rule choose_prior as choose_prior_and_views with:
    input:
        documents=VECTORS + "/documents.npy",
        queries=VECTORS + "/queries.npy",
        train=PREPARED + "/pairs.train.npz",
        dev=PREPARED + "/pairs.dev.npz",
        vectors=MVG + "/vectors.npy",
        owner=MVG + "/owner.npy",
    output:
        MVG + "/choice.json",
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
        documents=VECTORS + "/documents.npy",
        queries=VECTORS + "/queries.npy",
        pairs=PREPARED + "/pairs.test.npz",
    output:
        "results/{run}/{dataset}/runs/{wrapper}{encoder}.npz",
    log:
        "results/{run}/logs/{dataset}/{encoder}/search.{wrapper}.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/{encoder}/search.{wrapper}.tsv"
    conda:
        "../../envs/retrieval.yaml"
    threads: 2
    resources:
        mem_mb=megabytes(factor=4, base=1500),
        runtime=120,
    params:
        index=config["index"],
        k=max(config["ks"]),
    message:
        "Search {wildcards.dataset} with {wildcards.wrapper}{wildcards.encoder}"
    script:
        "../scripts/search.py"


# The lexical methods have rules of their own, and are no encoders.
ruleorder: rank_bm25 > search
ruleorder: rank_popularity > search


rule export_qrels:
    input:
        queries=PREPARED + "/queries.jsonl",
        corpus=PREPARED + "/corpus.jsonl",
        pairs=PREPARED + "/pairs.test.npz",
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
        queries=PREPARED + "/queries.jsonl",
        corpus=PREPARED + "/corpus.jsonl",
        pairs=PREPARED + "/pairs.test.npz",
        ranking="results/{run}/{dataset}/runs/{method}.npz",
    output:
        "results/{run}/{dataset}/trec/{method}.run",
    log:
        "results/{run}/logs/{dataset}/export_run.{method}.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/export_run.{method}.tsv"
    message:
        "Write the ranking of {wildcards.method} on {wildcards.dataset} for trec_eval"
