"""A copy of the workflow in its own folder, and a way to run it there."""

import ast
import csv
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PARTS = ("Snakefile", "config.yaml", "workflow", "envs", "profiles")


class Workflow:
    """The project's files in ``folder``; ``run`` calls snakemake there as a user would."""

    def __init__(self, folder: Path):
        self.folder, self.python, self.variables = folder, sys.executable, {}

    def run(self, *arguments, check=True):
        command = [self.python, "-m", "snakemake", *arguments]
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | self.variables
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, env=environment)
        if check:
            assert done.returncode == 0, done.stdout + done.stderr
        return done

    def tiny(self, *arguments, **options):
        return self.run(*arguments, "--configfile", "tests/tiny.yaml", **options)

    def __truediv__(self, path) -> Path:
        return self.folder / path


def copy_of_project(folder: Path) -> Workflow:
    for part in PARTS:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, folder / part)
    (folder / "tests").mkdir()
    shutil.copy(ROOT / "tests/tiny.yaml", folder / "tests")
    return Workflow(folder)


def lasting(file: Path) -> bytes:
    """The part of a csv that is the same in any two runs: all except the times that docs/methods.md names."""
    content = file.read_bytes()
    first = {"complexity.csv": b",build_s", "frontier.csv": b",train_s"}  # and all columns after it
    if file.name in first:
        timed = len(content.splitlines()[0].partition(first[file.name])[2].split(b","))
        return re.sub(rb"(,[^,\n]*){%d}$" % timed, b"", content, flags=re.M)
    timed = {"click_log.csv": rb"^.*latency_p90_ratio.*\n", "verdicts.csv": rb"^.*deduplication_negligible.*\n"}
    return re.sub(timed[file.name], b"", content, flags=re.M) if file.name in timed else content


def memory(results: Path) -> dict[tuple[str, str], tuple[float, int]]:
    """(rule, job) -> its peak memory and what it asked for, in MB; for a run with ``--benchmark-extended``."""
    found = {}
    for file in results.glob("benchmarks/**/*.tsv"):
        with open(file, newline="", encoding="utf-8") as lines:
            (job,) = csv.DictReader(lines, delimiter="\t")
        if job["max_rss"] != "NA":  # it ended before it was measured
            asked = ast.literal_eval(job["resources"])["mem_mb"]
            found[job["rule_name"], job["wildcards"]] = float(job["max_rss"]), asked
    return found


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """The finished tiny run."""
    workflow = copy_of_project(tmp_path_factory.mktemp("tiny run"))  # a path with a space
    workflow.tiny("all", "trec", "index", "--benchmark-extended")
    return workflow


@pytest.fixture
def fresh(tmp_path):
    """The project's files, before any run."""
    return copy_of_project(tmp_path)
