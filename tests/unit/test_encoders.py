"""Torch never shares a process with faiss, so the tests of encoders have a process of their own."""

import subprocess
import sys
from pathlib import Path

ENCODERS = Path(__file__).parents[1] / "encoders"


def test_encoders_in_their_own_process():
    run = subprocess.run([sys.executable, "-m", "pytest", str(ENCODERS)], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_neither_library_comes_with_the_other():
    for module, *unwanted in (
        ("mvg.search.index", "torch"),
        ("mvg.multiview", "torch"),
        ("mvg.evaluation.choice", "torch", "faiss"),
        ("mvg.reporting", "torch"),
        ("mvg.encoders.dssm", "faiss", "pandas"),
        ("mvg.encoders.pretrained", "faiss"),
        ("mvg.encoders.sbert", "faiss"),
        ("mvg.formats", "numpy"),
        ("mvg.datasets.pairs", "pandas"),
        ("mvg.evaluation.metrics", "scipy"),
    ):
        code = f"import sys, {module}; print(*set({unwanted}) & set(sys.modules))"
        path = Path(__file__).parents[2] / "workflow"
        assert subprocess.check_output([sys.executable, "-c", code], cwd=path, text=True).strip() == "", module
