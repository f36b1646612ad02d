"""Simulated datasets: drawn from the paper's own model, written in the raw formats of the originals."""
