"""Reads the texts, weights and counts of a prepared dataset."""

import json
from itertools import islice

import numpy as np

from ..io.errors import DataError
from ..io.fields import new_id, text_field, weight_field
from ..io.shards import Shard
from ..io.text import json_lines, json_object

# Encoders batch texts within blocks of this size: shards of whole blocks give the same bytes as one.
SHARD_OF_TEXTS = 4096


def load_texts(path) -> tuple[list[str], list[str]]:
    """(ids, texts) of a ``corpus.jsonl`` or ``queries.jsonl``, in the order of its lines.

    A text is title and text (the title may be missing), joined by a space and stripped. Raises
    DataError, naming the line, for what is not BEIR and for an id that occurs twice.
    """
    ids, texts, seen = [], [], set()
    with open_binary(path) as file:
        for number, record in json_lines(file, path):
            place = path, f"line {number}"
            ids.append(new_id(text_field(record, "_id", *place), seen, *place))
            texts.append(_text(record, *place))
    return ids, texts


def load_shard(path, shard: Shard) -> tuple[int, list[str]]:
    """(row of the first, texts) of a shard of what :func:`load_texts` reads.

    Lines of other shards are not parsed: memory is the shard's.
    """
    with open_binary(path) as file:
        rows = shard.rows(sum(1 for _ in file), SHARD_OF_TEXTS)
        file.seek(0)
        lines = enumerate(islice(file, rows.start, rows.stop), rows.start + 1)
        places = ((line, (path, f"line {number}")) for number, line in lines)
        return rows.start, [_text(json_object(line, *place), *place) for line, place in places]


def _text(record: dict, *place) -> str:
    title = text_field(record, "title", *place) if "title" in record else ""
    return f"{title} {text_field(record, 'text', *place)}".strip()


def load_weights(path) -> np.ndarray:
    """Traffic of each line of a ``queries.jsonl``, float64 (n_queries,), above 0; 1 where it says nothing."""
    with open_binary(path) as file:
        return np.array([weight_field(record, path, f"line {line}") for line, record in json_lines(file, path)])


def load_stats(path) -> dict:
    """What :func:`write_prepared` left in ``stats.json``."""
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def load_facts(datasets, files) -> dict[str, dict]:
    """dataset -> its ``stats.json``, of several data sets in the order of ``files``.

    ``datasets`` may map names to titles: then ``title`` stands beside the counts, None for none.
    """
    titles = datasets if isinstance(datasets, dict) else {}
    facts = {dataset: load_stats(file) for dataset, file in zip(datasets, files, strict=True)}
    return {dataset: stats | {"title": titles.get(dataset)} for dataset, stats in facts.items()}


def open_binary(path):
    """The file at ``path``; DataError if it cannot be opened."""
    try:
        return open(path, "rb")
    except OSError as error:
        raise DataError(path, "", f"expected a file here, but: {error.strerror}") from error
