# Shared by all stages: the checked config and its plan, paths, patterns of names, settings as parameters.

import os
import re
import shlex
import sys
from pathlib import Path

import yaml
from snakemake.utils import update_config

# The package is beside these rules. If the workflow comes from GitHub, the installed package is used.
WORKFLOW = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).parent
if (WORKFLOW / "mvg").is_dir():
    sys.path.insert(0, str(WORKFLOW))

from mvg.config import DOWNLOADS, ConfigError, checked, expect_said, load_schema, typed_options
from mvg.names import WRAPPERS
from mvg.plan import LEXICAL, Plan
from mvg.summary import where_to_look
from mvg.variants import compared_dimensions, repeated

# False if another workflow imports this one as a module.
IS_MAIN = WORKFLOW.parent == Path(workflow.basedir)


def or_one_line(make, *arguments):
    """The result of ``make``; a wrong setting ends the run with one line."""
    try:
        return make(*arguments)
    except ConfigError as error:
        raise SystemExit(f"error: {error}") from error


def planned():
    """The plan of the config; missing settings come from config.yaml, then from the schema."""
    with open(workflow.source_path("../../config.yaml"), encoding="utf-8") as file:
        full = yaml.safe_load(file)
    if IS_MAIN:
        expect_said(workflow.config_settings.overwrite_config, full)
    update_config(full, config)
    schema = load_schema(workflow.source_path("../schemas/config.schema.yaml"))
    return Plan(checked(full, schema, modules=WORKFLOW / "mvg/encoders"), typed_options(sys.argv[1:]))


plan = or_one_line(planned)
config.update(plan.config)

RESULTS = f"results/{plan.run}"
SPLITS = ["train", "dev", "test"]


pathvars:
    results=RESULTS,
    logs=f"{RESULTS}/logs",
    benchmarks=f"{RESULTS}/benchmarks",


wildcard_constraints:
    dataset="[A-Za-z0-9][A-Za-z0-9_-]*",
    encoder="[a-z0-9][a-z0-9.-]*",
    wrapper=r"([a-z-]+\+)*",
    method=r"[a-z0-9][a-z0-9.+-]*",
    split="train|dev|test",
    shard="[0-9]+-of-[0-9]+",
    beta="[0-9.e-]+",
    m_avg="[0-9.e-]+",


if IS_MAIN:
    # The first two make sums repeatable, also on a GPU. Actively waiting threads would starve other jobs. Without the
    # malloc settings, parallel trainings spend their time in page faults; without bytecode, jobs in compiling imports.
    shell.prefix(
        "set -euo pipefail; unset PYTHONDONTWRITEBYTECODE; "
        "export PYTHONHASHSEED=0 CUBLAS_WORKSPACE_CONFIG=:4096:8 OMP_WAIT_POLICY=PASSIVE; "
        "export MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=16000000000; "
    )

# The user's command, for provenance.json. As a parameter it would rerun the rule for every new command. Jobs
# inherit the variable, also on a cluster, where their own command differs.
if workflow.is_main_process:
    os.environ.update(MVG_COMMAND=shlex.join(["snakemake", *sys.argv[1:]]))


# Otherwise Snakemake shows a traceback.
onstart:
    for folder in ("results", RESULTS):
        if Path(folder).exists() and not os.access(folder, os.W_OK):
            raise SystemExit(f"error: {folder}: not writable: make it so, then run this again")


onsuccess:
    if IS_MAIN:
        print(*where_to_look(RESULTS), sep="\n", file=sys.stderr)


def pattern(names):
    """A regular expression that matches these names only; it matches nothing if there are none."""
    return "|".join(map(re.escape, sorted(names))) or "(?!)"


def of_kind(*kinds):
    """A pattern of the names of all encoders of these kinds."""
    return pattern(plan.of_kind(*kinds))


# If a job fails after a change of settings, Snakemake records the new ones, and what an earlier run made from its
# outputs seems up to date. So each rule has all settings that its inputs depend on as a parameter.


def behind_data(wildcards):
    """All settings that a prepared dataset depends on."""
    return plan.behind_data(wildcards.dataset)


def behind_vectors(wildcards):
    """All settings that the vectors of an encoder depend on."""
    return plan.behind_vectors(wildcards.dataset, wildcards.encoder)


def behind_rankings(wildcards):
    """All settings that the rankings with an encoder, or without one, depend on."""
    return plan.behind_rankings(wildcards.dataset, wildcards.get("encoder"))
