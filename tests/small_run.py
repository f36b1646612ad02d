"""A finished run of forty documents, written directly: enough for its page, with any texts, within a second."""

import base64
import json
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd

from mvg.datasets.pairs import load_splits, of_queries, save_split
from mvg.datasets.records import Document, Query
from mvg.datasets.writing import write_prepared
from mvg.evaluation.metrics import per_query
from mvg.io.files import save_array, save_arrays, write_rows
from mvg.multiview import Addition, allocate, fit
from mvg.multiview.shared import shared
from mvg.page.writing import write
from mvg.reporting.tables import Layout, write_layouts, write_table
from mvg.search.combined import Combined
from mvg.search.index import Index
from mvg.search.views import Views
from mvg.verdicts.benchmark import benchmark_table, read_scores, significance_table, write_benchmark_layouts
from mvg.verdicts.claims import PUBLIC
from mvg.verdicts.table import verdicts_table, write_verdicts

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
DOCUMENTS, DIMENSION, K = 40, 8, 20
SPLITS = ["train"] * 8 + ["dev", "test"]
METHODS = ("dssm", "prior+dssm", "mvg+dssm", "mvg+prior+dssm", "auto+dssm")
BIASES = {"mvg+dssm": 0.0, "mvg+prior+dssm": -0.05}


