"""Pairs of (query rows, document rows) for some of the queries only."""

import numpy as np


def of_queries(pairs, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The pairs whose query is in ``rows`` (sorted), query rows replaced by positions in ``rows``."""
    queries, documents = (np.asarray(side, dtype=np.int64) for side in pairs)
    place = np.searchsorted(rows, queries)
    keep = place < len(rows)
    keep[keep] = rows[place[keep]] == queries[keep]
    return place[keep], documents[keep]
