"""The profiles name existing rules and groups."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]


def test_every_rule_of_a_group_exists():
    text = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "workflow/rules").glob("*.smk"))
    rules = {b or a for a, b in re.findall(r"^ *(?:use )?rule (\w+)(?: as (\w+))?", text, flags=re.M)}
    profile = yaml.safe_load((ROOT / "profiles/slurm/config.yaml").read_text(encoding="utf-8"))
    assert profile["groups"].keys() <= rules
    assert profile["group-components"].keys() <= set(profile["groups"].values())
