# The helpers of all rules: the checked config, and which files a run owes.

import datetime
import json
import math
import os
import re
import shlex
import sys
from pathlib import Path

import jsonschema
import yaml
from snakemake.exceptions import WorkflowError
from snakemake.utils import validate

ROOT = Path(workflow.basedir)
SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"
SPLITS = ["train", "dev", "test"]
ONE_VECTOR = ["dssm", "pretrained", "sbert", "module", "vectors"]  # kinds with one vector a text
WRAPPERS = ["", "prior+", "mvg+", "mvg+prior+"]
LEXICAL = ["bm25", "popularity"]
SIMULATED = {
    "eurlex": "eurlex",
    "pubmed": "medline",
    "wikiseealso": "xc",
    "clicklog": "clicklog",
    "flat": "msmarco",
    "large": "msmarco",
}
DOWNLOADS = {"eurlex": "eurlex", "pubmed": "medline", "wikiseealso": "xc", "msmarco": "msmarco"}
KNOWN_SETS = SIMULATED | DOWNLOADS

# Of torch, for transformers; a DSSM keeps one busy. Sums depend on it: it does not follow --cores.
TORCH_THREADS = 2

# What else a source may say, by format: options of its reader.
READER_OPTIONS = {
    "csv": ["columns"],
    "clicklog": [
        "columns",
        "split",
        "dev_from",
        "test_from",
        "min_clicks",
        "max_clicks",
        "max_documents",
        "weights",
    ],
    "medline": ["sample"],
    "bioasq": ["sample"],
    "mesh-csv": ["sample"],
    "xc": ["dev_share"],
}

# The experiments beyond the benchmark table, by what each makes: see experiment().
FIGURES = [
    "popularity",
    "loss_curves",
    "budget_share",
    "budget_sweep",
    "dimension_sweep",
    "training_sweep",
    "memory_spectrum",
    "click_log",
    "case_studies",
]
TABLES = ["zero_shot", "complexity", "click_log", "flat_popularity", "ablations", "seeds"]

# Those on a dataset of their own, config[name], and how many documents their rankings hold.
DEPTHS = {"click_log": 200, "flat_popularity": 1000}

# A variable set in os.environ is lost in a conda environment; the prefix is not. The first two make
# sums repeatable, on a GPU too. Threads that wait actively starve all others on a busy machine, and
# without the malloc settings two trainings side by side spend most of their time in page faults.
shell.prefix(
    f"set -euo pipefail; export PYTHONPATH={shlex.quote(str(ROOT / 'workflow')).replace('{', '{{').replace('}', '}}')}; "
    "export PYTHONHASHSEED=0 CUBLAS_WORKSPACE_CONFIG=:4096:8 OMP_WAIT_POLICY=PASSIVE; "
    "export MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=16000000000; "
)

# What was typed, for provenance.json. No parameter, which would run its rule again with every other
# command; a job inherits it, on a cluster too, whose own command is another.
if workflow.is_main_process:
    os.environ.update(MVG_COMMAND=shlex.join(["snakemake", *sys.argv[1:]]))

# Snakemake looks for a default profile in profiles/ beside the Snakefile, and ours lies in
# workflow/profiles/default: without it, a plain `snakemake` would ask for --cores.
if workflow.resource_settings.cores is None and workflow.resource_settings.nodes is None:
    workflow.resource_settings.cores = len(os.sched_getaffinity(0))
    workflow.global_resources["_cores"] = workflow.resource_settings.cores


# Where a job was cut off, Snakemake would answer with a traceback.
onstart:
    for folder in ("results", f"results/{RUN}"):
        if Path(folder).exists() and not os.access(folder, os.W_OK):
            raise SystemExit(f"error: {folder}: not writable: make it so, then run this again")


# Snakemake notes a failed job as done with its new settings and removes its outputs. If what follows from
# them is there, from old settings, the next run would take that for right: take the note back.
onerror:
    for job in workflow.scheduler.failed:
        for file in job.output:
            if record := workflow.persistence.metadata(file):
                record.params = ["of a job that failed"]
                workflow.persistence._write_record(workflow.persistence._get_key(file), record)


def stop(where, expected):
    """End with one line that names the config key and what was expected."""
    raise SystemExit(f"error: config: {where}: {expected}")


