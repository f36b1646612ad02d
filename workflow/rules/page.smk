# The page of a run: the last step, because it shows all results.

# For the explorer: the encoders of the run with one vector a text, and what dev chose for each.
SPACES = [[dataset, encoder] for dataset in plan.datasets for encoder in plan.bi_encoders()]
AUTO = [METHODS.index("auto")] if "auto" in METHODS else []


rule page:
    input:
        benchmark=rules.benchmark_table.output.csv,
        significance=rules.benchmark_table.output.significance,
        verdicts=[rules.verdicts.output.csv] if plan.has_papers() else [],
        provenance=rules.provenance.output[0],
        experiments=[
            *rules.benchmark_table.output,
            *(file for name in config["experiments"] for file in getattr(rules, name).output),
        ],
        stats=expand(STATS, dataset=plan.all_datasets()),
        scores=rules.benchmark_table.input.scores,
        rankings=rules.benchmark_table.input.rankings,
        corpora=expand("<results>/{dataset}/data/corpus.jsonl", dataset=plan.datasets),
        queries=expand("<results>/{dataset}/data/queries.jsonl", dataset=plan.datasets),
        train=expand(PAIRS["train"], dataset=plan.datasets),
        test=expand(PAIRS["test"], dataset=plan.datasets),
        documents=[VECTORS["documents"].format(dataset=d, encoder=e) for d, e in SPACES],
        query_vectors=[VECTORS["queries"].format(dataset=d, encoder=e) for d, e in SPACES],
        vectors=[VIEWS["vectors"].format(dataset=d, encoder=e) for d, e in SPACES],
        owner=[VIEWS["owner"].format(dataset=d, encoder=e) for d, e in SPACES],
        choices=[rules.choose_on_dev.output.both.format(dataset=d, encoder=e) for d, e in SPACES],
        additions=[ADDITIONS[auto].format(dataset=d, encoder=e) for auto in AUTO for d, e in SPACES],
        chosen=[CHOICES[auto].format(dataset=d, encoder=e) for auto in AUTO for d, e in SPACES],
    output:
        page=report(
            "<results>/index.html",
            caption="../report/page.rst",
            category="1 Read this first",
            labels={"page": "The run"},
        ),
        answer="<results>/answer.txt",
    log:
        "<logs>/page.log",
    benchmark:
        "<benchmarks>/page.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=megabytes(factor=3, base=1000),
        runtime=30,
    params:
        run=plan.run,
        seed=config["seed"],
        datasets=plan.datasets,
        all_datasets=plan.titles(plan.all_datasets()),
        rows=rules.benchmark_table.params.rows,
        spaces=SPACES,
        captions={path.stem: path.read_text(encoding="utf-8") for path in (WORKFLOW / "report").glob("*.rst")},
        config={"multiview": config["multiview"]},  # used in captions, as is the next
        encoder=plan.diversity_encoder(),
        benchmarks=f"{RESULTS}/benchmarks",
        explorer=config["explorer"],
    message:
        "The page of the run: results/<run>/index.html"
    script:
        "../scripts/page.py"
