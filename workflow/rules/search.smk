# Choices on dev, then exact (or approximate) search over semantic and behavioural vectors.

ANY_ENCODER = pattern(plan.settings)
ONE_VECTOR = pattern(plan.settings.keys() - plan.of_kind("colbert"))

# The rankings of every encoder: plain, with the prior, with MVG, with both.
RANKINGS = {name: f"<results>/{{dataset}}/runs/{over}{{encoder}}.npz" for name, over in WRAPPERS.items()}

# The additional methods of the config, for encoders with one vector a text. CHOICES say, for people to read, what
# dev chose.
METHODS = config["multiview"]["methods"]
ADDITIONS = [f"<results>/{{dataset}}/{{encoder}}/additions/{name}.npz" for name in METHODS]
CHOICES = [f"<results>/{{dataset}}/{{encoder}}/additions/{name}.json" for name in METHODS]
MORE_RANKINGS = [f"<results>/{{dataset}}/runs/{name}+{{encoder}}.npz" for name in METHODS]


rule choose_on_dev:
    input:
        documents="<results>/{dataset}/{encoder}/documents.npy",
        queries="<results>/{dataset}/{encoder}/queries.npy",
        train="<results>/{dataset}/data/pairs.train.npz",
        dev="<results>/{dataset}/data/pairs.dev.npz",
        vectors=f"<results>/{{dataset}}/{{encoder}}/mvg/{plan.budget}/vectors.npy",
        owner=f"<results>/{{dataset}}/{{encoder}}/mvg/{plan.budget}/owner.npy",
    output:
        prior="<results>/{dataset}/{encoder}/choice.json",
        both=f"<results>/{{dataset}}/{{encoder}}/mvg/{plan.budget}/choice.json",
        additions=ADDITIONS,
        choices=CHOICES,
    log:
        "<logs>/{dataset}/{encoder}/choose_on_dev.log",
    benchmark:
        "<benchmarks>/{dataset}/{encoder}/choose_on_dev.tsv"
    wildcard_constraints:
        encoder=ONE_VECTOR,
    conda:
        "../../envs/retrieval.yaml"
    threads: search_threads
    resources:
        mem_mb=megabytes(factor=8 if METHODS else 1.2, base=2500),  # mostly mapped from disk, unless methods learn
        runtime=240,
    params:
        # Not an output: if the job fails, Snakemake would delete it, and training could not resume from it.
        checkpoint=f"{RESULTS}/{{dataset}}/{{encoder}}/checkpoint-tuned",
        k=max(config["ks"]),
        multiview=config["multiview"],
        index=config["index"],
        seed=lambda wildcards: plan.seed(wildcards.encoder),
        behind=behind_vectors,
    message:
        "Choose additions to {wildcards.encoder} on dev of {wildcards.dataset}"
    script:
        "../scripts/choose_on_dev.py"


# One job for everything that uses one encoder: in separate jobs, imports would cost more.
rule search:
    input:
        documents="<results>/{dataset}/{encoder}/documents.npy",
        queries="<results>/{dataset}/{encoder}/queries.npy",
        vectors=f"<results>/{{dataset}}/{{encoder}}/mvg/{plan.budget}/vectors.npy",
        owner=f"<results>/{{dataset}}/{{encoder}}/mvg/{plan.budget}/owner.npy",
        prior="<results>/{dataset}/{encoder}/choice.json",
        both=f"<results>/{{dataset}}/{{encoder}}/mvg/{plan.budget}/choice.json",
        additions=ADDITIONS,
        train="<results>/{dataset}/data/pairs.train.npz",
        test="<results>/{dataset}/data/pairs.test.npz",
    output:
        **{name: sharded(ranking) for name, ranking in RANKINGS.items()},
        more=[sharded(ranking) for ranking in MORE_RANKINGS],
    log:
        in_shards("<logs>/{dataset}/{encoder}/search.log"),
    benchmark:
        in_shards("<benchmarks>/{dataset}/{encoder}/search.tsv")
    wildcard_constraints:
        encoder=ONE_VECTOR,
    conda:
        "../../envs/retrieval.yaml"
    threads: search_threads
    resources:
        # An approximate index holds all vectors in memory.
        mem_mb=megabytes(
            factor=5,
            base=2000,
            mapped=(["documents", "queries", "vectors"] if config["index"] == "exact" else []),
        ),
        runtime=120,
    params:
        shard=shard_of,
        index=config["index"],
        k=lambda wildcards: plan.depth(wildcards.dataset),
        behind=behind_rankings,
    message:
        "Search {wildcards.dataset} with {wildcards.encoder}, plain and with additions"
    script:
        "../scripts/search.py"


