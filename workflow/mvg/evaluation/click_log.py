"""The paper's product search experiment (section 6.1) on any set with traffic weights."""

import numpy as np

from . import metrics
from .significance import sign_test
from .traffic import OVERALL, query_groups, traffic_shares, weighted_mean

KS = (10, 100)
CURVE = range(1, 201)
COLUMNS = ["queries", "method", "metric", "k", "value", "wins", "losses", "p_value"]


def click_log_numbers(rankings, n_floats, base, pairs, n_documents, weights, texts, training_texts) -> list[dict]:
    """All numbers of the experiment but those of the A/B test, a row each, with ``COLUMNS``.

    rankings: method -> int (n_queries, 200), ranked document rows; n_floats: method -> floats of its
    index, 0 for none; base: the method that others are held against; pairs: ``(positions, document
    rows)`` of the relevant documents; weights: (n_queries,) traffic; texts: of the test queries

    ``recall`` and ``map`` in percent, weighted by traffic, at ``KS`` for each group of queries, recall
    of all queries at each k of ``CURVE`` too; wins, losses and p_value of the sign test against
    ``base``, in which each query counts once. ``traffic_percent`` and ``n_queries`` of each group;
    ``gains_percent``, ``ties_percent``, ``loses_percent``: traffic by what becomes of Recall@100
    against ``base``; ``index_gb``: 4 bytes a float.
    """
    weights, groups = np.asarray(weights), query_groups(texts, training_texts)
    n_relevant = np.bincount(pairs[0], minlength=len(texts))
    hits = {method: metrics.relevance(ranked, pairs, n_documents) for method, ranked in rankings.items()}
    rows = []

    def add(queries, method, metric, k, value, test=(None, None, None)):
        rows.append(dict(zip(COLUMNS, (queries, method, metric, k, value, *test))))

    for group, members in groups.items():
        add(group, "", "traffic_percent", None, 100 * weighted_mean(members, weights))
        add(group, "", "n_queries", None, int(members.sum()))
    for metric, score in ("recall", metrics.recall), ("map", metrics.average_precision):
        for k in KS:
            scores = {method: score(hits[method], n_relevant, k) for method in rankings}
            for group, members in groups.items():
                for method, own in scores.items():
                    test = (None, None, None)
                    if method != base:
                        wins, losses, _, p_value = sign_test(own[members], scores[base][members])
                        test = wins, losses, p_value
                    add(group, method, metric, k, weighted_mean(own[members], weights[members]), test)
    for method in rankings:
        for k in (k for k in CURVE if k not in KS):
            add(OVERALL, method, "recall", k, weighted_mean(metrics.recall(hits[method], n_relevant, k), weights))
    recall = {method: metrics.recall(hits[method], n_relevant, KS[-1]) for method in rankings}
    for method in rankings:
        if n_floats[method]:
            add(OVERALL, method, "index_gb", None, 4 * n_floats[method] / 1e9)
        if n_floats[method] and method != base:
            shares = traffic_shares(recall[method], recall[base], weights)
            for name, value in shares._asdict().items():
                add(OVERALL, method, f"{name}_percent", KS[-1], value)
    return rows
