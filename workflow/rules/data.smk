# Raw files -> one BEIR folder per dataset.


rule simulate:
    output:
        directory("results/{run}/{dataset}/raw"),
    log:
        "results/{run}/logs/{dataset}/simulate.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/simulate.tsv"
    conda:
        "../../envs/data.yaml"
    threads: 1
    resources:
        # Queries are held as they are drawn: 4 GB for 4.6 million of them.
        mem_mb=1000 + config["simulation"].get("queries", 0) // 1000,
        runtime=60,
    params:
        shape="{dataset}",
        seed=config["seed"],
        documents=lambda wildcards: config["simulation"].get("documents"),
        queries=lambda wildcards: config["simulation"].get("queries"),
    message:
        "Simulate the raw files of {wildcards.dataset}"
    script:
        "../scripts/simulate.py"


# The files themselves are no outputs: what has come of them outlives a failed job, and serves every run.
localrules:
    download,


rule download:
    output:
        f"{config['download_dir']}/{{dataset}}/downloaded.json",
    log:
        f"results/{RUN}/logs/{{dataset}}/download.log",
    benchmark:
        f"results/{RUN}/benchmarks/{{dataset}}/download.tsv"
    wildcard_constraints:
        dataset="|".join(DOWNLOADS),
    conda:
        "../../envs/data.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=1440,
    params:
        year=lambda wildcards: source_of(wildcards.dataset).get("year"),
        files=lambda wildcards: source_of(wildcards.dataset).get("files"),
    message:
        "Download the original of {wildcards.dataset}"
    script:
        "../scripts/download.py"


# A job of its own, so that files of many GB are read again only if they change; and after prepare, which
# says what is wrong with them.
rule checksum_raw:
    input:
        raw_files,
        stats=ancient("results/{run}/{dataset}/data/stats.json"),
    output:
        "results/{run}/{dataset}/raw.checksums.json",
    log:
        "results/{run}/logs/{dataset}/checksum_raw.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/checksum_raw.tsv"
    conda:
        "../../envs/data.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=120,
    params:
        folder=raw_folder,
        downloaded=lambda wildcards: source_of(wildcards.dataset)["source"] == "download",
    message:
        "Checksums of the raw files of {wildcards.dataset}"
    script:
        "../scripts/checksum_raw.py"


rule prepare:
    input:
        raw_files,
    output:
        "results/{run}/{dataset}/data/corpus.jsonl",
        "results/{run}/{dataset}/data/queries.jsonl",
        expand("results/{run}/{dataset}/data/qrels/{split}.tsv", split=SPLITS, allow_missing=True),
        expand("results/{run}/{dataset}/data/filters/{split}.tsv", split=SPLITS, allow_missing=True),
        stats="results/{run}/{dataset}/data/stats.json",
    log:
        "results/{run}/logs/{dataset}/prepare.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/prepare.tsv"
    conda:
        "../../envs/data.yaml"
    threads: 1
    resources:
        mem_mb=megabytes(factor=20, base=4000, most=16000),
        runtime=240,
    params:
        source=raw_source,
    message:
        "Prepare {wildcards.dataset} as a BEIR folder"
    script:
        "../scripts/prepare.py"


rule index_pairs:
    input:
        corpus="results/{run}/{dataset}/data/corpus.jsonl",
        queries="results/{run}/{dataset}/data/queries.jsonl",
        qrels=expand("results/{run}/{dataset}/data/qrels/{split}.tsv", split=SPLITS, allow_missing=True),
        filters=expand("results/{run}/{dataset}/data/filters/{split}.tsv", split=SPLITS, allow_missing=True),
    output:
        expand("results/{run}/{dataset}/data/pairs.{split}.npz", split=SPLITS, allow_missing=True),
    log:
        "results/{run}/logs/{dataset}/index_pairs.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/index_pairs.tsv"
    conda:
        "../../envs/data.yaml"
    threads: 1
    resources:
        mem_mb=megabytes(factor=10),
        runtime=10,
    params:
        splits=SPLITS,
    message:
        "Number the pairs of {wildcards.dataset}"
    script:
        "../scripts/index_pairs.py"
