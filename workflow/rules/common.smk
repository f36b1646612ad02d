# The helpers of all rules: the checked config, and which files a run owes.

import datetime
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
WRAPPERS = ["", "prior+", "mvg+", "mvg+prior+"]
KNOWN_SETS = {
    "eurlex": "eurlex",
    "pubmed": "medline",
    "wikiseealso": "xc",
    "clicklog": "clicklog",
    "flat": "msmarco",
}

# The experiments beyond the benchmark table, by what each makes: see experiment().
FIGURES = ["popularity", "click_log"]
TABLES = ["click_log", "flat_popularity"]

# Those on a dataset of their own, config[name], and how many documents their rankings hold.
DEPTHS = {"click_log": 200, "flat_popularity": 1000}

# A variable set in os.environ is lost in a conda environment; the prefix is not. Without the
# malloc settings, two trainings side by side spend most of their time in page faults; threads that
# wait actively starve all others on a busy machine.
shell.prefix(
    f"set -euo pipefail; export PYTHONPATH={shlex.quote(str(ROOT / 'workflow')).replace('{', '{{').replace('}', '}}')}; "
    "export PYTHONHASHSEED=0 OMP_WAIT_POLICY=PASSIVE MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=16000000000; "
)

# Snakemake looks for a default profile in profiles/ beside the Snakefile, and ours lies in
# workflow/profiles/default: without it, a plain `snakemake` would ask for --cores.
if workflow.resource_settings.cores is None and workflow.resource_settings.nodes is None:
    workflow.resource_settings.cores = len(os.sched_getaffinity(0))
    workflow.global_resources["_cores"] = workflow.resource_settings.cores


def stop(where, expected):
    """End with one line that names the config key and what was expected."""
    raise SystemExit(f"error: config: {where}: {expected}")


