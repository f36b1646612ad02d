"""The prepared data set: a BEIR folder (Thakur et al., NeurIPS 2021), written and read.

``corpus.jsonl`` (``_id``, ``title``, ``text``), ``queries.jsonl`` (``_id``, ``text``; all splits;
``metadata.weight`` where a query has another weight than 1),
``qrels/<split>.tsv``, ``filters/<split>.tsv`` (pairs to leave out) and ``stats.json``.
"""

import hashlib
import json
import os
from array import array
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .archives import json_lines, json_object
from .errors import DataError
from .fields import new_id, text_field, weight_field
from .files import folder_beside, load_arrays, save_arrays
from .records import Document, Query
from .shards import Shard
from .splits import SPLITS

FILTER_HEADER = "query-id\tcorpus-id"
QRELS_HEADER = f"{FILTER_HEADER}\tscore"

# Encoders batch texts within so many: shards of whole multiples give the same bytes as one.
SHARD_OF_TEXTS = 4096


def write_prepared(records: Iterable[Document | Query], folder, dropped: Counter, facts: dict) -> dict:
    """Write ``records``, in any order, as the BEIR folder ``folder``; return what is in stats.json.

    ``dropped`` counts what was left out by reason; the reader of ``records`` may add to it as it
    goes. ``facts`` (``format``, ``split_rule``, ``simulated``, ...) open stats.json.

    Outer whitespace of titles and texts is stripped. Dropped and counted: queries without text,
    queries without relevant documents, repeated pairs, pairs that are excluded. Kept and counted:
    documents without text, repeated texts. Raises DataError for an id that is empty, repeated or
    unfit for a TSV file, a relevant or excluded id that is not in the corpus, an empty corpus or
    split. Nothing is written to ``folder`` before all is checked.
    """
    folder = Path(folder)
    with folder_beside(folder) as temporary:
        with _Writer(temporary, folder, dropped) as writer:
            for record in records:
                writer.add(record)
        stats = facts | writer.checked_counts() | {"dropped": dict(sorted(dropped.items()))}
        text = json.dumps(stats, indent=2, ensure_ascii=False) + "\n"
        (temporary / "stats.json").write_text(text, encoding="utf-8")
        _move_files(temporary, folder)
    return stats


def _move_files(source: Path, target: Path) -> None:
    """One by one: a workflow may have made ``target`` already, with files of its own in it."""
    for file in sorted(file for file in source.rglob("*") if file.is_file()):
        place = target / file.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        os.replace(file, place)


