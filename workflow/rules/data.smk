# Raw files -> one BEIR folder per dataset.

PREPARED = "results/{run}/{dataset}/data"


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
        mem_mb=1000,
        runtime=10,
    params:
        shape="{dataset}",
        seed=config["seed"],
        documents=lambda wildcards: config["simulation"].get("documents"),
        queries=lambda wildcards: config["simulation"].get("queries"),
    message:
        "Simulate the raw files of {wildcards.dataset}"
    script:
        "../scripts/simulate.py"


def raw_files(wildcards):
    source = source_of(wildcards.dataset)
    if source["source"] == "simulated":
        return [f"results/{wildcards.run}/{wildcards.dataset}/raw"]
    path = Path(source["path"])
    return [str(path)] if path.is_file() else sorted(str(f) for f in path.rglob("*") if f.is_file())


def raw_source(wildcards):
    """What the reader needs to know: format, path, and whether the data are simulated."""
    source = source_of(wildcards.dataset)
    if source["source"] == "simulated":
        path = f"results/{wildcards.run}/{wildcards.dataset}/raw"
        return {"format": KNOWN_SETS[wildcards.dataset], "path": path, "simulated": True}
    return {"format": source["format"], "path": source["path"], "simulated": False}


rule prepare:
    input:
        raw_files,
    output:
        PREPARED + "/corpus.jsonl",
        PREPARED + "/queries.jsonl",
        expand(PREPARED + "/qrels/{split}.tsv", split=SPLITS, allow_missing=True),
        expand(PREPARED + "/filters/{split}.tsv", split=SPLITS, allow_missing=True),
        stats=PREPARED + "/stats.json",
    log:
        "results/{run}/logs/{dataset}/prepare.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/prepare.tsv"
    conda:
        "../../envs/data.yaml"
    threads: 1
    resources:
        mem_mb=megabytes(factor=20),
        runtime=60,
    params:
        source=raw_source,
    message:
        "Prepare {wildcards.dataset} as a BEIR folder"
    script:
        "../scripts/prepare.py"


rule index_pairs:
    input:
        corpus=PREPARED + "/corpus.jsonl",
        queries=PREPARED + "/queries.jsonl",
        qrels=PREPARED + "/qrels/{split}.tsv",
        filters=PREPARED + "/filters/{split}.tsv",
    output:
        PREPARED + "/pairs.{split}.npz",
    log:
        "results/{run}/logs/{dataset}/index_pairs.{split}.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/index_pairs.{split}.tsv"
    conda:
        "../../envs/data.yaml"
    threads: 1
    resources:
        mem_mb=megabytes(factor=10),
        runtime=10,
    message:
        "Number the {wildcards.split} pairs of {wildcards.dataset}"
    script:
        "../scripts/index_pairs.py"
