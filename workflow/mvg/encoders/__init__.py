"""Texts to vectors, one module a kind. Torch is imported here and nowhere else."""
