"""Baselines that need no encoder: ``bm25`` (needs rank_bm25) and ``popularity`` (numpy alone)."""
