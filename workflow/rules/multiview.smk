# MVG: the paper's step 1 (budget) and step 2 (clustering).


rule allocate_budget:
    input:
        stats="<results>/{dataset}/data/stats.json",
        pairs="<results>/{dataset}/data/pairs.train.npz",
    output:
        "<results>/{dataset}/budget/beta{beta}-m{m_avg}.npy",
    log:
        "<logs>/{dataset}/allocate_budget.beta{beta}-m{m_avg}.log",
    benchmark:
        "<benchmarks>/{dataset}/allocate_budget.beta{beta}-m{m_avg}.tsv"
    conda:
        "../../envs/retrieval.yaml"
    threads: 1
    resources:
        mem_mb=megabytes(factor=5),
        runtime=10,
    params:
        beta="{beta}",
        m_avg="{m_avg}",
        behind=behind_data,
    message:
        "MVG step 1: allocate the budget of {wildcards.dataset}"
    script:
        "../scripts/allocate_budget.py"


rule fit_behavioural_vectors:
    input:
        documents="<results>/{dataset}/{encoder}/documents.npy",
        queries="<results>/{dataset}/{encoder}/queries.npy",
        pairs="<results>/{dataset}/data/pairs.train.npz",
        counts="<results>/{dataset}/budget/beta{beta}-m{m_avg}.npy",
    output:
        vectors=sharded("<results>/{dataset}/{encoder}/mvg/beta{beta}-m{m_avg}/vectors.npy"),
        owner=sharded("<results>/{dataset}/{encoder}/mvg/beta{beta}-m{m_avg}/owner.npy"),
    log:
        in_shards("<logs>/{dataset}/{encoder}/fit.beta{beta}-m{m_avg}.log"),
    benchmark:
        in_shards("<benchmarks>/{dataset}/{encoder}/fit.beta{beta}-m{m_avg}.tsv")
    conda:
        "../../envs/retrieval.yaml"
    threads: search_threads
    resources:
        mem_mb=clustering_megabytes,
        runtime=60,
    params:
        shard=shard_of,
        seed=lambda wildcards: plan.seed(wildcards.encoder),
        behind=behind_vectors,
    message:
        "MVG step 2: behavioural vectors of {wildcards.dataset} in the space of {wildcards.encoder}"
    script:
        "../scripts/fit_behavioural_vectors.py"
