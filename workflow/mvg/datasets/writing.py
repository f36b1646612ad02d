"""Writes a prepared dataset: a BEIR folder (Thakur et al., NeurIPS 2021) and its counts.

``corpus.jsonl`` (``_id``, ``title``, ``text``), ``queries.jsonl`` (``_id``, ``text``; all splits;
``metadata.weight`` where a query's traffic is not 1), ``qrels/<split>.tsv``, ``filters/<split>.tsv``
(pairs to leave out) and ``stats.json``.
"""

import json
import os
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

from ..io.errors import DataError
from ..io.fields import new_id, repeated
from ..io.files import folder_beside
from .distinct import Names, Repeats
from .pairs import FILTER_HEADER, QRELS_HEADER
from .records import Document, Fact, Query
from .splits import SPLITS


def write_prepared(records: Iterable[Document | Query | Fact], folder, dropped: Counter, facts: dict) -> dict:
    """Write ``records``, in any order, as the BEIR folder ``folder``; return the contents of stats.json.

    ``dropped`` counts what was left out, by reason; the reader of ``records`` may add to it while
    reading. stats.json begins with ``facts`` (``format``, ``split_rule``, ``simulated``, ...); those of
    the reader follow.

    Outer whitespace of titles and texts is stripped. Dropped and counted: queries without text,
    queries without relevant documents, repeated pairs, excluded pairs. Kept and counted: documents
    without text, repeated texts. Raises DataError for an id that is empty, repeated or unfit for a
    TSV file, a relevant or excluded id that is not in the corpus, an empty corpus or an empty split.
    Nothing is written to ``folder`` before everything is checked.
    """
    folder = Path(folder)
    with folder_beside(folder) as temporary:
        with _Writer(temporary, folder, dropped) as writer:
            for record in records:
                writer.add(record)
        stats = facts | writer.facts | writer.checked_counts() | {"dropped": dict(sorted(dropped.items()))}
        text = json.dumps(stats, indent=2, ensure_ascii=False) + "\n"
        (temporary / "stats.json").write_text(text, encoding="utf-8")
        _move_files(temporary, folder)
    return stats


def _move_files(source: Path, target: Path) -> None:
    """Move file by file, because Snakemake may already have made ``target`` and put files there."""
    for file in sorted(file for file in source.rglob("*") if file.is_file()):
        place = target / file.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        os.replace(file, place)


class _Writer:
    """Writes records as they arrive; keeps the latest ids and digests of texts in memory, but no texts or pairs."""

    def __init__(self, temporary: Path, folder: Path, dropped: Counter):
        self._temporary, self._folder, self._dropped = temporary, folder, dropped
        self.facts: dict[str, str] = {}
        self._documents, self._queries = Names(), Names()
        self._awaited = Names()  # documents not lately seen, each with the first query that names it
        self._titles, self._texts = Repeats(), Repeats()
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

    def add(self, record: Document | Query | Fact) -> None:
        if isinstance(record, Fact):
            self.facts[record.name] = record.value
        elif isinstance(record, Document):
            self._add_document(record)
        else:
            self._add_query(record)

    def _add_document(self, document: Document) -> None:
        id = new_id(document.id, self._documents, self._folder, f"document '{document.id}'")
        self._awaited.discard(id)
        title, text = document.title.strip(), document.text.strip()
        if title or text:
            self._titles.add(f"{title} {text}")
        else:
            self._empty_documents += 1
        self._corpus_file.write(_json_line({"_id": id, "title": title, "text": text}))

    def _add_query(self, query: Query) -> None:
        id = new_id(query.id, self._queries, self._folder, f"query '{query.id}'")
        self._awaited.add_unknown((*query.relevant, *query.excluded), id, self._documents)
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
        between = f"\t1\n{id}\t"
        self._qrels[query.split].write(f"{id}\t{between.join(relevant)}\t1\n")
        self._filters[query.split].writelines(f"{id}\t{document}\n" for document in excluded)
        counted = (("queries", 1), ("pairs", len(relevant)), ("excluded", len(excluded)))
        for what, number in counted:
            self._counts[what][query.split] += number

    def _relevant(self, query: Query) -> list[str]:
        once = dict.fromkeys(query.relevant)
        left_out = set(query.excluded)
        kept = [document for document in once if document not in left_out] if left_out else list(once)
        # Only counts above 0 are added, so that stats.json lists no reason that never applied.
        if repeated := len(query.relevant) - len(once):
            self._dropped["repeated_pairs"] += repeated
        if excluded := len(once) - len(kept):
            self._dropped["excluded_pairs"] += excluded
        return kept

    def checked_counts(self) -> dict:
        """The counts for stats.json. Raises DataError if the records do not make a dataset."""
        if not self._documents:
            raise DataError(self._folder, "", "expected at least one document")
        for what, names in ("document", self._documents), ("query", self._queries):
            if (id := names.repeated()) is not None:
                raise repeated(id, self._folder, f"{what} '{id}'")
        if missing := self._awaited.first_not_in(self._documents):
            expected = f"expected documents of the corpus, found '{missing[0]}'"
            raise DataError(self._folder, f"query '{missing[1]}'", expected)
        for split, number in self._counts["queries"].items():
            if not number:
                expected = f"expected queries with relevant documents in {split}, found none"
                raise DataError(self._folder, "", expected)
        return self._counts | {
            "documents": len(self._documents),
            "documents_without_text": self._empty_documents,
            "repeated_document_texts": self._titles.count(),
            "repeated_query_texts": self._texts.count(),
        }


def _json_line(record: dict) -> bytes:
    try:
        return _encode(record).encode() + b"\n"
    except UnicodeEncodeError:  # a lone surrogate can only be written escaped
        return json.dumps(record).encode() + b"\n"


_encode = json.JSONEncoder(ensure_ascii=False).encode
