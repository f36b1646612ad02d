"""A copy of the workflow in a folder of its own, and a way to run it there."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PARTS = ("Snakefile", "config.yaml", "workflow", "envs")


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


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """The tiny run, done."""
    workflow = copy_of_project(tmp_path_factory.mktemp("tiny run"))  # a path with a space
    workflow.tiny("all", "trec")
    return workflow


@pytest.fixture
def fresh(tmp_path):
    """The project's files, nothing run."""
    return copy_of_project(tmp_path)
