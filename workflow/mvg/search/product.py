"""The inner product in float64 and the order of scores, which decide every ranking."""

import numpy as np
from numba import njit

# Only compiled code calls these functions: an entry from Python would take as long to compile again.
INNER = dict(no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy")


# Reassociation lets it use vector registers; the order of summation is the same in every call.
@njit(fastmath={"reassoc", "contract"}, **INNER)
def dot(a, b):
    total = 0.0
    for i in range(len(a)):
        total += np.float64(a[i]) * np.float64(b[i])
    return total


@njit(**INNER)
def insert(documents, scores, kept, document, score):
    """Insert a document into the ``kept`` best of a query if it belongs there; return the new number.

    documents, scores: (k,), best first, equal scores by document row. Fast for documents that come nearly in order.
    """
    place = kept
    while place > 0 and (scores[place - 1] < score or (scores[place - 1] == score and documents[place - 1] > document)):
        place -= 1
    if place == len(documents):
        return kept
    kept = min(kept + 1, len(documents))
    for a in range(kept - 1, place, -1):
        documents[a], scores[a] = documents[a - 1], scores[a - 1]
    documents[place], scores[place] = document, score
    return kept
