"""Query diversity: the size of the box, or the ball, around the queries of a document (paper, section 1)."""

import numpy as np

ROWS = 1 << 16  # query vectors in memory at a time: 64 MiB at 256 dimensions
BALL_STEPS = 100
BALL_POINTS = 10_000  # at most; of more points a random sample


def bounding_box_diversity(vectors, pair_queries, pair_documents, n_documents) -> np.ndarray:
    """Geometric mean of the side lengths of the bounding box of each document's queries.

    The paper's footnote 1: (l_1 l_2 ... l_r)^(1/r), l_j the range of the vectors in dimension j.

    vectors: float (n_queries, dim), may be memory-mapped; pair_queries, pair_documents: int
    (n_pairs,), rows of queries and documents, in any order, repeated pairs count once.
    Returns float64 (n_documents,), in the unit of the vectors; NaN for documents with fewer than
    two queries. Holds ``ROWS`` vectors at a time, however many pairs there are.
    """
    keys = np.asarray(pair_documents, dtype=np.int64) * len(vectors) + pair_queries
    documents, queries = np.divmod(np.unique(keys), max(len(vectors), 1))
    diversity = np.full(n_documents, np.nan)
    previous, low, high = -1, None, None
    for start in range(0, len(documents), ROWS):
        rows = slice(start, start + ROWS)
        block = np.asarray(vectors[queries[rows]])
        found, starts = np.unique(documents[rows], return_index=True)
        lows = np.minimum.reduceat(block, starts)
        highs = np.maximum.reduceat(block, starts)
        if found[0] == previous:  # its queries began in the block before
            lows[0] = np.minimum(lows[0], low)
            highs[0] = np.maximum(highs[0], high)
        # The last document may continue in the next block; then it is computed again with all its queries.
        diversity[found] = _geometric_mean(highs - lows)
        previous, low, high = found[-1], lows[-1], highs[-1]
    diversity[np.bincount(documents, minlength=n_documents) < 2] = np.nan
    return diversity


def random_diversity(vectors, query_rows, sizes, repeats, seed) -> np.ndarray:
    """The same measure over n random queries: the part of the diversity due to the number of points alone.

    vectors: float (n_queries, dim); query_rows: int, the rows to draw from; sizes: int, each at
    most the number of rows (ValueError). Returns float64 (len(sizes),), the median over
    ``repeats`` draws without replacement; NaN for sizes below two. Each draw is one permutation,
    and every size takes its head, so the curve costs no more than its largest size.
    """
    query_rows, sizes = np.asarray(query_rows), np.asarray(sizes, dtype=np.int64)
    if len(sizes) and sizes.max() > len(query_rows):
        raise ValueError(f"expected sizes of at most {len(query_rows)} queries, got {sizes.max()}")
    random = np.random.default_rng(seed)
    draws = [_growing_box(vectors, random.permutation(query_rows), sizes) for _ in range(repeats)]
    return np.median(draws, axis=0) if draws else np.full(len(sizes), np.nan)


def _growing_box(vectors, rows, sizes) -> np.ndarray:
    """Diversity of the first n of ``rows``, for each n of ``sizes``."""
    diversity = np.full(len(sizes), np.nan)
    low, high, done = np.inf, -np.inf, 0
    for i in np.argsort(sizes, kind="stable"):
        for start in range(done, sizes[i], ROWS):
            block = np.asarray(vectors[np.sort(rows[start : min(start + ROWS, sizes[i])])])
            low, high = np.minimum(low, block.min(axis=0)), np.maximum(high, block.max(axis=0))
        done = max(done, sizes[i])
        if sizes[i] >= 2:
            diversity[i] = _geometric_mean(high - low)
    return diversity


def _geometric_mean(sides) -> np.ndarray:
    """Over the last axis, in logarithms, because a product of 256 sides below one would underflow."""
    with np.errstate(divide="ignore"):  # a side of length zero makes the volume zero
        return np.exp(np.log(np.asarray(sides, dtype=np.float64)).mean(axis=-1))


def ball_radius(points) -> float:
    """Radius of a ball around ``points``, float (n, dim): that of the smallest one, or slightly more.

    The center starts at the mean and moves 1/i of the way to the farthest point in step i (Badoiu and Clarkson
    2003, "Smaller core-sets for balls"); the smallest ball on the way is taken. NaN for fewer than two points.
    """
    if len(points) < 2:
        return float("nan")
    points = np.asarray(points, dtype=np.float64)
    center, radius = points.mean(axis=0), np.inf
    squares = np.einsum("ij,ij->i", points, points)
    for step in range(2, BALL_STEPS + 2):
        distances = squares - 2 * points @ center + center @ center
        farthest = distances.argmax()
        radius = min(radius, distances[farthest])
        center += (points[farthest] - center) / step
    return float(np.sqrt(max(radius, 0)))


def bounding_ball_diversity(vectors, pair_queries, pair_documents, chosen, seed=0) -> np.ndarray:
    """Radius of a ball around the queries of each document of ``chosen``, float64 (n_chosen,).

    vectors, pair_queries, pair_documents: as in :func:`bounding_box_diversity`, each pair once
    """
    random = np.random.default_rng(seed)
    order = np.argsort(pair_documents, kind="stable")
    queries, documents = np.asarray(pair_queries)[order], np.asarray(pair_documents)[order]
    bounds = np.stack([np.searchsorted(documents, chosen, side) for side in ("left", "right")], axis=1)
    return np.array([ball_radius(_some(vectors, queries[first:last], random)) for first, last in bounds])


def random_ball(vectors, query_rows, sizes, repeats, seed) -> np.ndarray:
    """The same over n random queries, for each n of ``sizes``: the median over ``repeats`` draws."""
    random = np.random.default_rng(seed)
    draws = [
        [ball_radius(_some(vectors, random.choice(query_rows, size, replace=False), random)) for size in sizes]
        for _ in range(repeats)
    ]
    return np.median(draws, axis=0) if len(sizes) else np.zeros(0)


def _some(vectors, rows, random) -> np.ndarray:
    """The vectors of ``rows``, or of ``BALL_POINTS`` random ones of them."""
    rows = rows if len(rows) <= BALL_POINTS else random.choice(rows, BALL_POINTS, replace=False)
    return np.asarray(vectors[np.sort(rows)])
