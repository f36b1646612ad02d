"""How fast we are beside what a user would pick instead: python tests/benchmarks/peers.py [RAW_DIR] [NAME ...]

    pip install -r tests/benchmarks/requirements.txt
    python tests/benchmarks/peers.py path/to/raw             all comparisons
    python tests/benchmarks/peers.py path/to/raw fit search  some of them

RAW_DIR holds ``eurlex/`` and ``pubmed/`` as ``raw_dir`` of the config does; without it, data are invented in the
shape of EurLex. Each comparison runs in a process of its own. Both sides must give the same answer first; then they
take turns, and the ratio is the median over the pairs of turns (theirs / ours), with the lowest and the highest.
Processor time is shown beside wall time, because other work on the machine affects it less.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "workflow"), str(ROOT / "tests")]

THREADS, TURNS = 2, 5
K, M_AVG = 100, 0.3


def row(what, against, ours, theirs, same, work=0.0, unit="GFLOP/s", turns=TURNS) -> None:
    """Print a line of the table. ``same``: whether both gave the same answer; ``work``: of ours, in billions."""
    if turns > 1:
        ours(), theirs()  # compiles, loads
    times = np.array([[_seconds(ours), _seconds(theirs)] for _ in range(turns)])  # (turn, side, wall or processor)
    ratios = times[:, 1] / times[:, 0]
    (wall, cpu), low, high = np.median(ratios, axis=0), ratios[:, 0].min(), ratios[:, 0].max()
    mine, their = np.median(times[:, :, 0], axis=0)
    rate = f"{work / mine:.1f} {unit}" if work else ""
    cells = what, against, "yes" if same else "NO", f"{mine:.3g}", f"{their:.3g}"
    print("|", " | ".join([*cells, f"**{wall:.2f}** ({low:.2f} to {high:.2f})", f"{cpu:.2f}", rate]), "|", flush=True)


def _seconds(work) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


class Eurlex:
    """Vectors, pairs and texts: WordLlama's of the real EurLex, or random ones of its shape."""

    def __init__(self, raw):
        rng = np.random.default_rng(0)
        if raw and (Path(raw) / "eurlex").exists():
            self.texts, self.asked, self.splits = _real(Path(raw) / "eurlex")
            self.pairs, self.test = self.splits["train"].pairs, self.splits["test"].queries
            from mvg.encoders.static import load

            self.documents, self.queries = (load(256).encode(texts) for texts in (self.texts, self.asked))
            return
        words = np.array([f"w{i}" for i in range(20_000)])
        of = lambda n: [" ".join(words[(rng.pareto(1, 15) * 20).astype(int) % 20_000]) for _ in range(n)]  # noqa: E731
        self.texts, self.asked = of(7201), of(57_000)
        popularity = np.minimum((4000 / np.arange(1, 4109) ** 0.75).astype(int) + 1, 3600)
        document = np.repeat(rng.permutation(7201)[:4108], popularity)
        self.pairs = rng.integers(0, 45_000, len(document)), document
        self.test = np.arange(51_000, 57_000)
        centers = rng.normal(size=(7201, 256))
        self.documents = _unit(centers)
        self.queries = _unit(rng.normal(size=(57_000, 256)) * 1.2)
        self.queries[self.pairs[0]] = _unit(self.queries[self.pairs[0]] + 0.7 * self.documents[document])

    def budget(self):
        """Training pairs by document, and each document's budget."""
        from mvg.multiview import allocate
        from mvg.multiview.clustering import group

        groups = group(self.pairs, len(self.queries), len(self.documents))
        return groups, allocate(np.diff(groups.starts), round(M_AVG * len(self.documents)), 0.5)

    def views(self):
        from mvg.multiview import fit
        from mvg.search.views import Views

        return Views.of(self.documents, fit(self.documents, self.queries, *self.budget(), threads=THREADS))


