"""Baselines that need no encoder: BM25 and training popularity."""

from .bm25 import BM25
from .popularity import training_popularity

__all__ = ["BM25", "training_popularity"]
