"""Shared by all tests."""

import os
import sys
from collections import Counter

import pytest
from hypothesis import settings

from mvg.datasets.writing import write_prepared
from mvg.formats import FORMATS

# No test is timed: first calls compile, and machines are busy.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

# Some machines keep Python from writing bytecode, and then every process compiles all that it imports.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Snakemake's SLURM plugin asks for the cluster whenever it is imported, and waits nine seconds if none answers.
os.environ.setdefault("SLURM_CONF", os.devnull)


@pytest.fixture
def prepare(tmp_path):
    """prepare(format, path, **options) -> (BEIR folder, contents of stats.json), as in the workflow."""

    def prepare(format, path, **options):
        dropped = Counter()
        facts = {"format": format, "split_rule": FORMATS[format].split_rule, "simulated": False}
        folder = tmp_path / "out" / "data"
        return folder, write_prepared(FORMATS[format].read(path, dropped, **options), folder, dropped, facts)

    return prepare
