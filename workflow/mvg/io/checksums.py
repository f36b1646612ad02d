"""Digests of files, and the two kinds of files that list them beside downloads."""

import hashlib
import re
from pathlib import Path

from .errors import DataError

MANIFEST = "downloaded.json"  # in a folder of downloads: the files of the dataset, with their digests


def digest(path, algorithm: str) -> str:
    """The hex digest of a file."""
    with open(path, "rb") as content:
        return hashlib.file_digest(content, lambda: hashlib.new(algorithm, usedforsecurity=False)).hexdigest()


def listed_md5(path: Path) -> str:
    """The hex digest in a ``.md5`` file of the NLM, ``MD5(<file>)= <hex>``. DataError for anything else."""
    with open(path, "rb") as file:
        line = re.fullmatch(rb"MD5 ?\(.*\) ?= ?([0-9a-fA-F]{32})\s*", file.read(4096))
    if not line:
        raise DataError(path, "", "expected one line 'MD5(<file>)= <32 hex digits>'")
    return line[1].decode().lower()
