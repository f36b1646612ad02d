"""The config of a run, checked against the schema and filled with its defaults.

Plain Python on a dict; nothing here knows Snakemake. :mod:`mvg.plan` derives from a checked config what a run makes.
"""

import copy
import datetime
import math
import os
import re
import shlex
from pathlib import Path

from . import experiments
from .formats import FORMATS
from .names import WRAPPERS, Method, Rival

# What can be simulated, or downloaded, and its raw format.
SIMULATED = {
    "eurlex": "eurlex",
    "pubmed": "medline",
    "wikiseealso": "xc",
    "clicklog": "clicklog",
    "flat": "msmarco",
    "large": "msmarco",
}
DOWNLOADS = {"eurlex": "eurlex", "pubmed": "medline", "wikiseealso": "xc", "msmarco": "msmarco"}
KNOWN_SETS = SIMULATED | DOWNLOADS
SOURCE_KEYS = ("source", "path", "format", "keep", "title")  # allowed in every entry of `sources`
LISTING_KEYS = ("year", "files")  # allowed too where a download is a directory listing
OWN_DATASET = ("click_log", "flat_popularity")  # experiments with their own dataset and encoder


class ConfigError(ValueError):
    """A wrong setting: its key, and what was expected."""

    def __init__(self, where: str, expected: str):
        super().__init__(f"config: {where}: {expected}")


def load_schema(path) -> dict:
    """The schema at ``path``, completed with the names of the registries.

    Formats come from :mod:`mvg.formats`, experiments from :mod:`mvg.experiments`, and the kinds of
    encoders from the schema's own ``encoder_kinds``.
    """
    import yaml

    schema = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    definitions = schema["$defs"]
    kinds = definitions["encoder_kinds"]
    definitions["source"]["properties"]["format"]["enum"] = [*FORMATS]
    definitions["experiment"]["enum"] = [*experiments.NAMES]
    definitions["encoder"]["properties"]["kind"]["enum"] = [*kinds]
    definitions["encoder"]["allOf"] = [
        {"if": {"properties": {"kind": {"const": kind}}}, "then": {"$ref": f"#/$defs/encoder_kinds/{kind}"}}
        for kind in kinds
    ]
    return schema


def checked(config: dict, schema: dict, modules=None) -> dict:
    """``config`` with every default filled in; numbers are numbers and dates are strings.

    modules: the folder of the encoders of kind ``module``
    Raises ConfigError for what the schema refuses, and for what no schema can express: unknown names,
    missing files, settings that a format does not take.
    """
    config = _validated(_undated(copy.deepcopy(config)), schema)
    for name, entry in config["sources"].items():
        _check_options(name, entry)
    config = _plain_numbers(config)
    _check_encoders(config, modules)
    _check_methods(config)
    _check_places(config)
    _check_datasets(config)
    return config


def typed_options(arguments: list[str]) -> str:
    """The words of a Snakemake command that give its config: ``--configfile``, ``--config`` and their values."""
    kept, keep = [], False
    for word in arguments:
        if word.startswith("-"):
            keep = word.split("=")[0] in ("--configfile", "--configfiles", "--config", "-C")
        if keep:
            kept.append(word)
    return shlex.join(kept)


def expect_said(given: dict, base: dict, where: str = "") -> None:
    """Raise ConfigError for an empty mapping in ``given``: merged into ``base`` it would silently change nothing."""
    for key, value in given.items():
        place, below = f"{where}{key}", base.get(key)
        if value == {} and below:
            raise ConfigError(place, "expected a value, found an empty mapping: an empty list is []")
        if isinstance(value, dict) and isinstance(below, dict):
            expect_said(value, below, f"{place}.")


def _undated(value):
    """Turn dates, which YAML recognises without quotes, back into strings."""
    if isinstance(value, dict):
        return {key: _undated(entry) for key, entry in value.items()}
    return value.isoformat() if isinstance(value, datetime.date) else value


def _validated(instance: dict, schema: dict, where: str = "") -> dict:
    """``instance`` with defaults filled in and numbers parsed. Raises ConfigError if the schema refuses it."""
    import jsonschema

    properties = jsonschema.Draft202012Validator.VALIDATORS["properties"]

    def fill(validator, entries, instance, schema):
        if isinstance(instance, dict):
            for name, entry in entries.items():
                if "default" in entry:
                    instance.setdefault(name, copy.deepcopy(entry["default"]))
        yield from properties(validator, entries, instance, schema)

    validator = jsonschema.validators.extend(jsonschema.Draft202012Validator, {"properties": fill})(schema)
    for error in list(validator.iter_errors(instance)):
        _mend_number(instance, error)
    worst = jsonschema.exceptions.best_match(validator.iter_errors(instance))
    if worst is not None:
        place = ".".join([*filter(None, [where]), *map(str, worst.absolute_path)]) or "top level"
        raise ConfigError(place, " ".join(_sentence(worst).split())[:300])
    return instance


