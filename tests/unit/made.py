"""Paths under the names of a rule's outputs."""

from types import SimpleNamespace


def made(stem) -> SimpleNamespace:
    """``stem.csv``, ``.pdf``, ``.png``, ``.html``, ``.md`` and ``.tex`` under these names."""
    return SimpleNamespace(**{kind: f"{stem}.{kind}" for kind in ("csv", "pdf", "png", "html", "md", "tex")})
