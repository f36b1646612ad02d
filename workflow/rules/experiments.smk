# The experiments: the rule of each is called as its module of mvg.experiments, and is a target of its own.


rule popularity:
    input:
        pairs=expand("<results>/{dataset}/data/pairs.train.npz", dataset=plan.datasets),
        stats=expand(STATS, dataset=plan.datasets),
        vectors=expand(
            "<results>/{dataset}/{encoder}/queries.npy",
            dataset=plan.datasets,
            encoder=config["diversity_encoder"],
        ),
    output:
        **figure("popularity"),
    log:
        "<logs>/popularity.log",
    benchmark:
        "<benchmarks>/popularity.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=megabytes(factor=3, base=1000),
        runtime=30,
    params:
        experiment="popularity",
        datasets=plan.datasets,
        encoder=config["diversity_encoder"],
        seed=config["seed"],
        behind=behind([config["diversity_encoder"]]),
    message:
        "Figure: document popularity and query diversity"
    script:
        "../scripts/report.py"


use rule popularity as loss_curves with:
    input:
        stats=expand(STATS, dataset=plan.datasets),
        histories=[f"<results>/{dataset}/{encoder}/training.csv" for dataset, encoder in plan.trained()],
    output:
        **figure("loss_curves"),
    log:
        "<logs>/loss_curves.log",
    benchmark:
        "<benchmarks>/loss_curves.tsv"
    params:
        experiment="loss_curves",
        datasets=plan.datasets,
        trained=plan.trained(),
        behind=behind(plan.encoders),
    message:
        "Figure: how the trainings went"


use rule popularity as budget_share with:
    input:
        numbers=expand("<results>/{dataset}/budget/share.csv", dataset=plan.datasets),
        stats=expand(STATS, dataset=plan.datasets),
    output:
        **figure("budget_share"),
    log:
        "<logs>/budget_share.log",
    benchmark:
        "<benchmarks>/budget_share.tsv"
    params:
        experiment="budget_share",
        datasets=plan.datasets,
        behind=behind(multiview=config["multiview"]),
    message:
        "Figure: who gets the budget"


use rule popularity as budget_sweep with:
    input:
        numbers=expand(
            "<results>/{dataset}/{encoder}/budget_sweep.csv",
            dataset=plan.datasets,
            encoder=plan.sweep_encoders(),
        ),
        stats=expand(STATS, dataset=plan.datasets),
    output:
        **figure("budget_sweep"),
    log:
        "<logs>/budget_sweep.log",
    benchmark:
        "<benchmarks>/budget_sweep.tsv"
    params:
        experiment="budget_sweep",
        datasets=plan.datasets,
        behind=behind(
            plan.sweep_encoders(),
            grid=[config["sweeps"]["betas"], config["sweeps"]["budgets"]],
        ),
    message:
        "Figure: recall and MAP by budget"


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
        datasets=plan.sweep_datasets(),
        behind=behind(plan.dimensions.values(), plan.sweep_datasets()),
    message:
        "Figure: recall and MAP by dimension"


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
        datasets=plan.sweep_datasets(),
        behind=behind([config["sweeps"]["dssm"]], plan.sweep_datasets(), grid=CHECKPOINTS),
    message:
        "Figure: recall and MAP by epoch"


use rule popularity as memory_spectrum with:
    input:
        sweeps=rules.budget_sweep.output.csv,
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
        datasets=plan.datasets,
        beta=config["multiview"]["beta"],
        token_level=plan.token_encoders(),
    message:
        "Figure: recall and MAP against the floats of an index"


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
        datasets=plan.datasets,
        encoders=[encoder for encoder in plan.encoders if plan.kind(encoder) == "pretrained"],
        note=plan.settings_note(),
    message:
        "Table: pretrained encoders as they come"


use rule popularity as ablations with:
    input:
        benchmark="<results>/tables/benchmark.csv",
        stats=expand(STATS, dataset=plan.datasets),
        measured=expand(
            "<results>/{dataset}/{encoder}/ablations.csv",
            dataset=plan.datasets,
            encoder=plan.ablated(),
        ),
    output:
        **table("ablations"),
    log:
        "<logs>/ablations.log",
    benchmark:
        "<benchmarks>/ablations.tsv"
    params:
        experiment="ablations",
        datasets=plan.datasets,
        measured=[[dataset, encoder] for dataset in plan.datasets for encoder in plan.ablated()],
        losses={x: plan.settings[x]["loss"] for x in plan.ablated() if plan.kind(x) == "dssm"},
        note=plan.settings_note(),
        behind=behind(plan.ablated()),
    message:
        "Table: what each part of MVG is worth"


