# Experiments over what a run has anyway: zero shot, ablations, case studies, costs, other seeds.


rule zero_shot_table:
    input:
        benchmark="results/{run}/tables/benchmark.csv",
        stats=expand("results/{{run}}/{dataset}/data/stats.json", dataset=config["datasets"]),
    output:
        csv="results/{run}/tables/zero_shot.csv",
        md=report("results/{run}/tables/zero_shot.md", caption="../report/zero_shot.rst", category="Tables"),
        tex="results/{run}/tables/zero_shot.tex",
    log:
        "results/{run}/logs/zero_shot.log",
    benchmark:
        "results/{run}/benchmarks/zero_shot.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        datasets=config["datasets"],
        encoders=[encoder for encoder in config["encoders"] if kind_of(encoder) == "pretrained"],
        note=SETTINGS_NOTE,
    message:
        "The zero-shot table: pretrained encoders as they come"
    script:
        "../scripts/zero_shot.py"


rule measure_ablations:
    input:
        documents="results/{run}/{dataset}/{encoder}/documents.npy",
        queries="results/{run}/{dataset}/{encoder}/queries.npy",
        train="results/{run}/{dataset}/data/pairs.train.npz",
        dev="results/{run}/{dataset}/data/pairs.dev.npz",
        test="results/{run}/{dataset}/data/pairs.test.npz",
        counts=f"results/{{run}}/{{dataset}}/budget/{BUDGET}.npy",
        vectors=f"results/{{run}}/{{dataset}}/{{encoder}}/mvg/{BUDGET}/vectors.npy",
        owner=f"results/{{run}}/{{dataset}}/{{encoder}}/mvg/{BUDGET}/owner.npy",
    output:
        "results/{run}/{dataset}/{encoder}/ablations.csv",
    log:
        "results/{run}/logs/{dataset}/{encoder}/ablations.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/{encoder}/ablations.tsv"
    conda:
        "../../envs/retrieval.yaml"
    threads: search_threads
    resources:
        mem_mb=megabytes(factor=6, base=2000),
        runtime=120,
    params:
        ks=config["ks"],
        seed=config["seed"],
    message:
        "Ablations of MVG over {wildcards.encoder} on {wildcards.dataset}"
    script:
        "../scripts/measure_ablations.py"


rule ablations_table:
    input:
        benchmark="results/{run}/tables/benchmark.csv",
        stats=expand("results/{{run}}/{dataset}/data/stats.json", dataset=config["datasets"]),
        measured=expand(
            "results/{{run}}/{dataset}/{encoder}/ablations.csv",
            dataset=config["datasets"],
            encoder=ABLATED,
        ),
    output:
        csv="results/{run}/tables/ablations.csv",
        md=report("results/{run}/tables/ablations.md", caption="../report/ablations.rst", category="Tables"),
        tex="results/{run}/tables/ablations.tex",
    log:
        "results/{run}/logs/ablations_table.log",
    benchmark:
        "results/{run}/benchmarks/ablations_table.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        datasets=config["datasets"],
        encoders=ABLATED,
        losses={x: config["encoder_settings"][x]["loss"] for x in ABLATED if kind_of(x) == "dssm"},
        note=SETTINGS_NOTE,
    message:
        "The ablations as one table"
    script:
        "../scripts/ablations_table.py"


