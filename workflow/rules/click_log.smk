# The paper's product search (sections 6.1 and 6.2) on a set with traffic weights.

CLICK_LOG = config["click_log"]


rule offline_ab:
    input:
        documents="results/{run}/{dataset}/{encoder}/documents.npy",
        queries="results/{run}/{dataset}/{encoder}/queries.npy",
        vectors="results/{run}/{dataset}/{encoder}/mvg/beta{beta}-m{m_avg}/vectors.npy",
        owner="results/{run}/{dataset}/{encoder}/mvg/beta{beta}-m{m_avg}/owner.npy",
        texts="results/{run}/{dataset}/data/queries.jsonl",
        dev="results/{run}/{dataset}/data/pairs.dev.npz",
        test="results/{run}/{dataset}/data/pairs.test.npz",
    output:
        "results/{run}/{dataset}/{encoder}/mvg/beta{beta}-m{m_avg}/offline_ab.json",
    log:
        "results/{run}/logs/{dataset}/{encoder}/offline_ab.beta{beta}-m{m_avg}.log",
    benchmark:
        "results/{run}/benchmarks/{dataset}/{encoder}/offline_ab.beta{beta}-m{m_avg}.tsv"
    conda:
        "../../envs/retrieval.yaml"
    threads: 1
    resources:
        mem_mb=megabytes(factor=4, base=1500),
        runtime=60,
    params:
        seed=config["seed"],
    message:
        "Sparse results and latency of {wildcards.dataset}, MVG over {wildcards.encoder} against it alone"
    script:
        "../scripts/offline_ab.py"


rule click_log_experiment:
    input:
        rankings=expand(
            "results/{{run}}/{dataset}/runs/{method}.npz",
            dataset=CLICK_LOG["dataset"],
            method=methods_over(CLICK_LOG["encoder"]),
        ),
        queries="results/{{run}}/{dataset}/data/queries.jsonl".format(**CLICK_LOG),
        train="results/{{run}}/{dataset}/data/pairs.train.npz".format(**CLICK_LOG),
        test="results/{{run}}/{dataset}/data/pairs.test.npz".format(**CLICK_LOG),
        stats="results/{{run}}/{dataset}/data/stats.json".format(**CLICK_LOG),
        offline_ab="results/{{run}}/{dataset}/{encoder}/mvg/{budget}/offline_ab.json".format(
            budget=BUDGET, **CLICK_LOG
        ),
    output:
        figure="results/{run}/figures/click_log.csv",
        pdf="results/{run}/figures/click_log.pdf",
        png=report(
            "results/{run}/figures/click_log.png", caption="../report/click_log.rst", category="Figures"
        ),
        table="results/{run}/tables/click_log.csv",
        md=report("results/{run}/tables/click_log.md", caption="../report/click_log.rst", category="Tables"),
        tex="results/{run}/tables/click_log.tex",
    log:
        "results/{run}/logs/click_log.log",
    benchmark:
        "results/{run}/benchmarks/click_log.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=megabytes(factor=10, base=1000),
        runtime=30,
    params:
        dataset=CLICK_LOG["dataset"],
        base=CLICK_LOG["encoder"],
        methods=methods_over(CLICK_LOG["encoder"]),
    message:
        "Figure and table: recall by traffic on a click log"
    script:
        "../scripts/click_log.py"
