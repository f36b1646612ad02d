"""The tiny run through a real SLURM of one node, with profiles/slurm."""

import os
import subprocess

import pytest

from .conftest import ROOT, copy_of_project, lasting
from .test_bad_raw_files import eurlex, law

CLUSTER = ROOT.parent / "shared/tools/slurm_cluster.sh"
pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(not CLUSTER.is_file(), reason=f"the tool that starts a SLURM is not there: {CLUSTER}"),
]

PROFILE = ["--workflow-profile", "slurm", "--cores", "1"]
# Only here: this SLURM keeps no accounts for sacct, its jobs are short, and two run at once on two cores.
PROFILE += ["--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "1"]
# All datasets are tiny, so half of them are one job.
PROFILE += ["--group-components", "data=2", "lexical=2", "encode=3", "search=3", "measure=3"]


@pytest.fixture(scope="module")
def no_other_slurm():
    """Restore the cluster's configuration, which tests/conftest.py hides."""
    with pytest.MonkeyPatch.context() as patch:
        if os.environ["SLURM_CONF"] == os.devnull:
            patch.delenv("SLURM_CONF")
        yield


@pytest.fixture(scope="module", autouse=True)
def cluster(no_other_slurm):
    up = subprocess.run([CLUSTER, "status"], capture_output=True).returncode == 0
    if not up:
        started = subprocess.run([CLUSTER, "start"], capture_output=True, text=True)
        assert started.returncode == 0, started.stdout + started.stderr
    yield
    if not up:
        subprocess.run([CLUSTER, "stop"], capture_output=True)


def numbers(workflow):
    files = [file for folder in ("tables", "figures") for file in (workflow / f"results/tiny/{folder}").glob("*.csv")]
    return {f"{file.parent.name}/{file.name}": lasting(file) for file in files}


@pytest.fixture(scope="module")
def on_slurm(tmp_path_factory, cluster):
    workflow = copy_of_project(tmp_path_factory.mktemp("slurm run"))
    workflow.tiny("all", *PROFILE)
    return workflow


def test_slurm_gives_the_same_bytes(tiny, on_slurm):
    ours, theirs = numbers(on_slurm), numbers(tiny)
    assert len(ours) > 15 and ours.keys() == theirs.keys()
    assert [name for name in ours if ours[name] != theirs[name]] == []


def test_a_mistake_in_a_file_is_one_line_here_too(fresh):
    eurlex(fresh.folder, train=law("t1", ["9"]))
    settings = ["run=bad", "raw_dir=raw", "datasets=[eurlex]", "experiments=[]"]
    done = fresh.run("--config", *settings, *PROFILE, check=False)
    assert done.returncode != 0
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("error:")]
    assert len(lines) == 1 and "train.jsonl: line 1" in lines[0], done.stderr
    assert not [p for p in (fresh / "results/bad/eurlex").rglob("*") if p.is_file()]
