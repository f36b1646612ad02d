"""The library's first verb: vectors and a log in, an index out."""

from collections.abc import Callable, Sequence

from .index import MultiViewIndex, _silent
from .log import Dev, Log
from .methods import Settings, check_method


def build(
    documents,
    queries,
    pairs,
    method: str = "mvg",
    budget: float = 1.3,
    *,
    weights=None,
    dev: tuple | None = None,
    ids: Sequence[str] | None = None,
    document_texts: Sequence[str] | None = None,
    query_texts: Sequence[str | None] | None = None,
    asked=None,
    beta: float = 0.5,
    k: int = 100,
    seed: int = 0,
    index: str = "exact",
    normalize: bool = True,
    threads: int | None = None,
    progress: Callable | None = None,
) -> MultiViewIndex:
    """An index over documents and what a log adds to them.

    documents, queries: vectors (n, dim) in any form: numpy, torch, lists, frames, sparse matrices; those of queries
        are of the training queries. They are brought to unit norm; ``normalize=False`` refuses others
    pairs: (query row, document row) of each query that led to a document: an (n, 2) array, list or frame, two
        columns, or a sparse matrix. Repeated pairs count once; ``weights``, one a pair, add up
    method: what goes over the encoder: ``mvg`` is the paper's; ``plain`` is nothing; ``prior``, ``moved``, ``tuned``,
        ``shared``, ``knn``, ``adapter`` and their combinations, such as ``mvg+prior+moved`` and ``shared+tuned``,
        are in docs/methods.md; ``auto`` is what dev chooses among them
    budget: floats of the index, as a multiple of those of the documents; a prior's float comes on top
    dev: ``(queries, pairs)`` on which constants are chosen; without it, and but for ``plain`` and ``mvg``, which have
        none, a tenth of the queries is taken for that and does not count otherwise
    ids, document_texts: one a document; query_texts: one a query, for explanations; asked: how many times each query
        was asked, 1 by default
    beta: how popularity spends the budget of own views (0 evenly, 1 in proportion); k: depth at which dev compares
    index: ``exact``, or a faiss factory string
    threads: all cores by default; they change nothing in the result
    progress: ``(items, label) -> items``, to show how far it is

    The first call on a machine compiles for some seconds, and keeps what it compiled.
    Raises ValueError, in one line, for whatever does not fit.

    >>> import mvg
    >>> documents = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> queries = [[1, 0, 3], [3, 0, 1], [0, 5, 1]]
    >>> index = mvg.build(documents, queries, [(0, 0), (1, 0), (2, 1)], budget=2)
    >>> index
    MultiViewIndex(mvg: 3 documents, 6 vectors of 3 floats)
    >>> index.search([[1, 0, 3]], k=1)[0].tolist()
    [[0]]
    """
    check_method(method, weights is not None)
    settings = Settings.of(method, budget, seed, k, beta)
    if not isinstance(index, str):
        raise ValueError(f"index must be exact, or a factory string of faiss, not {index!r}")
    log = Log.of(documents, queries, pairs, weights, ids, document_texts, query_texts, asked, normalize)
    held = None if dev is None else Dev.of(dev, log, normalize)
    return MultiViewIndex.built(log, settings, held, index, threads, progress or _silent)
