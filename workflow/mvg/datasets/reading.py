"""Reads the texts, weights and counts of a prepared dataset."""

import json
from collections.abc import Iterator
from itertools import islice

import numpy as np

from ..io.errors import DataError
from ..io.fields import new_id, text_field, weight_field
from ..io.shards import Shard
from ..io.text import json_lines, json_object

# Encoders batch texts within blocks of this size, so shards of whole blocks give the same bytes as one shard.
SHARD_OF_TEXTS = 4096


def load_texts(path) -> tuple[list[str], list[str]]:
    """(ids, texts) of a ``corpus.jsonl`` or ``queries.jsonl``, in the order of its lines.

    A text is title (if any) and text, joined by a space and stripped. Raises DataError, naming the
    line, for a line that is not in BEIR's format and for a repeated id.
    """
    ids, texts, seen = [], [], set()
    with open_binary(path) as file:
        for number, record in json_lines(file, path):
            place = path, f"line {number}"
            ids.append(new_id(text_field(record, "_id", *place), seen, *place))
            texts.append(_text(record, *place))
    return ids, texts


def each_text(path) -> Iterator[str]:
    """The texts of :func:`load_texts`, one at a time, without a check for repeated ids."""
    with open_binary(path) as file:
        for number, record in json_lines(file, path):
            yield _text(record, path, f"line {number}")


def texts_of(path, rows: np.ndarray) -> list[str]:
    """The texts of some rows of such a file, given in order."""
    wanted = set(rows.tolist())
    return [text for row, text in enumerate(each_text(path)) if row in wanted]


def load_shard(path, shard: Shard) -> tuple[int, list[str]]:
    """(row of the first text, texts) of one shard of a file that :func:`load_texts` reads.

    Lines of other shards are not parsed, so memory grows with the shard only.
    """
    with open_binary(path) as file:
        rows = shard.rows(sum(1 for _ in file), SHARD_OF_TEXTS)
        file.seek(0)
        lines = enumerate(islice(file, rows.start, rows.stop), rows.start + 1)
        places = ((line, (path, f"line {number}")) for number, line in lines)
        return rows.start, [_text(json_object(line, *place), *place) for line, place in places]


def count_texts(path) -> int:
    """The number of lines of a ``corpus.jsonl`` or ``queries.jsonl``."""
    with open_binary(path) as file:
        return sum(1 for _ in file)


def _text(record: dict, *place) -> str:
    title = text_field(record, "title", *place) if "title" in record else ""
    return f"{title} {text_field(record, 'text', *place)}".strip()


def load_weights(path) -> np.ndarray:
    """Traffic of each line of a ``queries.jsonl``, float64 (n_queries,), above 0; 1 by default."""
    with open_binary(path) as file:
        return np.array([weight_field(record, path, f"line {line}") for line, record in json_lines(file, path)])


def load_stats(path) -> dict:
    """The ``stats.json`` that :func:`mvg.datasets.writing.write_prepared` wrote."""
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def load_facts(datasets, files) -> dict[str, dict]:
    """dataset -> its ``stats.json``; ``files`` are in the order of ``datasets``.

    If ``datasets`` maps names to titles, ``title`` is added to the counts; None if a dataset has none.
    """
    titles = datasets if isinstance(datasets, dict) else {}
    facts = {dataset: load_stats(file) for dataset, file in zip(datasets, files, strict=True)}
    return {dataset: stats | {"title": titles.get(dataset)} for dataset, stats in facts.items()}


def open_binary(path):
    """The open file at ``path``. Raises DataError if it cannot be opened."""
    try:
        return open(path, "rb")
    except OSError as error:
        raise DataError(path, "", f"expected a file here, but: {error.strerror}") from error
