"""What provenance.json says about files, software and code, and what it must not say."""

import hashlib
import subprocess
from importlib import metadata

import numpy
import pytest

from mvg.provenance import checksums, code, machine, software, without_home, without_secrets


def test_checksums_of_a_folder_by_names_within_it(tmp_path):
    (tmp_path / "a").mkdir()
    for name, content in (("a/one.txt", b"1"), ("two.txt", b"22"), (".hidden", b"3")):
        (tmp_path / name).write_bytes(content)
    assert checksums(tmp_path) == {
        name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in (("a/one.txt", b"1"), ("two.txt", b"22"))
    }


def test_checksum_of_one_file(tmp_path):
    (tmp_path / "x.zip").write_bytes(b"x" * 10_000_000)
    assert checksums(tmp_path / "x.zip") == {
        "x.zip": {"bytes": 10_000_000, "sha256": hashlib.sha256(b"x" * 10_000_000).hexdigest()}
    }


def test_versions_are_of_what_is_installed_not_of_what_is_lent(tmp_path, monkeypatch):
    lent = tmp_path / "lent-1.0.dist-info"
    lent.mkdir()
    (lent / "METADATA").write_text("Metadata-Version: 2.1\nName: lent\nVersion: 1.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert metadata.version("lent") == "1.0"
    (tmp_path / "requirements.txt").write_text("# ours\nnumpy==0.1\nlent==1.0\nnosuch-package==2\n")
    found = software(tmp_path / "requirements.txt")
    assert found["packages"] == {"numpy": numpy.__version__, "lent": None, "nosuch-package": None}
    assert found["python"].startswith("3.")


@pytest.fixture
def repository(tmp_path):
    def git(*arguments):
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True)

    (tmp_path / "workflow").mkdir()
    (tmp_path / "Snakefile").write_text("rule all:\n")
    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    return tmp_path


def test_the_commit_and_whether_the_code_differs_from_it(repository):
    commit = code(repository)["commit"]
    assert len(commit) == 40
    (repository / "notes.txt").write_text("mine")
    assert code(repository) == {"commit": commit, "dirty": False}
    (repository / "workflow/encoder.py").write_text("mine")
    assert code(repository) == {"commit": commit, "dirty": True}


def test_outside_a_checkout_there_is_no_commit(repository, tmp_path_factory):
    nothing = {"commit": None, "dirty": None}
    copy = repository / "copy"  # not tracked by the repository around it
    copy.mkdir()
    (copy / "Snakefile").write_text("rule all:\n")
    assert code(copy) == nothing
    assert code(tmp_path_factory.mktemp("elsewhere")) == nothing


def test_the_machine():
    found = machine()
    assert found["processor"] and found["cores"] >= 1 and found["memory_bytes"] > 2**28
    assert isinstance(found["gpus"], list)


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (None, None),
        ("snakemake -c2 --config seed=1 'ks=[10, 100]'", "snakemake -c2 --config seed=1 'ks=[10, 100]'"),
        ("snakemake --storage-s3-secret-key abc --cores 2", "snakemake --storage-s3-secret-key ... --cores 2"),
        ("snakemake --storage-s3-access-key=abc", "snakemake --storage-s3-access-key=..."),
        ("snakemake --config api_key=abc token=def run=x", "snakemake --config api_key=... token=... run=x"),
    ],
)
def test_secrets_are_left_out_of_the_command(typed, told):
    assert without_secrets(typed) == told


def test_the_home_folder_is_not_named(monkeypatch):
    monkeypatch.setenv("HOME", "/home/someone")
    given = {"raw_dir": "/home/someone/raw", "command": "snakemake --config a=/home/someone b=[/home/someone-else]"}
    assert without_home({"x": [given, 1, None]}) == {
        "x": [{"raw_dir": "~/raw", "command": "snakemake --config a=~ b=[/home/someone-else]"}, 1, None]
    }
