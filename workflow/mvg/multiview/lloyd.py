"""The inner loop of :mod:`mvg.multiview.clustering`: Lloyd's algorithm over the queries of one document.

The result equals that of float64 products of every query with every center in every iteration. Three
things make it fast: bounds on similarities, which avoid most products; float32 for the others, with
float64 only for near-ties; and sums that are updated only for the queries that moved.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

# A query differs from a center when their distance is above 1e-3: far above the rounding of
# float32 unit vectors, far below anything that retrieval could tell apart.
DIFFERS = 1e-6
# Means of copies of one vector differ from it by rounding only: such centers are duplicates.
DUPLICATE = 1e-12
# Only compiled code calls these functions: an entry from Python would take as long to compile again.
INNER = dict(no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy")


class _Points(NamedTuple):
    """A document's training queries."""

    queries: np.ndarray  # of all documents
    rows: np.ndarray
    weights: np.ndarray
    close: float  # largest float32 error in comparing two similarities
    reach: float  # norm of the longest query


class _Clusters(NamedTuple):
    """The state of Lloyd's algorithm: k centers, n queries."""

    centers: np.ndarray  # float32 (k, dim)
    active: np.ndarray  # bool (k,): in use
    moved: np.ndarray  # float64 (k,): how far the last update moved a center
    sums: np.ndarray  # float64 (k, dim), of weighted queries
    mass: np.ndarray  # float64 (k,), of weights
    sizes: np.ndarray  # int64 (k,), of queries
    assignment: np.ndarray  # int64 (n,)
    own: np.ndarray  # float64 (n,): lower bound of a query's similarity to its own center
    other: np.ndarray  # float64 (n,): upper bound of its similarity to any other center


@njit(**INNER)
def _random(seed, document, query):
    """A 64-bit hash of its arguments (splitmix64, Steele et al. 2014)."""
    state = seed
    for word in (np.uint64(document), np.uint64(query)):
        state = (state ^ word) + np.uint64(0x9E3779B97F4A7C15)
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        state = state ^ (state >> np.uint64(31))
    return state


# Reassociation lets the products use vector registers; the order of summation is the same in every call.
@njit(fastmath={"reassoc", "contract"}, **INNER)
def _dot(a, b):
    total = 0.0
    for i in range(len(a)):
        total += np.float64(a[i]) * np.float64(b[i])
    return total


@njit(fastmath={"reassoc", "contract"}, **INNER)
def _fast_dot(a, b):
    total = np.float32(0)
    for i in range(len(a)):
        total += a[i] * b[i]
    return np.float64(total)


@njit(fastmath={"reassoc", "contract"}, **INNER)
def _squared_distance(a, b):
    total = 0.0
    for i in range(len(a)):
        difference = np.float64(a[i]) - np.float64(b[i])
        total += difference * difference
    return total


@njit(**INNER)
def _copy(source, target):  # an assignment takes a second longer to compile
    for i in range(len(source)):
        target[i] = source[i]


@njit(nogil=True, cache=True, error_model="numpy")
def fit_documents(
    documents, queries, starts, members, weights, owners, places, counts, seed, max_iterations,
    vectors, kept,
):  # fmt: skip
    """Write the centers of document ``owners[i]`` to ``vectors[places[i]:]``, and their number to ``kept[i]``.

    The number is -1 if a query is not finite. Other arguments as in :func:`mvg.multiview.fit`.
    """
    dim = documents.shape[1]
    for i in range(len(owners)):
        d, k = owners[i], counts[i] + 1
        rows = members[starts[d] : starts[d + 1]]
        n = len(rows)
        reach = 0.0
        for row in rows:
            squared = _dot(queries[row], queries[row])
            reach = max(reach, np.sqrt(squared)) if np.isfinite(squared) else np.inf
        if reach == np.inf:
            kept[i] = -1
            continue
        longest = max(1.0, np.sqrt(_dot(documents[d], documents[d])))
        points = _Points(queries, rows, weights[starts[d] : starts[d + 1]], dim * 2.0**-23 * reach * longest, reach)
        clusters = _Clusters(
            np.zeros((k, dim), np.float32), np.zeros(k, np.bool_), np.zeros(k),
            np.zeros((k, dim)), np.zeros(k), np.zeros(k, np.int64),
            np.empty(n, np.int64), np.empty(n), np.empty(n),
        )  # fmt: skip
        _copy(documents[d], clusters.centers[0])
        clusters.active[0] = True
        for q in range(n):
            clusters.assignment[q] = _random(seed, d, rows[q]) % np.uint64(k)
        _lloyd(points, clusters, max_iterations)
        for j in range(1, k):
            if clusters.active[j]:
                _copy(clusters.centers[j], vectors[places[i] + kept[i]])
                kept[i] += 1


@njit(**INNER)
def _lloyd(points, clusters, max_iterations):
    """Iterate from the given assignment until nothing changes."""
    _forget(clusters)
    _add_up(points, clusters)
    _update(points, clusters)
    for _ in range(max_iterations):
        changed = _assign(points, clusters)
        repaired = _repair(points, clusters)
        if changed or repaired:
            _update(points, clusters)
        elif not _drop_duplicates(clusters):
            # Updated sums contain rounding errors, so the final ones are computed afresh.
            _add_up(points, clusters)
            if not _update(points, clusters):
                return
    # Not converged: drop the centers without a query, which further iterations would have repaired.
    _add_up(points, clusters)
    _update(points, clusters)
    _drop_duplicates(clusters)
    _forget(clusters)
    _assign(points, clusters)
    for j in range(1, len(clusters.sizes)):
        clusters.active[j] = clusters.active[j] and clusters.sizes[j] > 0


