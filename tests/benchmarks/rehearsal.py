"""A large run without training: python tests/benchmarks/rehearsal.py DOCUMENTS FOLDER

Texts in parts of Parquet, ten pairs and one query a document, and random unit vectors of 64 dimensions. The workflow
prepares them, makes 0.3 behavioural vectors a document, and searches for 1,000 queries, in FOLDER and on two cores.
Prints what each job used: anonymous memory at its highest (mapped files apart), processor seconds, and seconds.
Ten million documents need 40 GB of disk.
"""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from scale import ASKED, DIM, PAIRS, ROOT, write_table

ROWS = 5_000_000  # pairs drawn at a time
DEV = 20  # queries to choose constants on
TICK = os.sysconf("SC_CLK_TCK")


def main(n, folder) -> None:
    n, folder = int(n), Path(folder).resolve()
    write_pairs(folder / "table", n)
    share = {"dev": DEV / (0.1 * n), "test": ASKED / (0.1 * n)}
    source = {"source": "path", "path": str(folder / "table"), "format": "csv", "keep": share}
    config = {
        "run": "rehearsal",
        "datasets": ["log"],
        "sources": {"log": source},
        "encoders": ["given"],
        "encoder_settings": {"given": {"kind": "vectors", "path": str(folder / "vectors")}},
        "diversity_encoder": "given",
        "multiview": {"methods": []},
        "seeds": [],
        "experiments": [],
    }
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    data = folder / "results/rehearsal/log/data"
    print("| job | MB | processor s | s |\n| --- | ---: | ---: | ---: |")
    run(folder, data / "pairs.train.npz")
    stats = json.loads((data / "stats.json").read_text(encoding="utf-8"))
    (folder / "vectors/log").mkdir(parents=True)
    for side, rows in ("documents", stats["documents"]), ("queries", sum(stats["queries"].values())):
        write_vectors(folder / f"vectors/log/{side}.npy", rows)
    run(folder, data.parent / "runs/mvg+given.npz")


def write_pairs(folder: Path, n: int) -> None:
    """Every document has a pair; the others have a popularity with a long tail."""
    for part, start in enumerate(range(0, PAIRS * n, ROWS)):
        rng, size = np.random.default_rng(part), min(ROWS, PAIRS * n - start)
        documents = (n * rng.random(size) ** 2).astype(np.int64)
        documents[: size // PAIRS] = np.arange(start // PAIRS, start // PAIRS + size // PAIRS)
        write_table(folder, rng.integers(0, n, size), documents, start)


def write_vectors(path: Path, rows: int) -> None:
    file = np.lib.format.open_memmap(path, "w+", np.float32, (rows, DIM))
    rng = np.random.default_rng(0)
    for start in range(0, rows, 1 << 18):
        part = rng.standard_normal((min(1 << 18, rows - start), DIM), dtype=np.float32)
        file[start : start + len(part)] = part / np.linalg.norm(part, axis=1, keepdims=True)


def run(folder: Path, target: Path) -> None:
    """Make ``target`` by the workflow, and print what its jobs used."""
    command = ["snakemake", "-s", ROOT / "Snakefile", "--cores", "2", "--quiet", "all", "--directory", folder]
    command += ["--configfile", folder / "config.json", "--", target.relative_to(folder)]
    workflow, jobs = subprocess.Popen(command), {}
    while workflow.poll() is None:
        for pid in filter(str.isdigit, os.listdir("/proc")):
            look_at(Path("/proc", pid), folder, jobs)
        time.sleep(0.2)
    for _, name, first, last, seconds, megabytes in sorted(jobs.values(), key=lambda job: job[2]):
        print(f"| {name} | {megabytes:,.0f} | {seconds:,.0f} | {last - first:,.0f} |", flush=True)
    if workflow.returncode:
        sys.exit(workflow.returncode)


def look_at(process: Path, folder: Path, jobs: dict) -> None:
    """Note what a process has used so far if it runs a script of the workflow in ``folder``."""
    try:
        script = re.search(r"/scripts/tmp\w+\.(\w+)\.py", (process / "cmdline").read_text())
        if not script or (process / "cwd").readlink() != folder:
            return
        status, stat = (process / "status").read_text(), (process / "stat").read_text().rpartition(")")[2].split()
    except OSError:  # it has ended
        return
    megabytes = int(status.partition("RssAnon:")[2].split()[0]) / 1024 if "RssAnon" in status else 0
    now, key = time.time(), f"{process} {script[1]}"
    _, _, first, _, _, most = jobs.get(key, (key, "", now, now, 0, 0))
    jobs[key] = key, script[1], first, now, (int(stat[11]) + int(stat[12])) / TICK, max(most, megabytes)


if __name__ == "__main__":
    main(*sys.argv[1:])
