# Sweeps of the budget, the dimension and the length of training, each over a grid of the config.

SWEPT = re.escape(config["sweeps"]["dssm"])
CHECKPOINTS = sorted(config["sweeps"]["checkpoints"])
SHARED = list(dict.fromkeys(plan.datasets + plan.click_log()))


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


use rule popularity as budget_share with:
    input:
        numbers=expand("<results>/{dataset}/budget/share.csv", dataset=SHARED),
        stats=expand(STATS, dataset=SHARED),
    output:
        **figure("budget_share"),
    log:
        "<logs>/budget_share.log",
    benchmark:
        "<benchmarks>/budget_share.tsv"
    params:
        experiment="budget_share",
        datasets=plan.titles(SHARED),
        behind=behind(datasets=SHARED, multiview=config["multiview"]),
    message:
        "Figure: who gets the budget"


# One job for the whole grid, because its points share the search over the semantic vectors.
rule measure_budget_sweep:
    input:
        **VECTORS,
        texts="<results>/{dataset}/data/queries.jsonl",
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
        by_traffic=lambda wildcards: wildcards.dataset in plan.click_log(),
        betas=sorted({*config["sweeps"]["betas"], config["multiview"]["beta"]}),
        budgets=sorted({*config["sweeps"]["budgets"], config["multiview"]["m_avg"]}),
        k=max(config["ks"]),
        seed=config["seed"],
        behind=behind_vectors,
    message:
        "MVG over {wildcards.encoder} on {wildcards.dataset}, every budget and beta of the grid"
    script:
        "../scripts/measure.py"


use rule popularity as budget_sweep with:
    input:
        numbers=[f"<results>/{dataset}/{encoder}/budget_sweep.csv" for dataset, encoder in plan.swept()],
        stats=expand(STATS, dataset=SHARED),
    output:
        **figure("budget_sweep"),
    log:
        "<logs>/budget_sweep.log",
    benchmark:
        "<benchmarks>/budget_sweep.tsv"
    params:
        experiment="budget_sweep",
        datasets=plan.titles(SHARED),
        behind=[plan.behind_rankings(dataset, encoder) for dataset, encoder in plan.swept()],
        grid=[config["sweeps"]["betas"], config["sweeps"]["budgets"]],
    message:
        "Figure: recall and MAP by budget"


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
        compared=compared_dimensions(config),
        multiview={name: config["multiview"][name] for name in ("beta", "m_avg")},
        k=max(config["ks"]),
        seed=config["seed"],
        behind=behind_vectors,
    message:
        "DSSM, MVG and prior on {wildcards.dataset}, every dimension of the grid"
    script:
        "../scripts/measure.py"


use rule popularity as dimension_sweep with:
    input:
        numbers=expand(
            "<results>/{dataset}/{encoder}/dimension_sweep.csv",
            dataset=plan.sweep_datasets(),
            encoder=config["sweeps"]["dssm"],
        ),
        stats=expand(STATS, dataset=plan.sweep_datasets()),
    output:
        **figure("dimension_sweep"),
    log:
        "<logs>/dimension_sweep.log",
    benchmark:
        "<benchmarks>/dimension_sweep.tsv"
    params:
        experiment="dimension_sweep",
        datasets=plan.titles(plan.sweep_datasets()),
        behind=behind(plan.dimensions.values(), plan.sweep_datasets()),
    message:
        "Figure: recall and MAP by dimension"


# One job for all encoders of a dataset: most methods are fast, imports are slow.
rule measure_frontier:
    input:
        **PAIRS,
        corpus="<results>/{dataset}/data/corpus.jsonl",
        texts="<results>/{dataset}/data/queries.jsonl",
        documents=expand(VECTORS["documents"], encoder=plan.frontier_encoders(), allow_missing=True),
        queries=expand(VECTORS["queries"], encoder=plan.frontier_encoders(), allow_missing=True),
    output:
        "<results>/{dataset}/frontier.csv",
    log:
        "<logs>/{dataset}/measure_frontier.log",
    benchmark:
        "<benchmarks>/{dataset}/measure_frontier.tsv"
    conda:
        "../../envs/retrieval.yaml"
    threads: search_threads
    resources:
        mem_mb=megabytes(factor=8, base=2500),
        runtime=480,
    params:
        experiment="frontier",
        dataset="{dataset}",
        encoders=plan.frontier_encoders(),
        methods=config["sweeps"]["frontier"]["methods"],
        rivals=config["sweeps"]["frontier"]["rivals"],
        budgets=config["sweeps"]["frontier"]["budgets"],
        ks=config["ks"],
        metrics=plan.metrics(),
        multiview=config["multiview"],
        seeds=lambda wildcards: plan.frontier_seeds(wildcards.dataset),
        behind=lambda wildcards: [plan.behind_vectors(wildcards.dataset, x) for x in plan.frontier_encoders()],
    message:
        "Every method of the frontier on {wildcards.dataset}"
    script:
        "../scripts/measure.py"


use rule popularity as frontier with:
    input:
        numbers=expand("<results>/{dataset}/frontier.csv", dataset=plan.datasets),
        stats=expand(STATS, dataset=plan.datasets),
    output:
        **figure("frontier"),
        table="<results>/tables/frontier.csv",
    log:
        "<logs>/frontier.log",
    benchmark:
        "<benchmarks>/frontier.tsv"
    params:
        experiment="frontier",
        datasets=plan.titles(),
        behind=behind(plan.frontier_encoders(), grid=config["sweeps"]["frontier"]),
    message:
        "Figure: recall and MAP against the size of the index"


# A separate training that goes on to overfitting; the encoder of the benchmark stops where dev is best.
rule train_checkpoints:
    input:
        corpus="<results>/{dataset}/data/corpus.jsonl",
        texts="<results>/{dataset}/data/queries.jsonl",
        train=PAIRS["train"],
        dev=PAIRS["dev"],
        stats="<results>/{dataset}/data/stats.json",
    output:
        # Kept although they are large, so that another budget does not train again.
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
        multiview={name: config["multiview"][name] for name in ("beta", "m_avg")},
        k=max(config["ks"]),
        seed=config["seed"],
        behind=behind_vectors,
    message:
        "DSSM and MVG on {wildcards.dataset} at each checkpoint of the training"
    script:
        "../scripts/measure.py"


use rule popularity as training_sweep with:
    input:
        numbers=expand(
            "<results>/{dataset}/{encoder}/training_sweep.csv",
            dataset=plan.sweep_datasets(),
            encoder=config["sweeps"]["dssm"],
        ),
        stats=expand(STATS, dataset=plan.sweep_datasets()),
    output:
        **figure("training_sweep"),
    log:
        "<logs>/training_sweep.log",
    benchmark:
        "<benchmarks>/training_sweep.tsv"
    params:
        experiment="training_sweep",
        datasets=plan.titles(plan.sweep_datasets()),
        behind=behind([config["sweeps"]["dssm"]], plan.sweep_datasets(), grid=CHECKPOINTS),
    message:
        "Figure: recall and MAP by epoch"
