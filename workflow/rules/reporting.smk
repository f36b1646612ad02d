# The benchmark table, the verdict on each number of the paper, and what the run was made of.


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
        datasets=plan.datasets,
        rows=[[dataset, method] for dataset in plan.datasets for method in plan.methods()],
        pretrained=plan.pretrained(),
        note=plan.settings_note(),
        behind=behind(plan.encoders),
    message:
        "The benchmark table, and the sign test of every pair of methods"
    script:
        "../scripts/benchmark_table.py"


rule verdicts:
    input:
        benchmark=rules.benchmark_table.output.csv,
        stats=expand(STATS, dataset=plan.all_datasets()),
        experiments=[getattr(rules, name).output.csv for name in config["experiments"]],
    output:
        csv="<results>/tables/verdicts.csv",
        md=report(
            "<results>/tables/verdicts.md",
            caption="../report/verdicts.rst",
            category="Tables",
        ),
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


# After everything else, whose last command it names.
rule provenance:
    input:
        tables=[rules.benchmark_table.output, rules.verdicts.output],
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
        "What the run was made of: software, commit, command, seeds, config, inputs, machine"
    script:
        "../scripts/provenance.py"
