"""Settings of encoders with the defaults of the config schema."""

from importlib import import_module
from pathlib import Path

import yaml

SCHEMA = Path(__file__).parents[1] / "workflow/schemas/config.schema.yaml"


def settings(kind: str, **changes):
    """The ``Settings`` of a kind of encoder: the schema's defaults with ``changes``."""
    known = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))["$defs"]["encoder_kinds"][kind]["properties"]
    defaults = {name: entry["default"] for name, entry in known.items() if "default" in entry}
    return import_module(f"mvg.encoders.{kind}").Settings.of(defaults | changes)
