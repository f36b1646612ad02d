# Texts -> vectors: one folder per encoder, whatever its kind.


rule train_dssm:
    input:
        corpus="results/{run}/{dataset}/data/corpus.jsonl",
        queries="results/{run}/{dataset}/data/queries.jsonl",
        train="results/{run}/{dataset}/data/pairs.train.npz",
        dev="results/{run}/{dataset}/data/pairs.dev.npz",
        stats="results/{run}/{dataset}/data/stats.json",
    output:
        model="results/{run}/{dataset}/{encoder}/model/dssm.safetensors",
        tokenizer="results/{run}/{dataset}/{encoder}/model/tokenizer.model",
        history="results/{run}/{dataset}/{encoder}/training.csv",
    log:
        "results/{run}/logs/{dataset}/{encoder}/train.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/{encoder}/train.tsv"
    wildcard_constraints:
        encoder=of_kind("dssm"),
    conda:
        "../../envs/encoders.yaml"
    threads: 1
    resources:
        mem_mb=dssm_megabytes,
        runtime=240,
    params:
        settings=settings_of,
        seed=seed_of,
    message:
        "DSSM: train {wildcards.encoder} on {wildcards.dataset}"
    script:
        "../scripts/train_dssm.py"


rule encode_dssm:
    input:
        corpus="results/{run}/{dataset}/data/corpus.jsonl",
        queries="results/{run}/{dataset}/data/queries.jsonl",
        model="results/{run}/{dataset}/{encoder}/model/dssm.safetensors",
        tokenizer="results/{run}/{dataset}/{encoder}/model/tokenizer.model",
    output:
        documents=sharded("results/{run}/{dataset}/{encoder}/documents.npy"),
        queries=sharded("results/{run}/{dataset}/{encoder}/queries.npy"),
    log:
        in_shards("results/{run}/logs/{dataset}/{encoder}/encode.log"),
    benchmark:
        in_shards("results/{run}/benchmarks/{dataset}/{encoder}/encode.tsv")
    wildcard_constraints:
        encoder=of_kind("dssm"),
    conda:
        "../../envs/encoders.yaml"
    threads: 1
    resources:
        mem_mb=megabytes(factor=10, base=1000, shared=TEXTS),
        runtime=60,
    params:
        shard=shard_of,
        settings=settings_of,
    message:
        "DSSM: encode {wildcards.dataset} with {wildcards.encoder}"
    script:
        "../scripts/encode_dssm.py"


rule encode_pretrained:
    input:
        unpack(local_init),
        corpus="results/{run}/{dataset}/data/corpus.jsonl",
        queries="results/{run}/{dataset}/data/queries.jsonl",
    output:
        documents=sharded("results/{run}/{dataset}/{encoder}/documents.npy"),
        queries=sharded("results/{run}/{dataset}/{encoder}/queries.npy"),
    log:
        in_shards("results/{run}/logs/{dataset}/{encoder}/encode.log"),
    benchmark:
        in_shards("results/{run}/benchmarks/{dataset}/{encoder}/encode.tsv")
    wildcard_constraints:
        encoder=of_kind("pretrained"),
    conda:
        "../../envs/encoders.yaml"
    threads: TORCH_THREADS
    resources:
        **GPU,
        mem_mb=megabytes(factor=20, base=3000, shared=TEXTS),
        runtime=240,
    params:
        shard=shard_of,
        settings=settings_of,
        threads=TORCH_THREADS,
        device=config["device"],
    message:
        "Pretrained: encode {wildcards.dataset} with {wildcards.encoder} as it comes"
    script:
        "../scripts/encode_pretrained.py"


rule train_sbert:
    input:
        unpack(local_init),
        corpus="results/{run}/{dataset}/data/corpus.jsonl",
        queries="results/{run}/{dataset}/data/queries.jsonl",
        train="results/{run}/{dataset}/data/pairs.train.npz",
        dev="results/{run}/{dataset}/data/pairs.dev.npz",
    output:
        model=directory("results/{run}/{dataset}/{encoder}/model"),
        history="results/{run}/{dataset}/{encoder}/training.csv",
    log:
        "results/{run}/logs/{dataset}/{encoder}/train.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/{encoder}/train.tsv"
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
        settings=settings_of,
        seed=config["seed"],
        threads=torch_threads,
        device=config["device"],
        # Not an output: Snakemake would delete it when the job fails, and with it what to go on from.
        checkpoint="results/{run}/{dataset}/{encoder}/checkpoint",
    message:
        "SBERT: train {wildcards.encoder} on {wildcards.dataset}"
    script:
        "../scripts/train_sbert.py"


rule encode_sbert:
    input:
        corpus="results/{run}/{dataset}/data/corpus.jsonl",
        queries="results/{run}/{dataset}/data/queries.jsonl",
        model="results/{run}/{dataset}/{encoder}/model",
    output:
        documents=sharded("results/{run}/{dataset}/{encoder}/documents.npy"),
        queries=sharded("results/{run}/{dataset}/{encoder}/queries.npy"),
    log:
        in_shards("results/{run}/logs/{dataset}/{encoder}/encode.log"),
    benchmark:
        in_shards("results/{run}/benchmarks/{dataset}/{encoder}/encode.tsv")
    wildcard_constraints:
        encoder=of_kind("sbert"),
    conda:
        "../../envs/encoders.yaml"
    threads: torch_threads
    resources:
        **GPU,
        mem_mb=megabytes(factor=20, base=3000, shared=TEXTS),
        runtime=240,
    params:
        shard=shard_of,
        settings=settings_of,
        threads=torch_threads,
        device=config["device"],
    message:
        "SBERT: encode {wildcards.dataset} with {wildcards.encoder}"
    script:
        "../scripts/encode_pretrained.py"


# An encoder of the user's own: one file in workflow/mvg/encoders/ with a function `encode`.
rule encode_with_module:
    input:
        unpack(encoder_module),
        corpus="results/{run}/{dataset}/data/corpus.jsonl",
        queries="results/{run}/{dataset}/data/queries.jsonl",
        train="results/{run}/{dataset}/data/pairs.train.npz",
        dev="results/{run}/{dataset}/data/pairs.dev.npz",
    output:
        documents="results/{run}/{dataset}/{encoder}/documents.npy",
        queries="results/{run}/{dataset}/{encoder}/queries.npy",
    log:
        "results/{run}/logs/{dataset}/{encoder}/encode.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/{encoder}/encode.tsv"
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
        settings=settings_of,
        seed=config["seed"],
    message:
        "Encode {wildcards.dataset} with {wildcards.encoder}"
    script:
        "../scripts/encode_with_module.py"


# Ready vectors, row i those of line i of corpus.jsonl and queries.jsonl.
rule import_vectors:
    input:
        unpack(vector_files),
        corpus="results/{run}/{dataset}/data/corpus.jsonl",
        queries="results/{run}/{dataset}/data/queries.jsonl",
    output:
        documents="results/{run}/{dataset}/{encoder}/documents.npy",
        queries="results/{run}/{dataset}/{encoder}/queries.npy",
    log:
        "results/{run}/logs/{dataset}/{encoder}/encode.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/{encoder}/encode.tsv"
    wildcard_constraints:
        encoder=of_kind("vectors"),
    conda:
        "../../envs/data.yaml"
    threads: 1
    resources:
        mem_mb=megabytes(factor=3, base=1000),
        runtime=30,
    message:
        "Take the vectors of {wildcards.encoder} for {wildcards.dataset}"
    script:
        "../scripts/import_vectors.py"
