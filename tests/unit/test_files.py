"""Atomic files: what a killed writer leaves, and the error of a full disk."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mvg.io.files import folder_beside, replacing, replacing_folder, take_rows

WORKFLOW = Path(__file__).parents[2] / "workflow"


def killed_in(context, path):
    """A writer of ``path`` that kill -9 ends in the middle."""
    code = f"import os\nfrom mvg.io.files import {context}\nwith {context}({str(path)!r}) as temporary:\n"
    file = "temporary / 'a'" if context == "replacing_folder" else "temporary"
    code += f"    open({file}, 'w').write('half')\n    os.kill(os.getpid(), 9)"
    assert subprocess.run([sys.executable, "-c", code], cwd=WORKFLOW).returncode == -signal.SIGKILL


@pytest.mark.parametrize(("context", "name"), [("replacing", "mvg+dssm.npz"), ("replacing_folder", "model")])
def test_what_a_killed_writer_left_goes_with_the_next(context, name, tmp_path):
    beside = tmp_path / "dssm.npz"
    killed_in("replacing", beside)
    killed_in(context, tmp_path / name)
    assert len(os.listdir(tmp_path)) == 2 and not (tmp_path / name).exists()
    with {"replacing": replacing, "replacing_folder": replacing_folder}[context](tmp_path / name) as temporary:
        (temporary if context == "replacing" else temporary / "a").write_text("whole")
    left = [path for path in os.listdir(tmp_path) if path != name]
    assert len(left) == 1 and left[0].startswith(".dssm.")  # not this writer's


def test_a_folder_takes_the_place_of_another(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model/old").touch()
    with replacing_folder(tmp_path / "model") as temporary:
        (temporary / "new").touch()
    assert os.listdir(tmp_path) == ["model"] and os.listdir(tmp_path / "model") == ["new"]


@pytest.mark.parametrize("context", [replacing, folder_beside])
def test_a_full_disk_is_named_whatever_a_library_says(context, tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: shutil._ntuple_diskusage(2**30, 2**30, 0))
    with pytest.raises(OSError, match="No space left on device: .*model.pt"), context(tmp_path / "model.pt"):
        raise RuntimeError("unexpected pos 704 vs 598")
    assert os.listdir(tmp_path) == []


def test_other_errors_stay_what_they_are(tmp_path):
    with pytest.raises(RuntimeError, match="unexpected"), replacing(tmp_path / "model.pt"):
        raise RuntimeError("unexpected pos 704 vs 598")


def test_rows_of_a_file_are_taken_in_any_number_and_order(tmp_path):
    array = np.arange(3000, dtype=np.float32).reshape(1000, 3)
    np.save(tmp_path / "a.npy", array)
    for rows in (np.arange(999, -1, -1), np.array([7, 7, 0]), np.arange(0)):
        assert np.array_equal(take_rows(tmp_path / "a.npy", rows), array[rows])
