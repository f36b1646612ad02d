# Experiments that vary one thing: the budget, the dimension of DSSM, how long it was trained.


rule share_budget:
    input:
        train="results/{run}/{dataset}/data/pairs.train.npz",
        stats="results/{run}/{dataset}/data/stats.json",
    output:
        "results/{run}/{dataset}/budget/share.csv",
    log:
        "results/{run}/logs/{dataset}/share_budget.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/share_budget.tsv"
    conda:
        "../../envs/retrieval.yaml"
    threads: 1
    resources:
        mem_mb=megabytes(factor=10),
        runtime=10,
    params:
        m_avg=config["multiview"]["m_avg"],
    message:
        "Who gets the budget of {wildcards.dataset}, by beta"
    script:
        "../scripts/share_budget.py"


# One job for the whole grid: its points share the search over the semantic vectors.
rule sweep_budgets:
    input:
        documents="results/{run}/{dataset}/{encoder}/documents.npy",
        queries="results/{run}/{dataset}/{encoder}/queries.npy",
        train="results/{run}/{dataset}/data/pairs.train.npz",
        test="results/{run}/{dataset}/data/pairs.test.npz",
    output:
        "results/{run}/{dataset}/{encoder}/budget_sweep.csv",
    log:
        "results/{run}/logs/{dataset}/{encoder}/sweep_budgets.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/{encoder}/sweep_budgets.tsv"
    wildcard_constraints:
        encoder=of_kind(*ONE_VECTOR),
    conda:
        "../../envs/retrieval.yaml"
    threads: search_threads
    resources:
        mem_mb=megabytes(factor=4, base=1500),
        runtime=120,
    params:
        betas=sorted({*config["sweeps"]["betas"], config["multiview"]["beta"]}),
        budgets=sorted({*config["sweeps"]["budgets"], config["multiview"]["m_avg"]}),
        k=max(config["ks"]),
        seed=config["seed"],
    message:
        "MVG over {wildcards.encoder} on {wildcards.dataset}, every budget and beta of the grid"
    script:
        "../scripts/sweep_budgets.py"


rule sweep_dimensions:
    input:
        documents=expand("results/{{run}}/{{dataset}}/{encoder}/documents.npy", encoder=DIMENSIONS.values()),
        queries=expand("results/{{run}}/{{dataset}}/{encoder}/queries.npy", encoder=DIMENSIONS.values()),
        train="results/{run}/{dataset}/data/pairs.train.npz",
        dev="results/{run}/{dataset}/data/pairs.dev.npz",
        test="results/{run}/{dataset}/data/pairs.test.npz",
    output:
        "results/{run}/{dataset}/{encoder}/dimension_sweep.csv",
    log:
        "results/{run}/logs/{dataset}/{encoder}/sweep_dimensions.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/{encoder}/sweep_dimensions.tsv"
    wildcard_constraints:
        encoder=re.escape(config["sweeps"]["dssm"]),
    conda:
        "../../envs/retrieval.yaml"
    threads: search_threads
    resources:
        mem_mb=megabytes(factor=2, base=2000),
        runtime=120,
    params:
        dimensions=list(DIMENSIONS),
        compared=compared_dimensions(),
        multiview=config["multiview"],
        k=max(config["ks"]),
        seed=config["seed"],
    message:
        "DSSM, MVG and prior on {wildcards.dataset}, every dimension of the grid"
    script:
        "../scripts/sweep_dimensions.py"


# One training of its own, to overfitting: the encoder of the benchmark stops where dev is best.
rule train_checkpoints:
    input:
        corpus="results/{run}/{dataset}/data/corpus.jsonl",
        queries="results/{run}/{dataset}/data/queries.jsonl",
        train="results/{run}/{dataset}/data/pairs.train.npz",
        dev="results/{run}/{dataset}/data/pairs.dev.npz",
        stats="results/{run}/{dataset}/data/stats.json",
    output:
        # Kept, though they are large: another budget must not train again.
        documents=expand(
            "results/{run}/{dataset}/{encoder}/checkpoints/{epochs}/documents.npy",
            epochs=sorted(config["sweeps"]["checkpoints"]),
            allow_missing=True,
        ),
        queries=expand(
            "results/{run}/{dataset}/{encoder}/checkpoints/{epochs}/queries.npy",
            epochs=sorted(config["sweeps"]["checkpoints"]),
            allow_missing=True,
        ),
        history="results/{run}/{dataset}/{encoder}/checkpoints/training.csv",
    log:
        "results/{run}/logs/{dataset}/{encoder}/train_checkpoints.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/{encoder}/train_checkpoints.tsv"
    wildcard_constraints:
        encoder=re.escape(config["sweeps"]["dssm"]),
    conda:
        "../../envs/encoders.yaml"
    threads: 1
    resources:
        mem_mb=dssm_megabytes,
        runtime=240,
    params:
        settings=settings_of,
        checkpoints=sorted(config["sweeps"]["checkpoints"]),
        seed=config["seed"],
    message:
        "DSSM: train {wildcards.encoder} on {wildcards.dataset} to overfitting, with checkpoints"
    script:
        "../scripts/train_checkpoints.py"


