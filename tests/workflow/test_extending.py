"""docs/extending.md, applied word for word to a copy of the project."""

import re
import shutil
import subprocess
import sys

import pytest
import yaml

from .conftest import ROOT, copy_of_project

pytestmark = pytest.mark.runs

PAGE = (ROOT / "docs/extending.md").read_text(encoding="utf-8")
STEP = re.compile(r"(?:Write|In) `([^`\n]+)`(?:, after `([^`\n]+)`)?[^\n]*:\n\n```\w+\n(.*?)^```$", flags=re.M | re.S)


@pytest.fixture(scope="module")
def extended(tmp_path_factory):
    workflow = copy_of_project(tmp_path_factory.mktemp("extended"))
    shutil.copytree(ROOT / "tests", workflow / "tests", dirs_exist_ok=True)
    shutil.copy(ROOT / "pyproject.toml", workflow.folder)
    for name, after, code in STEP.findall(PAGE):
        file = workflow / name
        if not after:
            file.write_text(code, encoding="utf-8")
            continue
        text = file.read_text(encoding="utf-8")
        assert text.count(f"{after}\n") == 1, after
        file.write_text(text.replace(f"{after}\n", f"{after}\n{code}"), encoding="utf-8")
    return workflow


def test_every_step_of_the_page_is_applied(extended):
    assert len(STEP.findall(PAGE)) == len(re.findall(r"^```\w+$", PAGE, flags=re.M)) == 13


def test_the_tests_of_the_page_pass(extended):
    tests = ["tests/unit/test_jsonpairs.py", "tests/unit/test_query_length.py", "tests/encoders/test_projected.py"]
    assert "3 passed" in pytest_says(extended, *tests, "-m", "")


def test_the_tests_of_all_formats_take_the_new_one(extended):
    modules = ("readers", "own_data", "check", "bad_input", "fuzz")
    said = pytest_says(extended, *(f"tests/unit/test_{module}.py" for module in modules), "-k", "jsonpairs")
    assert re.search(r"^[5-9] passed", said, flags=re.M)


def pytest_says(workflow, *arguments):
    command = [sys.executable, "-m", "pytest", *arguments]
    done = subprocess.run(command, cwd=workflow.folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_encoder_and_the_experiment_run(extended):
    tiny = yaml.safe_load((extended / "tests/tiny.yaml").read_text(encoding="utf-8"))
    config = yaml.safe_load((extended / "projected.yaml").read_text(encoding="utf-8"))
    (extended / "small.yaml").write_text(yaml.safe_dump({"simulation": tiny["simulation"]} | config), encoding="utf-8")
    extended.run("--configfile", "small.yaml")
    results = extended / "results/projected"
    assert "mvg+prior+projected" in (results / "tables/benchmark.csv").read_text(encoding="utf-8")
    header, *rows = (results / "figures/query_length.csv").read_text(encoding="utf-8").splitlines()
    assert header == "dataset,method,words,queries,recall" and {row.split(",")[1] for row in rows} == {"plain", "mvg"}
    assert (results / "figures/query_length.png").read_bytes().startswith(b"\x89PNG")


def test_the_new_names_are_known(extended):
    """The schema accepts them, and lint finds nothing."""
    done = extended.run("--lint")
    assert "Congratulations" in done.stdout + done.stderr