class SmallRun:
    """The files of the run in ``folder``, their contents, and its page.

    text: number of a document or query -> its text; dataset: its name
    """

    def __init__(
        self, folder: Path, text=lambda number: f"text {number}", dataset="eurlex", simulated=True, **explorer
    ):
        self.folder, self.dataset, self.text = folder, dataset, text
        self._prepare(simulated)
        self._search()
        self._tables()
        self._page({"queries": 2000, "min_count": 0} | explorer)

    def _prepare(self, simulated):
        rng = np.random.default_rng(0)
        popular = lambda: tuple({f"d{int(DOCUMENTS * rng.random() ** 2)}" for _ in range(3)})  # noqa: E731
        records = [Document(f"d{number}", self.text(number)) for number in range(DOCUMENTS)]
        records += [
            Query(f"q{number}", self.text(1000 + number), SPLITS[number % 10], popular(), weight=1.0 + number % 3)
            for number in range(400)
        ]
        facts = {"format": "csv", "split_rule": "by hand", "simulated": simulated}
        self.data = self.folder / "data"
        self.stats = write_prepared(records, self.data, Counter(repeated_lines=2), facts)
        self.splits = load_splits(self.data)
        for name, split in self.splits.items():
            save_split(self.data / f"pairs.{name}.npz", split)
        queries = self.data / "queries.jsonl"
        self.queries = [json.loads(line)["text"] for line in queries.read_text(encoding="utf-8").splitlines()]

    def _search(self):
        rng = np.random.default_rng(1)
        unit = lambda x: (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32)  # noqa: E731
        self.documents = unit(rng.normal(size=(DOCUMENTS, DIMENSION)))
        self.query_vectors = unit(rng.normal(size=(len(self.queries), DIMENSION)))
        train, test = self.splits["train"], self.splits["test"]
        popularity = np.bincount(train.pairs[1], minlength=DOCUMENTS)
        self.behavioural = fit(self.documents, self.query_vectors, train.pairs, allocate(popularity, 20, 0.5))
        prior = 0.05 * np.log(popularity + 1.0)
        views = {
            "dssm": Views.of(self.documents),
            "prior+dssm": Views.of(self.documents, prior=prior),
            "mvg+dssm": Views.of(self.documents, self.behavioural),
            "mvg+prior+dssm": Views.of(self.documents, self.behavioural, prior, BIASES["mvg+prior+dssm"]),
        }
        self.indexes = {method: Index(some) for method, some in views.items()}
        votes = shared(self.documents, self.query_vectors, train.pairs, 20, nearest=5).votes
        self.auto = Addition(self.documents, self.behavioural, BIASES["mvg+prior+dssm"], prior, votes)
        self.indexes["auto+dssm"] = Combined(self.auto)
        self.auto.save(self.folder / "auto.npz")
        (self.folder / "auto.json").write_text(json.dumps({"method": "shared+mvg+prior"}))
        arrays = {"documents": self.documents, "queries": self.query_vectors}
        for name, array in (arrays | dict(zip(("vectors", "owner"), self.behavioural))).items():
            save_array(self.folder / f"{name}.npy", array)
        (self.folder / "choice.json").write_text(json.dumps({"view_bias": BIASES["mvg+prior+dssm"]}))
        relevant = of_queries(test.pairs, test.queries)
        for method, index in self.indexes.items():
            ranking = index.search(self.query_vectors[test.queries], K)
            n_floats = index.n_floats if method.startswith("auto") else index.views.n_floats
            save_arrays(self.folder / f"{method}.npz", n_floats=np.int64(n_floats), **ranking._asdict())
            scores = per_query(ranking.documents, relevant, DOCUMENTS, [10, K])
            rows = zip(test.queries, *scores.values())
            write_rows(self.folder / f"{method}.csv", [dict(zip(["query", *scores], row)) for row in rows])

    def _tables(self):
        (self.folder / "tables").mkdir()
        (self.folder / "figures").mkdir()
        facts, scores = {self.dataset: self.stats}, {m: read_scores(self.folder / f"{m}.csv") for m in METHODS}
        sizes = {(self.dataset, m): int(np.load(self.folder / f"{m}.npz")["n_floats"]) / 1e6 for m in METHODS}
        benchmark = benchmark_table({self.dataset: scores}, sizes, facts)
        write_table(benchmark, self.folder / "tables/benchmark.csv")
        write_benchmark_layouts(benchmark, facts, self._files("tables/benchmark"))
        write_table(significance_table({self.dataset: scores}), self.folder / "tables/significance.csv")
        write_verdicts(verdicts_table(benchmark, facts), self._files("tables/verdicts"))
        write_layouts("Seeds", [Layout(self.text(1), [self.text(2)], [self.text(3)], [])], self._files("tables/seeds"))
        sweep = {"dataset": self.dataset, "encoder": "dssm", "k": K, "recall": [1.0, 2, 3], "map": [1.0, 2, 3]}
        sweep |= {"beta": [None, 0.5, 0.5], "m_avg": [0, 0.1, 1], "index_mfloats": [1.0, 1.1, 2]}
        write_table(pd.DataFrame(sweep), self.folder / "figures/budget_sweep.csv")
        parts = [dict(part=part, pairs=9, value=50.0, low=40.0, high=60.0) for part in ("all", "head", "tail")]
        breakdown = [
            {"dataset": self.dataset, "method": m, "metric": "recall", "k": K} | p for m in METHODS for p in parts
        ]
        write_table(pd.DataFrame(breakdown), self.folder / "tables/breakdown.csv")
        for name in ("budget_sweep", "popularity"):
            (self.folder / f"figures/{name}.png").write_bytes(base64.b64decode(PIXEL))

    def _files(self, stem):
        return SimpleNamespace(**{kind: self.folder / f"{stem}.{kind}" for kind in ("csv", "md", "tex", "html")})

    def _page(self, explorer):
        at = lambda *names: [self.folder / name for name in names]  # noqa: E731
        facts = {"command": "snakemake --config run=small", "config": {"run": self.text(4)}, "seeds": [0]}
        (self.folder / "provenance.json").write_text(json.dumps(facts))
        table = {name: self.folder / f"tables/{name}.csv" for name in ("benchmark", "significance")}
        verdicts = at("tables/verdicts.csv") if self.dataset in PUBLIC else []  # as the workflow writes them
        given = SimpleNamespace(
            **table, verdicts=verdicts, provenance=self.folder / "provenance.json", stats=at("data/stats.json"),
            experiments=[*sorted(self.folder.glob("figures/*")), *sorted(self.folder.glob("tables/[bs][er]*.*"))],
            scores=at(*(f"{m}.csv" for m in METHODS)), rankings=at(*(f"{m}.npz" for m in METHODS)),
            corpora=at("data/corpus.jsonl"), queries=at("data/queries.jsonl"), choices=at("choice.json"),
            train=at("data/pairs.train.npz"), test=at("data/pairs.test.npz"), documents=at("documents.npy"),
            query_vectors=at("queries.npy"), vectors=at("vectors.npy"), owner=at("owner.npy"),
            additions=at("auto.npz"), chosen=at("auto.json"),
        )  # fmt: skip
        params = SimpleNamespace(
            run="small", seed=0, datasets=[self.dataset], all_datasets=[self.dataset],
            rows=[[self.dataset, method] for method in METHODS], spaces=[[self.dataset, "dssm"]],
            captions={"popularity": "Beta is {{ snakemake.config['multiview']['beta'] }}, *drawn*."},
            config={"multiview": {"beta": 0.5}}, benchmarks=self.folder / "benchmarks", explorer=explorer,
        )  # fmt: skip
        self.page, self.answer = self.folder / "index.html", self.folder / "answer.txt"
        write(given, SimpleNamespace(page=self.page, answer=self.answer), params, lambda line: None)
