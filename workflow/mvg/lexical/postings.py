"""The k best documents of queries by sums over postings: the inner loop of :mod:`mvg.lexical.bm25`."""

import numpy as np
from numba import njit


@njit(nogil=True, cache=True, error_model="numpy")
def best_documents(
    starts, words, times, lists, holders, weights, first_hidden, hidden, totals, first, documents, scores
):  # fmt: skip
    """Merge some documents into the best so far, ``documents`` and ``scores`` (n_queries, k); -1 is none.

    Best first, equal scores by document. These documents are called by their rows from ``first``, ``hidden`` by all.

    Query i has the words ``words[starts[i]:starts[i + 1]]``, each so many ``times``; word w adds
    ``weights[lists[w]:lists[w + 1]]`` to the documents ``holders`` there. ``totals``: NaN (n_documents,), and so again
    at the end. Fast because a query touches only documents that share a word with it.
    """
    k, touched = documents.shape[1], np.empty(len(totals), np.int32)
    for i in range(len(starts) - 1):
        n, kept = 0, 0
        while kept < k and documents[i, kept] >= 0:
            kept += 1
        for j in range(starts[i], starts[i + 1]):
            for p in range(lists[words[j]], lists[words[j] + 1]):
                d = holders[p]
                if np.isnan(totals[d]):
                    touched[n], totals[d] = d, 0.0
                    n += 1
                totals[d] += times[j] * weights[p]
        for h in range(first_hidden[i], first_hidden[i + 1]):
            if first <= hidden[h] < first + len(totals):
                totals[hidden[h] - first] = np.nan
        least = scores[i, k - 1]  # what a score must reach
        for t in range(n):
            d = touched[t]
            score, totals[d] = totals[d], np.nan
            d += first
            if not score >= least:  # or it is hidden
                continue
            place = min(kept, k - 1)
            if kept == k and score == least and documents[i, place] < d:
                continue
            while place and (
                scores[i, place - 1] < score or (scores[i, place - 1] == score and documents[i, place - 1] > d)
            ):
                scores[i, place], documents[i, place] = scores[i, place - 1], documents[i, place - 1]
                place -= 1
            scores[i, place], documents[i, place] = score, d
            kept = min(kept + 1, k)
            least = scores[i, k - 1]
