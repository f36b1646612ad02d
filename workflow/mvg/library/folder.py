"""An index as a folder: what an engine needs in plain files, and beside it, for the library, the log.

``index.faiss``; ``documents.tsv``, the document of each of its vectors; ``manifest.json``, which says how all
was made and what each file must be; ``vectors.npy`` where faiss holds them in a form of its own; ``votes.npz``, and
``centers.faiss`` where the centers of votes are stored in fewer bytes; ``log/``.
"""

import json
import platform
from importlib import metadata
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile

import numpy as np
from scipy import sparse

from ..io.checksums import digest
from ..io.errors import DataError
from ..io.files import load_array, load_arrays, replacing_folder, save_array, save_arrays, text_writer
from ..io.members import loose
from ..io.text import json_lines, read_json
from ..multiview import Addition, Behavioural, Votes
from ..multiview.addition import Codes
from ..search.combined import Combined
from ..search.index import Index
from ..search.storage import decoded
from .inputs import Pairs
from .log import Dev, Log
from .methods import Fitted, Settings

FORMAT = 1  # of the folder
MANIFEST = "manifest.json"
CENTERS = "centers.faiss"  # of the votes, where they are stored in fewer bytes
OWN = (
    "format", "versions", "method", "settings", "constants", "votes", "metrics", "documents", "vectors", "dimension",
    "bias", "ids", "texts", "log", "files",
)  # fmt: skip
HEADER = "document\tkind\ttext"
PACKAGES = ("numpy", "scipy", "numba", "faiss-cpu")
BIAS = "append 1.0 to a query's vector: the last dimension of the index is what is added to a document's score"


def save(index, folder, with_log: bool, facts: dict) -> None:
    """What :meth:`mvg.library.index.MultiViewIndex.save` writes."""
    import mvg

    folder, made, views = Path(folder), index._fitted, index._index.views
    expect_new_or_index(folder)
    expect_facts(facts)
    log = index._log
    manifest = {
        "format": FORMAT,
        "versions": {"mvg": mvg.__version__, "python": platform.python_version()}
        | {package: _version(package) for package in PACKAGES},
        "method": made.method,
        "settings": index._settings._asdict() | {"index": index._factory},
        "constants": made.constants,
        "votes": None if made.addition.votes is None else _settings_of(made.addition.votes),
        "metrics": made.metrics,
        "documents": len(index),
        "vectors": len(views.owner),
        "dimension": index.dimension,
        "bias": BIAS if views.biased else None,
        "ids": index.ids is not None,
        "texts": index.texts is not None,
        "log": with_log and log is not None,
    } | facts
    with replacing_folder(folder) as temporary:
        index._index.index.write(temporary / "index.faiss")
        if not index._index.index.exact:
            save_array(temporary / "vectors.npy", views.vectors)
        if made.addition.adapter is not None:
            save_array(temporary / "adapter.npy", made.addition.adapter)
        if made.addition.votes is not None:
            shares = made.addition.votes.shares.tocsr()
            values = shares.data[:1] if made.addition.votes.alike else shares.data
            arrays = {"values": values, "documents": shares.indices, "starts": shares.indptr}
            if made.addition.codes is None:
                arrays["centers"] = made.addition.votes.centers
            else:
                made.addition.codes.centers.tofile(temporary / CENTERS)
            save_arrays(temporary / "votes.npz", **arrays)
        _write_documents(temporary / "documents.tsv", views.owner, index.ids, index.texts)
        if manifest["log"]:
            _write_log(temporary / "log", log, index._dev, made.counts)
        names = sorted(path.relative_to(temporary).as_posix() for path in temporary.rglob("*") if path.is_file())
        manifest["files"] = {name: _checksum(temporary / name) for name in names}
        with text_writer(temporary / MANIFEST) as file:
            json.dump(manifest, file, indent=1, ensure_ascii=False)


def expect_facts(facts: dict) -> None:
    """ValueError for what would hide an index's own entries of the manifest, and for what is no JSON."""
    if taken := [name for name in OWN if name in facts]:
        raise ValueError(f"a fact must have another name than '{taken[0]}', which {MANIFEST} has already")
    try:
        json.dumps(facts, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"facts must fit into JSON: {error}") from error


