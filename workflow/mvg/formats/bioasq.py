"""PubMed as the JSON of BioASQ's task A."""

import codecs
from collections import Counter
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path

from ..datasets.records import Document, Query
from ..io.archives import open_one
from ..io.errors import DataError
from ..io.fields import id_field, kind, list_field, text_field
from ..io.members import Member
from ..io.text import MAX_LINE
from .format import Format
from .mesh import SAMPLE, SPLIT_RULE, Article, from_articles, mesh

LIST = "articles"
CHUNK = 2**16
MAX_DEPTH = 100
STEPS = {"start_map": 1, "start_array": 1, "end_map": -1, "end_array": -1}


def read_bioasq(path, dropped: Counter, sample: dict | None = None) -> Iterator[Document | Query]:
    """The articles and descriptors of ``{"articles": [{"pmid", "title", "meshMajor"}, ...]}``.

    ``path`` is the file (also ``.gz``), or a folder or zip with it; it is streamed. Descriptors have only
    names there. Their ids are the UIs of ``desc<year>.xml`` if it is in the folder, otherwise the names. Bytes
    that are not UTF-8 become U+FFFD. ``sample`` as in :func:`mvg.formats.medline.read_medline`.
    """
    with open_one(path, r".*\.json(\.gz)?", ".json of BioASQ") as member:
        yield from from_articles(path, _bioasq(member), mesh(Path(path)), dropped, sample)


def _bioasq(member: Member) -> Iterator[Article]:
    with member.open_text() as file:
        for number, record in articles(file, file.label):
            place = file.label, f"article {number}"
            title = "" if record.get("title") is None else text_field(record, "title", *place)
            names = [name.strip() for name in list_field(record, "meshMajor", str, *place)]
            yield Article(id_field(record, "pmid", *place), title, [(name, name) for name in names], place)


def articles(file, name) -> Iterator[tuple[int, dict]]:
    """(number from 1, object) of each entry of ``articles``, the only field of the JSON in a binary ``file``.

    Raises DataError for any other JSON, and for an entry of more than MAX_LINE bytes or MAX_DEPTH levels.
    """
    import ijson  # not at the top: it comes with the extra "data", which other formats do not need

    where, wanted = "", f'JSON that begins with {{"{LIST}": ['
    held = 0  # bytes read since the last article

    def parsed():
        nonlocal held
        decode = codecs.getincrementaldecoder("utf-8-sig")("replace").decode
        # Not ijson's own generators: in a chunk with an error, they drop everything before it.
        found = ijson.sendable_list()
        parser, data, failure = ijson.basic_parse_coro(found, use_float=True), b"-", None
        while data:
            data = file.read(CHUNK)
            held += len(data)
            if held > MAX_LINE + CHUNK:
                raise DataError(name, where, f"expected at most {MAX_LINE} bytes")
            try:
                if text := decode(data, not data):
                    parser.send(text.encode())
                if not data:
                    parser.close()
            except (ijson.JSONError, ValueError) as error:  # ValueError: half of a surrogate pair
                failure = error
            yield from found
            found.clear()
            if failure:
                raise DataError(name, where, f"expected {wanted}, but: {_first_line(failure)}") from failure

    events = parsed()
    if list(islice(events, 3)) != [("start_map", None), ("map_key", LIST), ("start_array", None)]:
        raise DataError(name, where, f"expected {wanted}")
    for number in count(1):
        where, wanted, held = f"article {number}", "a JSON object", 0
        event, value = next(events)
        if event == "end_array":
            break
        if event != "start_map":
            raise DataError(name, where, f"expected {wanted}, found {kind([] if event == 'start_array' else value)}")
        # Not ijson.items, which stores the path to each level: gigabytes for some 10,000 brackets.
        article, depth = ijson.ObjectBuilder(), 1
        article.event(event, value)
        while depth:
            event, value = next(events)
            article.event(event, value)
            depth += STEPS.get(event, 0)
            if depth > MAX_DEPTH:
                raise DataError(name, where, f"expected at most {MAX_DEPTH} levels")
        yield number, article.value
    where, wanted = "", "nothing after the list of articles"
    if list(islice(events, 2)) != [("end_map", None)]:
        raise DataError(name, where, f"expected {wanted}")


def _first_line(error: Exception) -> str:
    """The first line of an ijson error; the lines below it quote the input."""
    text = error.args[0].decode(errors="replace") if isinstance(error.args[0], bytes) else str(error)
    return text.partition("\n")[0]


FORMAT = Format("bioasq", read_bioasq, SPLIT_RULE, sign=r".*\.json(\.gz)?", options={"sample": SAMPLE})
