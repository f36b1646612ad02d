"""What a run prints at its end: the answer, and where to look."""

from pathlib import Path

PLACES = {
    "index.html": "all of it on one page: open it in a browser",
    "tables/benchmark.md": "the paper's table, every encoder with and without MVG",
    "tables/verdicts.md": "each number of the paper beside ours",
    "figures/": "the sweeps and the other experiments: png, pdf, and csv with the numbers",
}


def where_to_look(results) -> list[str]:
    """The first line of the answer, then a line for each of the main results that exist in the folder of a run."""
    found = {f"{results}/{place}": what for place, what in PLACES.items() if Path(results, place).exists()}
    width = max(map(len, found), default=0)
    return answer(results) + [f"{place:{width}}  {what}" for place, what in found.items()]


def answer(results) -> list[str]:
    """What the run found, in one line; no line if it added nothing to its encoders."""
    file = Path(results, "answer.txt")
    return file.read_text(encoding="utf-8").splitlines()[:1] if file.exists() else []