def _real(path):
    from mvg.datasets.pairs import load_splits
    from mvg.datasets.reading import load_texts
    from mvg.datasets.writing import write_prepared
    from mvg.formats import FORMATS

    with tempfile.TemporaryDirectory() as folder:
        dropped = Counter()
        write_prepared(FORMATS["eurlex"].read(path, dropped), f"{folder}/data", dropped, {})
        splits = load_splits(f"{folder}/data")
        texts, asked = (list(load_texts(Path(folder, "data", f"{name}.jsonl"))[1]) for name in ("corpus", "queries"))
    return texts, asked, splits


def _unit(vectors):
    return (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)


def fit(raw) -> None:
    import faiss

    from mvg.multiview import Behavioural
    from mvg.multiview import fit as ours
    from mvg.multiview.clustering import objective

    data = Eurlex(raw)
    groups, counts = data.budget()
    faiss.omp_set_num_threads(THREADS)
    owners = np.flatnonzero(counts)

    def of_each(cluster):
        parts = [cluster(d, data.queries[groups.queries[groups.starts[d] : groups.starts[d + 1]]]) for d in owners]
        return Behavioural(np.concatenate(parts), np.repeat(owners, [len(part) for part in parts]).astype(np.int32))

    def kmeans(d, queries):
        settings = dict(niter=20, spherical=True, min_points_per_centroid=1, max_points_per_centroid=10**9)
        found = faiss.Kmeans(queries.shape[1], int(counts[d]), **settings)
        found.train(queries)
        return found.centroids

    def numpy_kmeans(d, queries):
        rng = np.random.default_rng(d)
        mine, previous = rng.integers(0, counts[d] + 1, len(queries)), None
        centers = np.repeat(data.documents[d][None], counts[d] + 1, axis=0)
        while previous is None or (mine != previous).any():
            for j in range(1, len(centers)):
                if (mine == j).any():
                    centers[j] = _unit(queries[mine == j].sum(axis=0))
            previous, mine = mine, (queries @ centers.T).argmax(axis=1)
        return centers[1:]

    problem = data.documents, data.queries, groups
    mine = objective(*problem, *ours(*problem, counts, threads=THREADS))
    for name, peer in (
        ("faiss.Kmeans a document, 20 iterations", kmeans),
        ("numpy, a document, to the end", numpy_kmeans),
    ):
        theirs = objective(*problem, *of_each(peer))
        print(f"<!-- objective: ours {mine:.0f}, {name} {theirs:.0f} -->")
        same = mine > 0.99 * theirs
        row("fit", name, lambda: ours(*problem, counts, threads=THREADS), lambda p=peer: of_each(p), same)


def grid(raw) -> None:
    from mvg.datasets.pairs import Split
    from mvg.evaluation.budgets import Budgets
    from mvg.multiview import allocate
    from mvg.multiview import fit as fit_one
    from mvg.search.index import Index
    from mvg.search.views import Views

    data, nothing = Eurlex(raw), (np.empty(0, int), np.empty(0, int))
    train = Split(np.unique(data.pairs[0]), data.pairs, nothing)
    test = Split(data.test, (data.test, data.test % len(data.documents)), nothing)
    betas, sizes = np.linspace(0, 1, 7), np.linspace(0.05, 2, 12)
    popularity = np.bincount(data.pairs[1], minlength=len(data.documents))

    def together():
        budgets = Budgets(data.documents, data.queries, train, test, K, threads=THREADS)
        return [budgets.mvg(beta, m_avg) for beta in betas for m_avg in sizes]

    def one(beta, m_avg):
        counts = allocate(popularity, round(m_avg * len(data.documents)), beta)
        vectors = fit_one(data.documents, data.queries, data.pairs, counts, threads=THREADS)
        return Index(Views.of(data.documents, vectors), threads=THREADS).search(data.queries[data.test], K)

    every = lambda: [one(beta, m_avg) for beta in betas for m_avg in sizes]  # noqa: E731
    row("grid of 7 x 12 budgets", "84 fits and searches", together, every, True, turns=1)


