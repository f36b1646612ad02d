"""The provenance of a run: software, code, machine and input files. Standard library only.

Nothing here reads environment variables, the user's name or the host's.
"""

import os
import platform
import re
import shlex
import shutil
import site
import subprocess
from importlib import metadata
from pathlib import Path

from .io.checksums import digest

SECRET = re.compile(r"secret|password|passwd|token|credential|(access|api|private)[-_]?key", re.IGNORECASE)


def checksums(path, progress=lambda files: files) -> dict:
    """``{name: {"bytes", "sha256"}}`` of a file, or of all files in a folder except hidden ones, by relative path."""
    path = Path(path)
    folder = path.parent if path.is_file() else path
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    names = {file.relative_to(folder).as_posix(): file for file in files}
    return {
        name: {"bytes": names[name].stat().st_size, "sha256": digest(names[name], "sha256")}
        for name in progress([name for name in names if "/." not in f"/{name}"])
    }


def software(requirements) -> dict:
    """Python, platform, and the installed version of each package of a requirements file.

    None for a package that is not installed: a rule's conda environment holds only its own. Packages
    that a script only sees through ``sys.path``, as it sees Snakemake's, do not count as installed.
    """
    places = [*site.getsitepackages(), *([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])]
    lines = Path(requirements).read_text(encoding="utf-8").splitlines()
    names = [line.partition("==")[0] for line in lines if "==" in line]
    found = {name: next(iter(metadata.distributions(name=name, path=places)), None) for name in names}
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": {name: distribution and distribution.version for name, distribution in found.items()},
    }


def code(folder) -> dict:
    """The git commit of the workflow in ``folder``, and whether its code differs from it; None outside git."""
    if not _output("git", "-C", folder, "ls-files", "Snakefile"):  # the repository around it is another one
        return {"commit": None, "dirty": None}
    changes = _output("git", "-C", folder, "status", "--porcelain", "--", "Snakefile", "workflow", "envs")
    return {"commit": _output("git", "-C", folder, "rev-parse", "HEAD"), "dirty": changes != ""}


def machine() -> dict:
    """Processor, usable cores, bytes of memory, and the GPUs that the driver reports."""
    gpus = _output("nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader")
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "gpus": gpus.splitlines() if gpus else [],
    }


def without_secrets(command: str | None) -> str | None:
    """A command line without its passwords, tokens and keys (``--x-secret-key K``, ``token=K``)."""
    if command is None:
        return None
    words, hide = [], False
    for word in shlex.split(command):
        name, equals, _ = word.partition("=")
        if hide and not word.startswith("--"):
            word = "..."
        elif equals and SECRET.search(name):
            word = f"{name}=..."
        hide = word.startswith("--") and not equals and SECRET.search(name)
        words.append(word)
    return shlex.join(words)


def without_home(value):
    """``value`` with the user's home folder, which contains a name, written as ``~`` in all its strings."""
    if isinstance(value, dict):
        return {key: without_home(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [without_home(entry) for entry in value]
    home = str(Path.home())
    if not isinstance(value, str) or home == "/":
        return value
    return re.sub(rf"(?<![\w./-]){re.escape(home)}(?![\w.-])", "~", value)


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        text = ""
    named = re.search(r"^model name\s*: (.+)$", text, flags=re.MULTILINE)
    return named.group(1) if named else platform.processor() or platform.machine()


def _output(program, *arguments) -> str | None:
    """The output of a program; None if it is missing or fails."""
    if not shutil.which(program):
        return None
    done = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return None if done.returncode else done.stdout.strip()
