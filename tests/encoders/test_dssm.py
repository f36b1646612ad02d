"""DSSM: what it computes, what it learns, and that one seed gives one model."""

import numpy as np
import pytest
import torch
from settings import settings as defaults

from mvg.datasets.pairs import Split
from mvg.encoders import dssm, dssm_training
from mvg.encoders.bags import Bags, half_of_distinct_words, tokenize, train_tokenizer, vocabulary_size
from mvg.encoders.relevance import TrainingData

NOTHING = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
WORDS = ["oak", "elm", "ash", "fir", "yew", "sun", "sea", "sky", "ice", "fog", "ant", "bee", "cow", "dog", "emu"]


def toy(n_queries=300, excluded=NOTHING):
    """The text of document i is word i; a query names its document by another word of the same rank."""
    rng = np.random.default_rng(0)
    documents = WORDS[:5]
    relevant = rng.integers(0, 5, n_queries)
    queries = [f"{WORDS[5 + d]} {WORDS[10 + rng.integers(0, 5)]}" for d in relevant]
    rows = np.arange(n_queries)
    splits = [
        Split(part, (part, relevant[part]), excluded if i == 0 else NOTHING)
        for i, part in enumerate(np.split(rows, [n_queries * 2 // 3]))
    ]
    return documents, queries, *splits


def settings(**changes):
    return defaults("dssm", **({"dimension": 8, "vocabulary": 60, "epochs": 6, "batch": 32} | changes))


def fit(loss="in-batch", seed=0, **changes):
    return dssm_training.fit(*toy(), settings(loss=loss, **changes), seed=seed, log=lambda line: None)


@pytest.mark.parametrize("loss", ["in-batch", "corrected", "full"])
def test_every_loss_learns_which_words_mean_which_document(loss):
    # k = 100 finds all of 5 documents: look at the first alone.
    documents, queries, _, dev = toy()
    trained = fit(loss, epochs=20, patience=20)
    first = (trained.encode(queries)[dev.queries] @ trained.encode(documents, first_document=0).T).argmax(1)
    assert (first == dev.pairs[1]).mean() > 0.9


@pytest.mark.parametrize("loss", ["in-batch", "corrected", "full"])
def test_one_seed_is_one_model(loss):
    first, again, other = fit(loss, dropout=0.2), fit(loss, dropout=0.2), fit(loss, seed=1, dropout=0.2)
    weights = [{name: t.numpy().tobytes() for name, t in m.model.state_dict().items()} for m in (first, again, other)]
    assert weights[0] == weights[1] != weights[2]


def test_vectors_are_unit_and_do_not_depend_on_the_batch():
    trained = fit()
    texts = [" ".join(WORDS[: 1 + i % 9]) for i in range(50)]
    together = trained.encode(texts)
    alone = np.concatenate([trained.encode([text]) for text in texts])
    assert together.dtype == np.float32
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    assert np.abs(together - alone).max() < 1e-5


def test_a_text_is_the_tanh_layer_of_its_mean_embedding():
    model = dssm.DSSM(vocabulary=10, dimension=4)
    table, layer = model.embedding.weight.detach().numpy(), model.layer
    expected = np.tanh(table[[1, 2, 2]].mean(0) @ layer.weight.detach().numpy().T + layer.bias.detach().numpy())
    with torch.no_grad():
        vector = model(Bags(np.array([1, 2, 2]), np.array([0, 3])))[0].numpy()
    assert np.allclose(vector, expected / np.linalg.norm(expected), atol=1e-6)


def test_empty_and_very_long_texts_have_unit_vectors():
    vectors = fit().encode(["", "   ", "oak " * 100_000, "\0", "שלום"])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_the_best_epoch_on_dev_is_kept_and_training_stops_without_gain():
    trained = fit(epochs=40, patience=2)
    best = max(h["recall"] + h["map"] for h in trained.history)
    kept = dssm_training.score_dev(trained.model, training_data(trained))
    assert sum(kept) == pytest.approx(best)
    assert len(trained.history) < 40


def training_data(trained):
    documents, queries, train, dev = toy()
    bags = (tokenize(trained.tokenizer, texts) for texts in (documents, queries))
    return TrainingData(*bags, train, dev)


def test_a_saved_model_is_the_same_model(tmp_path):
    trained = fit(document_residual=True, loss="full")
    trained.save(tmp_path / "m.safetensors", tmp_path / "t.model")
    loaded = dssm.load(tmp_path / "m.safetensors", tmp_path / "t.model", trained.settings)
    documents = toy()[0]
    assert (loaded.encode(documents, first_document=0) == trained.encode(documents, first_document=0)).all()
    trained.save_history(tmp_path / "training.csv")
    assert (tmp_path / "training.csv").read_text().splitlines()[0] == "epoch,step,loss,recall,map"


def losses_of(batches, model, batch):
    return batches.loss(model, batch, np.random.default_rng(0)).item()


def test_in_batch_loss_by_hand():
    """Pairs (q0, d0), (q0, d1), (q1, d1): q0 meets d1 twice, but never d1 against itself."""
    data, model = small_case()
    batches = dssm_training.PairBatches(data, settings(loss="in-batch", scale=2.0))
    x, y = vectors_of(model, data)
    s = 2.0 * x @ y.T
    expected = [
        -s[0, 0] + np.log(np.exp(s[0, 0]) + 2 * np.exp(s[0, 1])),
        -s[0, 1] + np.log(np.exp(s[0, 1]) + np.exp(s[0, 0])),
        -s[1, 1] + np.log(np.exp(s[1, 1]) + np.exp(s[1, 0])),
    ]
    assert losses_of(batches, model, np.arange(3)) == pytest.approx(np.mean(expected), rel=1e-5)


def test_full_loss_by_hand_leaves_out_other_relevant_and_filtered_documents():
    data, model = small_case(excluded=(np.array([1]), np.array([2])))
    batches = dssm_training.QueryBatches(data, settings(loss="full", scale=2.0))
    x, y = vectors_of(model, data)
    s = 2.0 * x @ y.T
    q0 = [-s[0, d] + np.log(np.exp(s[0, d]) + np.exp(s[0, 2])) for d in (0, 1)]  # 0 and 1 both relevant
    q1 = -s[1, 1] + np.log(np.exp(s[1, 1]) + np.exp(s[1, 0]))  # 2 is filtered
    assert losses_of(batches, model, np.arange(2)) == pytest.approx((sum(q0) + q1) / 2, rel=1e-5)


def small_case(excluded=NOTHING):
    torch.manual_seed(0)
    bags = Bags(np.array([1, 2, 3]), np.array([0, 1, 2, 3]))
    queries = Bags(np.array([4, 5]), np.array([0, 1, 2]))
    train = Split(np.array([0, 1]), (np.array([0, 0, 1]), np.array([0, 1, 1])), excluded)
    return TrainingData(bags, queries, train, train), dssm.DSSM(vocabulary=8, dimension=4)


def vectors_of(model, data):
    return (dssm.encode(model, bags).astype(np.float64) for bags in (data.queries, data.documents))


def test_tokens():
    model = train_tokenizer([" ".join(WORDS)] * 3, vocabulary=60)
    bags = tokenize(model, ["oak elm", "", "oak"])
    assert len(bags) == 3 and bags.starts[1] < bags.starts[2]
    assert bags.take(np.array([2, 0])).tokens.tolist() == [
        *bags.tokens[bags.starts[2] :],
        *bags.tokens[: bags.starts[1]],
    ]
    assert vocabulary_size(model) <= 60
    assert half_of_distinct_words(["a b", "b c " + " ".join(f"w{i}" for i in range(5000))]) == 2501


def test_checkpoints_are_of_one_training_from_the_untrained_model_to_its_end():
    kept = {}

    def keep(epochs, *vectors):
        kept[epochs] = vectors

    documents, queries, train, dev = toy()
    options = {"seed": 0, "log": lambda line: None}
    given = settings(epochs=1, patience=1)  # neither ends this training
    trained = dssm_training.fit_with_checkpoints(
        documents, queries, train, dev, given, [0, 0.1, 1, 2, 3], keep, **options
    )
    assert list(kept) == [0, 0.1, 1, 2, 3] and len(trained.history) == 3
    assert all(d.shape == (5, 8) and q.shape == (300, 8) for d, q in kept.values())
    assert len({d.tobytes() for d, _ in kept.values()}) == 5
    # Watching changes nothing, so plain training keeps one of these.
    plain = dssm_training.fit(documents, queries, train, dev, settings(epochs=3, patience=3), **options)
    assert trained.history == plain.history
    best = 1 + np.argmax([h["recall"] + h["map"] for h in plain.history])
    assert (plain.encode(documents, first_document=0) == kept[best][0]).all()