class _Writer:
    """Writes records as they come; holds ids and digests of texts, never texts or pairs."""

    def __init__(self, temporary: Path, folder: Path, dropped: Counter):
        self._temporary, self._folder, self._dropped = temporary, folder, dropped
        self._documents: set[str] = set()
        self._queries: set[str] = set()
        self._awaited: dict[str, str] = {}  # document not yet seen -> the first query that names it
        self._titles, self._texts = _Repeats(), _Repeats()
        self._empty_documents = 0
        self._counts = {what: dict.fromkeys(SPLITS, 0) for what in ("queries", "pairs", "excluded")}

    def __enter__(self):
        with ExitStack() as stack:
            self._corpus_file = stack.enter_context(open(self._temporary / "corpus.jsonl", "wb"))
            self._queries_file = stack.enter_context(open(self._temporary / "queries.jsonl", "wb"))
            self._qrels = self._open_tables(stack, "qrels", QRELS_HEADER)
            self._filters = self._open_tables(stack, "filters", FILTER_HEADER)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error):
        self._stack.close()

    def _open_tables(self, stack: ExitStack, kind: str, header: str) -> dict:
        (self._temporary / kind).mkdir()
        tables = {}
        for split in SPLITS:
            path = self._temporary / kind / f"{split}.tsv"
            table = stack.enter_context(open(path, "w", encoding="utf-8", newline="\n"))
            table.write(f"{header}\n")
            tables[split] = table
        return tables

    def add(self, record: Document | Query) -> None:
        if isinstance(record, Document):
            self._add_document(record)
        else:
            self._add_query(record)

    def _add_document(self, document: Document) -> None:
        id = new_id(document.id, self._documents, self._folder, f"document '{document.id}'")
        self._awaited.pop(id, None)
        title, text = document.title.strip(), document.text.strip()
        if title or text:
            self._titles.add(f"{title} {text}")
        else:
            self._empty_documents += 1
        self._corpus_file.write(_json_line({"_id": id, "title": title, "text": text}))

    def _add_query(self, query: Query) -> None:
        id = new_id(query.id, self._queries, self._folder, f"query '{query.id}'")
        for document in (*query.relevant, *query.excluded):
            if document not in self._documents:
                self._awaited.setdefault(document, id)
        text = query.text.strip()
        if not text:
            self._dropped["queries_without_text"] += 1
            return
        relevant = self._relevant(query)
        if not relevant:
            self._dropped["queries_without_relevant_documents"] += 1
            return
        excluded = list(dict.fromkeys(query.excluded))
        self._texts.add(text)
        weight = {} if query.weight == 1 else {"metadata": {"weight": query.weight}}
        self._queries_file.write(_json_line({"_id": id, "text": text} | weight))
        self._qrels[query.split].writelines(f"{id}\t{document}\t1\n" for document in relevant)
        self._filters[query.split].writelines(f"{id}\t{document}\n" for document in excluded)
        counted = (("queries", 1), ("pairs", len(relevant)), ("excluded", len(excluded)))
        for what, number in counted:
            self._counts[what][query.split] += number

    def _relevant(self, query: Query) -> list[str]:
        once = dict.fromkeys(query.relevant)
        left_out = set(query.excluded)
        kept = [document for document in once if document not in left_out]
        # Added only when there is something to add, so that stats.json names no reason in vain.
        if repeated := len(query.relevant) - len(once):
            self._dropped["repeated_pairs"] += repeated
        if excluded := len(once) - len(kept):
            self._dropped["excluded_pairs"] += excluded
        return kept

    def checked_counts(self) -> dict:
        """What stats.json says of the records; raises DataError if they are no data set."""
        if not self._documents:
            raise DataError(self._folder, "", "expected at least one document")
        for document, query in self._awaited.items():
            expected = f"expected documents of the corpus, found '{document}'"
            raise DataError(self._folder, f"query '{query}'", expected)
        for split, number in self._counts["queries"].items():
            if not number:
                expected = f"expected queries with relevant documents in {split}, found none"
                raise DataError(self._folder, "", expected)
        return self._counts | {
            "documents": len(self._documents),
            "documents_without_text": self._empty_documents,
            "repeated_document_texts": self._titles.repeats,
            "repeated_query_texts": self._texts.repeats,
        }


class _Repeats:
    """Counts texts that came before, holding 16 bytes of each."""

    def __init__(self):
        self.repeats = 0
        self._seen: set[bytes] = set()

    def add(self, text: str) -> None:
        data = text.encode("utf-8", "surrogatepass")
        digest = hashlib.blake2b(data, digest_size=16).digest()
        self.repeats += digest in self._seen
        self._seen.add(digest)


def _json_line(record: dict) -> bytes:
    try:
        return _encode(record).encode() + b"\n"
    except UnicodeEncodeError:  # a lone surrogate can only be written escaped
        return json.dumps(record).encode() + b"\n"


_encode = json.JSONEncoder(ensure_ascii=False).encode


def load_texts(path) -> tuple[list[str], list[str]]:
    """(ids, texts) of a ``corpus.jsonl`` or ``queries.jsonl``, in the order of its lines.

    A text is title and text (the title may be missing), joined by a space and stripped. Raises
    DataError, naming the line, for what is not BEIR and for an id that occurs twice.
    """
    ids, texts, seen = [], [], set()
    with _open(path) as file:
        for number, record in json_lines(file, path):
            place = path, f"line {number}"
            ids.append(new_id(text_field(record, "_id", *place), seen, *place))
            texts.append(_text(record, *place))
    return ids, texts


def load_shard(path, shard: Shard) -> tuple[int, list[str]]:
    """(row of the first, texts) of a shard of what :func:`load_texts` reads.

    Lines of other shards are not parsed: memory is the shard's.
    """
    with _open(path) as file:
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
    with _open(path) as file:
        return np.array([weight_field(record, path, f"line {line}") for line, record in json_lines(file, path)])


def load_stats(path) -> dict:
    """What :func:`write_prepared` left in ``stats.json``."""
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def load_facts(datasets, files) -> dict[str, dict]:
    """dataset -> its ``stats.json``, of several data sets in the order of ``files``."""
    return {dataset: load_stats(file) for dataset, file in zip(datasets, files)}


