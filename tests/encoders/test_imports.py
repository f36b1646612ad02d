"""Torch and faiss never share a process: two OpenMP runtimes can crash it."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("module", ["dssm", "dssm_training", "pretrained", "sbert", "colbert", "colbert_training"])
def test_encoders_come_without_faiss(module):
    code = f"import sys, mvg.encoders.{module}; print('faiss' in sys.modules)"
    folder = Path(__file__).parents[2] / "workflow"
    assert subprocess.check_output([sys.executable, "-c", code], cwd=folder, text=True).strip() == "False"