def _sentence(error) -> str:
    """What is wrong; in our own words where the validator's do not help."""
    if error.validator == "pattern" and "expected" in error.schema:
        return f"expected {error.schema['expected']}, found {error.instance!r}"
    if error.validator == "type" and error.validator_value == "string" and type(error.instance) in (int, float):
        # On the command line Snakemake removes quotes, and reads digits (also with _ between them) as a number.
        return f"expected a text, found the number {error.instance!r}: quote it, in a --configfile, or add a letter"
    return error.message


def _mend_number(instance: dict, error) -> None:
    """Parse a number, a boolean or null that the command line or YAML left as a string.

    Snakemake leaves strings inside lists and mappings, and YAML reads ``1e-4`` as a string.
    """
    import yaml

    if error.validator != "type" or not isinstance(error.instance, str):
        return
    value = yaml.safe_load(error.instance) if re.fullmatch(r"true|false|null|-?[0-9.]+", error.instance) else None
    if re.fullmatch(r"-?([0-9]+[.]?[0-9]*|[.][0-9]+)e[+-]?[0-9]+", error.instance):
        value = float(error.instance)
    if isinstance(value, str) or (value is None and error.instance != "null"):
        return
    *places, last = error.absolute_path
    for place in places:
        instance = instance[place]
    instance[last] = value


