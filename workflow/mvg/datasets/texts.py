"""When two query texts count as one."""

import re
import unicodedata


def normalised(text: str) -> str:
    """Without differences of case, white space or Unicode form (NFKC)."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def masked(text: str) -> str:
    """:func:`normalised`, each number as ``0``: texts that differ in their numbers alone are one."""
    return re.sub(r"\d+", "0", normalised(text))
