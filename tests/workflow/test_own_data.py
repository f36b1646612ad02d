"""docs/your-data.md, as a newcomer follows it: every command, from a table to a served index."""

import os
import random
import re
import shlex
import subprocess
import sys

import pytest

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
    """A copy of the project with pairs.csv, as the page's reader has it."""
    (fresh / "pairs.csv").write_text(pairs(), encoding="utf-8")
    return fresh


def followed(newcomer, line: str) -> str:
    """What a command of the page prints."""
    program, *arguments = shlex.split(line)
    module = [] if program == "python" else ["-m", program]
    environment = os.environ | {"PYTHONPATH": str(newcomer / "workflow")}
    done = subprocess.run(
        [sys.executable, *module, *arguments], cwd=newcomer.folder, capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, f"{line}: {done.stdout[-2000:]} {done.stderr[-2000:]}"
    return done.stdout


def test_every_command_of_the_page_works(newcomer):
    assert COMMANDS[0] == "pip install ."
    printed = {line: followed(newcomer, line) for line in COMMANDS[1:]}
    assert "csv (guessed)" in printed["mvg check pairs.csv"]
    assert "Is MVG likely to help?" in printed["mvg check pairs.csv"]
    assert "Recall@100" in printed["mvg check pairs.csv --estimate"]
    assert "over the encoder alone, on" in printed["mvg build pairs.csv shop"]
    for line in COMMANDS:
        if line.startswith("mvg search"):
            assert printed[line].count("similarity") == 10
    assert printed["mvg init pairs.csv"] == "snakemake --configfile pairs.yaml\n"
    assert "mvg+wordllama" in printed["mvg compare results/pairs results/again"]
    made = set(re.findall(r"`(results/pairs/[\w/.]+\.\w+)`", PAGE))
    assert len(made) == 5 and all((newcomer / name).is_file() for name in made)
    assert "auto+wordllama" in (newcomer / "results/pairs/tables/benchmark.csv").read_text(encoding="utf-8")
