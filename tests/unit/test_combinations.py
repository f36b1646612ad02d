"""Methods by name on one log, and the choice of dev."""

import numpy as np
import pytest
from made import unit

from mvg.datasets.pairs import Split
from mvg.evaluation.combinations import CANDIDATES, LENGTHS, Built, Log, choose, fits
from mvg.evaluation.dev import Dev
from mvg.multiview import Addition
from mvg.search.combined import Combined

NOTHING = (np.empty(0, dtype=np.int64),) * 2


@pytest.fixture(scope="module")
def data():
    """Queries that stand near one of three places of a document; documents stand somewhere else."""
    rng = np.random.default_rng(0)
    documents, places = unit(rng.normal(size=(60, 16))), unit(rng.normal(size=(60, 3, 16)))
    target = np.floor(55 * rng.random(1500) ** 2).astype(int)
    queries = unit(places[target, rng.integers(0, 3, 1500)] + 0.15 * rng.normal(size=(1500, 16)))
    train, dev = (Split(rows, (rows, target[rows]), NOTHING) for rows in (np.arange(1200), np.arange(1200, 1500)))
    return documents, queries, train, dev


@pytest.fixture(scope="module")
def log(data):
    return Log(*data, k=10)


@pytest.mark.parametrize(
    "name",
    [*CANDIDATES, "knn+moved", "adapter", "shared+mvg+prior+tuned+adapter", "pefa-xs", "pefa-xl", "auto+x"],
)
def test_every_name_is_built_and_searched(log, name):
    built = log.build(name)
    found = Combined(built.addition).search(log.dev.queries, 10)
    assert found.documents.shape == (300, 10) and np.isfinite(found.scores).all()
    assert built.seconds > 0 and built.dev.shape == (300, 2)
    assert built.method == name or name == "auto+x"
    if not {"knn", "pefa-xl", "adapter"} & {*name.split("+")}:
        assert fits(built.addition, 1.3)
    if name not in ("", "adapter"):
        assert built.dev.mean() > log.build("").dev.mean()


def test_where_rare_documents_count_more_dev_trusts_popularity_less(data, log):
    by_propensity = Log(*data, k=10, objective="propensity")
    assert by_propensity.build("prior+moved").chosen["prior"] < log.build("prior+moved").chosen["prior"]


def test_a_log_without_a_budget_moves_vectors_and_adds_none(log):
    built = log.build("auto", budget=1.0)
    assert not {"mvg", "shared", "knn"} & {*built.method.split("+")} and fits(built.addition, 1.0)


def test_the_same_seed_gives_the_same_bytes(log):
    def again():
        built = log.build("shared+tuned")
        log._made.clear()
        return built.addition

    first, second = again(), again()
    assert (first.documents == second.documents).all() and (first.votes.shares != second.votes.shares).nnz == 0


def built(name, recall, ap):
    return Built(name, Addition(np.zeros((4, 2), np.float32)), {}, np.column_stack([recall, ap]).astype(float), 1.0)


class Sum:
    map = True

    @staticmethod
    def value(scores):
        return scores.sum(axis=-1)

    def as_good(self, *scores):
        return Dev.as_good(self, *scores)


def test_documents_without_a_query_are_still_found():
    """Queries stand near their document, so vectors alone find documents that training never saw."""
    rng = np.random.default_rng(0)
    documents = unit(rng.normal(size=(400, 16)))
    target = np.concatenate([rng.integers(0, 320, 1500), rng.integers(0, 400, 500)])
    queries = unit(documents[target] + 0.35 * rng.normal(size=(2000, 16)))
    train, dev = (Split(rows, (rows, target[rows]), NOTHING) for rows in np.split(np.arange(2000), [1500]))
    log = Log(documents, queries, train, dev, k=10)
    unseen = target[1500:] >= 320

    def recall(name):
        found = Combined(log.build(name).addition).search(queries[1500:], 10).documents
        hit = (found == target[1500:, None]).any(axis=1)
        return hit[unseen].mean(), hit[~unseen].mean()

    (frozen, before), (tuned, after) = recall(""), recall("tuned")
    assert tuned > frozen - 0.03 and after > before - 0.03
    assert log.build("tuned").chosen["length"] in LENGTHS


def test_the_simplest_within_one_standard_error_is_chosen():
    noise = np.tile([0.0, 4.0], 50)
    best = built("best", noise + 0.1, np.zeros(100))
    # Paired differences: 0.1 - 4 or 0.1 + 4, so 0.1 on average with a standard error of 0.4; then always 0.1.
    assert choose([built("simple", noise[::-1], np.zeros(100)), best], Sum()).method == "simple"
    assert choose([built("worse", noise, np.zeros(100)), best], Sum()).method == "best"


def test_simplicity_costs_at_most_a_little_map():
    noise = np.tile([0.0, 4.0], 50)
    best = built("best", noise, np.full(100, 0.3))
    assert choose([built("simple", noise[::-1] + 0.2, np.zeros(100)), best], Sum()).method == "best"
    assert choose([built("simple", noise[::-1], np.full(100, 0.11)), best], Sum()).method == "simple"
