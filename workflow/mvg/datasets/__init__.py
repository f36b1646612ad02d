"""Prepared datasets: writing and reading BEIR folders, their texts, splits and pairs."""
