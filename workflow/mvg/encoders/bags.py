"""Texts as bags of SentencePiece tokens, kept as two flat arrays."""

import io
from typing import NamedTuple

import numpy as np
import sentencepiece

from ..io.errors import DataError


class Bags(NamedTuple):
    """Token ids of many texts: ``tokens`` int64 (n_tokens,), ``starts`` int64 (n_texts + 1,)."""

    tokens: np.ndarray
    starts: np.ndarray

    def __len__(self) -> int:
        return len(self.starts) - 1

    def take(self, rows: np.ndarray) -> "Bags":
        """The bags of ``rows``, in that order."""
        lengths = (self.starts[1:] - self.starts[:-1])[rows]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        within = np.arange(starts[-1]) - np.repeat(starts[:-1], lengths)
        return Bags(self.tokens[np.repeat(self.starts[rows], lengths) + within], starts)


def train_tokenizer(texts: list[str], vocabulary: int | None = None) -> bytes:
    """Train SentencePiece byte-pair encoding; return the model as bytes.

    ``vocabulary=None`` means half the number of distinct words, as in the paper (section "Results on
    Publicly Available Datasets": 40K for EurLex). Raises DataError if the vocabulary is too small for
    the characters of the texts.
    """
    model = io.BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(texts),
            model_writer=model,
            model_type="bpe",
            vocab_size=vocabulary or half_of_distinct_words(texts),
            hard_vocab_limit=False,  # a small corpus may not have that many pieces
            character_coverage=1.0,
            max_sentence_length=1 << 20,
            num_threads=1,
            minloglevel=2,
        )
    except RuntimeError as error:
        reason = str(error).strip().splitlines()[-1]
        raise DataError("config", "vocabulary", f"{vocabulary} pieces do not suit these texts: {reason}") from error
    return model.getvalue()


def half_of_distinct_words(texts: list[str]) -> int:
    """Half the number of distinct white-space separated words, but enough for every character."""
    words = {word for text in texts for word in text.split()}
    characters = set().union(*words) if words else set()
    return max(len(words) // 2, len(characters) + 1000)


def tokenize(model: bytes, texts: list[str], limit: int = 512) -> Bags:
    """Token ids of ``texts``, at most ``limit`` each; a text without tokens becomes one unknown token."""
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    ids = [bag[:limit] or [processor.unk_id()] for bag in processor.encode(texts, num_threads=1)]
    starts = np.concatenate([[0], np.cumsum([len(bag) for bag in ids])]).astype(np.int64)
    tokens = np.fromiter((token for bag in ids for token in bag), dtype=np.int64, count=starts[-1])
    return Bags(tokens, starts)


def vocabulary_size(model: bytes) -> int:
    return sentencepiece.SentencePieceProcessor(model_proto=model).vocab_size()