def search(raw) -> None:
    from mvg.search.index import Index

    data = Eurlex(raw)
    views, queries = data.views(), data.queries[data.test]
    exact = Index(views, threads=THREADS)
    found = exact.search(queries[:300], K)
    dense = queries[:300].astype(np.float64) @ views.vectors.astype(np.float64).T
    best = np.full((300, len(data.documents)), -np.inf)
    for column, document in enumerate(views.owner):
        best[:, document] = np.maximum(best[:, document], dense[:, column])
    same = np.allclose(found.scores, -np.sort(-best, axis=1)[:, :K], rtol=0, atol=1e-12)
    flops = 2e-9 * len(queries) * views.vectors.size
    row(
        f"exact search, {len(queries)} queries", "faiss IndexFlatIP, with duplicates",
        lambda: exact.search(queries, K), lambda: exact.faiss.search(queries, K), same, flops,
    )  # fmt: skip
    single = lambda index: [index.search(queries[i : i + 1], K) for i in range(200)]  # noqa: E731
    gigabytes = 200 * views.vectors.nbytes / 1e9
    row(
        "exact search, 200 single queries", "the same",
        lambda: single(exact), lambda: single(exact.faiss), same, gigabytes, "GB/s",
    )  # fmt: skip
    hnsw = Index(views, "HNSW32", threads=THREADS)
    mine, bare = hnsw.search(queries[:300], K).documents, hnsw.faiss.search(queries[:300], K)[1]
    same = all(np.isin(views.owner[b[b >= 0]], a).mean() > 0.98 for a, b in zip(mine, bare))
    row(
        "HNSW32", "faiss HNSW32, with duplicates",
        lambda: hnsw.search(queries, K), lambda: hnsw.faiss.search(queries, K), same,
    )  # fmt: skip


def votes(raw) -> None:
    from scipy import sparse

    from mvg.multiview.addition import Addition
    from mvg.multiview.shared import centers_for, shared
    from mvg.search.combined import Combined, _sum_votes

    data = Eurlex(raw)
    n_centers = centers_for(1 + M_AVG, *data.documents.shape, 25)
    addition = shared(data.documents, data.queries, data.pairs, n_centers, nearest=30)
    combined, asked = Combined(Addition(data.documents, votes=addition.votes)), data.queries[data.test]
    near = combined.centers.search(asked, 30)
    weights, starts = addition.votes.weights(near.scores), np.arange(0, 30 * len(asked) + 1, 30)
    chosen = sparse.csr_matrix((weights.ravel(), near.documents.ravel(), starts), (len(asked), n_centers))
    shares, size = addition.votes.shares.astype(np.float64), (len(asked), len(data.documents))

    def ours():
        starts, documents, sums = _sum_votes(near.documents, weights, *combined._shares, len(data.documents))
        return sparse.csr_matrix((sums, documents, starts), size)

    same = abs(ours() - chosen @ shares).max() < 1e-12
    row(
        f"votes, {len(asked)} queries x 30 of {n_centers} views", "scipy's product", ours, lambda: chosen @ shares, same
    )


def bm25(raw) -> None:
    from rank_bm25 import BM25Okapi

    from mvg.lexical.bm25 import BM25

    data = Eurlex(raw)
    few = [data.asked[i] for i in data.test[:300]]
    ours, okapi = BM25(data.texts, "whitespace"), BM25Okapi([text.lower().split() for text in data.texts])
    theirs = lambda: [okapi.get_scores(text.lower().split()) for text in few]  # noqa: E731
    same = np.allclose(ours.scores(few), theirs())
    row("BM25, 300 queries", "rank-bm25", lambda: ours.search(few, K), theirs, same)
    _bm25s(data.texts, [data.asked[i] for i in data.test])


def bm25_large(raw) -> None:
    words = np.array([f"w{i}" for i in range(100_000)])
    popularity = 1 / (np.arange(len(words)) + 10)
    draw = np.random.default_rng(0).choice(len(words), 300_000 * 8 + 100_000 * 5, p=popularity / popularity.sum())
    texts, asked = np.split(words[draw], [300_000 * 8])
    _bm25s([" ".join(text) for text in texts.reshape(-1, 8)], [" ".join(text) for text in asked.reshape(-1, 5)], 1)


