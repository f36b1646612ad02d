"""Records from chunks of untrusted XML, by expat's events. No tree is built.

expat loads no DTD. An entity declared in the document itself is refused before it is used.
"""

from collections.abc import Iterator
from pathlib import Path
from xml.parsers import expat

from .errors import DataError
from .members import loose

MAX_TEXT = 2**22  # characters of one element that is read
MAX_DEPTH = 1000  # elements within elements


class Parser:
    """Reads the text of the elements whose path ends in one of ``READ``; a subclass turns it into records.

    ``start(tag, attributes)`` and ``end(tag, text)`` are called for ``READ`` and for ``RECORD``.
    ``text`` includes that of all descendants; for ``RECORD`` it is empty. What ``end`` appends to
    ``records`` is returned by :meth:`feed`.
    """

    ROOTS: tuple[str, ...]
    RECORD: str
    READ: set[tuple[str, ...]]  # paths of two tags, parent and own

    def __init__(self, label: str):
        self.label = label
        self.records: list = []
        self.path: list[str] = []
        self._text: list[str] = []
        self._expat = expat.ParserCreate()
        self._expat.buffer_text = True
        self._expat.StartElementHandler, self._expat.EndElementHandler = self._handlers()
        self._expat.EntityDeclHandler = self._refuse_entity
        self._expat.SkippedEntityHandler = self._refuse_entity

    def start(self, tag: str, attributes: dict[str, str]) -> None: ...

    def end(self, tag: str, text: str) -> None: ...

    def feed(self, chunk: bytes, final: bool = False) -> list:
        """The records that end within ``chunk``."""
        try:
            self._expat.Parse(chunk, final)
            if self._expat.CharacterDataHandler:  # within an element that is read
                self._check_length(sum(map(len, self._text)), self.path[-1])
        except DataError:
            raise
        except expat.ExpatError as error:
            expected = f"expected well-formed XML, but: {expat.ErrorString(error.code)}"
            raise DataError(self.label, f"line {error.lineno}", expected) from error
        except (LookupError, ValueError) as error:  # an encoding that Python or expat lacks
            raise DataError(self.label, "", f"expected XML in UTF-8, but: {error}") from error
        records, self.records = self.records, []
        return records

    def error(self, expected: str) -> DataError:
        return DataError(self.label, f"line {self._expat.CurrentLineNumber}", expected)

    def _handlers(self):
        """What expat calls for every element: few instructions for those that are not read."""
        path, read, text, parser = self.path, self.READ, self._text, self._expat
        wanted = {tag for _, tag in read} | {self.RECORD}

        def start(tag, attributes):
            if not 0 < len(path) <= MAX_DEPTH:
                self._check_place(tag)
            path.append(tag)
            if tag in wanted:
                if tuple(path[-2:]) in read:
                    text.clear()
                    parser.CharacterDataHandler = text.append
                    self.start(tag, attributes)
                elif tag == self.RECORD:
                    self.start(tag, attributes)

        def end(tag):
            path.pop()
            if tag in wanted:
                if path and (path[-1], tag) in read:
                    parser.CharacterDataHandler = None
                    whole = "".join(text)
                    self._check_length(len(whole), tag)
                    self.end(tag, whole)
                elif tag == self.RECORD:
                    self.end(tag, "")

        return start, end

    def _check_place(self, tag: str) -> None:
        if self.path:
            raise self.error(f"expected at most {MAX_DEPTH} elements within each other")
        if tag not in self.ROOTS:
            raise self.error(f"expected a root element {' or '.join(self.ROOTS)}, found {tag}")

    def _check_length(self, length: int, tag: str) -> None:
        if length > MAX_TEXT:
            raise self.error(f"expected at most {MAX_TEXT} characters in {tag}")

    def _refuse_entity(self, name: str, *_) -> None:
        raise self.error(f"expected XML without entities of its own, found '{name}'")


def records(parser: type[Parser], path: Path) -> Iterator:
    """The records that ``parser`` finds in an XML file, gunzipped if its name ends in ``.gz``."""
    with loose(path).open_text() as file:
        reading = parser(file.label)
        while chunk := file.read(2**16):
            yield from reading.feed(chunk)
        yield from reading.feed(b"", final=True)
