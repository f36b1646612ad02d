"""The whole workflow on tests/tiny.yaml: every rule, and what a user relies on afterwards."""

import csv
import hashlib
import json
import platform
import re
from importlib import metadata

import ir_measures
import numpy as np
import pytest

import mvg
from mvg.commands.encoding import encode_texts
from mvg.datasets.pairs import read_split

from .conftest import memory

DATASETS = ["eurlex", "wikiseealso"]
METHODS = ["bm25", "popularity", "dssm", "prior+dssm", "mvg+dssm", "mvg+prior+dssm", "auto+dssm"]

EXPERIMENT = ["bm25", "dssm", "prior+dssm", "mvg+dssm"]  # the methods of click_log and flat_popularity


def table(workflow, name):
    with open(workflow / f"results/tiny/tables/{name}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_dataset_and_method_is_in_the_benchmark(tiny):
    rows = table(tiny, "benchmark")
    assert list(rows[0]) == [
        "dataset",
        "method",
        "metric",
        "k",
        "value",
        "paper",
        "verdict",
        "best",
        "significant",
        "p_value",
        "n_queries",
    ]
    found = {(r["dataset"], r["method"], r["metric"], r["k"]) for r in rows}
    for dataset in DATASETS:
        for method in METHODS:
            assert {(dataset, method, metric, k) for metric in ("recall", "map") for k in ("10", "100")} <= found
            assert ((dataset, method, "index_mfloats", "") in found) == (method not in ("bm25", "popularity"))


def test_no_job_holds_more_memory_than_it_asked_for(tiny):
    measured = memory(tiny / "results/tiny")
    assert len(measured) > 60 and {"train_dssm", "fit_behavioural_vectors", "search"} <= {rule for rule, _ in measured}
    assert {job: sizes for job, sizes in measured.items() if sizes[0] > sizes[1]} == {}


def test_the_index_of_mvg_is_1_3_times_as_large(tiny):
    sizes = {
        (r["dataset"], r["method"]): float(r["value"])
        for r in table(tiny, "benchmark")
        if r["metric"] == "index_mfloats"
    }
    for dataset in DATASETS:
        assert sizes[dataset, "mvg+dssm"] / sizes[dataset, "dssm"] == pytest.approx(1.3, abs=0.05)
        assert sizes[dataset, "prior+dssm"] / sizes[dataset, "dssm"] == pytest.approx(17 / 16)


@pytest.mark.parametrize("dataset", DATASETS)
def test_the_index_to_take_home_ranks_as_the_table_was_measured(tiny, dataset):
    folder = tiny / f"results/tiny/{dataset}/index/dssm"
    index, manifest = mvg.load(folder), json.loads((folder / "manifest.json").read_text())
    split = read_split(tiny / f"results/tiny/{dataset}/data/pairs.test.npz")
    queries = np.load(tiny / f"results/tiny/{dataset}/dssm/queries.npy")[split.queries]
    with np.load(tiny / f"results/tiny/{dataset}/runs/auto+dssm.npz") as ranking:
        rows, scores = index.search(queries, 100)
        if not len(split.excluded[0]):  # what a page must not show is not known to an index
            assert np.array_equal(rows, ranking["documents"][:, :100])
    found = {r["metric"]: float(r["value"]) for r in table(tiny, "benchmark")
             if (r["dataset"], r["method"], r["k"]) == (dataset, "auto+dssm", "10")}  # fmt: skip
    assert {name: manifest["test"][f"{name}@10"] for name in found} == pytest.approx(found)
    assert (
        manifest["method"] in manifest["metrics"]
        and manifest["metrics"]["queries"] == manifest["data"]["queries"]["dev"]
    )
    text = json.loads((tiny / f"results/tiny/{dataset}/data/queries.jsonl").open().readline())["text"]
    vector = encode_texts(index.facts["encoder"], [text], folder)[0]
    assert np.allclose(vector, np.load(tiny / f"results/tiny/{dataset}/dssm/queries.npy")[0], atol=1e-5)
    index.update(queries=queries[:1], pairs=[(0, 3)])
    assert len(index.search(queries, 5)[0]) == len(queries)


def test_exported_runs_have_the_metrics_of_the_table(tiny):
    """ir_measures on the TREC files agrees with benchmark.csv."""
    rows = {(r["dataset"], r["method"], r["metric"], r["k"]): float(r["value"]) for r in table(tiny, "benchmark")}
    measures = {
        ("recall", "10"): ir_measures.R @ 10,
        ("map", "100"): ir_measures.AP @ 100,
        ("ndcg", "10"): ir_measures.nDCG @ 10,
        ("mrr", "10"): ir_measures.RR @ 10,
    }
    for dataset in DATASETS:
        folder = tiny / f"results/tiny/{dataset}/trec"
        qrels = list(ir_measures.read_trec_qrels(str(folder / "qrels.test.txt")))
        for method in METHODS:
            run = list(ir_measures.read_trec_run(str(folder / f"{method}.run")))
            values = ir_measures.calc_aggregate(list(measures.values()), qrels, run)
            for (metric, k), measure in measures.items():
                assert values[measure] * 100 == pytest.approx(rows[dataset, method, metric, k], abs=1e-9)


def test_gains_are_differences_of_the_benchmark_with_its_sign_test(tiny):
    means = {(r["dataset"], r["method"], r["metric"], r["k"]): float(r["value"]) for r in table(tiny, "benchmark")}
    tests = {tuple(r[key] for key in ("dataset", "metric", "k", "a", "b")): r for r in table(tiny, "significance")}
    rows = table(tiny, "gains")
    assert {(r["a"], r["b"]) for r in rows} >= {("mvg+dssm", "dssm"), ("mvg+prior+dssm", "prior+dssm")}
    for r in rows:
        place = r["dataset"], r["metric"], r["k"]
        expected = means[place[0], r["a"], *place[1:]] - means[place[0], r["b"], *place[1:]]
        assert float(r["difference"]) == pytest.approx(expected, abs=1e-9)
        assert float(r["low"]) <= float(r["difference"]) <= float(r["high"])
        assert (r["losses"], r["wins"]) == tuple(tests[*place, r["b"], r["a"]][key] for key in ("wins", "losses"))


def test_filtered_pairs_are_in_no_ranking(tiny):
    data = tiny / "results/tiny/wikiseealso/data"
    with np.load(data / "pairs.test.npz") as pairs:
        queries, hidden = pairs["queries"], set(zip(pairs["excluded_queries"], pairs["excluded_documents"]))
    assert hidden
    for method in METHODS:
        with np.load(tiny / f"results/tiny/wikiseealso/runs/{method}.npz") as run:
            shown = {(q, d) for q, row in zip(queries, run["documents"]) for d in row}
        assert not shown & hidden


def test_simulated_is_said_everywhere(tiny):
    tables = tiny / "results/tiny/tables"
    for name in ("benchmark.md", "benchmark.tex", "verdicts.md"):
        assert "simulated" in (tables / name).read_text(encoding="utf-8").lower()
    assert {r["verdict"] for r in table(tiny, "benchmark") if r["paper"]} == {"not comparable"}
    for dataset in DATASETS:
        assert json.loads((tiny / f"results/tiny/{dataset}/data/stats.json").read_text())["simulated"] is True


def figure_numbers(workflow, name):
    """The csv of a figure that exists as png and pdf."""
    figures = workflow / "results/tiny/figures"
    assert (figures / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    assert (figures / f"{name}.pdf").read_bytes().startswith(b"%PDF")
    with open(figures / f"{name}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_sweeps_hold_their_grid_and_agree_with_the_benchmark(tiny):
    names = {"recall": "100", "map": "100", "index_mfloats": ""}
    rows = {(r["dataset"], r["method"], r["metric"], r["k"]): float(r["value"]) for r in table(tiny, "benchmark")}

    def scores(numbers, **place):
        (row,) = (r for r in numbers if place.items() <= r.items())
        return {name: pytest.approx(float(row[name]), abs=1e-9) for name in names}

    def benchmark(dataset, method):
        return {name: rows[dataset, method, name, k] for name, k in names.items()}

    shares = figure_numbers(tiny, "budget_share")
    assert {(r["dataset"], r["third"]) for r in shares} == {
        (d, t) for d in [*DATASETS, "clicklog"] for t in ("head", "torso", "tail")
    }

    budgets = figure_numbers(tiny, "budget_sweep")
    grid = {(beta, m_avg) for beta in ("0.0", "0.5", "1.0") for m_avg in ("0.1", "0.3", "1.0")} | {("", "0.0")}
    for dataset in DATASETS:
        assert {(r["beta"], r["m_avg"]) for r in budgets if r["dataset"] == dataset} == grid
        assert scores(budgets, dataset=dataset, beta="0.5", m_avg="0.3") == benchmark(dataset, "mvg+dssm")
        assert scores(budgets, dataset=dataset, m_avg="0.0") == benchmark(dataset, "dssm")

    # 8 dimensions, 16 and 10; those of 16 are the benchmark's encoder.
    dimensions = figure_numbers(tiny, "dimension_sweep")
    assert [r["series"] for r in dimensions] == ["dssm", "dssm(2r)", "dssm(equal)", "mvg+dssm", "prior+dssm"]
    assert scores(dimensions, series="dssm(2r)") == benchmark("eurlex", "dssm")
    assert [float(r["index_mfloats"]) / float(dimensions[0]["index_mfloats"]) for r in dimensions] == pytest.approx(
        [1, 2, 10 / 8, 1.3, 9 / 8], abs=0.02
    )

    epochs = figure_numbers(tiny, "training_sweep")
    assert [(r["epochs"], r["method"]) for r in epochs] == [
        (e, m) for e in ("0.0", "0.5", "1.0") for m in ("dssm", "mvg+dssm")
    ]

    spectrum = figure_numbers(tiny, "memory_spectrum")
    assert scores(spectrum, dataset="wikiseealso", m_avg="0.3") == benchmark("wikiseealso", "mvg+dssm")


def test_the_figure_and_its_numbers(tiny):
    assert {(r["dataset"], r["series"]) for r in figure_numbers(tiny, "popularity")} == {
        (d, s) for d in DATASETS for s in ("rank", "diversity", "control", "ball", "ball_control")
    }


def test_a_click_log_by_traffic(tiny):
    """Recall@10 of all test queries is the mean of its ranking's, weighted by clicks."""
    with open(tiny / "results/tiny/figures/click_log.csv", newline="", encoding="utf-8") as file:
        rows = {(r["queries"], r["method"], r["metric"], r["k"]): r["value"] for r in csv.DictReader(file)}
    assert {("overall", method, "recall", str(k)) for method in EXPERIMENT for k in range(1, 201)} <= rows.keys()
    data = tiny / "results/tiny/clicklog/data"
    with open(data / "queries.jsonl", encoding="utf-8") as file:
        weights = np.array([json.loads(line).get("metadata", {"weight": 1})["weight"] for line in file])
    assert weights.max() > 5
    with np.load(data / "pairs.test.npz") as pairs, np.load(data.parent / "runs/mvg+dssm.npz") as run:
        queries, found = pairs["queries"], run["documents"][:, :10]
        relevant = [set(pairs["pair_documents"][pairs["pair_queries"] == query]) for query in queries]
    recall = [100 * len(some & set(row)) / len(some) for some, row in zip(relevant, found)]
    expected = np.average(recall, weights=weights[queries])
    assert float(rows["overall", "mvg+dssm", "recall", "10"]) == pytest.approx(expected)
    for name in ("figures/click_log.png", "figures/click_log.pdf", "tables/click_log.md", "tables/click_log.tex"):
        assert (tiny / "results/tiny" / name).stat().st_size > 1000


def test_flat_popularity_has_the_papers_three_cut_offs(tiny):
    rows = table(tiny, "flat_popularity")
    assert {(r["method"], r["k"]) for r in rows if r["metric"] == "recall"} == {
        (method, k) for method in EXPERIMENT for k in ("10", "100", "1000")
    }
    verdicts = {r["id"]: r for r in table(tiny, "verdicts")}
    assert verdicts["flat_no_significant_loss"]["ours"] in ("yes", "no")
    assert verdicts["flat_popularity/msmarco/ance/recall@10"]["reason"] == "another encoder (DSSM against ANCE)"
    assert verdicts["prod_gain_every_k"]["reason"] == "dataset not public"
    assert verdicts["prodsearch/prodsearch/overall/bm25/recall@10"]["ours"] != ""


def test_only_their_own_datasets_are_ranked_deeper(tiny):
    depths = {"eurlex": 100, "clicklog": 200, "flat": 1000}
    for dataset, k in depths.items():
        with np.load(tiny / f"results/tiny/{dataset}/runs/bm25.npz") as run:
            assert run["documents"].shape[1] == k


def test_ablations_share_the_benchmarks_numbers(tiny):
    """Four variants are rows of the benchmark; the others exist, and those with a budget keep to it."""
    rows = table(tiny, "ablations")
    benchmark = {(r["dataset"], r["method"], r["metric"], r["k"]): r["value"] for r in table(tiny, "benchmark")}
    found = {(r["dataset"], r["encoder"], r["variant"], r["metric"], r["k"]): r["value"] for r in rows}
    wrappers = {"base": "", "mvg": "mvg+", "prior": "prior+", "prior_and_view_bias": "mvg+prior+"}
    others = {
        "random_queries", "free_centers", "uniform_budget", "proportional_budget", "view_bias",
        "prior_and_views", "all_queries", "query_vote",
    }  # fmt: skip
    cells = [(metric, k) for metric in ("recall", "map", "ndcg", "mrr") for k in ("10", "100")]
    cells += [("index_mfloats", "")]
    places = [(d, "dssm") for d in DATASETS]
    assert found.keys() == {
        (*place, v, *cell) for place in places for v in wrappers | dict.fromkeys(others) for cell in cells
    }
    for dataset, encoder in places:
        for cell in cells:
            for variant, wrapper in wrappers.items():
                assert found[dataset, encoder, variant, *cell] == benchmark[dataset, wrapper + encoder, *cell]
        sizes = {v: float(found[dataset, encoder, v, "index_mfloats", ""]) for v in others}
        assert sizes["random_queries"] == pytest.approx(sizes["proportional_budget"], rel=0.02)
        assert sizes["all_queries"] > sizes["random_queries"]
    assert {(r["encoder"], r["loss"]) for r in rows} == {("dssm", "in-batch")}


def test_case_studies_are_a_figure_and_a_table(tiny):
    results = tiny / "results/tiny"
    assert (results / "figures/case_studies.png").read_bytes().startswith(b"\x89PNG")
    with open(results / "figures/case_studies.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    gains = [r for r in rows if r["panel"] == "gains"]
    assert sum(float(r["y"]) for r in gains if r["series"] == "relevant pairs") == pytest.approx(100)
    for panel in {r["panel"] for r in rows} - {"gains"}:
        points = [r for r in rows if r["panel"] == panel]
        assert sum(r["series"] == "document vector" for r in points) == 1
        assert sum(r["series"] == "behavioural vector" for r in points) == int(points[0]["views"])
    pairs = table(tiny, "case_studies")
    assert pairs and {r["method"] for r in pairs} == {"dssm", "mvg+dssm"}
    assert all((int(r["rank"]) <= 100) == (r["method"] == "mvg+dssm") for r in pairs)


def test_the_complexity_table_has_sizes_and_times(tiny):
    rows = table(tiny, "complexity")
    representations = ("single_vector", "fixed_vectors", "mvg")
    assert {(r["dataset"], r["representation"], r["index"]) for r in rows} == {
        (d, x, i) for d in DATASETS for x in representations for i in ("exact", "HNSW32")
    }
    assert all(float(r["mfloats"]) == pytest.approx(16e-6 * int(r["vectors"])) for r in rows)
    assert all(float(r["p50_ms"]) > 0 and float(r["mbytes"]) > 0 for r in rows)


def test_a_run_without_pretrained_encoders_says_so(tiny):
    assert table(tiny, "zero_shot") == []
    assert "no encoder of kind pretrained" in (tiny / "results/tiny/tables/zero_shot.md").read_text()


def test_seeds_are_averaged(tiny):
    rows = {(r["dataset"], r["method"], r["metric"], r["k"]): r for r in table(tiny, "seeds")}
    assert {key[:2] for key in rows} == {("eurlex", w + "dssm") for w in ("", "prior+", "mvg+", "mvg+prior+", "auto+")}
    means = []
    for method in ("mvg+dssm", "mvg+dssm-s1"):
        with open(tiny / f"results/tiny/eurlex/scores/{method}.csv", newline="", encoding="utf-8") as file:
            means.append(np.mean([float(r["recall@10"]) for r in csv.DictReader(file)]))
    row = rows["eurlex", "mvg+dssm", "recall", "10"]
    assert float(row["mean"]) == pytest.approx(np.mean(means)) and row["n_seeds"] == "2"
    assert float(row["sd"]) == pytest.approx(np.std(means, ddof=1)) and means[0] != means[1]


def test_per_query_scores_are_kept(tiny):
    with open(tiny / "results/tiny/eurlex/scores/mvg+dssm.csv", newline="", encoding="utf-8") as file:
        scores = list(csv.DictReader(file))
    row = next(
        r
        for r in table(tiny, "benchmark")
        if (r["dataset"], r["method"], r["metric"], r["k"]) == ("eurlex", "mvg+dssm", "recall", "10")
    )
    assert len(scores) == int(row["n_queries"])
    assert np.mean([float(s["recall@10"]) for s in scores]) == pytest.approx(float(row["value"]))


def test_a_second_run_has_nothing_to_do(tiny):
    assert "Nothing to be done" in tiny.tiny().stderr + tiny.tiny().stdout


def test_provenance_says_what_the_run_was_made_of(tiny):
    text = (tiny / "results/tiny/provenance.json").read_text(encoding="utf-8")
    told = json.loads(text)
    assert told["command"] == "snakemake all trec index --benchmark-extended --configfile tests/tiny.yaml"
    assert told["code"] == {"commit": None, "dirty": None}  # a copy without its repository
    assert told["seeds"] == [0, 1]
    assert told["config"]["simulation"] == {"documents": 150, "queries": 600} and told["config"]["ks"] == [10, 100]
    assert told["software"]["snakemake"] == metadata.version("snakemake") and told["software"]["deployment"] == []
    assert told["software"]["packages"]["torch"] == metadata.version("torch")
    assert told["inputs"].keys() == {*DATASETS, "clicklog", "flat"}
    for dataset, files in told["inputs"].items():
        raw = tiny / f"results/tiny/{dataset}/raw"
        assert files.keys() == {p.name for p in raw.iterdir() if not p.name.startswith(".")}
        for name, file in files.items():
            assert file["sha256"] == hashlib.sha256((raw / name).read_bytes()).hexdigest()
    assert str(tiny / "results") not in text and platform.node() not in text


def test_another_beta_reruns_only_what_depends_on_it(tiny):
    done = tiny.tiny("-n", "--config", "multiview={beta: 0.3, m_avg: 0.3}")
    jobs = dict(re.findall(r"^(\w+) +(\d+)$", done.stdout + done.stderr, flags=re.M))
    jobs.pop("total")
    assert jobs.keys() == {
        "all", "allocate_budget", "fit_behavioural_vectors", "choose_on_dev", "search", "evaluate",
        "benchmark_table", "verdicts", "measure_click_log", "click_log", "flat_popularity", "budget_share",
        "measure_budget_sweep", "budget_sweep", "memory_spectrum", "measure_dimension_sweep", "dimension_sweep",
        "measure_training_sweep", "training_sweep", "zero_shot", "measure_complexity", "complexity", "case_studies",
        "measure_ablations", "ablations", "gains", "measure_frontier", "frontier", "measure_breakdown", "breakdown",
        "seeds", "provenance", "page",
    }  # fmt: skip
    # two datasets, one more seed, and the sets of two experiments
    assert jobs["search"] == "5"


@pytest.mark.parametrize(
    ("grid", "reruns"),
    [
        ("budgets: [0.1, 2]", {"measure_budget_sweep", "budget_sweep", "memory_spectrum"}),
        ("dimensions: [4]", {"train_dssm", "measure_dimension_sweep", "dimension_sweep"}),
        ("checkpoints: [0, 1]", {"train_checkpoints", "measure_training_sweep", "training_sweep"}),
    ],
)
def test_another_grid_reruns_only_its_experiment(tiny, grid, reruns):
    done = tiny.tiny("-n", "--config", f"sweeps={{{grid}}}")
    jobs = dict(re.findall(r"^(\w+) +(\d+)$", done.stdout + done.stderr, flags=re.M))
    assert jobs.keys() == reruns | {"verdicts", "provenance", "page", "all", "total"}


def test_every_job_left_a_log_and_a_benchmark(tiny):
    results = tiny / "results/tiny"
    logs = {p.relative_to(results / "logs").with_suffix("") for p in (results / "logs").rglob("*.log")}
    benchmarks = {
        p.relative_to(results / "benchmarks").with_suffix("") for p in (results / "benchmarks").rglob("*.tsv")
    }
    assert logs == benchmarks and len(logs) > 60


def test_nothing_unfinished_is_left_behind(tiny):
    assert not [p for p in (tiny / "results").rglob(".*") if p.name not in (".gitignore", ".snakemake_timestamp")]


@pytest.mark.runs
def test_the_same_seed_gives_the_same_bytes(tiny, fresh):
    fresh.tiny("--cores", "1", "results/tiny/tables/benchmark.csv", "--config", "datasets=[eurlex]")
    ours = (tiny / "results/tiny/eurlex/scores/mvg+dssm.csv").read_bytes()
    assert (fresh / "results/tiny/eurlex/scores/mvg+dssm.csv").read_bytes() == ours
    for name in ("dssm/documents.npy", "dssm/queries.npy", "dssm/mvg/beta0.5-m0.3/vectors.npy"):
        assert (fresh / f"results/tiny/eurlex/{name}").read_bytes() == (
            tiny / f"results/tiny/eurlex/{name}"
        ).read_bytes()
    for name in ("benchmark", "significance"):
        ours, alone = ((w / f"results/tiny/tables/{name}.csv").read_bytes().splitlines() for w in (tiny, fresh))
        assert [line for line in ours if line.startswith(b"eurlex,")] == alone[1:]
