# What experiments measure on one dataset, each with `measure` of its module; `experiments.smk` reports it.

SWEPT = re.escape(config["sweeps"]["dssm"])
CHECKPOINTS = sorted(config["sweeps"]["checkpoints"])
VIEWS = {
    "vectors": f"<results>/{{dataset}}/{{encoder}}/mvg/{plan.budget}/vectors.npy",
    "owner": f"<results>/{{dataset}}/{{encoder}}/mvg/{plan.budget}/owner.npy",
}


rule measure_budget_share:
    input:
        train=PAIRS["train"],
        stats="<results>/{dataset}/data/stats.json",
    output:
        "<results>/{dataset}/budget/share.csv",
    log:
        "<logs>/{dataset}/measure_budget_share.log",
    benchmark:
        "<benchmarks>/{dataset}/measure_budget_share.tsv"
    conda:
        "../../envs/retrieval.yaml"
    threads: 1
    resources:
        mem_mb=megabytes(factor=10),
        runtime=10,
    params:
        experiment="budget_share",
        dataset="{dataset}",
        m_avg=config["multiview"]["m_avg"],
        behind=behind_data,
    message:
        "Who gets the budget of {wildcards.dataset}, by beta"
    script:
        "../scripts/measure.py"


# One job for the whole grid: its points share the search over the semantic vectors.
rule measure_budget_sweep:
    input:
        **VECTORS,
        train=PAIRS["train"],
        test=PAIRS["test"],
    output:
        "<results>/{dataset}/{encoder}/budget_sweep.csv",
    log:
        "<logs>/{dataset}/{encoder}/measure_budget_sweep.log",
    benchmark:
        "<benchmarks>/{dataset}/{encoder}/measure_budget_sweep.tsv"
    wildcard_constraints:
        encoder=ONE_VECTOR,
    conda:
        "../../envs/retrieval.yaml"
    threads: search_threads
    resources:
        mem_mb=megabytes(factor=4, base=1500),
        runtime=120,
    params:
        experiment="budget_sweep",
        dataset="{dataset}",
        encoder="{encoder}",
        betas=sorted({*config["sweeps"]["betas"], config["multiview"]["beta"]}),
        budgets=sorted({*config["sweeps"]["budgets"], config["multiview"]["m_avg"]}),
        k=max(config["ks"]),
        seed=config["seed"],
        behind=behind_vectors,
    message:
        "MVG over {wildcards.encoder} on {wildcards.dataset}, every budget and beta of the grid"
    script:
        "../scripts/measure.py"


rule measure_dimension_sweep:
    input:
        **PAIRS,
        documents=expand(VECTORS["documents"], encoder=plan.dimensions.values(), allow_missing=True),
        queries=expand(VECTORS["queries"], encoder=plan.dimensions.values(), allow_missing=True),
    output:
        "<results>/{dataset}/{encoder}/dimension_sweep.csv",
    log:
        "<logs>/{dataset}/{encoder}/measure_dimension_sweep.log",
    benchmark:
        "<benchmarks>/{dataset}/{encoder}/measure_dimension_sweep.tsv"
    wildcard_constraints:
        encoder=SWEPT,
    conda:
        "../../envs/retrieval.yaml"
    threads: search_threads
    resources:
        mem_mb=megabytes(factor=2, base=2000),
        runtime=120,
    params:
        experiment="dimension_sweep",
        dataset="{dataset}",
        dimensions=list(plan.dimensions),
        compared=plan.compared_dimensions(),
        multiview=config["multiview"],
        k=max(config["ks"]),
        seed=config["seed"],
        behind=behind_vectors,
    message:
        "DSSM, MVG and prior on {wildcards.dataset}, every dimension of the grid"
    script:
        "../scripts/measure.py"


# One training of its own, to overfitting: the encoder of the benchmark stops where dev is best.
rule train_checkpoints:
    input:
        corpus="<results>/{dataset}/data/corpus.jsonl",
        texts="<results>/{dataset}/data/queries.jsonl",
        train=PAIRS["train"],
        dev=PAIRS["dev"],
        stats="<results>/{dataset}/data/stats.json",
    output:
        # Kept, though they are large: another budget must not train again.
        documents=expand(
            "<results>/{dataset}/{encoder}/checkpoints/{epochs}/documents.npy",
            epochs=CHECKPOINTS,
            allow_missing=True,
        ),
        queries=expand(
            "<results>/{dataset}/{encoder}/checkpoints/{epochs}/queries.npy",
            epochs=CHECKPOINTS,
            allow_missing=True,
        ),
        history="<results>/{dataset}/{encoder}/checkpoints/training.csv",
    log:
        "<logs>/{dataset}/{encoder}/train_checkpoints.log",
    benchmark:
        "<benchmarks>/{dataset}/{encoder}/train_checkpoints.tsv"
    wildcard_constraints:
        encoder=SWEPT,
    conda:
        "../../envs/encoders.yaml"
    threads: 1
    resources:
        mem_mb=dssm_megabytes,
        runtime=240,
    params:
        settings=lambda wildcards: or_one_line(plan.encoder, wildcards.dataset, wildcards.encoder),
        checkpoints=CHECKPOINTS,
        seed=config["seed"],
        behind=behind_data,
    message:
        "DSSM: train {wildcards.encoder} on {wildcards.dataset} to overfitting, with checkpoints"
    script:
        "../scripts/train_checkpoints.py"


