"""When two texts count as one."""

import re
import unicodedata


def normalised(text: str) -> str:
    """``text`` without differences of case, white space or Unicode form (NFKC)."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def canonical(text: str) -> str:
    """``text`` without invisible differences: of white space, and of how letters are composed (NFC)."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def masked(text: str) -> str:
    """:func:`normalised`, with each number as ``0``: texts that differ only in numbers become equal."""
    return re.sub(r"\d+", "0", normalised(text))
