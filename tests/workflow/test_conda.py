"""`--sdm conda`: the lexical, retrieval and report rules, each in its own environment.

A local channel replaces conda-forge. It holds this machine's Python and the wheels installed here. So
this shows that rules run in their own environments, not that the environments solve on conda-forge.
"""

import json
import os
import shutil
import subprocess
import sys
import venv
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from test_envs import IMPORTS, environment, requirements

from .conftest import ROOT, copy_of_project

TOOL = ROOT.parent / "shared/tools/conda_channel.sh"
BUILT = ("lexical", "retrieval", "report")
MODULES = {package: IMPORTS.get(package, package) for package in requirements()}

# One dataset and encoder, with vectors from the run without conda; everything after that is made here.
TARGET = ("results/tiny/provenance.json", "--cores", "2", "--rerun-triggers", "mtime", "--config")
TARGET += ("datasets=[eurlex]", "encoders=[dssm]", "experiments=[case_studies]", "seeds=[]")

pytestmark = [
    pytest.mark.conda,
    pytest.mark.skipif(not TOOL.is_file(), reason=f"the local conda channel's tool is not there: {TOOL}"),
    pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the environments are for Python 3.11"),
]


def installed(*names):
    """These distributions and everything they require: name -> installed version."""
    found, todo = {}, list(names)
    while todo:
        name = canonicalize_name(todo.pop())
        if name not in found:
            distribution = metadata.distribution(name)
            found[name] = distribution.version
            required = map(Requirement, distribution.requires or [])
            todo += [r.name for r in required if not r.marker or r.marker.evaluate({"extra": ""})]
    return found


def dependencies(name):
    """The packages in an environment's file, and those that conda-forge's packages would add; as name==version."""
    listed = yaml.safe_load((ROOT / f"envs/{name}.yaml").read_text(encoding="utf-8"))["dependencies"][1:]
    named = {canonicalize_name(entry.partition("=")[0]) for entry in listed}
    added = {f"{package}=={version}" for package, version in installed(*named).items() if package not in named}
    return [entry.replace("=", "==") for entry in listed] + sorted(added)


@pytest.fixture(scope="module")
def conda(tmp_path_factory):
    """The environment variables of a machine that has conda."""
    folder = tmp_path_factory.mktemp("channel")
    wheels = sorted({entry for name in BUILT for entry in dependencies(name)})
    variables = os.environ | {"CHANNEL_WHEELS": " ".join(wheels), "CHANNEL_PYTHON": sys.executable}
    # The indexer may crash as its process ends (128 + SIGSEGV); the tool resumes from what is packed.
    for _ in range(3):
        done = subprocess.run(["bash", TOOL, folder], env=variables, capture_output=True, text=True)
        if done.returncode != 139:
            break
    assert done.returncode == 0, done.stdout + done.stderr
    path = f"{folder}/base/bin{os.pathsep}{os.environ['PATH']}"
    return {"PATH": path, "CONDA_CHANNEL_ALIAS": f"file://{folder}/channels"}


