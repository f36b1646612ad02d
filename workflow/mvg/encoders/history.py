"""How a training went, as a table that figures and people read."""

from ..data.files import save_rows


def write_history(path, history: list[dict]) -> None:
    """One line an evaluation on dev, a column a key; ``recall`` and ``map`` in percent at 100."""
    save_rows(path, history)
