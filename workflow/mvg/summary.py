"""What a run says when it has ended: where to look."""

from pathlib import Path

PLACES = {
    "tables/benchmark.md": "the paper's table, every encoder with and without MVG",
    "tables/verdicts.md": "each number of the paper beside ours",
    "figures/": "the sweeps and the other experiments: png, pdf, and csv with the numbers",
}


def where_to_look(results) -> list[str]:
    """A line for each of the main results in the folder of a run that is there."""
    found = {f"{results}/{place}": what for place, what in PLACES.items() if Path(results, place).exists()}
    width = max(map(len, found), default=0)
    return [f"{place:{width}}  {what}" for place, what in found.items()]
