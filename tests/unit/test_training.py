"""Training documents on a log: against a sample of the others, and resuming after an interruption."""

import numpy as np
import pytest
from made import unit, vectors_and_log

from mvg.multiview import tuned as module
from mvg.multiview.sampled import RowAdam, Sampler, step
from mvg.multiview.training import Recipe, gradient
from mvg.multiview.tuned import tuned


@pytest.fixture(scope="module")
def log():
    """Queries near a point of their document, whose vector is elsewhere; popular documents come first."""
    documents, queries, target = vectors_and_log(200, 2000, 12, 0.3, asked=195)
    return documents, queries, (np.arange(2000), target)


class Caught(RowAdam):
    """Keeps the gradient, and does not move."""

    def step(self, rows, gradient):
        self.turns += 1
        self.gradient = np.zeros_like(self.values)
        self.gradient[rows] = gradient


def gradients(log, draws, turns=1):
    from mvg.multiview.addition import led_to

    documents, queries, pairs = log
    relevant = led_to(pairs, 2000, 200)[:64]
    logits = (queries[:64] @ documents.T) * np.float32(5)
    gradient(logits, relevant.indptr, relevant.indices)
    learned, total = Caught(documents.copy(), 0.1), 0
    sampler = Sampler(np.bincount(pairs[1], minlength=200), 2000, 64, draws)
    for _ in range(turns):
        step(learned, queries[:64], relevant, sampler, 5.0)
        total = total + learned.gradient / turns
    return total, (logits.T @ queries[:64]) * 5


def test_a_sample_of_all_documents_gives_the_gradient_of_all():
    rng = np.random.default_rng(1)
    documents, queries = unit(rng.normal(size=(200, 12))), unit(rng.normal(size=(2000, 12)))
    found, expected = gradients((documents, queries, (np.arange(2000), rng.integers(0, 200, 2000))), draws=200_000)
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_small_samples_give_nearly_that_gradient_on_average(log):
    found, expected = gradients(log, draws=60, turns=400)
    assert np.corrcoef(found.ravel(), expected.ravel())[0, 1] > 0.97


def test_a_sample_teaches_nearly_as_much_as_all_documents(log):
    documents, queries, pairs = log

    def reciprocal_rank(recipe):
        scores = queries @ tuned(documents, queries, pairs, recipe=recipe).documents.T
        ranks = 1 + (scores > scores[np.arange(2000), pairs[1]][:, None]).sum(axis=1)
        return (1 / ranks).mean()

    everything = reciprocal_rank(Recipe(batch=64, learning_rate=0.01))
    assert reciprocal_rank(Recipe(batch=64, learning_rate=0.01, sampled=100)) > 0.9 * everything
    assert everything > 3 * reciprocal_rank(Recipe(epochs=0))


def test_many_documents_are_sampled(log, monkeypatch):
    monkeypatch.setattr(module, "MOST_DOCUMENTS", 199)
    sampled = tuned(*log, recipe=Recipe(sampled=2048, epochs=4)).documents
    assert (tuned(*log).documents == sampled).all()


class Stopped(Exception):
    pass


@pytest.mark.parametrize("sampled", [0, 50])
@pytest.mark.parametrize("stop", [1, 3, 4])
def test_an_interrupted_training_ends_as_if_nothing_had_happened(log, tmp_path, sampled, stop):
    recipe, calls = Recipe(batch=256, epochs=6, sampled=sampled), []

    def on_dev(addition):
        """Best after the third epoch."""
        calls.append(1)
        return -abs(float(np.linalg.norm(addition.documents)) - size)

    def stopping(addition):
        if len(calls) == stop:
            raise Stopped
        return on_dev(addition)

    size = float(np.linalg.norm(tuned(*log, recipe=recipe._replace(epochs=3)).documents))
    whole = tuned(*log, on_dev=on_dev, recipe=recipe)
    calls.clear()
    with pytest.raises(Stopped):
        tuned(*log, on_dev=stopping, recipe=recipe, checkpoint=tmp_path)
    calls.clear()
    again = tuned(*log, on_dev=on_dev, recipe=recipe, checkpoint=tmp_path)
    assert (again.documents == whole.documents).all()
    assert len(calls) == 5 - stop  # only what was missing, and two epochs without a gain


def test_what_another_log_left_is_not_gone_on_from(log, tmp_path):
    def stopping(addition):
        if any(tmp_path.glob("*/state.npz")):
            raise Stopped
        return 1.0

    documents, queries, pairs = log
    with pytest.raises(Stopped):
        tuned(*log, on_dev=stopping, checkpoint=tmp_path / "kept", recipe=Recipe(epochs=2))
    other = documents, queries, (pairs[0], pairs[1][::-1])
    fresh = tuned(*other, recipe=Recipe(epochs=2))
    assert (tuned(*other, checkpoint=tmp_path / "kept", recipe=Recipe(epochs=2)).documents == fresh.documents).all()
    assert not (tmp_path / "kept").exists()  # what has ended leaves nothing
