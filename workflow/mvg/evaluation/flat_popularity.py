"""Where MVG does not help (the paper, section 6.6): recall without popular documents."""

import numpy as np

from . import metrics
from .significance import sign_test

KS = (10, 100, 1000)
HEAD = 0.01  # share of the documents that are the head
COLUMNS = ["method", "metric", "k", "value", "wins", "losses", "p_value"]


def flat_popularity_numbers(rankings, n_floats, base, pairs, popularity) -> list[dict]:
    """Recall and MAP of each method, against ``base``: a row each, with ``COLUMNS``.

    rankings: method -> int (n_queries, 1000), ranked document rows; n_floats: method -> floats of its
    index, 0 for none; pairs: ``(positions, document rows)`` of the relevant documents; popularity:
    (n_documents,) training queries of each

    ``recall`` and ``map`` in percent at each k of ``KS``, with the sign test against ``base``;
    ``index_mfloats``; and ``head_percent``, the share of training pairs that the most popular hundredth
    of the documents has, without a method.
    """
    scores = {method: metrics.per_query(ranked, pairs, len(popularity), KS) for method, ranked in rankings.items()}
    head = np.sort(popularity)[::-1][: int(np.ceil(HEAD * len(popularity)))]
    rows = [dict(method="", metric="head_percent", k=None, value=float(100 * head.sum() / popularity.sum()))]
    for method, columns in scores.items():
        if n_floats[method]:
            rows.append(dict(method=method, metric="index_mfloats", k=None, value=n_floats[method] / 1e6))
        for name, own in columns.items():
            metric, k = name.split("@")
            row = dict(method=method, metric=metric, k=int(k), value=float(own.mean()))
            if method != base:
                test = sign_test(own, scores[base][name])
                row |= dict(wins=test.wins, losses=test.losses, p_value=test.p_value)
            rows.append(row)
    return rows
