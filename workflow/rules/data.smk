# Raw files -> one BEIR folder per dataset.


rule simulate:
    output:
        directory("<results>/{dataset}/raw"),
    log:
        "<logs>/{dataset}/simulate.log",
    benchmark:
        "<benchmarks>/{dataset}/simulate.tsv"
    conda:
        "../../envs/data.yaml"
    threads: 1
    resources:
        # The drawn queries stay in memory: 4 GB for 4.6 million of them.
        mem_mb=1000 + config["simulation"].get("queries", 0) // 1000,
        runtime=60,
    params:
        shape="{dataset}",
        seed=config["seed"],
        documents=config["simulation"].get("documents"),
        queries=config["simulation"].get("queries"),
    message:
        "Simulate the raw files of {wildcards.dataset}"
    script:
        "../scripts/simulate.py"


RETRIES = 3  # of a failed download; it already retries cut connections and busy servers itself


localrules:
    download,


# The files themselves are no outputs. So parts that have arrived survive a failed job, and every run can use them.
rule download:
    output:
        f"{config['download_dir']}/{{dataset}}/downloaded.json",
    log:
        "<logs>/{dataset}/download.log",
    benchmark:
        "<benchmarks>/{dataset}/download.tsv"
    wildcard_constraints:
        dataset="|".join(DOWNLOADS),
    retries: RETRIES
    conda:
        "../../envs/data.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=1440,
        try_number=lambda wildcards, attempt: attempt,
    params:
        year=lambda wildcards: plan.source(wildcards.dataset).get("year"),
        files=lambda wildcards: plan.source(wildcards.dataset).get("files"),
        tries=1 + RETRIES,
    message:
        "Download the original of {wildcards.dataset}"
    script:
        "../scripts/download.py"


# A separate job, so that files of many GB are read again only if they change. It runs after prepare, which
# reports what is wrong with them.
rule checksum_raw:
    input:
        raw=lambda wildcards: or_one_line(plan.raw_files, wildcards.dataset),
        stats=ancient("<results>/{dataset}/data/stats.json"),
    output:
        "<results>/{dataset}/raw.checksums.json",
    log:
        "<logs>/{dataset}/checksum_raw.log",
    benchmark:
        "<benchmarks>/{dataset}/checksum_raw.tsv"
    conda:
        "../../envs/data.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=120,
    params:
        folder=lambda wildcards: plan.raw_folder(wildcards.dataset),
        downloaded=lambda wildcards: plan.source(wildcards.dataset)["source"] == "download",
        behind=behind_data,
    message:
        "Checksums of the raw files of {wildcards.dataset}"
    script:
        "../scripts/checksum_raw.py"


rule prepare:
    input:
        raw=lambda wildcards: or_one_line(plan.raw_files, wildcards.dataset),
    output:
        corpus="<results>/{dataset}/data/corpus.jsonl",
        queries="<results>/{dataset}/data/queries.jsonl",
        qrels=expand(
            "<results>/{dataset}/data/qrels/{split}.tsv",
            split=SPLITS,
            allow_missing=True,
        ),
        filters=expand(
            "<results>/{dataset}/data/filters/{split}.tsv",
            split=SPLITS,
            allow_missing=True,
        ),
        stats="<results>/{dataset}/data/stats.json",
    log:
        "<logs>/{dataset}/prepare.log",
    benchmark:
        "<benchmarks>/{dataset}/prepare.tsv"
    conda:
        "../../envs/data.yaml"
    threads: 1
    resources:
        mem_mb=prepare_megabytes,
        runtime=240,
    params:
        folder=lambda wildcards: plan.raw_folder(wildcards.dataset),
        reading=lambda wildcards: plan.reading(wildcards.dataset),
        behind=behind_data,
    message:
        "Prepare {wildcards.dataset} as a BEIR folder"
    script:
        "../scripts/prepare.py"


rule index_pairs:
    input:
        corpus="<results>/{dataset}/data/corpus.jsonl",
        queries="<results>/{dataset}/data/queries.jsonl",
        qrels=expand(
            "<results>/{dataset}/data/qrels/{split}.tsv",
            split=SPLITS,
            allow_missing=True,
        ),
        filters=expand(
            "<results>/{dataset}/data/filters/{split}.tsv",
            split=SPLITS,
            allow_missing=True,
        ),
    output:
        **{split: f"<results>/{{dataset}}/data/pairs.{split}.npz" for split in SPLITS},
    log:
        "<logs>/{dataset}/index_pairs.log",
    benchmark:
        "<benchmarks>/{dataset}/index_pairs.tsv"
    conda:
        "../../envs/data.yaml"
    threads: 1
    resources:
        mem_mb=megabytes(factor=2),
        runtime=60,
    params:
        behind=behind_data,
    message:
        "Number the pairs of {wildcards.dataset}"
    script:
        "../scripts/index_pairs.py"
