# Texts -> vectors: one folder per encoder, whatever its kind. A training job also encodes, unless there are
# shards: importing the libraries again would take longer than encoding.


rule train_dssm:
    input:
        corpus="<results>/{dataset}/data/corpus.jsonl",
        queries="<results>/{dataset}/data/queries.jsonl",
        train="<results>/{dataset}/data/pairs.train.npz",
        dev="<results>/{dataset}/data/pairs.dev.npz",
        stats="<results>/{dataset}/data/stats.json",
    output:
        **VECTORS_AT_ONCE,
        model="<results>/{dataset}/{encoder}/model/dssm.safetensors",
        tokenizer="<results>/{dataset}/{encoder}/model/tokenizer.model",
        history="<results>/{dataset}/{encoder}/training.csv",
    log:
        "<logs>/{dataset}/{encoder}/train.log",
    benchmark:
        "<benchmarks>/{dataset}/{encoder}/train.tsv"
    wildcard_constraints:
        encoder=of_kind("dssm"),
    conda:
        "../../envs/encoders.yaml"
    threads: 1
    resources:
        mem_mb=dssm_megabytes,
        runtime=240,
    params:
        settings=lambda wildcards: or_one_line(plan.encoder, wildcards.dataset, wildcards.encoder),
        seed=lambda wildcards: plan.seed(wildcards.encoder),
        behind=behind_data,
    message:
        "DSSM: train {wildcards.encoder} on {wildcards.dataset}"
    script:
        "../scripts/train_dssm.py"


rule encode_pretrained:
    input:
        unpack(lambda wildcards: plan.init_files(wildcards.dataset, wildcards.encoder)),
        corpus="<results>/{dataset}/data/corpus.jsonl",
        queries="<results>/{dataset}/data/queries.jsonl",
    output:
        documents=sharded("<results>/{dataset}/{encoder}/documents.npy"),
        queries=sharded("<results>/{dataset}/{encoder}/queries.npy"),
    log:
        in_shards("<logs>/{dataset}/{encoder}/encode.log"),
    benchmark:
        in_shards("<benchmarks>/{dataset}/{encoder}/encode.tsv")
    wildcard_constraints:
        encoder=of_kind("pretrained"),
    conda:
        "../../envs/encoders.yaml"
    threads: torch_threads
    resources:
        **GPU,
        mem_mb=megabytes(factor=20, base=3000, shared=TEXTS),
        runtime=240,
    params:
        shard=shard_of,
        settings=lambda wildcards: or_one_line(plan.encoder, wildcards.dataset, wildcards.encoder),
        threads=torch_threads,
        device=config["device"],
        behind=behind_data,
    message:
        "Pretrained: encode {wildcards.dataset} with {wildcards.encoder}"
    script:
        "../scripts/encode_pretrained.py"


rule train_sbert:
    input:
        unpack(lambda wildcards: plan.init_files(wildcards.dataset, wildcards.encoder)),
        corpus="<results>/{dataset}/data/corpus.jsonl",
        queries="<results>/{dataset}/data/queries.jsonl",
        train="<results>/{dataset}/data/pairs.train.npz",
        dev="<results>/{dataset}/data/pairs.dev.npz",
    output:
        **VECTORS_AT_ONCE,
        model=directory("<results>/{dataset}/{encoder}/model"),
        history="<results>/{dataset}/{encoder}/training.csv",
    log:
        "<logs>/{dataset}/{encoder}/train.log",
    benchmark:
        "<benchmarks>/{dataset}/{encoder}/train.tsv"
    wildcard_constraints:
        encoder=of_kind("sbert"),
    conda:
        "../../envs/encoders.yaml"
    threads: torch_threads
    resources:
        **GPU,
        mem_mb=megabytes(factor=30, base=6000),
        runtime=480,
    params:
        settings=lambda wildcards: or_one_line(plan.encoder, wildcards.dataset, wildcards.encoder),
        seed=lambda wildcards: plan.seed(wildcards.encoder),
        threads=torch_threads,
        device=config["device"],
        # Not an output: if the job fails, Snakemake would delete it, and training could not resume from it.
        checkpoint=f"{RESULTS}/{{dataset}}/{{encoder}}/checkpoint",
        behind=behind_data,
    message:
        "SBERT: train {wildcards.encoder} on {wildcards.dataset}"
    script:
        "../scripts/train_sbert.py"


# An encoder that is one file in workflow/mvg/encoders/ with a function `encode`: the user's, or that of a kind.
rule encode_with_module:
    input:
        # If the file changes, its vectors are made again.
        module=lambda wildcards: f"{WORKFLOW}/mvg/encoders/{plan.module(wildcards.encoder)}.py",
        corpus="<results>/{dataset}/data/corpus.jsonl",
        queries="<results>/{dataset}/data/queries.jsonl",
        train="<results>/{dataset}/data/pairs.train.npz",
        dev="<results>/{dataset}/data/pairs.dev.npz",
    output:
        documents="<results>/{dataset}/{encoder}/documents.npy",
        queries="<results>/{dataset}/{encoder}/queries.npy",
    log:
        "<logs>/{dataset}/{encoder}/encode.log",
    benchmark:
        "<benchmarks>/{dataset}/{encoder}/encode.tsv"
    wildcard_constraints:
        encoder=of_kind("module"),
    conda:
        "../../envs/encoders.yaml"
    threads: TORCH_THREADS
    resources:
        **GPU,
        mem_mb=megabytes(factor=40, base=3000),
        runtime=480,
    params:
        module=lambda wildcards: plan.module(wildcards.encoder),
        arguments=lambda wildcards: plan.arguments(wildcards.encoder),
        seed=config["seed"],
        behind=behind_data,
    message:
        "Encode {wildcards.dataset} with {wildcards.encoder}"
    script:
        "../scripts/encode_with_module.py"


# Ready-made vectors. Row i belongs to line i of corpus.jsonl or queries.jsonl.
rule import_vectors:
    input:
        unpack(lambda wildcards: or_one_line(plan.vector_files, wildcards.dataset, wildcards.encoder)),
        corpus="<results>/{dataset}/data/corpus.jsonl",
        queries="<results>/{dataset}/data/queries.jsonl",
    output:
        documents="<results>/{dataset}/{encoder}/documents.npy",
        queries="<results>/{dataset}/{encoder}/queries.npy",
    log:
        "<logs>/{dataset}/{encoder}/encode.log",
    benchmark:
        "<benchmarks>/{dataset}/{encoder}/encode.tsv"
    wildcard_constraints:
        encoder=of_kind("vectors"),
    conda:
        "../../envs/data.yaml"
    threads: 1
    resources:
        mem_mb=1500,  # some rows at a time
        runtime=30,
    params:
        behind=behind_data,
    message:
        "Import the vectors of {wildcards.encoder} for {wildcards.dataset}"
    script:
        "../scripts/import_vectors.py"
