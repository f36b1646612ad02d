"""A small run that meets each fault once, one after the other; `run.py` in this folder is the long form.

The undisturbed run uses one core, the disturbed one all, since the number of threads must not change a byte either.
"""

import random
from contextlib import suppress
from time import monotonic

import pytest

from .faults import FAULTS, ON_A_DISK_OF_ITS_OWN, Run, kill_job, mount, recover, strike, unmount

pytestmark = pytest.mark.faults
SEED = 0
SMALL = ["--configfile", "tests/tiny.yaml", "--config", "datasets=[eurlex]", "encoders=[dssm]"]
SMALL += ["experiments=[]", "seeds=[]"]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The files of the undisturbed run, and the seconds it took."""
    run, start = Run(tmp_path_factory.mktemp("faults") / "undisturbed", *SMALL), monotonic()
    run.finish("--cores", "1")
    return run.files(), monotonic() - start


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The disturbed run, on its own disk if possible."""
    run = Run(tmp_path_factory.mktemp("faults") / "disturbed", *SMALL)
    with suppress(OSError):
        mount(run, "rw")
    yield run
    unmount(run)


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault != "kill -9 in training"])
def test_no_fault_leaves_a_half_written_file(fault, run, undisturbed):
    if fault in ON_A_DISK_OF_ITS_OWN:
        try:
            mount(run, "rw")
        except OSError as error:
            pytest.skip(f"no disk of its own can be mounted here: {error}")
    files, seconds = undisturbed
    strike(run, fault, files, random.Random(f"{SEED} {fault}"), seconds / len(FAULTS))


def test_in_the_end_all_is_as_if_nothing_had_been(run, undisturbed):
    recover(run, undisturbed[0])


def test_a_job_that_failed_after_a_change_of_settings_is_made_again(run, undisturbed):
    """Although the results that depend on it exist from the old settings; Snakemake alone would do nothing then."""
    stats = "results/tiny/eurlex/data/stats.json"
    before = (run.folder / stats).read_bytes()
    run.arguments = (stats, *SMALL, "simulation={documents: 150, queries: 500}")
    assert kill_job(run, random.Random(SEED), 0, "simulate")
    run.finish()
    assert (run.folder / stats).read_bytes() != before
