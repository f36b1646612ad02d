"""What a data set of the user's own is like, and whether MVG is likely to help there, before anything is trained.

The paper's conditions: popularity is skewed, and past queries say what a document's own text does not.
"""

import re
import tempfile
from pathlib import Path

import numpy as np

from ..datasets.pairs import load_splits
from ..datasets.reading import load_texts
from ..datasets.splits import SPLITS
from ..datasets.texts import normalised
from ..lexical.popularity import gini, training_popularity
from . import source as sources
from .source import Source

HELP = "say what a data set is like, and whether MVG is likely to help"

ENOUGH_TRAINING, ENOUGH_TEST = 1000, 100  # queries, below which no answer is given
# Share of test pairs whose document has two training queries or more. MVG gained where it is 0.76 and more
# (EurLex 0.99, MeSH 0.97, see-also 0.76); on MS MARCO, with hardly any, it gains nothing (paper, section 7).
ENOUGH_BEHAVIOUR = 0.5
SKEWED = 0.3  # share of training pairs of the top 1 %: there a popularity prior did as much as MVG, or more


def add_arguments(parser) -> None:
    sources.add_arguments(parser)
    parser.add_argument(
        "--estimate", action="store_true", help="measure on a sample what a frozen encoder gains: half a minute"
    )


def run(options) -> None:
    print(page(Source.named(options), options.estimate), end="")


def check(path, format: str | None = None, **options) -> str:
    """A page of plain text about the data set at ``path``; ``format`` is guessed if it is None.

    The data are prepared as the workflow would, in a temporary folder; ``options`` are the reader's.
    Raises DataError as the reader does.
    """
    return page(Source.of(path) if format is None else Source(path, format, False, options))


def page(source: Source, with_estimate: bool = False) -> str:
    """:func:`check`, of a data set as commands are given it."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "data"
        stats = source.prepare(folder)
        splits = load_splits(folder)
        document_ids, documents = load_texts(folder / "corpus.jsonl")
        query_ids, queries = load_texts(folder / "queries.jsonl")
        estimated = {}
        if with_estimate:
            from .estimate import estimate

            estimated = {"Estimate": estimate(folder)}
    facts = _facts(splits, documents, queries)
    of_format = ("format", "split_rule")
    found = {name: value for name, value in stats.items() if isinstance(value, str) and name not in of_format}
    sections = {
        "Format": [
            f"{source.format}{' (guessed)' if source.guessed else ''}",
            f"split: {stats['split_rule']}",
            *(f"{name.replace('_', ' ')}: {value}" for name, value in found.items()),
        ],
        "Counts": _counts(stats),
        "Dropped": [f"{number:,} {reason.replace('_', ' ')}" for reason, number in stats["dropped"].items()]
        or ["nothing"],
        "Lengths": _lengths(documents, queries),
        "Popularity": _popularity(facts),
        "Behaviour": [
            *_behaviour(facts),
            *_repeated(splits, queries, source.format),
            *_themselves(splits, query_ids, document_ids, source.format),
        ],
        "Is MVG likely to help?": verdict(facts),
    } | estimated
    return "\n".join(f"{name}\n" + "".join(f"  {line}\n" for line in lines) for name, lines in sections.items())


def _facts(splits: dict, documents: list[str], queries: list[str]) -> dict:
    """The numbers that the verdict is made of."""
    train, test = splits["train"], splits["test"]
    popularity = training_popularity(train.pairs, len(documents))
    falling = np.sort(popularity)[::-1]
    head = max(1, len(documents) // 100)
    return {
        "training": len(train.queries),
        "test": len(test.queries),
        "documents": len(documents),
        "head": head,
        "head_share": falling[:head].sum() / falling.sum(),
        "gini": gini(popularity),
        "most": int(falling[0]),
        "unasked": float((popularity == 0).mean()),
        "behaviour": float((popularity[test.pairs[1]] >= 2).mean()),
        "overlap": _overlap(test.pairs, documents, queries),
    }


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def _overlap(pairs, documents: list[str], queries: list[str], most=10_000) -> float:
    """Mean share of a document's words that are in a query it answers, over evenly spaced test pairs."""
    rows = np.linspace(0, len(pairs[0]) - 1, min(most, len(pairs[0]))).astype(int)
    shares = []
    for query, document in zip(pairs[0][rows], pairs[1][rows], strict=True):
        words = _words(documents[document])
        shares.append(len(words & _words(queries[query])) / max(1, len(words)))
    return float(np.mean(shares))


