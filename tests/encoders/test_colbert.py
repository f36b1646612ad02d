"""ColBERT: the scored tokens, the loss, what it learns, and that one seed gives one model."""

import numpy as np
import pytest
import torch
from settings import settings as defaults

from mvg.datasets.pairs import Split
from mvg.encoders import colbert, colbert_training, scratch
from mvg.encoders.relevance import TrainingData
from mvg.io.errors import DataError

NOTHING = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
WORDS = ["oak", "elm", "ash", "fir", "yew", "sun", "sea", "sky", "ice", "fog", "ant", "bee", "cow", "dog", "emu"]


def toy(n_queries=300, excluded=NOTHING):
    """The text of document i is word i; a query names it by other words of the same rank."""
    rng = np.random.default_rng(0)
    relevant = rng.integers(0, 5, n_queries)
    queries = [f"{WORDS[5 + d]} {WORDS[10 + rng.integers(0, 5)]}" for d in relevant]
    splits = [
        Split(part, (part, relevant[part]), excluded if i == 0 else NOTHING)
        for i, part in enumerate(np.split(np.arange(n_queries), [n_queries * 2 // 3]))
    ]
    return WORDS[:5], queries, *splits


def settings(**changes):
    given = {"vocabulary": 200, "dimension": 16, "query_tokens": 8, "steps": 60, "batch": 16, "evaluate_every": 20}
    return defaults("colbert", **(given | changes))


def fit(folder, seed=0, log=lambda line: None, **changes):
    return colbert_training.fit(*toy(), settings(**changes), folder, seed=seed, log=log)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    return fit(tmp_path_factory.mktemp("checkpoint"))


def weights(trained):
    return {name: tensor.numpy().tobytes() for name, tensor in trained.model.state_dict().items()}


def queries_of(model, texts):
    tokens = colbert.tokenize(model, texts, "query")
    return colbert.encode_queries(model, tokens, np.arange(len(texts)))


def documents_of(model, texts):
    return colbert.encode_documents(model, colbert.tokenize(model, texts, "document"))


def test_it_learns_which_words_mean_which_document(trained):
    documents, queries, _, dev = toy()
    tokens, starts = (torch.from_numpy(side) for side in documents_of(trained.model, documents))
    x = torch.from_numpy(queries_of(trained.model, [queries[row] for row in dev.queries]))
    scores = torch.stack([(x @ tokens[a:b].T).amax(2).sum(1) for a, b in zip(starts[:-1], starts[1:])], 1)
    assert (scores.argmax(1).numpy() == dev.pairs[1]).mean() > 0.9


def test_one_seed_is_one_model(trained, tmp_path):
    assert weights(fit(tmp_path / "0")) == weights(trained) != weights(fit(tmp_path / "1", seed=1))


class Stop(Exception):
    pass


def test_interrupted_and_resumed_is_uninterrupted_byte_for_byte(trained, tmp_path):
    def stop_at_second_evaluation(line):
        if line.startswith("step 40"):  # logged before its checkpoint, so the training resumes from step 20
            raise Stop

    with pytest.raises(Stop):
        fit(tmp_path, log=stop_at_second_evaluation)
    said = []
    resumed = fit(tmp_path, log=said.append)
    assert "resuming from step 20" in said
    assert weights(resumed) == weights(trained)
    assert resumed.history == trained.history


def test_queries_are_filled_up_with_mask_tokens_and_cut_there(trained):
    tokens = colbert.tokenize(trained.model, ["sun", " ".join(WORDS), ""], "query")
    tokenizer = trained.model.tokenizer
    assert tokens.ids.shape == (3, 8)
    assert tokenizer.convert_ids_to_tokens(tokens.ids[0].tolist()) == ["[CLS]", "[Q]", "sun", "[SEP]"] + ["[MASK]"] * 4
    assert tokens.real.sum(1).tolist() == [4, 8, 3]
    vectors = queries_of(trained.model, ["sun", " ".join(WORDS), ""])
    assert vectors.shape == (3, 8, 16)
    assert np.allclose(np.linalg.norm(vectors, axis=2), 1, atol=1e-5)  # the expansion is scored too


def test_the_default_expansion_is_to_32():
    assert defaults("colbert").query_tokens == 32


def test_documents_are_marked_and_their_punctuation_is_skipped(trained):
    tokens = colbert.tokenize(trained.model, ["oak", "oak, elm!", "(?)"], "document")
    assert trained.model.tokenizer.convert_ids_to_tokens(tokens.ids[0][:4].tolist()) == ["[CLS]", "[D]", "oak", "[SEP]"]
    _, starts = documents_of(trained.model, ["oak", "oak, elm!", "(?)"])
    assert np.diff(starts).tolist() == [4, 5, 3]
    assert len(queries_of(trained.model, ["sun , !"])[0]) == 8  # of queries, it is not


def test_padding_never_scores(trained):
    alone, _ = documents_of(trained.model, ["oak"])
    beside_a_long_one, starts = documents_of(trained.model, ["oak", " ".join(WORDS)])
    assert np.abs(alone - beside_a_long_one[: starts[1]]).max() < 1e-5
    queries = torch.nn.functional.normalize(torch.randn(3, 4, 6), dim=2)
    documents = torch.nn.functional.normalize(torch.randn(2, 5, 6), dim=2)
    scored = torch.tensor([[True] * 3 + [False] * 2, [True] * 5])
    expected = torch.stack([(queries @ d[s].T).amax(2).sum(1) for d, s in zip(documents, scored)], 1)
    assert torch.allclose(colbert.max_sim(queries, documents, scored), expected, atol=1e-5)


def test_vectors_do_not_depend_on_the_batch(trained, monkeypatch):
    texts = [" ".join(WORDS[: 1 + i % 9]) for i in range(30)]
    together = queries_of(trained.model, texts), documents_of(trained.model, texts)[0]
    monkeypatch.setattr(colbert, "ENCODE_BATCH", 1)
    alone = queries_of(trained.model, texts), documents_of(trained.model, texts)[0]
    for a, b in zip(together, alone):
        assert a.dtype == np.float32 and np.abs(a - b).max() < 1e-5


def test_loss_by_hand_leaves_out_other_relevant_and_filtered_documents(trained):
    documents, queries = WORDS[:3], ["sun", "sea"]
    excluded = np.array([1]), np.array([2])
    train = Split(np.arange(2), (np.array([0, 0, 1, 1]), np.array([0, 1, 1, 0])), excluded)
    tokens = [colbert.tokenize(trained.model, *side) for side in ((documents, "document"), (queries, "query"))]
    trained.model.eval()

    def loss(train):
        batches = colbert_training.QueryBatches(TrainingData(*tokens, train, train), settings(scale=0.5, batch=2), 0)
        with torch.no_grad():
            return batches.loss(trained.model, 0).item()

    # All of the batch's documents are relevant to both queries, so there is nothing to learn.
    assert loss(train) == 0
    # Query 0 is relevant to 0 and 1, query 1 to 2: each document of one is a negative of the other.
    train = Split(np.arange(2), (np.array([0, 0, 1]), np.array([0, 1, 2])), NOTHING)
    x, (y, starts) = queries_of(trained.model, queries), documents_of(trained.model, documents)
    s = 0.5 * np.array([[(q @ y[a:b].T).max(1).sum() for a, b in zip(starts[:-1], starts[1:])] for q in x])
    rows = [(s[0, 0], [s[0, 2]]), (s[0, 1], [s[0, 2]]), (s[1, 2], [s[1, 0], s[1, 1]])]
    expected = np.mean([np.log(np.exp([p, *n]).sum()) - p for p, n in rows])
    assert loss(train) == pytest.approx(expected, rel=1e-4)


def test_the_best_on_dev_is_kept_and_training_stops_by_steps(trained):
    assert [line["step"] for line in trained.history] == [20, 40, 60]
    documents, queries, train, dev = toy()
    tokens = [colbert.tokenize(trained.model, *side) for side in ((documents, "document"), (queries, "query"))]
    kept = colbert_training.score_dev(trained.model, TrainingData(*tokens, train, dev), 1000)
    assert sum(kept) == pytest.approx(max(line["recall"] + line["map"] for line in trained.history))


def test_a_saved_model_is_the_same_model(trained, tmp_path):
    trained.save(tmp_path / "model")
    loaded = colbert.load(tmp_path / "model")
    texts = ["oak, elm", "", "fog " * 1000]
    assert (queries_of(loaded, texts) == queries_of(trained.model, texts)).all()
    for a, b in zip(documents_of(loaded, texts), documents_of(trained.model, texts)):
        assert (a == b).all()
    trained.save_history(tmp_path / "training.csv")
    assert (tmp_path / "training.csv").read_text().splitlines()[0] == "step,loss,recall,map"


@pytest.mark.parametrize(("what", "expected"), [("nothing", "a model folder"), ("no tokenizer", "a tokenizer beside")])
def test_a_folder_that_is_no_model_is_one_line(tmp_path, what, expected, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    folder = tmp_path / "model"
    folder.mkdir()
    if what == "no tokenizer":
        scratch.build(folder, [" ".join(WORDS)] * 3, vocabulary=200)
        for file in folder.glob("tokenizer*"):
            file.unlink()
    with pytest.raises(DataError, match=rf"model: expected {expected}[^\n]*$"):
        fit(tmp_path / "checkpoint", init=str(folder))


def test_a_hub_name_offline_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(DataError, match=r"^nobody/has-this: no such model here or on the hub[^\n]*$"):
        fit(tmp_path, init="nobody/has-this")