rule case_studies_figure:
    input:
        corpus=f"results/{{run}}/{FIRST_SET}/data/corpus.jsonl",
        texts=f"results/{{run}}/{FIRST_SET}/data/queries.jsonl",
        stats=f"results/{{run}}/{FIRST_SET}/data/stats.json",
        train=f"results/{{run}}/{FIRST_SET}/data/pairs.train.npz",
        test=f"results/{{run}}/{FIRST_SET}/data/pairs.test.npz",
        documents=f"results/{{run}}/{FIRST_SET}/{BASE}/documents.npy",
        queries=f"results/{{run}}/{FIRST_SET}/{BASE}/queries.npy",
        vectors=f"results/{{run}}/{FIRST_SET}/{BASE}/mvg/{BUDGET}/vectors.npy",
        owner=f"results/{{run}}/{FIRST_SET}/{BASE}/mvg/{BUDGET}/owner.npy",
    output:
        pdf="results/{run}/figures/case_studies.pdf",
        png=report(
            "results/{run}/figures/case_studies.png",
            caption="../report/case_studies.rst",
            category="Figures",
        ),
        csv="results/{run}/figures/case_studies.csv",
        examples="results/{run}/tables/case_studies.csv",
        md=report(
            "results/{run}/tables/case_studies.md", caption="../report/case_examples.rst", category="Tables"
        ),
        tex="results/{run}/tables/case_studies.tex",
    log:
        "results/{run}/logs/case_studies.log",
    benchmark:
        "results/{run}/benchmarks/case_studies.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 2
    resources:
        mem_mb=megabytes(factor=5, base=1500),
        runtime=60,
    params:
        dataset=FIRST_SET,
        encoder=BASE,
        seed=config["seed"],
    message:
        f"Figure and table: case studies of MVG over {BASE} on {FIRST_SET}"
    script:
        "../scripts/case_studies.py"


rule measure_complexity:
    input:
        unpack(token_level),
        test="results/{run}/{dataset}/data/pairs.test.npz",
        documents=f"results/{{run}}/{{dataset}}/{BASE}/documents.npy",
        queries=f"results/{{run}}/{{dataset}}/{BASE}/queries.npy",
        vectors=f"results/{{run}}/{{dataset}}/{BASE}/mvg/{BUDGET}/vectors.npy",
        owner=f"results/{{run}}/{{dataset}}/{BASE}/mvg/{BUDGET}/owner.npy",
    output:
        "results/{run}/{dataset}/complexity.csv",
    log:
        "results/{run}/logs/{dataset}/complexity.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/complexity.tsv"
    conda:
        "../../envs/retrieval.yaml"
    threads: 1
    resources:
        mem_mb=megabytes(factor=20, base=1000),
        runtime=120,
    params:
        k=max(config["ks"]),
        seed=config["seed"],
    message:
        "Complexity: sizes and times of indexes on {wildcards.dataset}"
    script:
        "../scripts/measure_complexity.py"


rule complexity_table:
    input:
        stats=expand("results/{{run}}/{dataset}/data/stats.json", dataset=config["datasets"]),
        measured=expand("results/{{run}}/{dataset}/complexity.csv", dataset=config["datasets"]),
    output:
        csv="results/{run}/tables/complexity.csv",
        md=report("results/{run}/tables/complexity.md", caption="../report/complexity.rst", category="Tables"),
        tex="results/{run}/tables/complexity.tex",
    log:
        "results/{run}/logs/complexity_table.log",
    benchmark:
        "results/{run}/benchmarks/complexity_table.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        datasets=config["datasets"],
    message:
        "The complexity table, measured"
    script:
        "../scripts/complexity_table.py"


rule seeds_table:
    input:
        stats=expand("results/{{run}}/{dataset}/data/stats.json", dataset=config["datasets"]),
        scores=[f"results/{{run}}/{dataset}/scores/{method}.csv" for dataset, _, method in seed_rows()],
    output:
        csv="results/{run}/tables/seeds.csv",
        md=report("results/{run}/tables/seeds.md", caption="../report/seeds.rst", category="Tables"),
        tex="results/{run}/tables/seeds.tex",
    log:
        "results/{run}/logs/seeds_table.log",
    benchmark:
        "results/{run}/benchmarks/seeds_table.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=megabytes(factor=10),
        runtime=10,
    params:
        datasets=config["datasets"],
        rows=[[dataset, row] for dataset, row, _ in seed_rows()],
        note=BUDGET_NOTE,
    message:
        "Mean and spread of the DSSM rows over several seeds"
    script:
        "../scripts/seeds_table.py"
