"""The frame of every script: a log, and one line for a user's mistake."""

import subprocess
import sys
from pathlib import Path

import pytest

WORKFLOW = Path(__file__).parents[2] / "workflow"


def run(body, tmp_path):
    log_file = str(tmp_path / "x/a.log")
    code = f"from mvg.job import job\nfrom mvg.io.errors import DataError\nwith job({log_file!r}) as log:\n"
    code += "".join(f"    {line}\n" for line in body.splitlines())
    return subprocess.run([sys.executable, "-c", code], cwd=WORKFLOW, capture_output=True, text=True)


def test_messages_go_to_the_log(tmp_path):
    assert run("log('hello')", tmp_path).stderr == ""
    log = (tmp_path / "x/a.log").read_text()
    assert "hello" in log and "done in" in log


def test_bytes_are_told_in_the_log_once_a_minute(tmp_path):
    body = ["log.bytes('a.zip', 1, 10)", "import mvg.job", "mvg.job.MINUTE = -1"]
    body += ["log.bytes('a.zip', 5, 10)", "log.bytes('b', 6, None)"]
    assert run("\n".join(body), tmp_path).stderr == ""
    log = (tmp_path / "x/a.log").read_text()
    assert "a.zip: 5 of 10 bytes" in log and "b: 6 of ? bytes" in log and "a.zip: 1 of" not in log


def test_wrong_data_is_one_line_and_exit_code_1(tmp_path):
    done = run("raise DataError('f.json', 'line 3', 'expected a\\nlist\\u2028now')", tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "error: f.json: line 3: expected a list now\n"
    assert "error: f.json" in (tmp_path / "x/a.log").read_text()


def test_a_missing_file_is_one_line(tmp_path):
    done = run("open('nosuch')", tmp_path)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1 and "nosuch" in done.stderr


def test_a_defect_of_ours_keeps_its_traceback(tmp_path):
    assert "ZeroDivisionError" in run("1 / 0", tmp_path).stderr
    assert "ZeroDivisionError" in (tmp_path / "x/a.log").read_text()


@pytest.mark.parametrize(
    ("raised", "words"),
    [
        ("MemoryError('Unable to allocate 7 GiB')", "not enough memory: Unable to allocate 7 GiB"),
        ("RuntimeError('DefaultCPUAllocator: can\\'t allocate memory')", "not enough memory: DefaultCPUAllocator"),
        ("OSError(errno.ENOSPC, 'No space left on device', 'a.npy')", "a.npy: No space left on device: make room"),
        ("OSError(errno.EROFS, 'Read-only file system', 'a.npy')", "a.npy: Read-only file system: make that folder"),
    ],
)
def test_what_the_machine_lacks_is_one_line_that_says_what_to_do(raised, words, tmp_path):
    done = run(f"import errno\nraise {raised}", tmp_path)
    assert done.returncode == 1 and done.stderr.startswith(f"error: {words}"), done.stderr
    assert done.stderr.endswith("then run the same command again\n") and done.stderr.count("\n") == 1


def test_ctrl_c_ends_without_a_traceback(tmp_path):
    done = run("raise KeyboardInterrupt", tmp_path)
    assert (done.returncode, done.stderr) == (130, "")
    assert "stopped by the user" in (tmp_path / "x/a.log").read_text()


def test_a_log_that_cannot_be_opened_is_one_line(tmp_path):
    (tmp_path / "x").write_text("no folder")
    done = run("pass", tmp_path)
    assert done.returncode == 1 and done.stderr.startswith("error: ") and done.stderr.count("\n") == 1
