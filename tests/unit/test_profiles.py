"""The profiles name what is there."""

import re
from pathlib import Path

import yaml

WORKFLOW = Path(__file__).parents[2] / "workflow"


def test_every_rule_of_a_group_exists():
    text = "\n".join(path.read_text(encoding="utf-8") for path in (WORKFLOW / "rules").glob("*.smk"))
    rules = {b or a for a, b in re.findall(r"^ *(?:use )?rule (\w+)(?: as (\w+))?", text, flags=re.M)}
    profile = yaml.safe_load((WORKFLOW / "profiles/slurm/config.yaml").read_text(encoding="utf-8"))
    assert profile["groups"].keys() <= rules
    assert profile["group-components"].keys() <= set(profile["groups"].values())