rule sweep_checkpoints:
    input:
        documents=rules.train_checkpoints.output.documents,
        queries=rules.train_checkpoints.output.queries,
        train="results/{run}/{dataset}/data/pairs.train.npz",
        test="results/{run}/{dataset}/data/pairs.test.npz",
    output:
        "results/{run}/{dataset}/{encoder}/training_sweep.csv",
    log:
        "results/{run}/logs/{dataset}/{encoder}/sweep_checkpoints.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/{encoder}/sweep_checkpoints.tsv"
    conda:
        "../../envs/retrieval.yaml"
    threads: search_threads
    resources:
        mem_mb=megabytes(factor=2, base=2000),
        runtime=120,
    params:
        checkpoints=sorted(config["sweeps"]["checkpoints"]),
        multiview=config["multiview"],
        k=max(config["ks"]),
        seed=config["seed"],
    message:
        "DSSM and MVG on {wildcards.dataset} at each checkpoint of the training"
    script:
        "../scripts/sweep_checkpoints.py"


rule budget_share_figure:
    input:
        numbers=expand("results/{{run}}/{dataset}/budget/share.csv", dataset=config["datasets"]),
        stats=expand("results/{{run}}/{dataset}/data/stats.json", dataset=config["datasets"]),
    output:
        pdf="results/{run}/figures/budget_share.pdf",
        png=report(
            "results/{run}/figures/budget_share.png",
            caption="../report/budget_share.rst",
            category="Figures",
        ),
        csv="results/{run}/figures/budget_share.csv",
    log:
        "results/{run}/logs/budget_share_figure.log",
    benchmark:
        "results/{run}/benchmarks/budget_share_figure.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        experiment="budget_share",
        datasets=config["datasets"],
    message:
        "Figure: {params.experiment}"
    script:
        "../scripts/sweep_figure.py"


use rule budget_share_figure as budget_sweep_figure with:
    input:
        numbers=expand(
            "results/{{run}}/{dataset}/{encoder}/budget_sweep.csv",
            dataset=config["datasets"],
            encoder=sweep_encoders(),
        ),
        stats=expand("results/{{run}}/{dataset}/data/stats.json", dataset=config["datasets"]),
    output:
        pdf="results/{run}/figures/budget_sweep.pdf",
        png=report(
            "results/{run}/figures/budget_sweep.png",
            caption="../report/budget_sweep.rst",
            category="Figures",
        ),
        csv="results/{run}/figures/budget_sweep.csv",
    log:
        "results/{run}/logs/budget_sweep_figure.log",
    benchmark:
        "results/{run}/benchmarks/budget_sweep_figure.tsv"
    params:
        experiment="budget_sweep",
        datasets=config["datasets"],


use rule budget_share_figure as dimension_sweep_figure with:
    input:
        numbers=expand(
            "results/{{run}}/{dataset}/{encoder}/dimension_sweep.csv",
            dataset=sweep_datasets(),
            encoder=config["sweeps"]["dssm"],
        ),
        stats=expand("results/{{run}}/{dataset}/data/stats.json", dataset=sweep_datasets()),
    output:
        pdf="results/{run}/figures/dimension_sweep.pdf",
        png=report(
            "results/{run}/figures/dimension_sweep.png",
            caption="../report/dimension_sweep.rst",
            category="Figures",
        ),
        csv="results/{run}/figures/dimension_sweep.csv",
    log:
        "results/{run}/logs/dimension_sweep_figure.log",
    benchmark:
        "results/{run}/benchmarks/dimension_sweep_figure.tsv"
    params:
        experiment="dimension_sweep",
        datasets=sweep_datasets(),


use rule budget_share_figure as training_sweep_figure with:
    input:
        numbers=expand(
            "results/{{run}}/{dataset}/{encoder}/training_sweep.csv",
            dataset=sweep_datasets(),
            encoder=config["sweeps"]["dssm"],
        ),
        stats=expand("results/{{run}}/{dataset}/data/stats.json", dataset=sweep_datasets()),
    output:
        pdf="results/{run}/figures/training_sweep.pdf",
        png=report(
            "results/{run}/figures/training_sweep.png",
            caption="../report/training_sweep.rst",
            category="Figures",
        ),
        csv="results/{run}/figures/training_sweep.csv",
    log:
        "results/{run}/logs/training_sweep_figure.log",
    benchmark:
        "results/{run}/benchmarks/training_sweep_figure.tsv"
    params:
        experiment="training_sweep",
        datasets=sweep_datasets(),


rule memory_spectrum_figure:
    input:
        sweeps=rules.budget_sweep_figure.output.csv,
        benchmark="results/{run}/tables/benchmark.csv",
        stats=expand("results/{{run}}/{dataset}/data/stats.json", dataset=config["datasets"]),
    output:
        pdf="results/{run}/figures/memory_spectrum.pdf",
        png=report(
            "results/{run}/figures/memory_spectrum.png",
            caption="../report/memory_spectrum.rst",
            category="Figures",
        ),
        csv="results/{run}/figures/memory_spectrum.csv",
    log:
        "results/{run}/logs/memory_spectrum_figure.log",
    benchmark:
        "results/{run}/benchmarks/memory_spectrum_figure.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        datasets=config["datasets"],
        beta=config["multiview"]["beta"],
        token_level=TOKEN_ENCODERS,
    message:
        "Figure: recall and MAP against the floats of an index"
    script:
        "../scripts/memory_spectrum_figure.py"
