"""Every command and the program of the README, word for word.

.ci/run runs the first two blocks: installation with the default run, and with the tests.
"""

import os
import re
import shlex
import subprocess
import sys
import venv

import pytest
import yaml

from .conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
BASH = re.findall(r"^```bash\n(.*?)^```", README, flags=re.M | re.S)
COMMANDS = [line for block in BASH[2:] for line in block.splitlines()]


def test_the_first_two_blocks_run_and_test():
    assert BASH[0].splitlines()[-1] == "snakemake" and BASH[1].splitlines()[-1] == "pytest"
    assert all(line.startswith("snakemake") for line in COMMANDS if line != "pip install .")


@pytest.fixture(scope="module")
def with_raw_files(tiny):
    """The tiny run's simulated raw files, laid out as a user's raw_dir."""
    for dataset in ("eurlex", "pubmed", "wikiseealso"):
        target = tiny / "path/to/raw" / dataset
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            target.symlink_to(tiny / f"results/tiny/{dataset}/raw", target_is_directory=True)
    (tiny / "mine.yaml").write_text(re.search(r"^```yaml\n(.*?)^```", README, flags=re.M | re.S).group(1))
    return tiny


@pytest.mark.parametrize("command", [c for c in COMMANDS if c.startswith("snakemake") and "--report" not in c])
def test_snakemake_accepts_each_command(with_raw_files, command):
    words = shlex.split(command, comments=True)[1:]
    done = with_raw_files.run(*words, *([] if "--unlock" in words else ["-n"]))
    assert "--unlock" in words or "This was a dry-run" in done.stdout + done.stderr


@pytest.mark.runs
def test_a_dataset_of_ones_own_runs_without_code(with_raw_files):
    """The README's config, at the tiny size."""
    settings = yaml.safe_load((with_raw_files / "tests/tiny.yaml").read_text())
    settings |= yaml.safe_load((with_raw_files / "mine.yaml").read_text()) | {"run": "mine"}
    (with_raw_files / "mine-tiny.yaml").write_text(yaml.safe_dump(settings))
    with_raw_files.run("--configfile", "mine-tiny.yaml")
    assert "mine" in (with_raw_files / "results/mine/tables/benchmark.md").read_text()


def test_the_report_is_one_page(tiny):
    tiny.tiny("--report", "report.html")
    page = (tiny / "report.html").read_text(encoding="utf-8")
    assert "popularity.png" in page and "benchmark.html" in page and "verdicts.html" in page
    assert "Datasets that are called simulated" in page  # of the overview, which says what to read first


@pytest.mark.runs
def test_the_package_installs_alone_and_the_program_runs(tmp_path):
    """In an environment that holds only what `pip install .` brings; no torch, no snakemake."""
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv/bin/python"
    copy = tmp_path / "project"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(copy)], check=True)
    subprocess.run([python, "-m", "pip", "install", "-q", "."], check=True, cwd=copy, capture_output=True)
    program = re.search(r"^```python\n(.*?)^```", README, flags=re.M | re.S).group(1)
    program += "\nassert rows.shape == scores.shape == (10, 100)\nimport sys\nassert 'torch' not in sys.modules\n"
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    subprocess.run([python, "-c", program], check=True, cwd=tmp_path, env=environment)
    assert (tmp_path / "index/index.faiss").exists() and (tmp_path / "index/manifest.json").exists()
    installed = subprocess.run([python, "-m", "pip", "list"], capture_output=True, text=True).stdout
    assert "torch" not in installed and "snakemake" not in installed
    assert sys.version_info >= (3, 11)
