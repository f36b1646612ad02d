"""Mutation tests: changes the lines of a module one at a time, and shows the changes that no test notices.

    pip install cosmic-ray==8.7.0
    python tests/mutants.py                                         # all modules of mutation.toml
    python tests/mutants.py multiview/lloyd.py --sample 60          # 60 random changes of one

It works in a copy of the checkout, uncommitted changes included.
"""

import argparse
import contextlib
import multiprocessing
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import tomllib
from importlib.util import cache_from_source
from pathlib import Path

import faiss  # noqa: F401  with the others, so that a test process finds them loaded
import hypothesis  # noqa: F401
import numba
import pytest
import scipy.sparse
import scipy.stats  # noqa: F401
from cosmic_ray.commands.init import init
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator
from cosmic_ray.work_db import use_db

ROOT = Path(__file__).parents[1]


def main():
    config = tomllib.loads((ROOT / "tests/mutation.toml").read_text())
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", default=list(config["tests"]), help="as in tests/mutation.toml")
    parser.add_argument("--sample", type=int, help="changes of each module, drawn with seed 0")
    arguments = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "mvg")
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv", ".snakemake", "results"))
        os.chdir(copy)
        for module in arguments.modules:
            tests = [f"tests/unit/{name}" for name in config["tests"][module].split()]
            survivors(Path("workflow/mvg", module), tests, config, arguments.sample)


def survivors(path: Path, tests: list[str], config: dict, sample: int | None) -> None:
    """Change the module, run its tests, and print the lines whose changes they let pass."""
    original = path.read_text(encoding="utf-8")
    # Python runs a module's own numba functions as they stand: compiling each change would take longer.
    os.environ["NUMBA_DISABLE_JIT"] = str(int("njit" in original))
    numba.config.reload_config()
    if not passes(tests, 10 * config["timeout"]):
        sys.exit(f"error: {' '.join(tests)}: fail without a change")
    with use_db("mutants.sqlite") as changes:
        init([path], changes, {})
        every = [item.mutations[0] for item in changes.work_items]
    skipped = re.compile("|".join(config["exclude-operators"]))
    every = [change for change in every if not skipped.match(change.operator_name)]
    every.sort(key=lambda change: (change.start_pos, change.operator_name, change.occurrence))
    chosen = random.Random(0).sample(every, min(len(every), sample or len(every)))
    alive = 0
    for change in sorted(chosen, key=every.index):
        operator = get_operator(change.operator_name)(**change.operator_args)
        path.write_text(mutate_code(original, operator, change.occurrence), encoding="utf-8")
        Path(cache_from_source(str(path))).unlink(missing_ok=True)  # two changes of a second look alike
        if passes(tests, config["timeout"]):
            alive += 1
            print(f"{path}:{change.start_pos[0]}: {change.operator_name}", *difference(original, path), sep="\n")
    path.write_text(original, encoding="utf-8")
    print(f"{path}: {alive} of {len(chosen)} changes survive, of {len(every)} possible", flush=True)


def passes(tests: list[str], timeout: float) -> bool:
    """Whether all tests pass in time, in a process of their own."""
    process = multiprocessing.get_context("fork").Process(target=run, args=(tests,))
    process.start()
    process.join(timeout)
    if process.is_alive():
        os.killpg(process.pid, signal.SIGKILL)
        process.join()
    return process.exitcode == 0


def run(tests: list[str]) -> None:
    os.setsid()
    with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing), contextlib.redirect_stderr(nothing):
        code = pytest.main(["-x", "-q", "-p", "no:cacheprovider", *tests])
    os._exit(code)


def difference(original: str, path: Path) -> list[str]:
    """The changed lines, before and after."""
    lines = zip(original.splitlines(), path.read_text(encoding="utf-8").splitlines(), strict=False)
    return [f"- {before}\n+ {after}" for before, after in lines if before != after][:1]


if __name__ == "__main__":
    main()
