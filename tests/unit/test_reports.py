"""docs/reports.md: every row names tests that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROWS = [line for line in (ROOT / "docs/reports.md").read_text(encoding="utf-8").splitlines() if "](https://" in line]


@pytest.fixture(scope="module")
def tests():
    files = [*(ROOT / "tests/unit").glob("*.py"), *(ROOT / "tests/encoders").glob("*.py")]
    return {name for file in files for name in re.findall(r"^def (test_\w+)", file.read_text(encoding="utf-8"), re.M)}


@pytest.mark.parametrize("row", ROWS)
def test_a_report_has_a_situation_an_outcome_and_tests_that_exist(row, tests):
    report, situation, here, named = (cell.strip() for cell in row.strip("|").split(" | "))
    assert re.search(r"\[[\w-]*#\d+\]\(https://github\.com/[\w./-]+/\d+\)", report) and situation and here
    names = re.findall(r"`(test_\w+)`", named)
    assert names and set(names) <= tests, names
