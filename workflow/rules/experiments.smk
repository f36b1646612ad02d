# The experiments on the data and the encoders of a run. The last rule of each has the name of its module in
# mvg.experiments and is also a target. `measure_…` calls `measure` of the module on one dataset.

VIEWS = {
    "vectors": f"<results>/{{dataset}}/{{encoder}}/mvg/{plan.budget}/vectors.npy",
    "owner": f"<results>/{{dataset}}/{{encoder}}/mvg/{plan.budget}/owner.npy",
}


rule popularity:
    input:
        pairs=expand("<results>/{dataset}/data/pairs.train.npz", dataset=plan.datasets),
        stats=expand(STATS, dataset=plan.datasets),
        vectors=expand(
            "<results>/{dataset}/{encoder}/queries.npy",
            dataset=plan.datasets,
            encoder=plan.diversity_encoder(),
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
        datasets=plan.titles(),
        encoder=plan.diversity_encoder(),
        seed=config["seed"],
        behind=behind([plan.diversity_encoder()], of=plan.behind_vectors),
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
        datasets=plan.titles(),
        trained=plan.trained(),
        behind=behind(plan.encoders, of=plan.behind_vectors),
    message:
        "Figure: loss curves of the trainings"


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
        metrics=plan.metrics(),
        seed=config["seed"],
        behind=behind_vectors,
    message:
        "Ablations of MVG over {wildcards.encoder} on {wildcards.dataset}"
    script:
        "../scripts/measure.py"


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
        datasets=plan.titles(),
        measured=[[dataset, encoder] for dataset in plan.datasets for encoder in plan.ablated()],
        losses={x: plan.settings[x]["loss"] for x in plan.ablated() if plan.kind(x) == "dssm"},
        note=plan.settings_note(),
        behind=behind(plan.ablated()),
    message:
        "Table: what each part of MVG is worth"


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
        datasets=plan.titles(),
        behind=behind([FIRST["encoder"]]),
    message:
        "Table: sizes and times of indexes"


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
        "Sparse results and latency of {wildcards.dataset}, {wildcards.encoder} with and without MVG"
    script:
        "../scripts/measure.py"


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
        titles=plan.titles([CLICK_LOG["dataset"]]),
        base=CLICK_LOG["encoder"],
        methods=plan.methods_over(CLICK_LOG["encoder"]),
        behind=plan.behind_rankings(**CLICK_LOG),
    message:
        "Figure and table: recall by traffic on a click log"


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
        titles=plan.titles([FIRST["dataset"]]),
        seed=config["seed"],
        behind=plan.behind_rankings(**FIRST),
    message:
        "Figure and table: case studies of MVG"


use rule popularity as flat_popularity with:
    input:
        **{name: PAIRS[name].format(dataset=FLAT["dataset"]) for name in ("train", "test")},
        rankings=expand(
            "<results>/{dataset}/runs/{method}.npz",
            dataset=FLAT["dataset"],
            method=FLAT_METHODS,
        ),
        stats=STATS.format(dataset=FLAT["dataset"]),
    output:
        **table("flat_popularity"),
    log:
        "<logs>/flat_popularity.log",
    benchmark:
        "<benchmarks>/flat_popularity.tsv"
    params:
        experiment="flat_popularity",
        dataset=FLAT["dataset"],
        titles=plan.titles([FLAT["dataset"]]),
        base=FLAT["encoder"],
        methods=FLAT_METHODS,
        behind=behind([FLAT["encoder"], *FLAT["beside"]], [FLAT["dataset"]]),
    message:
        "Table: recall where no document is popular"


# Experiments of your own.
