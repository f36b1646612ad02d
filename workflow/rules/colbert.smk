# ColBERT: a vector a token on both sides, so files, search and behavioural vectors of its own.


rule train_colbert:
    input:
        unpack(local_init),
        corpus="results/{run}/{dataset}/data/corpus.jsonl",
        queries="results/{run}/{dataset}/data/queries.jsonl",
        train="results/{run}/{dataset}/data/pairs.train.npz",
        dev="results/{run}/{dataset}/data/pairs.dev.npz",
    output:
        model=directory("results/{run}/{dataset}/{encoder}/colbert"),
        history="results/{run}/{dataset}/{encoder}/training.csv",
    log:
        "results/{run}/logs/{dataset}/{encoder}/train.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/{encoder}/train.tsv"
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
        settings=settings_of,
        seed=config["seed"],
        threads=torch_threads,
        device=config["device"],
        # Not an output: Snakemake would delete it when the job fails, and with it what to go on from.
        checkpoint="results/{run}/{dataset}/{encoder}/checkpoint",
    message:
        "ColBERT: train {wildcards.encoder} on {wildcards.dataset}"
    script:
        "../scripts/train_colbert.py"


rule encode_colbert:
    input:
        corpus="results/{run}/{dataset}/data/corpus.jsonl",
        queries="results/{run}/{dataset}/data/queries.jsonl",
        pairs=expand("results/{run}/{dataset}/data/pairs.{split}.npz", split=SPLITS, allow_missing=True),
        model="results/{run}/{dataset}/{encoder}/colbert",
    output:
        tokens=sharded("results/{run}/{dataset}/{encoder}/tokens.npy"),
        starts=sharded("results/{run}/{dataset}/{encoder}/starts.npy"),
        query_tokens=[
            sharded(f"results/{{run}}/{{dataset}}/{{encoder}}/query_tokens.{split}.npy") for split in SPLITS
        ],
        real=[
            sharded(f"results/{{run}}/{{dataset}}/{{encoder}}/query_tokens.{split}.real.npy")
            for split in SPLITS
        ],
    log:
        in_shards("results/{run}/logs/{dataset}/{encoder}/encode.log"),
    benchmark:
        in_shards("results/{run}/benchmarks/{dataset}/{encoder}/encode.tsv")
    conda:
        "../../envs/encoders.yaml"
    threads: torch_threads
    resources:
        **GPU,
        mem_mb=megabytes(factor=100, base=2000, shared=TEXTS),
        runtime=120,
    params:
        shard=shard_of,
        threads=torch_threads,
        device=config["device"],
    message:
        "ColBERT: encode {wildcards.dataset} with {wildcards.encoder}"
    script:
        "../scripts/encode_colbert.py"


rule fit_colbert_views:
    input:
        tokens="results/{run}/{dataset}/{encoder}/tokens.npy",
        starts="results/{run}/{dataset}/{encoder}/starts.npy",
        queries="results/{run}/{dataset}/{encoder}/query_tokens.train.npy",
        real="results/{run}/{dataset}/{encoder}/query_tokens.train.real.npy",
        pairs="results/{run}/{dataset}/data/pairs.train.npz",
    output:
        vectors=sharded("results/{run}/{dataset}/{encoder}/token_views/beta{beta}-m{m_avg}/vectors.npy"),
        owner=sharded("results/{run}/{dataset}/{encoder}/token_views/beta{beta}-m{m_avg}/owner.npy"),
    log:
        in_shards("results/{run}/logs/{dataset}/{encoder}/fit.beta{beta}-m{m_avg}.log"),
    benchmark:
        in_shards("results/{run}/benchmarks/{dataset}/{encoder}/fit.beta{beta}-m{m_avg}.tsv")
    conda:
        "../../envs/retrieval.yaml"
    threads: search_threads
    resources:
        mem_mb=megabytes(factor=5, base=2000),
        runtime=120,
    params:
        shard=shard_of,
        seed=config["seed"],
    message:
        "MVG over ColBERT: behavioural vectors of {wildcards.dataset} in the space of {wildcards.encoder}"
    script:
        "../scripts/fit_colbert_views.py"


rule choose_over_tokens:
    input:
        tokens="results/{run}/{dataset}/{encoder}/tokens.npy",
        starts="results/{run}/{dataset}/{encoder}/starts.npy",
        queries="results/{run}/{dataset}/{encoder}/query_tokens.dev.npy",
        train="results/{run}/{dataset}/data/pairs.train.npz",
        dev="results/{run}/{dataset}/data/pairs.dev.npz",
        vectors=f"results/{{run}}/{{dataset}}/{{encoder}}/token_views/{BUDGET}/vectors.npy",
        owner=f"results/{{run}}/{{dataset}}/{{encoder}}/token_views/{BUDGET}/owner.npy",
    output:
        prior="results/{run}/{dataset}/{encoder}/choice.json",
        both=f"results/{{run}}/{{dataset}}/{{encoder}}/token_views/{BUDGET}/choice.json",
    log:
        "results/{run}/logs/{dataset}/{encoder}/choose_on_dev.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/{encoder}/choose_on_dev.tsv"
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
    message:
        "Choose the popularity prior and the bias of views over {wildcards.encoder} on dev of {wildcards.dataset}"
    script:
        "../scripts/choose_over_tokens.py"


rule search_colbert:
    input:
        tokens="results/{run}/{dataset}/{encoder}/tokens.npy",
        starts="results/{run}/{dataset}/{encoder}/starts.npy",
        queries="results/{run}/{dataset}/{encoder}/query_tokens.test.npy",
        vectors=f"results/{{run}}/{{dataset}}/{{encoder}}/token_views/{BUDGET}/vectors.npy",
        owner=f"results/{{run}}/{{dataset}}/{{encoder}}/token_views/{BUDGET}/owner.npy",
        prior="results/{run}/{dataset}/{encoder}/choice.json",
        both=f"results/{{run}}/{{dataset}}/{{encoder}}/token_views/{BUDGET}/choice.json",
        train="results/{run}/{dataset}/data/pairs.train.npz",
        test="results/{run}/{dataset}/data/pairs.test.npz",
    output:
        [sharded(ranking) for ranking in RANKINGS],
    log:
        in_shards("results/{run}/logs/{dataset}/{encoder}/search.log"),
    benchmark:
        in_shards("results/{run}/benchmarks/{dataset}/{encoder}/search.tsv")
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
        k=max(config["ks"]),
    message:
        "Search {wildcards.dataset} with {wildcards.encoder}, plain and with what goes over it"
    script:
        "../scripts/search_colbert.py"
