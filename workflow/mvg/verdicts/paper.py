"""The numbers of the paper, read from ``paper.yaml``."""

from functools import cache
from importlib import resources
from typing import NamedTuple

from ..reporting.labels import dataset_label


class Cell(NamedTuple):
    """One printed number of a table, and its typeface. ``printed`` is a float, or text such as ``>500``."""

    table: str
    section: str
    dataset: str
    queries: str  # the share of the test queries, or the example; usually empty
    method: str
    metric: str
    k: int | None
    printed: float | str
    bold: bool = False
    underlined: bool = False

    @property
    def id(self) -> str:
        metric = self.metric if self.k is None else f"{self.metric}@{self.k}"
        parts = (self.table, self.dataset, self.queries, self.method, metric)
        return "/".join(part for part in parts if part)

    @property
    def place(self) -> tuple:
        """Its place in ``benchmark.csv``."""
        return self.dataset, self.method, self.metric, self.k


class Statement(NamedTuple):
    """One number, or yes/no claim, of the paper's text."""

    id: str
    section: str
    says: str
    printed: float | bool
    unit: str  # points, percent, times, count, value or yes/no
    better: str  # higher, lower or none
    dataset: str  # a set-up, or public (all three), prodsearch, msmarco, analytic
    measured_by: str
    inconsistent: str = ""
    by_definition: str = ""
    tolerance: float | None = None
    compared: float | None = None  # the number that ours is compared with, if it is not the printed one
    why: str = ""  # the reason for that

    @property
    def target(self) -> float | bool:
        """The number or claim that ours is compared with."""
        return self.printed if self.compared is None else self.compared


class Paper(NamedTuple):
    """All of ``paper.yaml``."""

    cells: tuple[Cell, ...]
    counts: tuple[Statement, ...]  # documents and queries of the datasets
    statements: tuple[Statement, ...]
    sizes: dict  # dataset -> {documents, train, dev, test: the count that ours is compared with}
    setups: dict
    pretrained: dict
    dimensions: dict
    multiview: dict

    def benchmark(self) -> dict[tuple, float]:
        """The benchmark table: (dataset, method, metric, k) -> value; k is None for sizes."""
        return {cell.place: cell.printed for cell in self.cells if cell.table == "benchmark"}

    def pretrained_model(self, dataset: str, encoder: str) -> str | None:
        """The model that the paper's ``encoder`` starts from on ``dataset``, or None."""
        own = self.setups.get(dataset, {}).get("pretrained", {})
        return own.get(encoder, self.pretrained.get(encoder))


@cache
def load_paper() -> Paper:
    """Read ``paper.yaml`` beside this file."""
    import yaml

    text = resources.files(__package__).joinpath("paper.yaml").read_text(encoding="utf-8")
    raw = yaml.safe_load(text)
    statements = (Statement(**{**s, "section": str(s["section"])}) for s in raw["statements"])
    counts = {dataset: {"documents": s["documents"], **s["queries"]} for dataset, s in raw["setups"].items()}
    return Paper(
        cells=tuple(_cells(raw["tables"])),
        counts=tuple(_count_statements(counts)),
        statements=tuple(statements),
        sizes={d: {of: n.get("compared", n.get("printed")) for of, n in own.items()} for d, own in counts.items()},
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
            marks = table.get("marks", {}).get(row, "." * len(values))
            for column, value, mark in zip(table["columns"], values, marks, strict=True):
                if value is None:
                    continue
                fields = {"queries": "", "k": None, **column, row_field: row}
                yield Cell(
                    table=name,
                    section=str(table["section"]),
                    printed=value,
                    bold=mark in "BU",
                    underlined=mark in "uU",
                    **fields,
                )


def _count_statements(counts: dict):
    """The printed counts of documents and queries."""
    for dataset, own in counts.items():
        for of, count in own.items():
            if "printed" not in count:
                continue
            id, says = f"queries_{dataset}_{of}", f"Queries of {dataset_label(dataset)}, {of}"
            if of == "documents":
                id, says = f"documents_{dataset}", f"Documents of {dataset_label(dataset)}"
            yield Statement(id, "6.3", says, **count, unit="count", better="none", dataset=dataset, measured_by="stats")
