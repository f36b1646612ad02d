"""The numbers of the paper, read from ``paper.yaml``."""

from functools import cache
from importlib import resources
from typing import NamedTuple


class Cell(NamedTuple):
    """One printed number of a table. ``value`` is a float, or text such as ``>500``."""

    table: str
    section: str
    dataset: str
    queries: str  # which share of the test queries, or which example; mostly empty
    method: str
    metric: str
    k: int | None
    value: float | str

    @property
    def id(self) -> str:
        metric = self.metric if self.k is None else f"{self.metric}@{self.k}"
        parts = (self.table, self.dataset, self.queries, self.method, metric)
        return "/".join(part for part in parts if part)

    @property
    def place(self) -> tuple:
        """Where ``benchmark.csv`` would have it."""
        return self.dataset, self.method, self.metric, self.k


class Statement(NamedTuple):
    """One number, or yes/no claim, of the paper's text."""

    id: str
    section: str
    says: str
    value: float | bool
    unit: str  # points, percent, times, count, value or yes/no
    better: str  # higher, lower or none
    dataset: str  # a set-up, or public (all three), prodsearch, msmarco, analytic
    measured_by: str
    inconsistent: str = ""
    tolerance: float | None = None


class Paper(NamedTuple):
    """All of ``paper.yaml``."""

    cells: tuple[Cell, ...]
    statements: tuple[Statement, ...]
    setups: dict
    pretrained: dict
    dimensions: dict
    multiview: dict

    def benchmark(self) -> dict[tuple, float]:
        """The benchmark table: (dataset, method, metric, k) -> value; k is None for sizes."""
        return {cell.place: cell.value for cell in self.cells if cell.table == "benchmark"}

    def pretrained_model(self, dataset: str, encoder: str) -> str | None:
        """The model that the paper's ``encoder`` starts from on ``dataset``, if from one."""
        own = self.setups.get(dataset, {}).get("pretrained", {})
        return own.get(encoder, self.pretrained.get(encoder))


@cache
def load_paper() -> Paper:
    """Read ``paper.yaml`` beside this file."""
    import yaml

    text = resources.files(__package__).joinpath("paper.yaml").read_text(encoding="utf-8")
    raw = yaml.safe_load(text)
    statements = (Statement(**{**s, "section": str(s["section"])}) for s in raw["statements"])
    return Paper(
        cells=tuple(_cells(raw["tables"])),
        statements=tuple(statements),
        setups=raw["setups"],
        pretrained=raw["pretrained"],
        dimensions=raw["dimensions"],
        multiview=raw["multiview"],
    )


def _cells(tables: dict):
    """Every non-empty cell, in the order of print."""
    for name, table in tables.items():
        row_field = table.get("rows_are", "method")
        for row, values in table["rows"].items():
            for column, value in zip(table["columns"], values, strict=True):
                if value is None:
                    continue
                fields = {"queries": "", "k": None, **column, row_field: row}
                yield Cell(table=name, section=str(table["section"]), value=value, **fields)
