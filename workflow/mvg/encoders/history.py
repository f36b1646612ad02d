"""How a training went, as a table that figures and people read."""

import csv

from ..data.files import text_writer


def write_history(path, history: list[dict]) -> None:
    """One line an evaluation on dev, a column a key; ``recall`` and ``map`` in percent at 100."""
    with text_writer(path) as file:
        writer = csv.DictWriter(file, history[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(history)