def _counts(stats: dict) -> list[str]:
    lines = [f"{stats['documents']:,} documents, {stats['documents_without_text']:,} of them without text"]
    for split in SPLITS:
        queries, pairs = stats["queries"][split], stats["pairs"][split]
        lines.append(f"{split}: {queries:,} queries, {pairs:,} pairs, {pairs / queries:.1f} documents a query")
    if any(stats["excluded"].values()):
        lines.append(f"{sum(stats['excluded'].values()):,} pairs to leave out")
    lines.append(f"{stats['repeated_query_texts']:,} queries repeat a text")
    return lines


def _lengths(documents: list[str], queries: list[str]) -> list[str]:
    lines = []
    for name, texts in (("queries", queries), ("documents", documents)):
        half, most = np.percentile([len(text.split()) for text in texts], [50, 95])
        lines.append(f"{name}: {half:.0f} words (median), {most:.0f} (95 % have no more)")
    return lines


def _popularity(facts: dict) -> list[str]:
    return [
        f"the top 1 % ({facts['head']:,}) of the documents have {facts['head_share']:.0%} of the training pairs; "
        f"Gini {facts['gini']:.2f}",
        f"the most popular one has {facts['most']:,} training queries; {facts['unasked']:.0%} have none",
    ]


def _behaviour(facts: dict) -> list[str]:
    return [
        f"{facts['behaviour']:.0%} of the test pairs are of documents with two training queries or more",
        f"{facts['overlap']:.0%} of a document's words are in a query that it answers, on average",
    ]


def _repeated(splits: dict, queries: list[str], format: str) -> list[str]:
    """How many queries of test and dev are in train as well, whatever their spelling."""
    texts = {split: [normalised(queries[row]) for row in rows.queries] for split, rows in splits.items()}
    training = set(texts["train"])
    test, dev = (sum(text in training for text in texts[split]) for split in ("test", "dev"))
    lines = [
        f"{test / len(texts['test']):.0%} of the test queries ({test:,}) and {dev / len(texts['dev']):.0%} of dev's "
        f"({dev:,}) are training queries, letter case, spaces and Unicode form apart"
    ]
    # In a log people ask again what they asked before; anywhere else it is a leak.
    return lines + ["that is a leak, unless they were asked again"] * (test + dev > 0 and format != "clicklog")


def _themselves(splits: dict, query_ids: list[str], document_ids: list[str], format: str) -> list[str]:
    """How many queries are documents that they may find."""
    rows = {id: row for row, id in enumerate(document_ids)}
    own = {(query, rows[id]) for query, id in enumerate(query_ids) if id in rows}
    own -= {pair for split in splits.values() for pair in zip(*(side.tolist() for side in split.excluded), strict=True)}
    if not own:
        return []
    how = "`ignore_identical_ids: true` leaves" if format == "beir" else "filters leave"
    return [f"{len(own):,} of {len(query_ids):,} queries have the id of a document: {how} it out of their rankings"]


def verdict(facts: dict) -> list[str]:
    """The answer, then its reasons."""
    if facts["training"] < ENOUGH_TRAINING or facts["test"] < ENOUGH_TEST:
        return [
            "Too few queries to tell: "
            f"{facts['training']:,} for training, {facts['test']:,} for test; "
            f"{ENOUGH_TRAINING:,} and {ENOUGH_TEST:,} would do."
        ]
    if facts["behaviour"] < ENOUGH_BEHAVIOUR:
        return [
            f"Not likely. Only {facts['behaviour']:.0%} of the test pairs are of documents with some behaviour,",
            "so past queries say little about what will be asked.",
        ]
    lines = [
        "Yes, over an encoder as it comes; less over one that was fine-tuned on these queries.",
        f"{facts['behaviour']:.0%} of the test pairs are of documents with behaviour to learn from.",
    ]
    if facts["head_share"] >= SKEWED:
        lines.append(
            "Popularity is so skewed that one number a document may do as much: compare with the rows prior+…."
        )
    if facts["overlap"] >= 0.8:
        lines.append("But most words of a document are in its queries already: BM25 will be hard to beat.")
    return lines