def _bm25s(texts, asked, turns=TURNS) -> None:
    import bm25s
    from rank_bm25 import BM25Okapi

    from mvg.lexical.bm25 import BM25

    ours, peer = BM25(texts, "whitespace"), bm25s.BM25(method="atire", k1=1.5, b=0.75, backend="numba")
    split = lambda some: [text.lower().split() for text in some]  # noqa: E731
    peer.index(split(texts), show_progress=False)
    retrieve = lambda some: peer.retrieve(split(some), k=K, show_progress=False, n_threads=THREADS)  # noqa: E731
    # Its idf is another: what must be the same is the scores of rank-bm25.
    okapi, same = BM25Okapi(split(texts)), True
    for text in asked[:3]:
        mine = ours.search([text], K)[1]
        theirs = -np.sort(-okapi.get_scores(*split([text])))[: (mine > 0).sum()]
        same = same and np.allclose(mine[mine > 0], theirs)
    row(
        f"BM25, {len(asked):,} queries x {len(texts):,} documents", "bm25s with numba",
        lambda: ours.search(asked, K, threads=THREADS), lambda: retrieve(asked), same, turns=turns,
    )  # fmt: skip


def metrics(raw) -> None:
    import pytrec_eval
    import ranx

    from mvg.evaluation.metrics import per_query

    rng = np.random.default_rng(0)
    n, n_documents = 30_000, 300_000
    ranked = np.array([rng.choice(2000, K, replace=False) for _ in range(n)])
    relevant = np.repeat(np.arange(n), 3), np.concatenate([rng.choice(2000, 3, replace=False) for _ in range(n)])
    names = [f"d{i}" for i in range(2000)]
    qrels = {f"q{i}": {names[d]: 1 for d in relevant[1][3 * i : 3 * i + 3]} for i in range(n)}
    runs = {f"q{i}": {names[d]: float(K - rank) for rank, d in enumerate(row)} for i, row in enumerate(ranked)}
    ours = lambda: per_query(ranked, relevant, n_documents, [10, K])  # noqa: E731
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"recall.10,100", "map_cut.10,100"})
    found, theirs = ours(), evaluator.evaluate(runs)
    asked = {"recall@10": "recall_10", "recall@100": "recall_100", "map@10": "map_cut_10", "map@100": "map_cut_100"}
    same = all(np.allclose(found[a] / 100, [theirs[q][b] for q in runs]) for a, b in asked.items())
    row(f"metrics, {n} queries", "pytrec_eval, dictionaries at hand", ours, lambda: evaluator.evaluate(runs), same)
    given = ranx.Qrels(qrels), ranx.Run(runs)
    theirs = lambda: ranx.evaluate(*given, ["recall@10", f"recall@{K}"], return_mean=False)  # noqa: E731
    same = np.allclose(found["recall@100"][np.argsort([*qrels])] / 100, theirs()["recall@100"])
    row(f"recall at two k, {n} queries", "ranx, its own objects at hand", ours, theirs, same)


def significance(raw) -> None:
    from scipy.stats import binomtest, ttest_rel

    from mvg.evaluation.significance import sign_test

    scores = np.random.default_rng(0).integers(0, 50, (8, 177_515)) / 50
    pairs, tests = list(combinations(scores, 2)), "sign tests of 8 methods, 177,515 queries"

    def plain(a, b):
        wins, losses = sum(x > y for x, y in zip(a, b)), sum(x < y for x, y in zip(a, b))
        return binomtest(wins, wins + losses).pvalue

    ours = lambda: [sign_test(a, b).p_value for a, b in pairs]  # noqa: E731
    theirs = lambda: [plain(a, b) for a, b in combinations(scores.tolist(), 2)]  # noqa: E731
    same = ours() == theirs()
    row(tests, "Python and scipy's binomtest", ours, theirs, same, turns=2)
    row(tests, "paired t-tests of scipy, which ranx calls", ours, lambda: [ttest_rel(a, b) for a, b in pairs], same)


