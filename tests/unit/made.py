"""Inputs, outputs and parameters as a rule hands them over."""

from types import SimpleNamespace


def made(stem) -> SimpleNamespace:
    """``stem.csv``, ``.pdf``, ``.png``, ``.html``, ``.md`` and ``.tex`` under these names."""
    return SimpleNamespace(**{kind: f"{stem}.{kind}" for kind in ("csv", "pdf", "png", "html", "md", "tex")})


class Named(dict):
    """Inputs or parameters, by item and by attribute."""

    __getattr__ = dict.__getitem__