rule measure_training_sweep:
    input:
        documents=rules.train_checkpoints.output.documents,
        queries=rules.train_checkpoints.output.queries,
        train=PAIRS["train"],
        test=PAIRS["test"],
    output:
        "<results>/{dataset}/{encoder}/training_sweep.csv",
    log:
        "<logs>/{dataset}/{encoder}/measure_training_sweep.log",
    benchmark:
        "<benchmarks>/{dataset}/{encoder}/measure_training_sweep.tsv"
    wildcard_constraints:
        encoder=SWEPT,
    conda:
        "../../envs/retrieval.yaml"
    threads: search_threads
    resources:
        mem_mb=megabytes(factor=2, base=2000),
        runtime=120,
    params:
        experiment="training_sweep",
        dataset="{dataset}",
        checkpoints=CHECKPOINTS,
        multiview=config["multiview"],
        k=max(config["ks"]),
        seed=config["seed"],
        behind=behind_vectors,
    message:
        "DSSM and MVG on {wildcards.dataset} at each checkpoint of the training"
    script:
        "../scripts/measure.py"


rule measure_ablations:
    input:
        **VECTORS,
        **PAIRS,
        **VIEWS,
        counts=f"<results>/{{dataset}}/budget/{plan.budget}.npy",
    output:
        "<results>/{dataset}/{encoder}/ablations.csv",
    log:
        "<logs>/{dataset}/{encoder}/measure_ablations.log",
    benchmark:
        "<benchmarks>/{dataset}/{encoder}/measure_ablations.tsv"
    wildcard_constraints:
        encoder=ONE_VECTOR,
    conda:
        "../../envs/retrieval.yaml"
    threads: search_threads
    resources:
        mem_mb=megabytes(factor=6, base=2000),
        runtime=120,
    params:
        experiment="ablations",
        ks=config["ks"],
        seed=config["seed"],
        behind=behind_vectors,
    message:
        "Ablations of MVG over {wildcards.encoder} on {wildcards.dataset}"
    script:
        "../scripts/measure.py"


rule measure_complexity:
    input:
        **VECTORS,
        **VIEWS,
        **plan.token_files(),
        test=PAIRS["test"],
    output:
        "<results>/{dataset}/{encoder}/complexity.csv",
    log:
        "<logs>/{dataset}/{encoder}/measure_complexity.log",
    benchmark:
        "<benchmarks>/{dataset}/{encoder}/measure_complexity.tsv"
    wildcard_constraints:
        encoder=ONE_VECTOR,
    conda:
        "../../envs/retrieval.yaml"
    threads: 1
    resources:
        mem_mb=megabytes(factor=20, base=1000),
        runtime=120,
    params:
        experiment="complexity",
        k=max(config["ks"]),
        seed=config["seed"],
        behind=behind_vectors,
    message:
        "Complexity: sizes and times of indexes on {wildcards.dataset}"
    script:
        "../scripts/measure.py"


rule measure_click_log:
    input:
        **VECTORS,
        **VIEWS,
        texts="<results>/{dataset}/data/queries.jsonl",
        dev=PAIRS["dev"],
        test=PAIRS["test"],
    output:
        f"<results>/{{dataset}}/{{encoder}}/mvg/{plan.budget}/offline_ab.csv",
    log:
        "<logs>/{dataset}/{encoder}/measure_click_log.log",
    benchmark:
        "<benchmarks>/{dataset}/{encoder}/measure_click_log.tsv"
    wildcard_constraints:
        encoder=ONE_VECTOR,
    conda:
        "../../envs/retrieval.yaml"
    threads: 1
    resources:
        mem_mb=megabytes(factor=4, base=1500),
        runtime=60,
    params:
        experiment="click_log",
        encoder="{encoder}",
        seed=config["seed"],
        behind=behind_vectors,
    message:
        "Sparse results and latency of {wildcards.dataset}, MVG over {wildcards.encoder} against it alone"
    script:
        "../scripts/measure.py"
