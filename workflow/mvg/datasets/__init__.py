"""Prepared datasets: one BEIR folder each, written and read; their texts, splits and pairs."""
