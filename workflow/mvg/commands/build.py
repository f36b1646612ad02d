"""``mvg build PATH FOLDER``: from a log of queries to a folder that ``mvg search`` answers from."""

from pathlib import Path

import numpy as np

from ..datasets.pairs import load_splits
from ..datasets.reading import load_texts, load_weights
from ..io.errors import DataError
from ..io.files import folder_beside
from . import source
from .encoding import encode_dataset, encoder_of
from .progress import progress, say

HELP = "make an index from a log: what dev chooses to add to an encoder, in a folder to search and to serve"


def add_arguments(parser) -> None:
    source.add_arguments(parser)
    parser.add_argument("folder", help="where the index goes; one that is there is replaced")
    parser.add_argument(
        "--encoder",
        default="wordllama",
        metavar="NAME",
        help="wordllama, minilm, a sentence-transformers model (folder or name on the hub), or ready vectors (.npy, or "
        "a folder of documents.npy and queries.npy); default: wordllama",
    )
    parser.add_argument("--method", default="auto", help="such as mvg, prior+moved, tuned; default: what dev chooses")
    parser.add_argument("--budget", type=float, default=1.3, help="floats, relative to one vector a document (1.3)")
    parser.add_argument("--k", type=int, default=100, help="depth at which dev compares (100)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--min-count",
        type=int,
        default=1,
        metavar="N",
        help="leave the texts of queries asked fewer times out of the folder: they may say who asked (1)",
    )
    parser.add_argument("--with-test", action="store_true", help="learn from the test queries as well")


def run(options) -> None:
    from ..library import build as library  # faiss and numba come with it
    from ..library.folder import expect_new_or_index
    from ..library.methods import Settings, check_method

    folder, given = Path(options.folder).resolve(), source.Source.named(options)
    expect_new_or_index(folder)
    if options.min_count < 0:
        options.error("--min-count is at least 0")
    try:
        check_method(options.method)
        Settings.of(options.method, options.budget, options.seed, options.k)
    except ValueError as error:
        options.error(str(error))
    encoder = encoder_of(options.encoder)
    # Large files go where the index goes; what a killed build left there, the next one removes.
    with folder_beside(folder.with_name(f"{folder.name}.work")) as work:
        say(f"reading {given.path} ({given.format}) …")
        stats = given.prepare(work / "data")
        say(_counts(stats, options.with_test))
        documents, queries = encode_dataset(encoder, work / "data", work)
        log, more = _log(work / "data", queries, options)
        how = {"k": options.k, "seed": options.seed, "progress": progress}
        try:
            index = library.build(documents, *log, options.method, options.budget, **how, **more)
        except DataError:
            raise
        except ValueError as error:  # of the library, in one line
            raise DataError(options.path, "", str(error)) from error
        facts = {"encoder": encoder, "min_count": options.min_count}
        index.save(folder, data={"format": given.format, "queries": stats["queries"], "pairs": stats["pairs"]}, **facts)
    print(f"{options.folder}: {index}")
    print(gains(index.metrics, index.method))


def _counts(stats: dict, with_test: bool) -> str:
    queries = stats["queries"]
    test = "used as well" if with_test else "left out (--with-test takes them)"
    learned = f"{queries['train']:,} queries to learn from, {queries['dev']:,} to choose on"
    return f"{stats['documents']:,} documents, {learned}, {queries['test']:,} test queries {test}"


def _log(data: Path, vectors: np.ndarray, options) -> tuple[tuple, dict]:
    """(queries, pairs) to learn from, and what else the library's ``build`` takes."""
    splits = load_splits(data)
    ids, texts = load_texts(data / "corpus.jsonl")
    query_texts, asked = load_texts(data / "queries.jsonl")[1], load_weights(data / "queries.jsonl")
    parts = [splits["train"], splits["test"]] if options.with_test else [splits["train"]]
    rows = np.unique(np.concatenate([part.queries for part in parts]))
    pairs = [np.concatenate([part.pairs[side] for part in parts]) for side in (0, 1)]
    dev = splits["dev"]
    asked = np.ceil(asked[rows])
    shown = [query_texts[row] if n >= options.min_count else None for row, n in zip(rows, asked, strict=True)]
    return (vectors[rows], (np.searchsorted(rows, pairs[0]), pairs[1])), {
        "dev": (vectors[dev.queries], (np.searchsorted(dev.queries, dev.pairs[0]), dev.pairs[1])),
        "ids": ids,
        "document_texts": texts,
        "query_texts": shown,
        "asked": asked,
    }


def gains(metrics: dict, method: str) -> str:
    """What a method gains on dev over the encoder alone, in one line."""
    plain, own, k = metrics["plain"], metrics[method], metrics["k"]
    names = {"recall": f"Recall@{k}", "map": f"MAP@{k}"}
    parts = [f"{name} {plain[key]:.1f} -> {own[key]:.1f}" for key, name in names.items()]
    return f"{method} over the encoder alone, on {metrics['queries']:,} dev queries: {', '.join(parts)}"
