# ColBERT has a vector a token on both sides, so it has its own files, search and behavioural vectors.


rule train_colbert:
    input:
        unpack(lambda wildcards: plan.init_files(wildcards.dataset, wildcards.encoder)),
        **PAIRS,
        corpus="<results>/{dataset}/data/corpus.jsonl",
        queries="<results>/{dataset}/data/queries.jsonl",
    output:
        **TOKENS_AT_ONCE,
        model=directory("<results>/{dataset}/{encoder}/colbert"),
        history="<results>/{dataset}/{encoder}/training.csv",
    log:
        "<logs>/{dataset}/{encoder}/train.log",
    benchmark:
        "<benchmarks>/{dataset}/{encoder}/train.tsv"
    wildcard_constraints:
        encoder=of_kind("colbert"),
    conda:
        "../../envs/encoders.yaml"
    threads: torch_threads
    resources:
        **GPU,
        mem_mb=megabytes(factor=60, base=4000),
        runtime=240,
    params:
        settings=lambda wildcards: or_one_line(plan.encoder, wildcards.dataset, wildcards.encoder),
        seed=lambda wildcards: plan.seed(wildcards.encoder),
        threads=torch_threads,
        device=config["device"],
        # Not an output: if the job fails, Snakemake would delete it, and training could not resume from it.
        checkpoint=f"{RESULTS}/{{dataset}}/{{encoder}}/checkpoint",
        behind=behind_data,
    message:
        "ColBERT: train {wildcards.encoder} on {wildcards.dataset}"
    script:
        "../scripts/train_colbert.py"


rule fit_colbert_views:
    input:
        tokens="<results>/{dataset}/{encoder}/tokens.npy",
        starts="<results>/{dataset}/{encoder}/starts.npy",
        queries="<results>/{dataset}/{encoder}/query_tokens.train.npy",
        real="<results>/{dataset}/{encoder}/query_tokens.train.real.npy",
        pairs="<results>/{dataset}/data/pairs.train.npz",
    output:
        vectors=sharded("<results>/{dataset}/{encoder}/token_views/beta{beta}-m{m_avg}/vectors.npy"),
        owner=sharded("<results>/{dataset}/{encoder}/token_views/beta{beta}-m{m_avg}/owner.npy"),
    log:
        in_shards("<logs>/{dataset}/{encoder}/fit.beta{beta}-m{m_avg}.log"),
    benchmark:
        in_shards("<benchmarks>/{dataset}/{encoder}/fit.beta{beta}-m{m_avg}.tsv")
    conda:
        "../../envs/retrieval.yaml"
    threads: search_threads
    resources:
        mem_mb=megabytes(factor=5, base=2000),
        runtime=120,
    params:
        shard=shard_of,
        beta="{beta}",
        m_avg="{m_avg}",
        seed=lambda wildcards: plan.seed(wildcards.encoder),
        behind=behind_vectors,
    message:
        "MVG over ColBERT: behavioural vectors of {wildcards.dataset} in the space of {wildcards.encoder}"
    script:
        "../scripts/fit_colbert_views.py"


rule choose_over_tokens:
    input:
        tokens="<results>/{dataset}/{encoder}/tokens.npy",
        starts="<results>/{dataset}/{encoder}/starts.npy",
        queries="<results>/{dataset}/{encoder}/query_tokens.dev.npy",
        train="<results>/{dataset}/data/pairs.train.npz",
        dev="<results>/{dataset}/data/pairs.dev.npz",
        vectors=f"<results>/{{dataset}}/{{encoder}}/token_views/{plan.budget}/vectors.npy",
        owner=f"<results>/{{dataset}}/{{encoder}}/token_views/{plan.budget}/owner.npy",
    output:
        prior="<results>/{dataset}/{encoder}/choice.json",
        both=f"<results>/{{dataset}}/{{encoder}}/token_views/{plan.budget}/choice.json",
    log:
        "<logs>/{dataset}/{encoder}/choose_on_dev.log",
    benchmark:
        "<benchmarks>/{dataset}/{encoder}/choose_on_dev.tsv"
    wildcard_constraints:
        encoder=of_kind("colbert"),
    conda:
        "../../envs/retrieval.yaml"
    threads: search_threads
    resources:
        mem_mb=megabytes(factor=3, base=4000),
        runtime=120,
    params:
        k=max(config["ks"]),
        objective=config["multiview"]["objective"],
        behind=behind_vectors,
    message:
        "Choose prior and bias of views for {wildcards.encoder} on dev of {wildcards.dataset}"
    script:
        "../scripts/choose_over_tokens.py"


rule search_colbert:
    input:
        tokens="<results>/{dataset}/{encoder}/tokens.npy",
        starts="<results>/{dataset}/{encoder}/starts.npy",
        queries="<results>/{dataset}/{encoder}/query_tokens.test.npy",
        vectors=f"<results>/{{dataset}}/{{encoder}}/token_views/{plan.budget}/vectors.npy",
        owner=f"<results>/{{dataset}}/{{encoder}}/token_views/{plan.budget}/owner.npy",
        prior="<results>/{dataset}/{encoder}/choice.json",
        both=f"<results>/{{dataset}}/{{encoder}}/token_views/{plan.budget}/choice.json",
        train="<results>/{dataset}/data/pairs.train.npz",
        test="<results>/{dataset}/data/pairs.test.npz",
    output:
        **{name: sharded(ranking) for name, ranking in RANKINGS.items()},
    log:
        in_shards("<logs>/{dataset}/{encoder}/search.log"),
    benchmark:
        in_shards("<benchmarks>/{dataset}/{encoder}/search.tsv")
    wildcard_constraints:
        encoder=of_kind("colbert"),
    conda:
        "../../envs/retrieval.yaml"
    threads: search_threads
    resources:
        mem_mb=megabytes(factor=3, base=1500),
        runtime=240,
    params:
        shard=shard_of,
        k=lambda wildcards: plan.depth(wildcards.dataset),
        behind=behind_rankings,
    message:
        "Search {wildcards.dataset} with {wildcards.encoder}, plain and with additions"
    script:
        "../scripts/search_colbert.py"