# The choice of dev as an index folder to deploy; see docs/serving.md.
INDEXED = plan.indexed()


rule make_index:
    input:
        addition=f"<results>/{{dataset}}/{{encoder}}/additions/{INDEXED}.npz",
        choice=f"<results>/{{dataset}}/{{encoder}}/additions/{INDEXED}.json",
        scores=f"<results>/{{dataset}}/scores/{INDEXED}+{{encoder}}.csv",
        documents="<results>/{dataset}/{encoder}/documents.npy",
        queries="<results>/{dataset}/{encoder}/queries.npy",
        train="<results>/{dataset}/data/pairs.train.npz",
        dev="<results>/{dataset}/data/pairs.dev.npz",
        corpus="<results>/{dataset}/data/corpus.jsonl",
        queries_jsonl="<results>/{dataset}/data/queries.jsonl",
        stats="<results>/{dataset}/data/stats.json",
    output:
        "<results>/{dataset}/index/{encoder}/manifest.json",
    log:
        "<logs>/{dataset}/{encoder}/index.log",
    benchmark:
        "<benchmarks>/{dataset}/{encoder}/index.tsv"
    wildcard_constraints:
        encoder=ONE_VECTOR,
    conda:
        "../../envs/retrieval.yaml"
    threads: search_threads
    resources:
        mem_mb=megabytes(factor=5, base=2000),
        runtime=60,
    params:
        run=plan.run,
        method=INDEXED,
        encoder=lambda wildcards: or_one_line(plan.encoder, wildcards.dataset, wildcards.encoder),
        multiview=config["multiview"],
        index=config["index"],
        k=max(config["ks"]),
        seed=lambda wildcards: plan.seed(wildcards.encoder),
        min_count=config["explorer"]["min_count"],
        behind=behind_rankings,
    message:
        "Index: {wildcards.dataset} with {wildcards.encoder} and what dev chose, to serve and to load"
    script:
        "../scripts/index.py"


rule export_qrels:
    input:
        queries="<results>/{dataset}/data/queries.jsonl",
        corpus="<results>/{dataset}/data/corpus.jsonl",
        pairs="<results>/{dataset}/data/pairs.test.npz",
    output:
        "<results>/{dataset}/trec/qrels.test.txt",
    log:
        "<logs>/{dataset}/export_qrels.log",
    benchmark:
        "<benchmarks>/{dataset}/export_qrels.tsv"
    conda:
        "../../envs/data.yaml"
    threads: 1
    resources:
        mem_mb=megabytes(factor=10),
        runtime=20,
    params:
        method="",
        behind=behind_data,
    message:
        "Write the test qrels of {wildcards.dataset} for trec_eval"
    script:
        "../scripts/export_trec.py"


use rule export_qrels as export_run with:
    input:
        queries="<results>/{dataset}/data/queries.jsonl",
        corpus="<results>/{dataset}/data/corpus.jsonl",
        pairs="<results>/{dataset}/data/pairs.test.npz",
        ranking="<results>/{dataset}/runs/{method}.npz",
    output:
        "<results>/{dataset}/trec/{method}.run",
    log:
        "<logs>/{dataset}/export_run.{method}.log",
    benchmark:
        "<benchmarks>/{dataset}/export_run.{method}.tsv"
    params:
        method="{method}",
        behind=behind_data,
    message:
        "Write the ranking of {wildcards.method} on {wildcards.dataset} for trec_eval"