def tokens(raw) -> None:
    import torch

    from mvg.search import maxsim

    torch.set_num_threads(THREADS)
    rng = np.random.default_rng(0)
    lengths = rng.integers(4, 24, 4000)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    vectors, queries = _unit(rng.normal(size=(starts[-1], 128))), _unit(rng.normal(size=(128, 32, 128)))
    padded = torch.zeros(len(lengths), lengths.max(), 128)
    real = torch.arange(lengths.max())[None] < torch.tensor(lengths)[:, None]
    padded[real] = torch.from_numpy(vectors)

    def einsum():
        found = []
        for query in torch.from_numpy(queries):
            similarity = torch.einsum("qh,dth->dqt", query, padded).masked_fill(~real[:, None], -torch.inf)
            found.append(similarity.amax(2).sum(1).topk(K).indices)
        return torch.stack(found).numpy()

    ours = lambda: maxsim.search(queries, vectors, starts, K, threads=THREADS)  # noqa: E731
    same = (ours().documents == einsum()).mean() > 0.99
    row(
        "max-sim of token vectors, 128 x 4,000",
        "torch.einsum, padded",
        ours,
        einsum,
        same,
        2e-9 * queries.size * len(vectors),
    )


def dssm(raw) -> None:
    """Seconds to the recall on dev that the library has after one epoch with what its authors advise."""
    import torch
    from datasets import Dataset
    from sentence_transformers import (
        SentenceTransformer,
        SentenceTransformerTrainer,
        SentenceTransformerTrainingArguments,
    )
    from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from settings import settings
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    from mvg.encoders import dssm_training
    from mvg.encoders.relevance import recall_and_map

    torch.set_num_threads(THREADS)
    data, ours = Eurlex(raw), settings("dssm")
    if not hasattr(data, "splits"):
        return print("<!-- dssm: needs RAW_DIR/eurlex -->")
    train, dev = data.splits["train"], data.splits["dev"]

    def theirs():
        words = [data.asked[row] for row in train.queries] + data.texts
        tokenizer = Tokenizer(models.BPE(unk_token="[UNK]"))
        tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        tokenizer.train_from_iterator(words, trainers.BpeTrainer(vocab_size=38_000, special_tokens=["[UNK]"]))
        model = SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_dim=ours.dimension)], device="cpu")
        queries, documents = train.pairs
        pairs = {"anchor": [data.asked[i] for i in queries], "positive": [data.texts[i] for i in documents]}
        with tempfile.TemporaryDirectory() as folder:
            given = SentenceTransformerTrainingArguments(
                folder, num_train_epochs=1, per_device_train_batch_size=ours.batch, learning_rate=0.2, warmup_steps=0.1,
                save_strategy="no", report_to=[], use_cpu=True, disable_tqdm=True, seed=0,
            )  # fmt: skip
            loss = MultipleNegativesRankingLoss(model, scale=ours.scale)
            SentenceTransformerTrainer(model, given, Dataset.from_dict(pairs), loss=loss).train()
        x, y = (torch.from_numpy(model.encode(t, normalize_embeddings=True)) for t in (data.asked, data.texts))
        return recall_and_map(lambda part: x[dev.queries[part]] @ y.T, dev.pairs, dev.queries, len(y))[0]

    def mine(epochs):
        given = settings("dssm", epochs=epochs)
        model = dssm_training.fit(data.texts, data.asked, train, dev, given, threads=THREADS)
        return model.history[-1]["recall"]

    reached = []  # recalls: theirs, then ours after more and more epochs, each trained anew; the last one counts
    peer = _seconds(lambda: reached.append(theirs()))
    for epochs in range(1, 11):
        took = _seconds(lambda n=epochs: reached.append(mine(n)))
        if reached[-1] >= reached[0]:
            break
    wanted = reached[0]
    print(f"<!-- dev recall: ours {reached[-1]:.1f} after {epochs} epochs, theirs {wanted:.1f} after one -->")
    wall, cpu = np.divide(peer, took)
    cells = f"DSSM, to a recall of {wanted:.1f}", "StaticEmbedding", "", f"{took[0]:.3g}", f"{peer[0]:.3g}"
    print("|", " | ".join([*cells, f"**{wall:.2f}**", f"{cpu:.2f}", ""]), "|")