def typed(value):
    """Numbers inside a list or mapping of the command line, which Snakemake leaves as text."""
    if isinstance(value, dict):
        return {key: typed(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [typed(entry) for entry in value]
    if isinstance(value, str) and re.fullmatch(r"true|false|null|-?[0-9.]+(e-?[0-9]+)?", value):
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
    ):
        for name in names:
            if name not in config["encoder_settings"]:
                stop(f"{key}: {name}", "no such entry under encoder_settings")
    if kind_of(config["diversity_encoder"]) == "colbert":
        stop("diversity_encoder", "an encoder with one vector a query, not colbert")
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
        if source["source"] == "simulated" and name not in KNOWN_SETS:
            stop(f"sources.{name}", f"only {', '.join(KNOWN_SETS)} can be simulated")
        if source["source"] == "path" and not exists(source["path"]):
            stop(f"sources.{name}.path", f"no such file or folder: {source['path'][:200]}")


def source_of(dataset):
    """Where a dataset comes from; ``raw_dir`` goes before the known sets' own entries."""
    raw_dir = config["raw_dir"]
    if raw_dir and dataset in KNOWN_SETS and (Path(raw_dir) / dataset).is_dir():
        return {
            "source": "path",
            "path": str(Path(raw_dir) / dataset),
            "format": KNOWN_SETS[dataset],
        }
    return config["sources"].get(dataset)


def of_kind(*kinds):
    """Wildcard constraint: the names of all encoders of these kinds, none if there is none."""
    names = [re.escape(n) for n, entry in config["encoder_settings"].items() if entry["kind"] in kinds]
    return "|".join(names) or "(?!)"


def settings_of(wildcards):
    """The encoder's settings; an ``init`` that differs by dataset is this dataset's."""
    return dataset_settings(wildcards.dataset, wildcards.encoder)


def dataset_settings(dataset, encoder):
    entry = dict(config["encoder_settings"][encoder])
    if isinstance(entry.get("init"), dict):
        entry["init"] = entry["init"].get(dataset)
        if entry["init"] is None:
            stop(f"encoder_settings.{encoder}.init", f"no entry for {dataset}")
    return entry


def pretrained_models():
    """[dataset, encoder, init] of each encoder that starts from somebody's weights."""
    return [
        [dataset, encoder, dataset_settings(dataset, encoder)["init"]]
        for dataset in config["datasets"]
        for encoder in config["encoders"]
        if "init" in config["encoder_settings"][encoder]
    ]


def local_init(wildcards):
    """The model folder an encoder starts from, if that is a folder here."""
    init = settings_of(wildcards).get("init", "")
    return {"init": init} if Path(init).is_dir() else {}


check_config()

# A GPU is asked of the cluster only if the config wants one.
GPU = {"gpu": 1} if config["device"] == "cuda" else {}
RUN = config["run"]
BUDGET = "beta{beta}-m{m_avg}".format(**config["multiview"])


wildcard_constraints:
    run="[A-Za-z0-9][A-Za-z0-9._-]*",
    dataset="[A-Za-z0-9][A-Za-z0-9_-]*",
    encoder="[a-z0-9][a-z0-9.-]*",
    wrapper=r"(mvg\+)?(prior\+)?",
    method=r"[a-z0-9][a-z0-9.+-]*",
    split="train|dev|test",
    beta="[0-9.e-]+",
    m_avg="[0-9.e-]+",


def methods_over(encoder):
    """BM25 and the encoder: plain, with the prior, with MVG."""
    return ["bm25", encoder, f"prior+{encoder}", f"mvg+{encoder}"]


def depth(wildcards):
    """How many documents a ranking of the dataset holds: as many as anybody asks of it."""
    own = [k for name, k in DEPTHS.items() if config[name]["dataset"] == wildcards.dataset]
    return max(config["ks"] + own)


def run_datasets():
    """The datasets of the run, those of its experiments behind them."""
    own = [config[name]["dataset"] for name in config["experiments"] if name in DEPTHS]
    return list(dict.fromkeys(config["datasets"] + own))


def methods():
    """Every row of the benchmark, in the table's order. A prior goes over bi-encoders only."""
    wrappers = {x: ["", "mvg+"] if kind_of(x) == "colbert" else WRAPPERS for x in config["encoders"]}
    return ["bm25", "popularity"] + [w + x for x in config["encoders"] for w in wrappers[x]]


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


def megabytes(factor=1, base=500):
    """Memory that a job needs: ``base`` and ``factor`` times the size of its inputs."""
    return lambda wildcards, input: int(base + factor * input.size_mb)


def raw_files(wildcards):
    source = source_of(wildcards.dataset)
    if source["source"] == "simulated":
        return [f"results/{wildcards.run}/{wildcards.dataset}/raw"]
    path = Path(source["path"])
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    for file in files:
        if set("{}") & set(str(file)):
            stop(
                f"datasets: {wildcards.dataset}",
                f"expected raw files without braces in their names, found {file}",
            )
    return [str(file) for file in files]


def raw_source(wildcards):
    """What the reader needs to know: format, path, its options, and whether the data are simulated."""
    source = source_of(wildcards.dataset)
    if source["source"] == "simulated":
        path = f"results/{wildcards.run}/{wildcards.dataset}/raw"
        return {"format": KNOWN_SETS[wildcards.dataset], "path": path, "options": {}, "simulated": True}
    options = {key: value for key, value in source.items() if key not in ("source", "path", "format")}
    return {"format": source["format"], "path": source["path"], "options": options, "simulated": False}


def mvg_folder(wildcards):
    """Behavioural vectors of the configured budget."""
    folder = "results/{run}/{dataset}/{encoder}/mvg".format(**wildcards)
    return f"{folder}/{BUDGET}"


def traffic_of(wildcards):
    """The queries' traffic, if behavioural vectors are to be centers of it."""
    queries = "results/{run}/{dataset}/data/queries.jsonl".format(**wildcards)
    return {"traffic": queries} if config["multiview"]["weights"] == "traffic" else {}


def views_of(wildcards):
    """Behavioural vectors, if the method has them."""
    if "mvg+" not in wildcards.wrapper:
        return {}
    return {name: f"{mvg_folder(wildcards)}/{name}.npy" for name in ("vectors", "owner")}


def token_views_of(wildcards):
    """Behavioural vectors among a document's token vectors, if the method has them."""
    if "mvg+" not in wildcards.wrapper:
        return {}
    folder = "results/{run}/{dataset}/{encoder}/token_views".format(**wildcards)
    return {name: f"{folder}/{BUDGET}/{name}.npy" for name in ("vectors", "owner")}


def choice_of(wildcards):
    """What was chosen on dev, if the method has a prior."""
    if "prior+" not in wildcards.wrapper:
        return {}
    folder = "results/{run}/{dataset}/{encoder}".format(**wildcards)
    if "mvg+" in wildcards.wrapper:
        folder = mvg_folder(wildcards)
    train = "results/{run}/{dataset}/data/pairs.train.npz".format(**wildcards)
    return {"choice": f"{folder}/choice.json", "train": train}


def scores_of(wildcards):
    """Per-query scores of every method on every dataset, and what the sizes and counts come from."""
    folder = f"results/{wildcards.run}/{{dataset}}"
    both = dict(dataset=config["datasets"], method=methods())
    return {
        "scores": expand(f"{folder}/scores/{{method}}.csv", **both),
        "rankings": expand(f"{folder}/runs/{{method}}.npz", **both),
        "stats": expand(f"{folder}/data/stats.json", dataset=config["datasets"]),
    }
