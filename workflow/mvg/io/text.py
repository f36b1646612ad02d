"""Text from binary files: lines, lines of JSON, one JSON object."""

import json
from collections.abc import Iterator
from itertools import count

from .errors import DataError
from .fields import kind
from .members import Member

MAX_LINE = 64 * 2**20  # bytes of one line or JSON object, which is held in memory


def lines(file, name) -> Iterator[tuple[int, bytes]]:
    """(line number, line) of a binary ``file``, without a byte order mark; lines end at ``\\n`` only."""
    for number in count(1):
        line = file.readline(MAX_LINE + 1)
        if not line:
            return
        if len(line) > MAX_LINE:
            raise DataError(name, f"line {number}", f"expected at most {MAX_LINE} bytes a line")
        yield number, line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line


def text_lines(file, name) -> Iterator[tuple[int, str]]:
    """The same as text. Raises DataError for a line that is not UTF-8."""
    for number, line in lines(file, name):
        try:
            yield number, line.decode()
        except UnicodeDecodeError as error:
            raise DataError(name, f"line {number}", f"expected UTF-8, byte {error.start + 1} is not") from error


def json_lines(file, name) -> Iterator[tuple[int, dict]]:
    """(line number, object) for each line of a binary ``file`` of JSON objects.

    U+2028 and similar characters do not end a line. There may be blank lines at the end.
    """
    blank = None
    for number, line in lines(file, name):
        if not line.strip():
            blank = blank or number
            continue
        if blank:
            raise DataError(name, f"line {blank}", "expected a JSON object, found a blank line")
        yield number, json_object(line, name, f"line {number}")


def read_json(member: Member) -> dict:
    """The JSON object that is the whole of ``member``."""
    with member.open() as file:
        data = file.read(MAX_LINE + 1)
    if len(data) > MAX_LINE:
        raise DataError(member.label, "", f"expected at most {MAX_LINE} bytes")
    return json_object(data.removeprefix(b"\xef\xbb\xbf"), member.label, "")


def json_object(data: bytes, file, where: str) -> dict:
    """The JSON object in ``data``. NaN, infinities and numbers of thousands of digits are refused."""
    try:
        value = _decoder.decode(data.decode())
    except UnicodeDecodeError as error:
        raise DataError(file, where, f"expected UTF-8, byte {error.start + 1} is not") from error
    except json.JSONDecodeError as error:
        expected = f"expected a JSON object, but: {error.msg} at character {error.pos + 1}"
        raise DataError(file, where, expected) from error
    except (ValueError, RecursionError) as error:
        raise DataError(file, where, f"expected a JSON object, but: {error}") from error
    if not isinstance(value, dict):
        raise DataError(file, where, f"expected a JSON object, found {kind(value)}")
    return value


def _refuse_constant(name: str):
    raise ValueError(f"{name} is not a JSON value")


_decoder = json.JSONDecoder(parse_constant=_refuse_constant)