def medline(raw) -> None:
    import gzip

    from lxml import etree

    from mvg.formats.medline import _articles, _files

    path = Path(raw or "", "pubmed")
    if not raw or not path.exists():
        return print("<!-- medline: needs RAW_DIR/pubmed -->")

    def iterparse():
        for file in sorted(path.glob("*.xml.gz")):
            for _, element in etree.iterparse(gzip.open(file), tag="MedlineCitation", huge_tree=True):
                title = "".join(element.find("Article/ArticleTitle").itertext())
                headings = element.iterfind("MeshHeadingList/MeshHeading/DescriptorName")
                yield element.findtext("PMID"), title, [(h.get("UI") or h.text, h.text) for h in headings]
                element.clear()

    ours = lambda: [article[:3] for article in _articles(_files(path), set())]  # noqa: E731
    same = ours() == list(iterparse())
    row("MEDLINE XML, checksums included", "lxml.etree.iterparse", ours, lambda: list(iterparse()), same)


def first_process(raw) -> None:
    """Processor seconds of a process that builds and searches methods on small data: the first, and a later one."""
    code = """
import time
import numpy as np
from mvg.datasets.pairs import Split
from mvg.evaluation.combinations import Log
from mvg.search.combined import Combined

random, nothing = np.random.default_rng(0), (np.empty(0, int),) * 2
unit = lambda n: (v := random.normal(size=(n, 16)).astype("f")) / np.linalg.norm(v, axis=1, keepdims=True)
documents, queries, target = unit(150), unit(600), random.integers(0, 150, 600)
train, dev = (Split(rows, (rows, target[rows]), nothing) for rows in (np.arange(500), np.arange(500, 600)))
imported = time.process_time()
log = Log(documents, queries, train, dev, 10)
for name in ("x", "mvg+prior+x", "tuned+x", "shared+tuned+x", "knn+x"):
    Combined(log.build(name, 3).addition).search(queries[500:], 10)
print(imported, time.process_time() - imported)
"""
    with tempfile.TemporaryDirectory() as cache:
        variables = os.environ | {"NUMBA_CACHE_DIR": cache, "PYTHONPATH": str(ROOT / "workflow")}
        for which in "first", "second":
            done = subprocess.run(
                [sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=True
            )
            imports, work = map(float, done.stdout.split())
            print(f"\nThe {which} process on small data: imports {imports:.2f} s, all methods {work:.2f} s.")


def peak(raw) -> None:
    a, b = (np.random.default_rng(i).random((2048, 2048), dtype=np.float32) for i in (0, 1))
    big = np.zeros(1 << 27, dtype=np.uint8)
    sgemm = 2 * 2048**3 / min(_seconds(lambda: a @ b)[0] for _ in range(5)) / 1e9
    memcpy = 2 * big.nbytes / min(_seconds(lambda: big.copy())[0] for _ in range(5)) / 1e9
    print(f"\nPeak of this run: sgemm {sgemm:.0f} GFLOP/s, memcpy {memcpy:.1f} GB/s (read and written).")


SECTIONS = [
    fit, grid, search, votes, bm25, bm25_large, metrics, significance, dssm, tokens, medline, first_process, peak,
]  # fmt: skip


def main(raw: str, names: list[str]) -> None:
    print("| ours | against | same answer | s | theirs, s | ratio | of processor time | ours reaches |")
    print("| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |", flush=True)
    for section in SECTIONS:
        if not names or section.__name__ in names:
            subprocess.run([sys.executable, __file__, "--section", section.__name__, raw], check=False)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--section"]:
        {section.__name__: section for section in SECTIONS}[sys.argv[2]](sys.argv[3])
    else:
        parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("raw", nargs="?", default="")
        parser.add_argument("names", nargs="*", choices=[*(section.__name__ for section in SECTIONS), []])
        given = parser.parse_args()
        main(given.raw, given.names)
