"""docs/your-data.md, as a newcomer follows it: check, config, run, report."""

import random
import re
import shlex
import subprocess
import sys

import pytest
import yaml

from .conftest import ROOT

pytestmark = pytest.mark.runs

PAGE = (ROOT / "docs/your-data.md").read_text(encoding="utf-8")
COMMANDS = [
    line for block in re.findall(r"^```bash\n(.*?)^```", PAGE, flags=re.M | re.S) for line in block.splitlines()
]


def pairs(documents=60, queries=700) -> str:
    """A shop: popular documents, and queries of words that their texts only half share."""
    rng = random.Random(0)
    rows = ["query,document"]
    for number in range(queries):
        document = int(documents * rng.random() ** 3)
        rows.append(f"w{document} {rng.choice('abcdefgh')}{document % 7} q{number},item w{document} number {document}")
    return "\n".join(rows) + "\n"


@pytest.fixture
def newcomer(fresh):
    """A copy of the project with pairs.csv and the page's mine.yaml, at the tiny size."""
    (fresh / "pairs.csv").write_text(pairs(), encoding="utf-8")
    config = yaml.safe_load(re.search(r"^```yaml\n(.*?)^```", PAGE, flags=re.M | re.S).group(1))
    tiny = yaml.safe_load((fresh / "tests/tiny.yaml").read_text(encoding="utf-8"))
    (fresh / "mine.yaml").write_text(yaml.safe_dump(tiny | config), encoding="utf-8")
    return fresh


def test_the_page_says_check_then_run():
    assert COMMANDS == ["pip install .", "mvg check pairs.csv", "snakemake --configfile mine.yaml"]


def test_from_a_file_to_the_report(newcomer):
    check = [sys.executable, "-m", *shlex.split(COMMANDS[1])]
    environment = {"PYTHONPATH": str(newcomer / "workflow")}
    page = subprocess.run(
        check, cwd=newcomer.folder, capture_output=True, text=True, check=True, env=environment
    ).stdout
    assert "csv (guessed)" in page and "Is MVG likely to help?" in page
    newcomer.run(*shlex.split(COMMANDS[2])[1:])
    made = set(re.findall(r"`(results/mine/[\w/.]+\.\w+)`", PAGE))
    assert len(made) == 4 and all((newcomer / name).is_file() for name in made)
    assert "mvg+dssm" in (newcomer / "results/mine/tables/benchmark.csv").read_text(encoding="utf-8")