def _plain_numbers(value, where: str = ""):
    """Turn whole floats into integers. Raises ConfigError for a number that is not finite."""
    if isinstance(value, dict):
        return {key: _plain_numbers(entry, f"{where}.{key}") for key, entry in value.items()}
    if isinstance(value, list):
        return [_plain_numbers(entry, where) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(where.lstrip("."), f"expected a finite number, found {value}")
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _check_encoders(config: dict, modules) -> None:
    settings, sweeps = config["encoder_settings"], config["sweeps"]
    for key, names in (
        ("encoders", config["encoders"]),
        ("diversity_encoder", filter(None, [config["diversity_encoder"]])),
        ("flat_popularity.beside", config["flat_popularity"]["beside"]),
        ("sweeps.encoders", sweeps["encoders"] or []),
        ("sweeps.frontier.encoders", sweeps["frontier"]["encoders"] or []),
        ("sweeps.dssm", [sweeps["dssm"]]),
    ):
        for name in names:
            if name not in settings:
                raise ConfigError(f"{key}: {name}", "no such entry under encoder_settings")
    kinds = {name: entry["kind"] for name, entry in settings.items()}
    if kinds.get(config["diversity_encoder"]) == "colbert":
        raise ConfigError("diversity_encoder", "an encoder with one vector a query, not colbert")
    if "colbert" in (kinds[name] for name in sweeps["encoders"] or []):
        raise ConfigError("sweeps.encoders", "encoders with one vector a query, not colbert")
    if kinds[sweeps["dssm"]] != "dssm":
        raise ConfigError("sweeps.dssm", "an encoder of kind dssm")
    for name, excluded in (("click_log", "colbert"), ("flat_popularity", None)):
        encoder = config[name]["encoder"]
        if kinds.get(encoder, excluded) == excluded:
            one_vector = " with one vector a text" if excluded else ""
            raise ConfigError(f"{name}.encoder: {encoder}", f"expected an entry of encoder_settings{one_vector}")
    for name in config["encoders"]:
        entry = settings[name]
        if modules and entry["kind"] == "module" and not exists(Path(modules) / f"{entry['module']}.py"):
            file = f"workflow/mvg/encoders/{entry['module']}.py"
            raise ConfigError(f"encoder_settings.{name}.module", f"no such file: {file}")
        if isinstance(entry.get("init"), dict):
            for dataset in config["datasets"]:
                if dataset not in entry["init"]:
                    raise ConfigError(f"encoder_settings.{name}.init", f"no entry for {dataset}")


def _check_methods(config: dict) -> None:
    rows, grid = config["multiview"]["methods"], config["sweeps"]["frontier"]["methods"]
    for key, name in [
        *(("multiview.methods", name) for name in rows),
        *(("sweeps.frontier.methods", x) for x in grid if x),
    ]:
        if key == "multiview.methods" and f"{name}+" in WRAPPERS.values():
            raise ConfigError(f"{key}: {name}", "every run already has this row")
        try:
            if Method.parse(name).encoder:
                raise ValueError(f"expected a name without an encoder, such as auto or shared+tuned, found '{name}'")
        except ValueError as error:
            raise ConfigError(f"{key}: {name}", str(error)) from error
    for name in config["sweeps"]["frontier"]["rivals"]:
        try:
            Rival.parse(name)
        except ValueError as error:
            raise ConfigError(f"sweeps.frontier.rivals: {name}", str(error)) from error


def _check_places(config: dict) -> None:
    """Check the folders of the results and of ``raw_dir``."""
    run, raw_dir = f"results/{config['run']}", config["raw_dir"]
    for folder in ("results", run, *(f"{run}/{name}" for name in config["datasets"])):
        if os.path.lexists(folder) and not exists(folder, Path.is_dir):
            raise ConfigError("run", f"expected a folder, or nothing yet: {folder}")
    if raw_dir is not None:
        if not exists(raw_dir, Path.is_dir):
            raise ConfigError("raw_dir", f"no such folder: {raw_dir[:200]}")
        if not any(exists(f"{raw_dir}/{name}", Path.is_dir) for name in KNOWN_SETS):
            raise ConfigError("raw_dir", f"expected one of the folders {', '.join(KNOWN_SETS)} in {raw_dir}")


def _check_datasets(config: dict) -> None:
    seeds = config["seeds"] if isinstance(config["seeds"], dict) else {}
    for key, names, known in (
        ("sweeps.datasets", config["sweeps"]["datasets"], "datasets"),
        # Names that this run does not use are ignored.
        ("seeds.datasets", seeds.get("datasets"), "sources"),
        ("seeds.encoders", seeds.get("encoders"), "encoder_settings"),
    ):
        for name in names or []:
            if name not in config[known]:
                raise ConfigError(f"{key}: {name}", f"no such entry in {known}")
    own = [(f"{name}.dataset", config[name]["dataset"]) for name in OWN_DATASET]
    for key, name in [*(("datasets", name) for name in config["datasets"]), *own]:
        source = source_of(config, name)
        if source is None:
            raise ConfigError(f"{key}: {name}", "no such entry under sources")
        if source["source"] == "simulated" and name not in SIMULATED:
            raise ConfigError(f"sources.{name}", f"only {', '.join(SIMULATED)} can be simulated")
        if source["source"] == "download" and name not in DOWNLOADS:
            raise ConfigError(f"sources.{name}", f"only {', '.join(DOWNLOADS)} can be downloaded")
        if source["source"] == "path" and not exists(source["path"]):
            raise ConfigError(f"sources.{name}.path", f"no such file or folder: {source['path'][:200]}")


def _check_options(name: str, entry: dict) -> None:
    """Refuse keys of a source that neither its reader nor its download takes."""
    format = entry.get("format") or KNOWN_SETS.get(name)
    options = FORMATS[format].options if format else {}
    listed = entry["source"] == "download" and name == "pubmed"
    for key in entry:
        if key not in {*SOURCE_KEYS, *options, *(LISTING_KEYS if listed else ())}:
            raise ConfigError(f"sources.{name}.{key}", f"not a setting of {entry['source']} {format or name}")
    _validated(entry, {"type": "object", "properties": options}, f"sources.{name}")


def source_of(config: dict, dataset: str) -> dict | None:
    """Where a dataset comes from. For a known set, a folder in ``raw_dir`` takes precedence over its entry."""
    entry, raw_dir = config["sources"].get(dataset), config["raw_dir"]
    if raw_dir and dataset in KNOWN_SETS and (Path(raw_dir) / dataset).is_dir():
        format = KNOWN_SETS[dataset]
        keys = ["keep", "title", *FORMATS[format].options]
        options = {key: entry[key] for key in keys if key in (entry or {})}
        return {"source": "path", "path": str(Path(raw_dir) / dataset), "format": format} | options
    return entry


def format_of(config: dict, dataset: str) -> str:
    """The raw format of a dataset."""
    source = source_of(config, dataset)
    return source["format"] if source["source"] == "path" else KNOWN_SETS[dataset]


def exists(path, kind=Path.exists) -> bool:
    """Whether the path exists; False also for one that the system cannot look up."""
    try:
        return kind(Path(path))
    except (OSError, ValueError):
        return False
