# Tables, figures, and the verdict on each number of the paper.


rule benchmark_table:
    input:
        unpack(scores_of),
    output:
        csv="results/{run}/tables/benchmark.csv",
        md=report("results/{run}/tables/benchmark.md", caption="../report/benchmark.rst", category="Tables"),
        tex="results/{run}/tables/benchmark.tex",
        significance="results/{run}/tables/significance.csv",
    log:
        "results/{run}/logs/benchmark_table.log",
    benchmark:
        "results/{run}/benchmarks/benchmark_table.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=megabytes(factor=10),
        runtime=20,
    params:
        datasets=config["datasets"],
        methods=methods(),
        pretrained=pretrained_models(),
        note=SETTINGS_NOTE,
    message:
        "The benchmark table, and the sign test of every pair of methods"
    script:
        "../scripts/benchmark_table.py"


rule verdicts:
    input:
        benchmark="results/{run}/tables/benchmark.csv",
        stats=expand("results/{{run}}/{dataset}/data/stats.json", dataset=run_datasets()),
        experiments=[experiment(name)[0] for name in config["experiments"]],
    output:
        csv="results/{run}/tables/verdicts.csv",
        md=report("results/{run}/tables/verdicts.md", caption="../report/verdicts.rst", category="Tables"),
    log:
        "results/{run}/logs/verdicts.log",
    benchmark:
        "results/{run}/benchmarks/verdicts.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        datasets=run_datasets(),
        experiments=config["experiments"],
        pretrained=pretrained_models(),
    message:
        "Each number of the paper, ours beside it, and a verdict"
    script:
        "../scripts/verdicts.py"


rule popularity_figure:
    input:
        pairs=expand("results/{{run}}/{dataset}/data/pairs.train.npz", dataset=config["datasets"]),
        stats=expand("results/{{run}}/{dataset}/data/stats.json", dataset=config["datasets"]),
        vectors=expand(
            "results/{{run}}/{dataset}/{encoder}/queries.npy",
            dataset=config["datasets"],
            encoder=config["diversity_encoder"],
        ),
    output:
        pdf="results/{run}/figures/popularity.pdf",
        png=report(
            "results/{run}/figures/popularity.png", caption="../report/popularity.rst", category="Figures"
        ),
        csv="results/{run}/figures/popularity.csv",
    log:
        "results/{run}/logs/popularity_figure.log",
    benchmark:
        "results/{run}/benchmarks/popularity_figure.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=megabytes(factor=3, base=1000),
        runtime=30,
    params:
        datasets=config["datasets"],
        encoder=config["diversity_encoder"],
        seed=config["seed"],
    message:
        "Figure: document popularity and query diversity"
    script:
        "../scripts/popularity_figure.py"


rule loss_curves_figure:
    input:
        stats=expand("results/{{run}}/{dataset}/data/stats.json", dataset=config["datasets"]),
        histories=[
            f"results/{{run}}/{dataset}/{encoder}/training.csv" for dataset, encoder in trained_encoders()
        ],
    output:
        pdf="results/{run}/figures/loss_curves.pdf",
        png=report(
            "results/{run}/figures/loss_curves.png", caption="../report/loss_curves.rst", category="Figures"
        ),
        csv="results/{run}/figures/loss_curves.csv",
    log:
        "results/{run}/logs/loss_curves_figure.log",
    benchmark:
        "results/{run}/benchmarks/loss_curves_figure.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        datasets=config["datasets"],
        trained=trained_encoders(),
    message:
        "Figure: how the trainings went"
    script:
        "../scripts/loss_curves.py"


# After everything else, whose last command it names.
rule provenance:
    input:
        made=[tables(), [experiment(name) for name in config["experiments"]]],
        checksums=expand("results/{{run}}/{dataset}/raw.checksums.json", dataset=run_datasets()),
    output:
        "results/{run}/provenance.json",
    log:
        "results/{run}/logs/provenance.log",
    benchmark:
        "results/{run}/benchmarks/provenance.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        config=CHECKED,
        datasets=run_datasets(),
        seeds=sorted({config["seed"], *SEEDS.values()}),
        deployment=sorted(method.name.lower() for method in workflow.deployment_settings.deployment_method),
    message:
        "What the run was made of: software, commit, command, seeds, config, inputs, machine"
    script:
        "../scripts/provenance.py"
