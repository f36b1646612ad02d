# Resources of jobs: memory, threads, GPUs, shards.

import json
import math

from snakemake.exceptions import WorkflowError

# For transformers in torch (a DSSM uses one). Sums depend on the number, so it does not follow --cores.
TORCH_THREADS = 2
MAPPED = 2048  # most MiB in memory of the vectors that exact search reads from disk
TEXTS = ["corpus", "queries"]
SHARDS = [f"{number}-of-{config['shards']}" for number in range(1, config["shards"] + 1)]

# The pairs of a dataset; the vectors of an encoder, or its token vectors.
PAIRS = {split: f"<results>/{{dataset}}/data/pairs.{split}.npz" for split in SPLITS}
VECTORS = {side: f"<results>/{{dataset}}/{{encoder}}/{side}.npy" for side in ("documents", "queries")}
TOKENS = {
    **{name: f"<results>/{{dataset}}/{{encoder}}/{name}.npy" for name in ("tokens", "starts")},
    **{split: f"<results>/{{dataset}}/{{encoder}}/query_tokens.{split}.npy" for split in SPLITS},
    **{
        f"{split}_real": f"<results>/{{dataset}}/{{encoder}}/query_tokens.{split}.real.npy"
        for split in SPLITS
    },
}
VECTORS_AT_ONCE, TOKENS_AT_ONCE = (VECTORS, TOKENS) if len(SHARDS) == 1 else ({}, {})

# Jobs ask the cluster for a GPU only if the config does.
GPU = {"gpu": 1} if config["device"] == "cuda" else {}


def megabytes(factor=1, base=500, most=math.inf, shared=(), mapped=()):
    """Memory that a job needs: ``base`` plus ``factor`` times the size of its inputs, at most ``most``.

    A shard reads its part of the inputs ``shared``. Inputs that are ``mapped`` stay on disk, with at most MAPPED
    in memory at a time.
    """

    def need(wildcards, input):
        vectors, part = (size_mb([getattr(input, name) for name in names]) for names in (mapped, shared))
        rest = size_mb(input) - vectors - part
        return int(
            min(
                most,
                base + factor * (rest + part / len(SHARDS)) + 1.2 * min(vectors, MAPPED),
            )
        )

    return need


def size_mb(input):
    """Size of the inputs. If an earlier step of a grouped job makes some of them, only existing files count."""
    try:
        return input.size_mb
    except (AttributeError, WorkflowError):
        return sum(os.path.getsize(file) for file in input if os.path.exists(file)) / 1024**2


def prepare_megabytes(wildcards, input):
    """Tables of two columns are sorted on disk; the other readers hold the pairs, and the click log its texts."""
    if plan.reading(wildcards.dataset)["format"] == "csv":
        return 3000
    return megabytes(factor=20, base=4000, most=16000)(wildcards, input)


def bm25_megabytes(wildcards, input):
    """The words of documents, some at a time, and the rankings: 1.2 KB a test query, which has 24 bytes of pairs."""
    return int(1000 + min(3000, 8 * size_mb([input.corpus])) + 60 * size_mb([input.pairs]))


def clustering_megabytes(wildcards, input):
    """Memory to cluster: the pairs, the vectors that are made (twice), and of those that are read what is mapped."""
    given = size_mb([input.documents, input.queries])
    made = size_mb([input.documents]) * float(wildcards.m_avg)
    return int(800 + 3 * size_mb([input.pairs]) + 2 * made / len(SHARDS) + 1.2 * min(given, 2 * MAPPED))


def dssm_megabytes(wildcards, input):
    """Memory to train DSSM.

    Weights, gradient, Adam's moments and the best epoch grow with the dimension; with a residual they also grow with
    the number of documents. If all documents are negatives, so do the scores of a batch.
    """
    settings = plan.encoder(wildcards.dataset, wildcards.encoder)
    rows = settings["batch"] + settings["dimension"] if settings["loss"] == "full" else 0
    rows += settings["dimension"] * settings["document_residual"]
    of_documents = 24 * n_documents(input.stats) * rows / 1024**2
    return int(2000 + size_mb(input) * (10 + 10 * settings["dimension"] / 256) + of_documents)


def n_documents(stats):
    """0 if the file does not exist yet or is damaged; the jobs that need it report that."""
    try:
        return int(json.loads(Path(stats).read_text(encoding="utf-8"))["documents"])
    except (OSError, ValueError, TypeError, KeyError):
        return 0


def search_threads(wildcards):
    """One for small data, so that two jobs run at once. The number of threads changes no byte."""
    return 1 if plan.is_small(wildcards.dataset) else 2


def torch_threads(wildcards):
    """One for a small or static model, which cannot use more; so two jobs run at once."""
    light = ("scratch", "package:wordllama")
    return 1 if plan.encoder(wildcards.dataset, wildcards.encoder)["init"] in light else TORCH_THREADS


def in_shards(path):
    """The path of a shard's part of a file; the file itself if there is one shard."""
    stem, kind = path.rsplit(".", 1)
    return path if len(SHARDS) == 1 else f"{stem}.{{shard}}.{kind}"


def sharded(path):
    """The same for an output. Parts are temporary: they are not needed once gathered."""
    part = in_shards(path)
    return path if part == path else temp(part)


def parts(path):
    """All parts of a file, in order."""
    return expand(in_shards(path), shard=SHARDS, allow_missing=True)


def shard_of(wildcards):
    return wildcards.get("shard", "1-of-1")
