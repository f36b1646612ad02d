"""Encoding from files to files, for the workflow. Imports torch only where it is needed."""

from collections.abc import Callable

import numpy as np

from ..datasets.reading import load_shard
from ..io.files import save_array
from ..io.shards import WHOLE, Shard
from . import static


def load_encoder(init, settings: dict, threads: int, device: str):
    """The encoder that ``init`` names, without training; see :mod:`mvg.encoders.pretrained`.

    settings: an entry of ``encoder_settings``, for ``max_tokens``, ``precision`` and ``pooling``
    """
    if init == static.INIT and not settings["pooling"]:
        return static.load(settings["max_tokens"])
    from . import pretrained

    return pretrained.load(init, settings["max_tokens"], threads, settings["precision"], device, settings["pooling"])


def encode_texts(encode: Callable, given, made, log, shard: Shard = WHOLE) -> None:
    """Encode a shard of the corpus and of the queries.

    encode: ``(side, row of the first text, texts, progress)`` -> float32 (n_texts, dim); ``side`` is
        ``documents`` or ``queries``
    given: has the paths ``corpus`` and ``queries``; made: has the paths ``documents`` and ``queries``
    """
    for side, file in (("documents", given.corpus), ("queries", given.queries)):
        first, texts = load_shard(file, shard)
        vectors = encode(side, first, texts, lambda items, side=side: log.progress(items, f"encode {side}"))
        save_array(made[side], vectors)
        log(f"{side}: {np.shape(vectors)}")
