"""Ranks of relevant documents without a ranking, in one pass over the scores; for choices on dev."""

import numpy as np
from numba import njit

MOST_QUERIES = 2000  # enough to choose a few numbers
MOST_SCORES = 1 << 29  # of a query for a document: fewer queries of a corpus above 268,000

# Only compiled code calls some functions: an entry from Python would take as long to compile again.
INNER = dict(no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy")


def dev_rows(split, n_documents: int, seed: int = 0) -> np.ndarray:
    """The queries of dev that choices are made on, sorted int64 rows: all, or a sample."""
    rows, most = split.queries, min(MOST_QUERIES, max(1, MOST_SCORES // n_documents))
    if len(rows) <= most:
        return rows
    return np.sort(np.random.default_rng(seed).choice(rows, most, replace=False))


@njit(**INNER)
def ranks_of(scores, relevant):
    """The rank of each of ``relevant`` in ``scores`` (n_documents,), from 1; equal scores go by document row."""
    ranks = np.empty(len(relevant), dtype=np.int64)
    for j in range(len(relevant)):
        row, score = relevant[j], scores[relevant[j]]
        ranks[j] = 1 + _n_at_least(scores[:row], score) + _n_above(scores[row + 1 :], score)
    return ranks


# Loops over whole slices: the compiler makes vector instructions only where it sees that no index is negative.
@njit(**INNER)
def _n_at_least(scores, score):
    n = 0
    for d in range(len(scores)):
        n += scores[d] >= score
    return n


@njit(**INNER)
def _n_above(scores, score):
    n = 0
    for d in range(len(scores)):
        n += scores[d] > score
    return n


@njit(**INNER)
def precision_sum(ranks, k):
    """The sum of the precision at each hit in the top k; ``ranks`` of the relevant documents, in any order."""
    total, ordered = 0.0, ranks.copy()
    for j in range(1, len(ordered)):  # they are few, and np.sort takes a second to compile
        rank, place = ordered[j], j
        while place > 0 and ordered[place - 1] > rank:
            ordered[place] = ordered[place - 1]
            place -= 1
        ordered[place] = rank
    for j in range(len(ordered)):
        if ordered[j] <= k:
            total += (j + 1) / ordered[j]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def recall_and_ap(
    base, views, votes, view_bias, bias, lengths, scale, first, starts, relevant, hidden_starts, hidden, worth, whole,
    unseen, k, out,
):  # fmt: skip
    """Recall and AP at k of a batch of queries that begins with ``first``, from ranks alone.

    Returns how many unseen documents are found.
    """
    n_unseen, scores = 0.0, np.empty_like(bias)
    for i in range(len(base)):
        for d in range(len(scores)):
            scores[d] = base[i, d] * lengths[d]
        if views.size:
            for d in range(len(scores)):
                scores[d] = max(scores[d], views[i, d] + view_bias)
        for d in range(len(scores)):
            scores[d] += bias[d]
        if votes.size:
            for d in range(len(scores)):
                scores[d] += scale * votes[i, d]
        for h in range(hidden_starts[first + i], hidden_starts[first + i + 1]):
            scores[hidden[h]] = -np.inf
        mine = relevant[starts[first + i] : starts[first + i + 1]]
        ranks, found = ranks_of(scores, mine), 0.0
        for j in range(len(mine)):
            found += worth[mine[j]] * (ranks[j] <= k)
            n_unseen += unseen[mine[j]] * (ranks[j] <= k)
        out[i, 0], out[i, 1] = 100 * found / whole[i], 100 * precision_sum(ranks, k) / len(mine)
    return n_unseen
