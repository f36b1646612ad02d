"""Checks of the fields of a raw record; a failed check names the place."""

import re

from .errors import DataError

# Characters that would break a line of a TSV file, or cannot be written as UTF-8.
_UNFIT_FOR_AN_ID = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
MAX_WEIGHT = 1e15
_KINDS = {str: "a text", list: "a list", int: "a whole number", dict: "an object"}


def kind(value) -> str:
    """The name of a JSON value's type, for messages."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return _KINDS.get(type(value), "a number")


def field(record: dict, name: str, wanted: type, file, where):
    """``record[name]``, which must be a ``wanted`` (str, list, int or dict)."""
    if name not in record:
        raise DataError(file, where, f"expected a field '{name}'")
    value = record[name]
    if type(value) is not wanted:  # not isinstance, for which True is an int
        raise DataError(file, where, f"expected '{name}' to be {_KINDS[wanted]}, found {kind(value)}")
    return value


def text_field(record: dict, name: str, file, where) -> str:
    """A text. Lone surrogates, which JSON can escape but UTF-8 cannot hold, become U+FFFD."""
    text = field(record, name, str, file, where)
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def id_field(record: dict, name: str, file, where) -> str:
    """An id: a text, or a whole number as text."""
    if type(record.get(name)) is int:
        return str(record[name])
    return text_field(record, name, file, where)


def weight_field(record: dict, file, where) -> float:
    """``metadata.weight``, a number above 0; 1 if there is none."""
    metadata = record.get("metadata") or {}
    if type(metadata) is not dict:
        raise DataError(file, where, f"expected 'metadata' to be an object, found {kind(metadata)}")
    weight = metadata.get("weight", 1.0)
    if type(weight) not in (int, float) or not 0 < weight <= MAX_WEIGHT:
        expected = f"expected 'metadata.weight' to be a number above 0, at most {MAX_WEIGHT:g}, found {weight!r}"
        raise DataError(file, where, expected)
    return float(weight)


def list_field(record: dict, name: str, wanted: type, file, where) -> list:
    """A list whose entries are all ``wanted``."""
    values = field(record, name, list, file, where)
    for value in values:
        if type(value) is not wanted:
            expected = f"expected each entry of '{name}' to be {_KINDS[wanted]}, found {kind(value)}"
            raise DataError(file, where, expected)
    return values


def fit_id(value: str, file, where) -> str:
    """``value``. Raises DataError if it is empty or would break a line of a TSV file."""
    if not value.strip():
        raise DataError(file, where, "expected an id, found an empty one")
    if _UNFIT_FOR_AN_ID.search(value):
        expected = "expected an id without tabs, line breaks or other control characters"
        raise DataError(file, where, f"{expected}, found {value!r}")
    return value


def new_id(value: str, seen: set[str], file, where) -> str:
    """``value``, added to ``seen``. Raises DataError if it is already there or cannot be an id."""
    fit_id(value, file, where)
    if value in seen:
        raise repeated(value, file, where)
    seen.add(value)
    return value


def repeated(id: str, file, where) -> DataError:
    return DataError(file, where, f"expected each id once, found '{id}' again")
