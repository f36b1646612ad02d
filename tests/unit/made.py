"""Inputs, outputs and parameters as a rule hands them over; vectors and a log."""

from types import SimpleNamespace

import numpy as np


def made(stem) -> SimpleNamespace:
    """``stem.csv``, ``.pdf``, ``.png``, ``.html``, ``.md`` and ``.tex`` under these names."""
    return SimpleNamespace(**{kind: f"{stem}.{kind}" for kind in ("csv", "pdf", "png", "html", "md", "tex")})


class Named(dict):
    """Inputs or parameters, by item and by attribute."""

    __getattr__ = dict.__getitem__


def unit(vectors) -> np.ndarray:
    """Rows of unit norm, float32."""
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def vectors_and_log(n_documents, n_queries, dim, noise, asked):
    """Documents, queries, and the document of each query. Only the first ``asked`` documents have any, the first most.

    Queries lie near a point of their document, whose vector is elsewhere.
    """
    rng = np.random.default_rng(0)
    documents, places = unit(rng.normal(size=(n_documents, dim))), unit(rng.normal(size=(n_documents, dim)))
    target = np.floor(asked * rng.random(n_queries) ** 2).astype(int)
    return documents, unit(places[target] + noise * rng.normal(size=(n_queries, dim))), target
