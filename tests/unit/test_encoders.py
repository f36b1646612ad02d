"""Torch never shares a process with faiss, so the tests of encoders have a process of their own."""

import subprocess
import sys
from pathlib import Path

ENCODERS = Path(__file__).parents[1] / "encoders"


def test_encoders_in_their_own_process():
    run = subprocess.run([sys.executable, "-m", "pytest", str(ENCODERS)], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_neither_library_comes_with_the_other():
    for module, unwanted in (
        ("mvg.search.index", "torch"),
        ("mvg.multiview", "torch"),
        ("mvg.evaluation.choice", "torch"),
        ("mvg.evaluation.choice", "faiss"),
        ("mvg.reporting", "torch"),
        ("mvg.encoders.dssm", "faiss"),
        ("mvg.encoders.pretrained", "faiss"),
        ("mvg.encoders.sbert", "faiss"),
        ("mvg.encoders.dssm", "pandas"),
        ("mvg.data", "pandas"),
        ("mvg.evaluation.metrics", "scipy"),
    ):
        code = f"import sys, {module}; assert '{unwanted}' not in sys.modules, '{module} imports {unwanted}'"
        path = Path(__file__).parents[2] / "workflow"
        subprocess.run([sys.executable, "-c", code], check=True, cwd=path)