def expect_new_or_index(folder) -> None:
    """DataError for a folder that holds something other than an index: saving would replace it."""
    folder = Path(folder)
    if folder.exists() and not (folder / MANIFEST).is_file() and (folder.is_file() or any(folder.iterdir())):
        raise DataError(folder, "", "expected a new folder, or one that an index was saved to before")


class Opened(NamedTuple):
    """What a folder holds: the parts of an index, ``ids`` and ``texts`` of its documents or None, and facts."""

    log: Log | None
    settings: Settings
    dev: Dev | None
    fitted: Fitted
    index: Combined
    factory: str
    ids: list | None
    texts: list | None
    facts: dict


def read(folder, check: bool, threads: int) -> Opened:
    """What :func:`save` wrote, as :func:`mvg.load` asks for it; arrays are memory-mapped.

    Raises DataError (a ValueError) for a folder that is none, and for a file that is missing or altered.
    """
    folder = Path(folder)
    manifest = read_manifest(folder)
    try:
        _expect_whole(folder, manifest["files"], check)
        return _opened(folder, manifest, threads)
    except (KeyError, TypeError, AttributeError, IndexError, BadZipFile) as error:
        expected = f"expected what saving an index wrote, but: {type(error).__name__}: {error}"
        raise DataError(folder / MANIFEST, "", expected) from error


def _expect_whole(folder: Path, files: dict, check: bool) -> None:
    """DataError for a file of the manifest that is missing or altered."""
    for name, expected in files.items():
        path, fault = folder / name, None
        if not path.is_file():
            fault = "there is none"
        elif path.stat().st_size != expected["bytes"] or (check and digest(path, "sha256") != expected["sha256"]):
            fault = "it was altered"
        if fault:
            raise DataError(path, "", f"expected the file that {MANIFEST} lists, but {fault}")


def _opened(folder: Path, manifest: dict, threads: int) -> Opened:
    n, dimension = manifest["documents"], manifest["dimension"]
    settings = dict(manifest["settings"])
    factory = settings.pop("index")
    owner, ids, texts = _read_documents(folder / "documents.tsv", n, manifest)
    vectors = None if factory == "exact" else load_array(folder / "vectors.npy")
    opened = Index.read(folder / "index.faiss", owner, bool(manifest["bias"]), vectors, threads)
    log, dev, counts = _read_log(folder / "log", ids, texts) if manifest["log"] else (None, None, None)
    inside = opened.views.vectors[:, :dimension]
    views = Behavioural(inside[n:], owner[n:]) if len(owner) > n else None
    adapter = load_array(folder / "adapter.npy") if "adapter.npy" in manifest["files"] else None
    codes = None
    if opened.codes is not None:
        codes = Codes(opened.codes, np.fromfile(folder / CENTERS, np.uint8) if CENTERS in manifest["files"] else None)
    votes = None
    if manifest["votes"] is not None:
        votes = _read_votes(folder / "votes.npz", n, manifest["votes"], None if codes is None else codes.centers)
    addition = Addition(inside[:n], views, votes=votes, adapter=adapter, codes=codes)
    made = Fitted(*(manifest[name] for name in ("method", "constants", "metrics")), addition, counts)
    combined = Combined(addition, threads=threads, index=opened)
    facts = {name: value for name, value in manifest.items() if name not in OWN}
    if isinstance(facts.get("encoder"), dict):
        facts["encoder"] = {key: _anchored(value, folder) for key, value in facts["encoder"].items()}
    return Opened(log, Settings(**settings), dev, made, combined, factory, ids, texts, facts)


def _anchored(value, folder: Path):
    """A path that starts from the folder of an index, from anywhere."""
    return str((folder / value).resolve()) if isinstance(value, str) and value.startswith("../") else value


def read_manifest(folder) -> dict:
    """What ``manifest.json`` says. DataError for a folder without one, or one of another format."""
    path = Path(folder) / MANIFEST
    if not path.is_file():
        raise DataError(folder, "", f"expected a folder with an index, with {MANIFEST}: make one with mvg build")
    manifest = read_json(loose(path))
    if manifest.get("format") != FORMAT:
        raise DataError(path, "", f"expected an index of format {FORMAT}, found {manifest.get('format')}")
    return manifest