@njit(**INNER)
def _forget(clusters):
    """Reset the bounds, so that every query is compared again."""
    for i in range(len(clusters.own)):
        clusters.own[i], clusters.other[i] = -np.inf, np.inf


@njit(**INNER)
def _assign(points, clusters):
    """Assign each query to its most similar center, the lowest of equals. True if any query moved.

    Most queries need no product: a center that moved by x changes a similarity by at most |q| x
    (Hamerly 2010). The others are decided in float32, near-ties in float64.
    """
    centers, active, own, other = clusters.centers, clusters.active, clusters.own, clusters.other
    first, second, most = -1, 0.0, 0.0  # the center that moved most, how far, and the next
    for j in range(len(centers)):
        if clusters.moved[j] > most:
            first, second, most = j, most, clusters.moved[j]
        elif clusters.moved[j] > second:
            second = clusters.moved[j]
    changed = False
    for i in range(len(own)):
        mine = clusters.assignment[i]
        own[i] -= points.reach * clusters.moved[mine]
        other[i] += points.reach * (second if mine == first else most)
        if own[i] - other[i] > points.close:
            continue
        query = points.queries[points.rows[i]]
        best, own[i] = -1, -np.inf
        if active[mine]:
            best, own[i] = mine, _fast_dot(query, centers[mine])
            if own[i] - other[i] > points.close:
                continue
        other[i] = -np.inf
        for j in range(len(centers)):
            if active[j] and j != mine:
                similarity = _fast_dot(query, centers[j])
                if similarity > own[i]:
                    best, own[i], other[i] = j, similarity, own[i]
                elif similarity > other[i]:
                    other[i] = similarity
        if not own[i] - other[i] > points.close:
            best, highest = 0, _dot(query, centers[0])
            for j in range(1, len(centers)):
                if active[j]:
                    similarity = _dot(query, centers[j])
                    if similarity > highest:
                        best, highest = j, similarity
        if best != mine:
            _move(points, clusters, i, best)
            changed = True
    return changed


@njit(**INNER)
def _move(points, clusters, i, target):
    """Move query i to another center."""
    _count(points, clusters, i, -1.0)
    clusters.assignment[i] = target
    _count(points, clusters, i, 1.0)


@njit(**INNER)
def _count(points, clusters, i, times):
    """Add query i to the sums of its center (``times`` 1), or subtract it (-1)."""
    j, weight = clusters.assignment[i], times * points.weights[i]
    clusters.sizes[j] += np.int64(times)
    clusters.mass[j] += weight
    query, total = points.queries[points.rows[i]], clusters.sums[j]
    for t in range(len(query)):
        total[t] += weight * query[t]


@njit(**INNER)
def _add_up(points, clusters):
    """Compute the sums of the weighted queries of each center."""
    for j in range(len(clusters.sizes)):
        clusters.sizes[j], clusters.mass[j] = 0, 0
        for t in range(clusters.sums.shape[1]):
            clusters.sums[j, t] = 0
    for i in range(len(points.rows)):
        _count(points, clusters, i, 1.0)


@njit(**INNER)
def _update(points, clusters):
    """Move each center except 0 to the normalised weighted mean of its queries. True if any changed."""
    centers, changed = clusters.centers, False
    for j in range(1, len(centers)):
        total = clusters.sums[j]
        norm = np.sqrt(_dot(total, total))
        clusters.moved[j] = 0
        # A mean of zero has no direction: the center keeps its last one; at the start it is empty.
        if clusters.sizes[j] > 0 and norm > 1e-9 * clusters.mass[j]:
            clusters.active[j] = True
            squared = 0.0
            for t in range(len(total)):
                value = np.float32(total[t] / norm)
                difference = np.float64(value) - np.float64(centers[j, t])
                squared += difference * difference
                centers[j, t] = value
            clusters.moved[j] = np.sqrt(squared)
            changed = changed or squared > 0
    return changed


@njit(**INNER)
def _repair(points, clusters):
    """Move each empty center to the query worst served by its own center; drop it if that does not differ."""
    sizes, assignment = clusters.sizes, clusters.assignment
    similarity = np.empty(0)
    repaired = False
    for j in range(1, len(sizes)):
        if sizes[j]:
            continue
        if not len(similarity):
            similarity = np.empty(len(assignment))
            for i in range(len(assignment)):
                similarity[i] = _dot(points.queries[points.rows[i]], clusters.centers[assignment[i]])
        worst = 0
        for i in range(1, len(similarity)):
            if similarity[i] < similarity[worst]:
                worst = i
        query = points.queries[points.rows[worst]]
        clusters.active[j] = _squared_distance(query, clusters.centers[assignment[worst]]) > DIFFERS
        if clusters.active[j]:
            _copy(query, clusters.centers[j])
            _move(points, clusters, worst, j)
            similarity[worst] = _dot(query, query)
            repaired = True
    if repaired:
        _forget(clusters)
    return repaired


@njit(**INNER)
def _drop_duplicates(clusters):
    """Drop each center that equals a lower one up to rounding. True if any was dropped."""
    centers, active = clusters.centers, clusters.active
    dropped = False
    for j in range(1, len(centers)):
        for i in range(j):
            if active[i] and active[j] and _squared_distance(centers[i], centers[j]) < DUPLICATE:
                active[j] = False
                dropped = True
    if dropped:
        _forget(clusters)
    return dropped
