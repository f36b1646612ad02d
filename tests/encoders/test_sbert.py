"""SBERT: what its losses compute, what it learns, and that interrupted training changes nothing."""

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformerTrainingArguments
from sentence_transformers.sentence_transformer.losses import CosineSimilarityLoss
from settings import settings as defaults

from mvg.datasets.pairs import Split
from mvg.encoders import pretrained, relevance, sbert, scratch, training
from mvg.encoders.relevance import TrainingData

NOTHING = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
WORDS = ["oak", "elm", "ash", "fir", "yew", "sun", "sea", "sky", "ice", "fog", "ant", "bee", "cow", "dog", "emu"]
DOCUMENTS = WORDS[:5]


def toy(n_queries=120):
    """The text of document i is word i; a query names its document by another word of the same rank."""
    rng = np.random.default_rng(0)
    relevant = rng.integers(0, 5, n_queries)
    queries = [f"{WORDS[5 + d]} {WORDS[10 + rng.integers(0, 5)]}" for d in relevant]
    parts = np.split(np.arange(n_queries), [n_queries * 2 // 3])
    return DOCUMENTS, queries, *(Split(part, (part, relevant[part]), NOTHING) for part in parts)


def settings(**changes):
    return defaults("sbert", **({"steps": 12, "evaluate_every": 4, "max_tokens": 16} | changes))


def fit(folder, seed=0, log=lambda line: None, **changes):
    return sbert.fit(*toy(), settings(**changes), folder, seed=seed, log=log)


def weights(trained):
    return {name: t.numpy().tobytes() for name, t in trained.encoder.model.state_dict().items()}


RECIPES = [dict(recipe="paper"), dict(recipe="tuned")]


@pytest.mark.parametrize("recipe", [
    dict(recipe="paper", steps=300, batch=32, learning_rate=1e-3),
    dict(recipe="tuned", steps=80, batch=16, learning_rate=1e-3),
])  # fmt: skip
def test_both_recipes_learn_which_words_mean_which_document(recipe, tmp_path):
    documents, queries, _, dev = toy()
    trained = fit(tmp_path, evaluate_every=20, **recipe)
    first = (trained.encoder.encode(queries)[dev.queries] @ trained.encoder.encode(documents).T).argmax(1)
    assert (first == dev.pairs[1]).mean() > 0.9


def test_pooling_by_the_first_token_is_trained_saved_and_loaded(tmp_path):
    trained = fit(tmp_path, pooling="cls", steps=4)
    trained.save(tmp_path / "model")
    vectors = trained.encoder.encode(DOCUMENTS)
    assert np.array_equal(pretrained.load(tmp_path / "model", 16).encode(DOCUMENTS), vectors)
    assert not np.allclose(fit(tmp_path / "mean", steps=4).encoder.encode(DOCUMENTS), vectors, atol=1e-3)


class Stop(Exception):
    pass


@pytest.mark.parametrize("recipe", RECIPES)
def test_interrupted_and_resumed_is_uninterrupted_byte_for_byte(recipe, tmp_path):
    whole = fit(tmp_path / "whole", **recipe)

    def stop_after_second_evaluation(line):
        if line.startswith("step 8"):  # logged before its checkpoint, so the training resumes from step 4
            raise Stop

    with pytest.raises(Stop):
        fit(tmp_path / "resumed", log=stop_after_second_evaluation, **recipe)
    said = []
    resumed = fit(tmp_path / "resumed", log=said.append, **recipe)
    assert "resuming from step 4" in said
    assert weights(resumed) == weights(whole)
    assert resumed.history == whole.history
    for name, trained in (("a", whole), ("b", resumed)):
        trained.save(tmp_path / name)
        trained.save_history(tmp_path / f"{name}.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    files = [
        {
            str(file.relative_to(tmp_path / name)): file.read_bytes()
            for file in (tmp_path / name).rglob("*")
            if file.is_file()
        }
        for name in ("a", "b")
    ]
    assert files[0] == files[1] and "model.safetensors" in files[0]


@pytest.mark.parametrize("recipe", RECIPES)
def test_one_seed_is_one_model(recipe, tmp_path):
    first, again, other = (weights(fit(tmp_path / str(i), seed, **recipe)) for i, seed in enumerate((0, 0, 1)))
    assert first == again != other


def test_a_checkpoint_of_other_settings_is_not_used(tmp_path):
    fit(tmp_path)
    said = []
    fit(tmp_path, learning_rate=1e-3, log=said.append)
    assert not [line for line in said if line.startswith("going on")]


def test_the_best_evaluation_is_kept(tmp_path):
    trained = fit(tmp_path, recipe="tuned", steps=40, learning_rate=1e-3)
    assert [entry["step"] for entry in trained.history] == list(range(4, 41, 4))
    data = TrainingData(*toy())
    assert sum(sbert.score_dev(trained.encoder, data, 1000)) == max(h["recall"] + h["map"] for h in trained.history)


def test_a_saved_model_is_the_same_model(tmp_path):
    trained = fit(tmp_path / "checkpoint")
    trained.save(tmp_path / "model")
    loaded = pretrained.load(tmp_path / "model", 16)
    assert loaded.encode(DOCUMENTS).tobytes() == trained.encoder.encode(DOCUMENTS).tobytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["checkpoint", "model"]


def test_the_paper_recipe_has_the_defaults_of_the_library(tmp_path):
    theirs = SentenceTransformerTrainingArguments(output_dir=tmp_path, use_cpu=True)
    ours = defaults("sbert")
    assert (ours.learning_rate, ours.batch) == (theirs.learning_rate, theirs.per_device_train_batch_size)
    assert (theirs.max_grad_norm, theirs.weight_decay) == (training.MAX_GRAD_NORM, 0.0)
    assert (theirs.adam_beta1, theirs.adam_beta2) == training.BETAS
    assert (theirs.optim, theirs.lr_scheduler_type, theirs.warmup_steps) == ("adamw_torch_fused", "linear", ours.warmup)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    scratch.build(folder, [" ".join(WORDS)] * 3)
    encoder = pretrained.load(folder)
    encoder.model.eval()  # no dropout: losses by hand
    return encoder


def small_case():
    """q0 -> d0, d1; q1 -> d1, and its pair with d2 is filtered; d3 and d4 have no query."""
    excluded = np.array([1]), np.array([2])
    train = Split(np.array([0, 1]), (np.array([0, 0, 1]), np.array([0, 1, 1])), excluded)
    return TrainingData(DOCUMENTS, ["sun sea", "sky"], train, train)


def test_the_paper_loss_is_the_library_s(encoder):
    batches = sbert.CosineBatches(small_case(), settings(batch=6), seed=0)
    queries, documents, labels = batches.pairs(0)
    texts = [batches.data.queries[q] for q in queries], [batches.data.documents[d] for d in documents]
    theirs = CosineSimilarityLoss(encoder.model)(
        [encoder.model.preprocess(side) for side in texts], torch.tensor(labels)
    )
    assert batches.loss(encoder, 0).item() == pytest.approx(theirs.item(), rel=1e-5)


def test_random_documents_are_neither_relevant_nor_filtered():
    batches = sbert.CosineBatches(small_case(), settings(batch=6), seed=0)
    for step in range(50):
        queries, documents, labels = batches.pairs(step)
        assert labels.tolist() == [1, 1, 1, 0, 0, 0]
        random = set(zip(queries[labels == 0], documents[labels == 0]))
        assert not random & {(0, 0), (0, 1), (1, 1), (1, 2)}


@pytest.mark.parametrize(("negatives", "share"), [(0, 1.0), (1, 0.5), (3, 0.25)])
def test_the_share_of_relevant_pairs(negatives, share):
    batches = sbert.CosineBatches(TrainingData(*toy()), settings(batch=8, negatives=negatives), seed=0)
    assert batches.pairs(0)[2].mean() == share


def test_a_query_that_knows_every_document_ends_the_search():
    known = relevance.pair_matrix((np.zeros(3, dtype=int), np.arange(3)), 1, 3)
    assert len(sbert.random_documents(known, np.array([0, 0]), np.random.default_rng(0))) == 2


def test_the_tuned_loss_by_hand_leaves_out_other_relevant_and_filtered_documents(encoder):
    data = small_case()
    batches = sbert.SoftmaxBatches(data, settings(recipe="tuned", scale=2.0, batch=2, negatives=50), seed=0)
    queries, documents = batches.rows(0)
    assert queries.tolist() == [0, 1] and documents.tolist() == [0, 1, 2, 3, 4]
    x, y = (encoder.encode(texts).astype(np.float64) for texts in (data.queries, data.documents))
    e = np.exp(2.0 * x @ y.T)
    expected = [
        -np.log(e[0, 0] / (e[0, 0] + e[0, [2, 3, 4]].sum())),
        -np.log(e[0, 1] / (e[0, 1] + e[0, [2, 3, 4]].sum())),
        -np.log(e[1, 1] / (e[1, 1] + e[1, [0, 3, 4]].sum())),
    ]
    assert batches.loss(encoder, 0).item() == pytest.approx(np.mean(expected), rel=1e-5)


def test_a_batch_whose_documents_are_all_relevant_has_no_loss():
    logits = torch.ones(1, 2, requires_grad=True)
    everything = torch.ones(1, 2, dtype=torch.bool)
    loss = relevance.softmax_loss(logits, everything, everything)
    loss.backward()
    assert loss.item() == 0 and torch.isfinite(logits.grad).all()


def test_rows_come_once_an_epoch_in_a_new_order_each():
    shuffled = training.Shuffled(np.arange(12), seed=0)
    epochs = [np.concatenate([shuffled.take(epoch * 3 + i, 4) for i in range(3)]).tolist() for epoch in range(2)]
    assert sorted(epochs[0]) == sorted(epochs[1]) == list(range(12))
    assert epochs[0] != epochs[1]
    assert training.Shuffled(np.arange(12), seed=0).take(4, 4).tolist() == epochs[1][4:8]
    assert sorted(shuffled.take(0, 100).tolist()) == list(range(12))