def _version(package: str) -> str | None:
    """Of an installed package, or None."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _checksum(path: Path) -> dict:
    return {"bytes": path.stat().st_size, "sha256": digest(path, "sha256")}


def _write_documents(path, owner: np.ndarray, ids: list | None, texts: list | None) -> None:
    """A line a vector: the document's id (or row), what the vector is, and once the document's text."""
    n = int(owner.max()) + 1
    with text_writer(path) as file:
        file.write(f"{HEADER}\n")
        for vector, row in enumerate(owner.tolist()):
            words = f"{ids[row] if ids else row}\t{'document' if vector < n else 'behavioural'}"
            text = (texts[row] or "") if texts and vector < n else ""
            file.write(_encodable(f"{words}\t{' '.join(text.split())}\n"))


def _encodable(text: str) -> str:
    """Half a surrogate pair, which JSON may hold, has no place in UTF-8."""
    return text.encode("utf-8", "replace").decode()


def _read_documents(path, n: int, manifest: dict):
    """(owner of each vector, ids or None, texts or None)."""
    ids: list[str] = []
    texts: list[str] = []
    rows: dict[str, int] = {}
    owner = np.empty(manifest["vectors"], dtype=np.int32)
    with open(path, encoding="utf-8", newline="\n") as file:
        next(file)
        for vector, line in enumerate(file):
            id, _, text = line.rstrip("\n").split("\t")
            if vector < n:
                rows[id] = vector
                ids.append(id)
                texts.append(text)
            owner[vector] = rows[id]
    if len(rows) != n:
        raise DataError(path, "", f"expected {n} documents, as in {MANIFEST}: found {len(rows)}")
    return owner, ids if manifest["ids"] else None, texts if manifest["texts"] else None


def _settings_of(votes: Votes) -> dict:
    return {key: value for key, value in votes._asdict().items() if key not in ("centers", "shares")}


def _read_votes(path, n_documents: int, settings: dict, codes) -> Votes:
    """``codes``: of the centers, or None where the file holds them."""
    with load_arrays(path) as file:
        values, documents, starts = (file[name] for name in ("values", "documents", "starts"))
        centers = file["centers"] if codes is None else decoded(codes)
    values = np.broadcast_to(values, documents.shape).copy() if len(values) == 1 else values
    return Votes(centers, sparse.csr_matrix((values, documents, starts), (len(centers), n_documents)), **settings)


def _write_log(folder: Path, log: Log, dev: Dev | None, counts: np.ndarray | None) -> None:
    save_array(folder / "documents.npy", log.documents)
    save_array(folder / "queries.npy", log.queries)
    weights = {} if log.pairs.weights is None else {"weights": log.pairs.weights}
    budget = {} if counts is None else {"counts": counts}
    arrays = {"queries": log.pairs.queries, "documents": log.pairs.documents, "asked": log.asked}
    save_arrays(folder / "pairs.npz", **arrays, **weights, **budget)
    if dev is not None:
        save_array(folder / "dev_queries.npy", dev.queries)
        hidden = {"excluded_queries": dev.excluded[0], "excluded_documents": dev.excluded[1]}
        save_arrays(folder / "dev_pairs.npz", queries=dev.pairs[0], documents=dev.pairs[1], **hidden)
    if log.query_texts is not None:
        with text_writer(folder / "queries.jsonl") as file:
            file.writelines(
                _encodable(json.dumps({"text": text}, ensure_ascii=False)) + "\n" for text in log.query_texts
            )


def _read_log(folder: Path, ids, texts) -> tuple[Log, Dev | None, np.ndarray | None]:
    with load_arrays(folder / "pairs.npz") as file:
        arrays = {name: file[name] for name in file.files}
    pairs = Pairs(arrays["queries"], arrays["documents"], arrays.get("weights"))
    query_texts, dev = None, None
    if (folder / "queries.jsonl").is_file():
        with open(folder / "queries.jsonl", "rb") as file:
            query_texts = [record["text"] for _, record in json_lines(file, folder / "queries.jsonl")]
    if (folder / "dev_queries.npy").is_file():
        with load_arrays(folder / "dev_pairs.npz") as file:
            dev = Dev(load_array(folder / "dev_queries.npy"), (file["queries"], file["documents"]))
            if "excluded_queries" in file:  # version 0.2.0 wrote none
                dev = dev._replace(excluded=(file["excluded_queries"], file["excluded_documents"]))
    vectors = load_array(folder / "documents.npy"), load_array(folder / "queries.npy")
    return Log(*vectors, pairs, ids, texts, query_texts, arrays["asked"]), dev, arrays.get("counts")
