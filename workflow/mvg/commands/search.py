"""``mvg search FOLDER "red shoes"``: the best documents of an index, each with the vector that found it."""

from pathlib import Path

from ..io.errors import DataError

WIDTH = 70  # characters of a training query

HELP = "search an index that mvg build made: documents, and which vector found each of them"


def add_arguments(parser) -> None:
    parser.add_argument("folder", help="of an index")
    parser.add_argument("query", help="its text")
    parser.add_argument("--k", type=int, default=10, help="documents (10)")
    parser.add_argument("--min-count", type=int, default=1, metavar="N", help="show no query asked fewer times (1)")
    parser.add_argument("--save", metavar="FILE.npy", help="write the encoded query, for a script of mvg export")


def run(options) -> None:
    from ..io.files import save_array
    from ..library.index import load
    from .encoding import encode_texts

    if options.k < 1 or options.min_count < 0:
        options.error("--k is at least 1, --min-count at least 0")
    if not options.query.strip():
        options.error("a query has words")
    if options.save and not options.save.endswith(".npy"):
        options.error("--save is the name of a .npy file")
    index = load(options.folder)
    if "encoder" not in index.facts:
        raise DataError(options.folder, "", "expected an index that says how to encode a query: search it in Python")
    query = encode_texts(index.facts["encoder"], [options.query], Path(options.folder))[0]
    if options.save:
        save_array(options.save, query)
    rows, _ = index.search(query, min(options.k, len(index)))
    for place, row in enumerate(rows.tolist(), start=1):
        found = index.explain(query, row, n=3, min_count=options.min_count)
        names = dict.fromkeys([str(found.document), index.texts[row] if index.texts else ""])  # a text may be the id
        print(f"{place:3} {found.score:7.3f}  {'  '.join(filter(None, names))}")
        print(f"             {why(found)}")


def why(found) -> str:
    """Which vector found a document, in words."""
    parts = [f"by its {found.kind} vector {found.vector}, similarity {found.similarity:.3f}"]
    parts += [f"bias {found.bias:+.3f}"] * bool(found.bias) + [f"votes {found.votes:+.3f}"] * bool(found.votes)
    texts = [query.text for query in found.queries if query.text]
    asked = [f'"{text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…"}"' for text in texts]
    return ", ".join(parts) + (f"; asked before: {', '.join(asked)}" if asked else "")
