# The benchmark table and what is derived from it, the verdict on each number of the paper, and provenance.


rule benchmark_table:
    input:
        scores=expand(
            "<results>/{dataset}/scores/{method}.csv",
            dataset=plan.datasets,
            method=plan.methods(),
        ),
        rankings=expand(
            "<results>/{dataset}/runs/{method}.npz",
            dataset=plan.datasets,
            method=plan.methods(),
        ),
        stats=expand(STATS, dataset=plan.datasets),
    output:
        **table("benchmark"),
        significance="<results>/tables/significance.csv",
    log:
        "<logs>/benchmark_table.log",
    benchmark:
        "<benchmarks>/benchmark_table.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=megabytes(factor=10),
        runtime=20,
    params:
        datasets=plan.titles(),
        rows=[[dataset, method] for dataset in plan.datasets for method in plan.methods()],
        pretrained=plan.pretrained(),
        note=plan.settings_note(),
        behind=behind(plan.encoders),
    message:
        "The benchmark table, and the sign test of every pair of methods"
    script:
        "../scripts/benchmark_table.py"


use rule popularity as gains with:
    input:
        scores=expand(
            "<results>/{dataset}/scores/{method}.csv",
            dataset=plan.datasets,
            method=plan.methods(),
        ),
        stats=expand(STATS, dataset=plan.datasets),
    output:
        **table("gains"),
    log:
        "<logs>/gains.log",
    benchmark:
        "<benchmarks>/gains.tsv"
    params:
        experiment="gains",
        datasets=plan.titles(),
        rows=[[dataset, method] for dataset in plan.datasets for method in plan.methods()],
        seed=config["seed"],
        note=plan.settings_note(),
        behind=behind(plan.encoders),
    message:
        "Table: what each addition gains over the simpler method"


rule measure_breakdown:
    input:
        rankings=expand(
            "<results>/{dataset}/runs/{method}.npz",
            method=plan.methods(),
            allow_missing=True,
        ),
        train=PAIRS["train"],
        test=PAIRS["test"],
        queries="<results>/{dataset}/data/queries.jsonl",
        stats=STATS,
    output:
        "<results>/{dataset}/breakdown.csv",
    log:
        "<logs>/{dataset}/measure_breakdown.log",
    benchmark:
        "<benchmarks>/{dataset}/measure_breakdown.tsv"
    conda:
        "../../envs/retrieval.yaml"
    threads: 1
    resources:
        mem_mb=megabytes(factor=10, base=1000),
        runtime=60,
    params:
        experiment="breakdown",
        dataset="{dataset}",
        methods=plan.methods(),
        ks=config["ks"],
        metrics=plan.metrics(),
        seed=config["seed"],
        behind=lambda wildcards: behind(plan.encoders, [wildcards.dataset]),
    message:
        "All methods on {wildcards.dataset}, by popularity of the document and by novelty of the query"
    script:
        "../scripts/measure.py"


use rule popularity as breakdown with:
    input:
        measured=expand("<results>/{dataset}/breakdown.csv", dataset=plan.datasets),
        stats=expand(STATS, dataset=plan.datasets),
    output:
        **figure("breakdown"),
        **layouts("breakdown"),
        table="<results>/tables/breakdown.csv",
    log:
        "<logs>/breakdown.log",
    benchmark:
        "<benchmarks>/breakdown.tsv"
    params:
        experiment="breakdown",
        datasets=plan.titles(),
        encoder=plan.encoders[0],
        note=plan.settings_note(),
        behind=behind(plan.encoders),
    message:
        "Table and figure: who wins and who loses, by popularity of the document and novelty of the query"


use rule popularity as zero_shot with:
    input:
        benchmark="<results>/tables/benchmark.csv",
        stats=expand(STATS, dataset=plan.datasets),
    output:
        **table("zero_shot"),
    log:
        "<logs>/zero_shot.log",
    benchmark:
        "<benchmarks>/zero_shot.tsv"
    params:
        experiment="zero_shot",
        datasets=plan.titles(),
        encoders=[encoder for encoder in plan.encoders if plan.kind(encoder) == "pretrained"],
        note=plan.settings_note(),
    message:
        "Table: pretrained encoders without fine-tuning"


use rule popularity as memory_spectrum with:
    input:
        sweeps=expand(
            "<results>/{dataset}/{encoder}/budget_sweep.csv",
            dataset=plan.datasets,
            encoder=plan.spectrum_encoders(),
        ),
        benchmark="<results>/tables/benchmark.csv",
        stats=expand(STATS, dataset=plan.datasets),
    output:
        **figure("memory_spectrum"),
    log:
        "<logs>/memory_spectrum.log",
    benchmark:
        "<benchmarks>/memory_spectrum.tsv"
    params:
        experiment="memory_spectrum",
        datasets=plan.titles(),
        beta=config["multiview"]["beta"],
        token_level=plan.token_encoders(),
    message:
        "Figure: recall and MAP against the floats of an index"


use rule popularity as seeds with:
    input:
        stats=expand(STATS, dataset=plan.datasets),
        scores=[f"<results>/{dataset}/scores/{method}.csv" for dataset, _, method in plan.seed_rows()],
    output:
        **table("seeds"),
    log:
        "<logs>/seeds.log",
    benchmark:
        "<benchmarks>/seeds.tsv"
    params:
        experiment="seeds",
        datasets=plan.titles(),
        rows=[[dataset, row] for dataset, row, _ in plan.seed_rows()],
        note=plan.budget_note(),
        behind=[plan.behind_rankings(dataset, encoder) for dataset, encoder in repeated(config)],
    message:
        "Table: mean and spread over several seeds"


rule verdicts:
    input:
        benchmark=rules.benchmark_table.output.csv,
        significance=rules.benchmark_table.output.significance,
        stats=expand(STATS, dataset=plan.all_datasets()),
        experiments=[getattr(rules, name).output.csv for name in config["experiments"]],
    output:
        csv="<results>/tables/verdicts.csv",
        md="<results>/tables/verdicts.md",
        html=shown("<results>/tables/verdicts.html", "verdicts", None, "table"),
    log:
        "<logs>/verdicts.log",
    benchmark:
        "<benchmarks>/verdicts.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        datasets=plan.all_datasets(),
        experiments=config["experiments"],
        pretrained=plan.pretrained(),
    message:
        "Each number of the paper, ours beside it, and a verdict"
    script:
        "../scripts/verdicts.py"


# The paper has no numbers for the user's own data.
VERDICTS = rules.verdicts.output if plan.has_papers() else []


# After all tables and figures, so that it records the last command.
rule provenance:
    input:
        tables=[rules.benchmark_table.output, VERDICTS],
        experiments=[getattr(rules, name).output for name in config["experiments"]],
        checksums=expand("<results>/{dataset}/raw.checksums.json", dataset=plan.all_datasets()),
    output:
        "<results>/provenance.json",
    log:
        "<logs>/provenance.log",
    benchmark:
        "<benchmarks>/provenance.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        config=plan.config,
        datasets=plan.all_datasets(),
        seeds=sorted({config["seed"], *plan.seeds.values()}),
        deployment=sorted(method.name.lower() for method in workflow.deployment_settings.deployment_method),
    message:
        "Provenance: software, commit, command, seeds, config, inputs, machine"
    script:
        "../scripts/provenance.py"