class Split(NamedTuple):
    """One split of a prepared data set; rows count the lines of the jsonl files from 0."""

    queries: np.ndarray  # (n,) int64: rows of the queries with relevant documents, sorted
    pairs: tuple[np.ndarray, np.ndarray]  # (query rows, document rows), int64, sorted by both
    excluded: tuple[np.ndarray, np.ndarray]  # the same for pairs to leave out


def load_split(folder, split: str) -> Split:
    """One split of a BEIR folder; see :func:`load_splits`."""
    return load_splits(folder, [split])[split]


def load_splits(folder, splits=SPLITS) -> dict[str, Split]:
    """The ``splits`` of a BEIR folder as rows, by name; ``filters/<split>.tsv`` may be missing.

    Repeated pairs count once; pairs of score 0 or less, and those of the filters, are not relevant.
    Raises DataError, naming the line, for an id that is not in the jsonl files and for a table that
    is not as BEIR has it; also for a split without relevant pairs.
    """
    folder = Path(folder)
    queries, documents = _rows(folder / "queries.jsonl"), _rows(folder / "corpus.jsonl")
    return {split: _split(folder, split, queries, documents) for split in splits}


def _split(folder: Path, split: str, queries: dict, documents: dict) -> Split:
    qrels, filters = folder / "qrels" / f"{split}.tsv", folder / "filters" / f"{split}.tsv"
    relevant = _pair_keys(qrels, QRELS_HEADER, queries, documents)
    excluded = np.zeros(0, dtype=np.int64)
    if filters.exists():
        excluded = _pair_keys(filters, FILTER_HEADER, queries, documents)
    pairs = np.divmod(np.setdiff1d(relevant, excluded, assume_unique=True), len(documents))
    if not pairs[0].size:
        raise DataError(qrels, "", "expected at least one relevant pair, found none")
    return Split(np.unique(pairs[0]), pairs, np.divmod(excluded, len(documents)))


def save_split(path, split: Split) -> None:
    """Write ``split`` as an ``.npz``, whole or not at all."""
    save_arrays(
        path,
        queries=split.queries,
        pair_queries=split.pairs[0],
        pair_documents=split.pairs[1],
        excluded_queries=split.excluded[0],
        excluded_documents=split.excluded[1],
    )


def read_split(path) -> Split:
    """What ``save_split`` wrote."""
    with load_arrays(path) as file:
        return Split(
            file["queries"],
            (file["pair_queries"], file["pair_documents"]),
            (file["excluded_queries"], file["excluded_documents"]),
        )


def _open(path):
    try:
        return open(path, "rb")
    except OSError as error:
        raise DataError(path, "", f"expected a file here, but: {error.strerror}") from error


def _rows(path: Path) -> dict[str, int]:
    """Id -> row of a jsonl file."""
    seen: set[str] = set()
    rows = {}
    with _open(path) as file:
        for number, record in json_lines(file, path):
            place = path, f"line {number}"
            rows[new_id(text_field(record, "_id", *place), seen, *place)] = number - 1
    if not rows:
        raise DataError(path, "", "expected at least one line")
    return rows


def _pair_keys(path: Path, header: str, queries: dict, documents: dict) -> np.ndarray:
    """The distinct pairs of a table, sorted, as query row x number of documents + document row."""
    keys = array("q")
    with _open(path) as file:
        if file.readline().rstrip(b"\r\n") != header.encode():
            raise DataError(path, "line 1", f"expected the header {header!r}")
        for number, line in enumerate(file, start=2):
            try:
                query, document, *score = line.rstrip(b"\r\n").decode().split("\t")
                if len(score) != header.count("\t") - 1:
                    raise ValueError
                relevant = all(float(value) > 0 for value in score)
            except ValueError:
                expected = f"expected {header!r}, separated by tabs, the score a number"
                raise DataError(path, f"line {number}", expected) from None
            for id, rows, file_name in (query, queries, "queries"), (document, documents, "corpus"):
                if id not in rows:
                    expected = f"expected an id of {file_name}.jsonl, found '{id}'"
                    raise DataError(path, f"line {number}", expected)
            if relevant:
                keys.append(queries[query] * len(documents) + documents[document])
    return np.unique(np.frombuffer(keys, dtype=np.int64))
