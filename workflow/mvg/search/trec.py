"""Runs and qrels in TREC format, for trec_eval, ir_measures and ranx."""

import re
from urllib.parse import quote

import numpy as np


def write_run(file, query_ids, document_ids, ranked, scores, tag) -> None:
    """One line a ranked document: ``query Q0 document rank score tag``.

    Tools sort by score, some of them in float32, and break ties differently. So scores are lowered
    where needed until they strictly decrease in float32, and every tool sees our order.
    """
    for query, documents, values in zip(query_ids, ranked, scores, strict=True):
        found = documents >= 0
        falling = strictly_falling(values[found])
        for rank, (document, score) in enumerate(zip(documents[found], falling, strict=True), start=1):
            file.write(f"{_word(query)} Q0 {_word(document_ids[document])} {rank} {score!s} {tag}\n")


def write_qrels(file, query_ids, document_ids, pairs) -> None:
    """One line a relevant pair: ``query 0 document 1``."""
    for query, document in zip(*pairs, strict=True):
        file.write(f"{_word(query_ids[query])} 0 {_word(document_ids[document])} 1\n")


def strictly_falling(scores: np.ndarray) -> np.ndarray:
    """``scores`` (non-increasing) as strictly decreasing float32."""
    result = np.asarray(scores, dtype=np.float32)
    for i in range(1, len(result)):
        if result[i] >= result[i - 1]:
            result[i] = np.nextafter(result[i - 1], np.float32(-np.inf))
    return result


def _word(id: str) -> str:
    """An id with its white space, which would separate fields, percent-encoded, so that ids stay distinct."""
    return re.sub(r"[\s%]", lambda match: quote(match.group()), id)