use rule popularity as complexity with:
    input:
        stats=expand(STATS, dataset=plan.datasets),
        measured=expand(
            "<results>/{dataset}/{encoder}/complexity.csv",
            dataset=plan.datasets,
            encoder=FIRST["encoder"],
        ),
    output:
        **table("complexity"),
    log:
        "<logs>/complexity.log",
    benchmark:
        "<benchmarks>/complexity.tsv"
    params:
        experiment="complexity",
        datasets=plan.datasets,
        behind=behind([FIRST["encoder"]]),
    message:
        "Table: sizes and times of indexes"


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
        datasets=plan.datasets,
        rows=[[dataset, row] for dataset, row, _ in plan.seed_rows()],
        note=plan.budget_note(),
        behind=[plan.behind_rankings(dataset, encoder) for dataset, encoder in plan.repeated()],
    message:
        "Table: mean and spread of the DSSM rows over several seeds"


use rule popularity as case_studies with:
    input:
        **{name: PAIRS[name].format(**FIRST) for name in ("train", "test")},
        **{name: path.format(**FIRST) for name, path in (VECTORS | VIEWS).items()},
        corpus="<results>/{dataset}/data/corpus.jsonl".format(**FIRST),
        texts="<results>/{dataset}/data/queries.jsonl".format(**FIRST),
        stats=STATS.format(**FIRST),
    output:
        **figure("case_studies"),
        **layouts("case_studies", caption="case_examples"),
        examples="<results>/tables/case_studies.csv",
    log:
        "<logs>/case_studies.log",
    benchmark:
        "<benchmarks>/case_studies.tsv"
    threads: 2
    params:
        **FIRST,
        experiment="case_studies",
        seed=config["seed"],
        behind=plan.behind_rankings(**FIRST),
    message:
        "Figure and table: case studies of MVG"


use rule popularity as click_log with:
    input:
        **{name: PAIRS[name].format(**CLICK_LOG) for name in ("train", "test")},
        rankings=expand(
            "<results>/{dataset}/runs/{method}.npz",
            dataset=CLICK_LOG["dataset"],
            method=plan.methods_over(CLICK_LOG["encoder"]),
        ),
        queries="<results>/{dataset}/data/queries.jsonl".format(**CLICK_LOG),
        stats=STATS.format(**CLICK_LOG),
        offline=rules.measure_click_log.output[0].format(**CLICK_LOG),
    output:
        **figure("click_log"),
        **layouts("click_log"),
        table="<results>/tables/click_log.csv",
    log:
        "<logs>/click_log.log",
    benchmark:
        "<benchmarks>/click_log.tsv"
    params:
        experiment="click_log",
        dataset=CLICK_LOG["dataset"],
        base=CLICK_LOG["encoder"],
        methods=plan.methods_over(CLICK_LOG["encoder"]),
        behind=plan.behind_rankings(**CLICK_LOG),
    message:
        "Figure and table: recall by traffic on a click log"


use rule popularity as flat_popularity with:
    input:
        **{name: PAIRS[name].format(**FLAT) for name in ("train", "test")},
        rankings=expand(
            "<results>/{dataset}/runs/{method}.npz",
            dataset=FLAT["dataset"],
            method=plan.methods_over(FLAT["encoder"]),
        ),
        stats=STATS.format(**FLAT),
    output:
        **table("flat_popularity"),
    log:
        "<logs>/flat_popularity.log",
    benchmark:
        "<benchmarks>/flat_popularity.tsv"
    params:
        experiment="flat_popularity",
        dataset=FLAT["dataset"],
        base=FLAT["encoder"],
        methods=plan.methods_over(FLAT["encoder"]),
        behind=plan.behind_rankings(**FLAT),
    message:
        "Table: recall where no document is popular"


# Experiments of your own.
