# Where MVG does not help: a set without popular documents (section 6.6).

FLAT = config["flat_popularity"]


rule flat_popularity_experiment:
    input:
        rankings=expand(
            "results/{{run}}/{dataset}/runs/{method}.npz",
            dataset=FLAT["dataset"],
            method=methods_over(FLAT["encoder"]),
        ),
        train="results/{{run}}/{dataset}/data/pairs.train.npz".format(**FLAT),
        test="results/{{run}}/{dataset}/data/pairs.test.npz".format(**FLAT),
        stats="results/{{run}}/{dataset}/data/stats.json".format(**FLAT),
    output:
        csv="results/{run}/tables/flat_popularity.csv",
        md=report(
            "results/{run}/tables/flat_popularity.md",
            caption="../report/flat_popularity.rst",
            category="Tables",
        ),
        tex="results/{run}/tables/flat_popularity.tex",
    log:
        "results/{run}/logs/flat_popularity.log",
    benchmark:
        "results/{run}/benchmarks/flat_popularity.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=megabytes(factor=10, base=1000),
        runtime=30,
    params:
        dataset=FLAT["dataset"],
        base=FLAT["encoder"],
        methods=methods_over(FLAT["encoder"]),
    message:
        "Table: recall where no document is popular"
    script:
        "../scripts/flat_popularity.py"
