"""Texts to vectors, one module per kind of encoder. Torch is imported only in this room."""
