"""Static embeddings: a text is the mean of its tokens' vectors, in unit norm."""

import numpy as np
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from mvg.encoders.static import StaticEncoder

TABLE = np.array([[3, 0, 0], [0, 4, 0], [0, 0, 0], [-3, 0, 0]], dtype=np.float32)


def encoder(limit=100):
    tokenizer = Tokenizer(WordLevel({"oak": 0, "elm": 1, "nil": 2, "anti": 3, "?": 2}, unk_token="?"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.enable_truncation(limit)
    return StaticEncoder(TABLE, tokenizer)


def test_a_text_is_the_mean_of_its_tokens_in_unit_norm():
    vectors = encoder().encode(["oak", "oak elm", "elm nil oak"])
    assert vectors.dtype == np.float32
    assert np.allclose(vectors, [[1, 0, 0], [0.6, 0.8, 0], [0.6, 0.8, 0]])


def test_a_text_without_a_direction_gets_the_same_in_every_coordinate():
    assert np.allclose(encoder().encode(["", "nil", "oak anti", "\ud800"]), 3**-0.5)


def test_texts_are_cut():
    assert np.allclose(encoder(limit=2).encode(["oak oak elm elm"]), [[1, 0, 0]])


def test_batches_change_nothing(monkeypatch):
    texts = ["oak", "elm oak", "", "elm elm oak"] * 5
    whole = encoder().encode(texts)
    monkeypatch.setattr("mvg.encoders.static.TEXTS_AT_ONCE", 3)
    assert encoder().encode(texts).tobytes() == whole.tobytes()
    assert encoder().encode([]).shape == (0, 3)