def typed(value):
    """Numbers inside a list or mapping of the command line, which Snakemake leaves as text."""
    if isinstance(value, dict):
        return {key: typed(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [typed(entry) for entry in value]
    if isinstance(value, str) and re.fullmatch(r"-?([0-9]+[.]?[0-9]*|[.][0-9]+)e[+-]?[0-9]+", value):
        return float(value)  # text to YAML, unless it has a point and a sign
    if isinstance(value, str) and re.fullmatch(r"true|false|null|-?[0-9.]+", value):
        return yaml.safe_load(value)
    return value


def plain(value, where=""):
    """Whole floats as the integers they are; an error for what no setting can be."""
    if isinstance(value, dict):
        return {key: plain(entry, f"{where}.{key}") for key, entry in value.items()}
    if isinstance(value, list):
        return [plain(entry, where) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        stop(where.lstrip("."), f"expected a finite number, found {value}")
    return int(value) if isinstance(value, float) and value.is_integer() else value


def undated(value):
    """Dates, which YAML knows without quotes, as the texts that they were."""
    if isinstance(value, dict):
        return {key: undated(entry) for key, entry in value.items()}
    return value.isoformat() if isinstance(value, datetime.date) else value


def exists(path, kind=Path.exists):
    """Whether there is such a path; no for one that the system cannot even look up."""
    try:
        return kind(Path(path))
    except (OSError, ValueError):
        return False


def kind_of(encoder):
    return config["encoder_settings"][encoder]["kind"]


def check_config():
    """Validate against the schema, fill in defaults, check what a schema cannot say."""
    for key in workflow.config_settings.overwrite_config:
        if key not in ("datasets", "encoders", "experiments") and isinstance(config[key], (dict, list)):
            config[key] = typed(config[key])
    config.update(undated(config))
    try:
        validate(config, str(SCHEMA))
    except WorkflowError:
        schema = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
        errors = jsonschema.Draft202012Validator(schema).iter_errors(config)
        worst = jsonschema.exceptions.best_match(errors)
        stop(".".join(map(str, worst.absolute_path)) or "top level", " ".join(worst.message.split())[:300])
    config.update(plain(config))
    for key, names in (
        ("encoders", config["encoders"]),
        ("diversity_encoder", [config["diversity_encoder"]]),
        ("sweeps.encoders", config["sweeps"]["encoders"] or []),
        ("sweeps.dssm", [config["sweeps"]["dssm"]]),
    ):
        for name in names:
            if name not in config["encoder_settings"]:
                stop(f"{key}: {name}", "no such entry under encoder_settings")
    if kind_of(config["diversity_encoder"]) == "colbert":
        stop("diversity_encoder", "an encoder with one vector a query, not colbert")
    for name in config["encoders"]:
        check_encoder(name, config["encoder_settings"][name])
    if "colbert" in map(kind_of, config["sweeps"]["encoders"] or []):
        stop("sweeps.encoders", "encoders with one vector a query, not colbert")
    if kind_of(config["sweeps"]["dssm"]) != "dssm":
        stop("sweeps.dssm", "an encoder of kind dssm")
    seeds = config["seeds"] if isinstance(config["seeds"], dict) else {}
    for key, names, known in (
        ("sweeps.datasets", config["sweeps"]["datasets"], "datasets"),
        # Those that this run is without are passed over.
        ("seeds.datasets", seeds.get("datasets"), "sources"),
        ("seeds.encoders", seeds.get("encoders"), "encoder_settings"),
    ):
        for name in names or []:
            if name not in config[known]:
                stop(f"{key}: {name}", f"no such entry in {known}")
    for folder in ("results", *(f"results/{config['run']}/{name}" for name in ("", *config["datasets"]))):
        if os.path.lexists(folder) and not exists(folder, Path.is_dir):
            stop("run", f"expected a folder, or nothing yet: {folder}")
    if config["raw_dir"] is not None:
        if not exists(config["raw_dir"], Path.is_dir):
            stop("raw_dir", f"no such folder: {config['raw_dir'][:200]}")
        if not any(exists(f"{config['raw_dir']}/{name}", Path.is_dir) for name in KNOWN_SETS):
            stop("raw_dir", f"expected one of the folders {', '.join(KNOWN_SETS)} in {config['raw_dir']}")
    for name in DEPTHS:
        encoder = config[name]["encoder"]
        if encoder not in config["encoder_settings"] or kind_of(encoder) == "colbert":
            stop(f"{name}.encoder: {encoder}", "expected an entry of encoder_settings with one vector a text")
    own = [(f"{name}.dataset", config[name]["dataset"]) for name in DEPTHS]
    for key, name in [*(("datasets", name) for name in config["datasets"]), *own]:
        source = source_of(name)
        if source is None:
            stop(f"{key}: {name}", "no such entry under sources")
        if source["source"] == "simulated" and name not in SIMULATED:
            stop(f"sources.{name}", f"only {', '.join(SIMULATED)} can be simulated")
        if source["source"] == "download" and name not in DOWNLOADS:
            stop(f"sources.{name}", f"only {', '.join(DOWNLOADS)} can be downloaded")
        if source["source"] == "path" and not exists(source["path"]):
            stop(f"sources.{name}.path", f"no such file or folder: {source['path'][:200]}")
        check_options(name, source)


def check_options(name, source):
    """A source says only what its format's reader, or its download, takes."""
    listed = source["source"] == "download" and name == "pubmed"
    taken = ["source", "path", "format", "keep"] + READER_OPTIONS.get(format_of(name), [])
    for key in source:
        if key not in taken + (["year", "files"] if listed else []):
            stop(f"sources.{name}.{key}", f"not a setting of {source['source']} {format_of(name)}")


def format_of(dataset):
    source = source_of(dataset)
    return source["format"] if source["source"] == "path" else KNOWN_SETS[dataset]


def check_encoder(name, entry):
    """That the user's own file of an encoder is there."""
    if entry["kind"] == "module" and not exists(ROOT / f"workflow/mvg/encoders/{entry['module']}.py"):
        stop(f"encoder_settings.{name}.module", f"no such file: workflow/mvg/encoders/{entry['module']}.py")


def source_of(dataset):
    """Where a dataset comes from; ``raw_dir`` goes before the known sets' own entries."""
    entry, raw_dir = config["sources"].get(dataset), config["raw_dir"]
    if raw_dir and dataset in KNOWN_SETS and (Path(raw_dir) / dataset).is_dir():
        format = KNOWN_SETS[dataset]
        keys = ["keep"] + READER_OPTIONS.get(format, [])
        options = {key: entry[key] for key in keys if key in (entry or {})}
        return {"source": "path", "path": str(Path(raw_dir) / dataset), "format": format} | options
    return entry


def sweep_encoders():
    """The encoders whose budget is swept: the first of the run with a vector a query, if none is named."""
    return config["sweeps"]["encoders"] or [*BI_ENCODERS, config["sweeps"]["dssm"]][:1]


def sweep_datasets():
    """The datasets on which encoders are trained for a sweep: the first of the run, if none is named."""
    return config["sweeps"]["datasets"] or config["datasets"][:1]


def compared_dimensions():
    """For each r of the dimension sweep: r, the paper's rival 2r, and the rival of MVG's size."""
    growth = 1 + config["multiview"]["m_avg"]
    return {
        r: {"dssm": r, "dssm(2r)": 2 * r, "dssm(equal)": round(growth * r)}
        for r in sorted(config["sweeps"]["dimensions"])
    }


def dimension_encoder(dimension):
    """The swept DSSM itself where it has this dimension, else its variant."""
    name = config["sweeps"]["dssm"]
    own = config["encoder_settings"][name].get("dimension")
    return name if dimension == own else f"{name}-d{dimension}"


def repeated():
    """dataset, encoder -> the encoders that repeat it with other seeds: name -> seed."""
    seeds = config["seeds"] if isinstance(config["seeds"], dict) else {"values": config["seeds"]}
    values = [seed for seed in seeds["values"] if seed != config["seed"]]
    return {
        (dataset, encoder): {f"{encoder}-s{seed}": seed for seed in values}
        for dataset in config["datasets"]
        for encoder in config["encoders"]
        if values
        and dataset in seeds.get("datasets", [dataset])
        and encoder in seeds.get("encoders", [encoder])
        if kind_of(encoder) == "dssm"
    }


def seed_rows():
    """(dataset, method, method with one of its seeds) of all that seeds.csv averages over."""
    return [
        (dataset, wrapper + encoder, wrapper + name)
        for (dataset, encoder), names in repeated().items()
        for wrapper in WRAPPERS
        for name in [encoder, *names]
    ]


def seed_of(wildcards):
    """The run's seed; of an encoder that is repeated with another, that one."""
    return SEEDS.get(wildcards.encoder, config["seed"])


def of_kind(*kinds):
    """Wildcard constraint: the names of all encoders of these kinds, none if there is none."""
    names = [re.escape(n) for n, entry in config["encoder_settings"].items() if entry["kind"] in kinds]
    return "|".join(names) or "(?!)"


def settings_of(wildcards):
    """The encoder's settings; those that differ by dataset are this dataset's."""
    return dataset_settings(wildcards.dataset, wildcards.encoder)


def dataset_settings(dataset, encoder):
    entry = dict(config["encoder_settings"][encoder])
    if isinstance(entry.get("init"), dict):
        if dataset not in entry["init"]:
            stop(f"encoder_settings.{encoder}.init", f"no entry for {dataset}")
        entry["init"] = entry["init"][dataset]
    if isinstance(entry.get("vocabulary"), dict):
        entry["vocabulary"] = entry["vocabulary"].get(dataset)  # None: by the number of words
    return entry


def encoder_module(wildcards):
    """The user's file of an encoder of kind ``module``: a change of it makes its vectors anew."""
    return {"module": str(ROOT / f"workflow/mvg/encoders/{settings_of(wildcards)['module']}.py")}


def vector_files(wildcards):
    """The user's own vectors of a dataset."""
    folder = f"{settings_of(wildcards)['path']}/{wildcards.dataset}"
    for side, texts in (("documents", "corpus.jsonl"), ("queries", "queries.jsonl")):
        if not exists(f"{folder}/{side}.npy", Path.is_file):
            data = f"results/{wildcards.run}/{wildcards.dataset}/data"
            rows = f"expected a row for each line of {data}/{texts}, which `snakemake {data}/stats.json` writes"
            stop(f"encoder_settings.{wildcards.encoder}.path", f"no such file: {folder[:200]}/{side}.npy: {rows}")
    return {"document_vectors": f"{folder}/documents.npy", "query_vectors": f"{folder}/queries.npy"}


def pretrained_models():
    """[dataset, encoder, init] of each encoder that starts from somebody's weights."""
    return [
        [dataset, encoder, dataset_settings(dataset, encoder)["init"]]
        for dataset in config["datasets"]
        for encoder in config["encoders"]
        if "init" in config["encoder_settings"][encoder]
    ]


def trained_encoders():
    """[dataset, encoder] of each encoder that the run trains."""
    kinds = ("dssm", "sbert", "colbert")
    trained = [encoder for encoder in config["encoders"] if kind_of(encoder) in kinds]
    return [[dataset, encoder] for dataset in config["datasets"] for encoder in trained]


def torch_threads(wildcards):
    """One for the small BERT of ``init: scratch``, which keeps no more busy: two such jobs then run at once."""
    return 1 if settings_of(wildcards)["init"] == "scratch" else TORCH_THREADS


def local_init(wildcards):
    """The files of the model folder an encoder starts from, if that is a folder here."""
    init = settings_of(wildcards).get("init", "scratch")
    files = [] if init == "scratch" else [path for path in Path(init).expanduser().rglob("*") if path.is_file()]
    return {"init": sorted(str(path) for path in files if not set("{}") & set(str(path)))} if files else {}


check_config()
CHECKED = dict(config)  # for provenance.json: the defaults filled in, none of the encoders that follow

# An encoder with another seed is one more encoder, with the settings of its own.
SEEDS = {name: seed for names in repeated().values() for name, seed in names.items()}
for name in SEEDS.keys() & config["encoder_settings"].keys():
    stop(f"encoder_settings.{name}", "another name: this one is taken by one of the seeds")
config["encoder_settings"] = config["encoder_settings"] | {
    name: config["encoder_settings"][encoder] for (_, encoder), names in repeated().items() for name in names
}

# A GPU is asked of the cluster only if the config wants one.
GPU = {"gpu": 1} if config["device"] == "cuda" else {}
RUN = config["run"]
MAPPED = 2048  # MiB of the vectors that exact search reads from disk
TEXTS = ["corpus", "queries"]
SHARDS = [f"{number}-of-{config['shards']}" for number in range(1, config["shards"] + 1)]
BUDGET = "beta{beta}-m{m_avg}".format(**config["multiview"])
# What a run ranks with one encoder: plain, with the prior, with MVG, with both.
RANKINGS = expand("results/{run}/{dataset}/runs/{wrapper}{encoder}.npz", wrapper=WRAPPERS, allow_missing=True)
BI_ENCODERS = [encoder for encoder in config["encoders"] if kind_of(encoder) != "colbert"]
TOKEN_ENCODERS = [encoder for encoder in config["encoders"] if kind_of(encoder) == "colbert"]
# Ablations take a while: over the encoders of the sweeps.
ABLATED = [encoder for encoder in sweep_encoders() if encoder in BI_ENCODERS]
# Where one dataset and one encoder must do.
FIRST_SET = config["datasets"][0]
BASE = (BI_ENCODERS or [config["diversity_encoder"]])[0]
BUDGET_NOTE = "MVG: beta {beta}, {m_avg} vectors a document on average.".format(**config["multiview"])
SETTINGS_NOTE = f"{BUDGET_NOTE} MVG + Prior is as Prior where dev chose no views over it. Seed {config['seed']}."
DIMENSIONS = {d: dimension_encoder(d) for row in compared_dimensions().values() for d in row.values()}

# Variants are encoders like any other from here on: the same rules train and encode with them.
for dimension, variant in DIMENSIONS.items():
    settings = {**config["encoder_settings"][config["sweeps"]["dssm"]], "dimension": dimension}
    if config["encoder_settings"].setdefault(variant, settings) != settings:
        stop(f"encoder_settings.{variant}", "another name: this one is taken by a dimension of the sweep")


wildcard_constraints:
    run="[A-Za-z0-9][A-Za-z0-9._-]*",
    dataset="[A-Za-z0-9][A-Za-z0-9_-]*",
    encoder="[a-z0-9][a-z0-9.-]*",
    wrapper=r"(mvg\+)?(prior\+)?",
    method=r"[a-z0-9][a-z0-9.+-]*",
    split="train|dev|test",
    shard="[0-9]+-of-[0-9]+",
    beta="[0-9.e-]+",
    m_avg="[0-9.e-]+",


def methods_over(encoder):
    """BM25 and the encoder: plain, with the prior, with MVG."""
    return ["bm25", encoder, f"prior+{encoder}", f"mvg+{encoder}"]


def in_shards(path):
    """The path of a shard's part of a file; of the file itself where there is one shard."""
    stem, kind = path.rsplit(".", 1)
    return path if SHARDS == ["1-of-1"] else f"{stem}.{{shard}}.{kind}"


def sharded(path):
    """The same for an output: parts are of no use once they are gathered."""
    part = in_shards(path)
    return path if part == path else temp(part)


def parts(path):
    """All parts of a file, in order."""
    return expand(in_shards(path), shard=SHARDS, allow_missing=True)


def shard_of(wildcards):
    return wildcards.get("shard", "1-of-1")


def depth(wildcards):
    """How many documents a ranking of the dataset holds: as many as anybody asks of it."""
    own = [k for name, k in DEPTHS.items() if config[name]["dataset"] == wildcards.dataset]
    return max(config["ks"] + own)


def run_datasets():
    """The datasets of the run, those of its experiments behind them."""
    own = [config[name]["dataset"] for name in config["experiments"] if name in DEPTHS]
    return list(dict.fromkeys(config["datasets"] + own))


def methods():
    """Every row of the benchmark, in the table's order."""
    return LEXICAL + [w + x for x in config["encoders"] for w in WRAPPERS]


def tables():
    names = [
        "benchmark.csv",
        "benchmark.md",
        "benchmark.tex",
        "significance.csv",
        "verdicts.csv",
        "verdicts.md",
    ]
    return [f"results/{RUN}/tables/{name}" for name in names]


def experiment(name):
    """What an experiment makes: figure and numbers, table in three layouts, or both; its numbers first."""
    figure = [f"results/{RUN}/figures/{name}.{kind}" for kind in ("csv", "pdf", "png")]
    table = [f"results/{RUN}/tables/{name}.{kind}" for kind in ("csv", "md", "tex")]
    return figure * (name in FIGURES) + table * (name in TABLES)


def trec_files():
    folders = [f"results/{RUN}/{dataset}/trec" for dataset in config["datasets"]]
    return [
        f"{folder}/{name}"
        for folder in folders
        for name in ["qrels.test.txt"] + [f"{m}.run" for m in methods()]
    ]


def megabytes(factor=1, base=500, most=math.inf, shared=(), mapped=()):
    """Memory that a job needs: ``base`` and ``factor`` times the size of its inputs, up to ``most``.

    Of the inputs ``shared`` a shard takes its part; ``mapped`` ones stay on disk, with MAPPED in memory at a time.
    """

    def need(wildcards, input):
        vectors, part = (size_mb([getattr(input, name) for name in names]) for names in (mapped, shared))
        rest = size_mb(input) - vectors - part
        return int(min(most, base + factor * (rest + part / len(SHARDS)) + 1.2 * min(vectors, MAPPED)))

    return need


def size_mb(input):
    """Size of the inputs; without those, where steps are grouped to one job, that an earlier step will make."""
    try:
        return input.size_mb
    except (AttributeError, WorkflowError):
        return sum(os.path.getsize(file) for file in input if os.path.exists(file)) / 1024**2


def dssm_megabytes(wildcards, input):
    """Memory to train DSSM: weights, gradient, Adam's moments and the best epoch grow with its dimension, those of a
    residual with the documents too, and where all documents are negatives, a batch's scores with their number."""
    settings = settings_of(wildcards)
    rows = settings["batch"] + settings["dimension"] if settings["loss"] == "full" else 0
    rows += settings["dimension"] * settings["document_residual"]
    of_documents = 24 * n_documents(input.stats) * rows / 1024**2
    return int(2000 + size_mb(input) * (10 + 10 * settings["dimension"] / 256) + of_documents)


def n_documents(stats):
    """0 if the file is still to be made; or is damaged, which the jobs that need it say."""
    try:
        return int(json.loads(Path(stats).read_text(encoding="utf-8"))["documents"])
    except (OSError, ValueError, TypeError, KeyError):
        return 0


def raw_folder(wildcards):
    """Where the raw files of a dataset lie, or will."""
    source = source_of(wildcards.dataset)
    if source["source"] == "simulated":
        return f"results/{wildcards.run}/{wildcards.dataset}/raw"
    if source["source"] == "download":
        return f"{config['download_dir']}/{wildcards.dataset}"
    return source["path"]


def search_threads(wildcards):
    """One for simulated data, small but for the rehearsal of scale: two jobs then run at once. Neither changes a byte."""
    small = source_of(wildcards.dataset)["source"] == "simulated" and wildcards.dataset != "large"
    return 1 if small else 2


def raw_files(wildcards):
    path = Path(raw_folder(wildcards))
    kind = source_of(wildcards.dataset)["source"]
    if kind == "simulated":
        return [str(path)]
    if kind == "download":
        return [f"{path}/downloaded.json"]
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    for file in files:
        if set("{}") & set(str(file)):
            stop(
                f"datasets: {wildcards.dataset}",
                f"expected raw files without braces in their names, found {file}",
            )
    return [str(file) for file in files]


def raw_source(wildcards):
    """What the reader needs to know: format, path, its options; which queries to keep; whether they are simulated."""
    source, format = source_of(wildcards.dataset), format_of(wildcards.dataset)
    return {
        "format": format,
        "path": raw_folder(wildcards),
        "options": {key: source[key] for key in READER_OPTIONS.get(format, []) if key in source},
        "keep": source.get("keep", {}),
        "simulated": source["source"] == "simulated",
    }


def token_level(wildcards):
    """Vectors of the first token-level encoder, if the run has one."""
    folder = "results/{run}/{dataset}".format(**wildcards)
    names = {"tokens": "tokens", "starts": "starts", "token_queries": "query_tokens.test"}
    return {
        key: f"{folder}/{encoder}/{name}.npy" for encoder in TOKEN_ENCODERS[:1] for key, name in names.items()
    }


def scores_of(wildcards):
    """Per-query scores of every method on every dataset, and what the sizes and counts come from."""
    folder = f"results/{wildcards.run}/{{dataset}}"
    both = dict(dataset=config["datasets"], method=methods())
    return {
        "scores": expand(f"{folder}/scores/{{method}}.csv", **both),
        "rankings": expand(f"{folder}/runs/{{method}}.npz", **both),
        "stats": expand(f"{folder}/data/stats.json", dataset=config["datasets"]),
    }