@pytest.fixture(scope="module")
def snakemake_alone(tmp_path_factory):
    """A Python with only Snakemake and its requirements, because a script can import what Snakemake's Python has."""
    folder = tmp_path_factory.mktemp("snakemake")
    venv.create(folder, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    for distribution in map(metadata.distribution, installed("snakemake")):
        for top in {file.parts[0] for file in distribution.files} - {"..", "__pycache__"}:
            (packages / top).symlink_to(distribution.locate_file(top))
    return str(folder / "bin/python")


def copy_of_results(tiny, folder, *left_out):
    """The project with the tiny run's results on one dataset, except those in ``left_out``."""
    workflow = copy_of_project(folder)
    shutil.copytree(
        tiny / "results/tiny/eurlex", workflow / "results/tiny/eurlex", ignore=shutil.ignore_patterns(*left_out)
    )
    return workflow


@pytest.fixture(scope="module")
def finished(tiny, conda, snakemake_alone, tmp_path_factory):
    """The run with conda, done: encoded before, the rest made in its environments."""
    made_here = ("budget", "mvg", "choice.json", "runs", "scores")
    workflow = copy_of_results(tiny, tmp_path_factory.mktemp("with conda"), *made_here)
    for path in (workflow / "envs").glob("*.yaml"):
        # Snakemake also makes the environments of finished jobs; those that are not tested here stay empty.
        packages = dependencies(path.stem) if path.stem in BUILT else []
        entries = ["python=3.11", *(package.replace("==", "=") for package in packages)]
        path.write_text(yaml.safe_dump({"channels": ["conda-forge"], "dependencies": entries}), encoding="utf-8")
    workflow.python, workflow.variables = snakemake_alone, conda
    workflow.tiny(*TARGET, "--sdm", "conda")
    return workflow


def interpreter(workflow, name):
    """The Python of the environment that Snakemake made from a file."""
    content = (workflow / f"envs/{name}.yaml").read_bytes()
    (made,) = (path for path in (workflow / ".snakemake/conda").glob("*.yaml") if path.read_bytes() == content)
    return made.with_suffix("") / "bin/python"


LOOK = f"""
import importlib.util, json
specs = {{package: importlib.util.find_spec(module) for package, module in {MODULES}.items()}}
print(json.dumps({{package: spec and spec.origin for package, spec in specs.items()}}))
"""


@pytest.mark.parametrize("name", BUILT)
def test_an_environment_has_its_own_packages_and_no_others(finished, name):
    python = interpreter(finished, name)
    seen = json.loads(subprocess.check_output([python, "-I", "-c", LOOK]))
    has = {package: Path(origin) for package, origin in seen.items() if origin}
    assert has.keys() == environment(name).keys() - {"python"}
    assert all(python.parents[1] in origin.parents for origin in has.values())


def test_a_rule_sees_its_environment_and_of_others_only_what_snakemake_brings(finished):
    (finished / "look.py").write_text(LOOK.replace("print(", "open(snakemake.output[0], 'w').write("))
    (finished / "look.smk").write_text(
        "rule look:\n    output: '{env}.json'\n    conda: 'envs/{env}.yaml'\n    script: 'look.py'\n"
    )
    files = [f"{name}.json" for name in BUILT]
    finished.run("--snakefile", "look.smk", "--sdm", "conda", "--cores", "1", *files)
    brought = installed("snakemake")
    lent = {package for package in requirements() if canonicalize_name(package) in brought}
    for name in BUILT:
        seen = json.loads((finished / f"{name}.json").read_text())
        inside, own = interpreter(finished, name).parents[1], environment(name).keys() - {"python"}
        assert {package for package, origin in seen.items() if origin} - lent == own - lent
        assert all(inside in Path(seen[package]).parents for package in own)


def test_the_bytes_are_those_without_conda(tiny, finished, tmp_path):
    places = ("runs/*.npz", "scores/*.csv", "dssm/mvg/*/*", "dssm/choice.json", "budget/*.npy")
    made = [path for place in places for path in (finished / "results/tiny/eurlex").glob(place)]
    assert len(made) >= 6 + 6 + 3 + 1 + 1
    for path in made:
        assert path.read_bytes() == (tiny / path.relative_to(finished.folder)).read_bytes(), path

    plain = copy_of_results(tiny, tmp_path)
    plain.tiny(*TARGET)
    tables = [path for kind in ("tables", "figures") for path in (finished / "results/tiny" / kind).glob("*.csv")]
    assert {path.stem for path in tables} == {"benchmark", "significance", "verdicts", "case_studies"}
    for path in tables:
        assert path.read_bytes() == (plain / path.relative_to(finished.folder)).read_bytes(), path


def test_provenance_says_what_the_environment_of_its_rule_holds(finished):
    told = json.loads((finished / "results/tiny/provenance.json").read_text(encoding="utf-8"))["software"]
    assert told["deployment"] == ["conda"] and told["snakemake"] == metadata.version("snakemake")
    has = {package: version for package, version in told["packages"].items() if version}
    assert has == {package: v for package, v in environment("report").items() if package != "python"}
