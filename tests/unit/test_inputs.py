"""Vectors and pairs in the forms people have them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from mvg.library import inputs

MATRIX = np.array([[3.0, 4.0], [0.0, -2.0], [1e-200, 0.0]])
UNIT = np.array([[0.6, 0.8], [0.0, -1.0], [1.0, 0.0]], dtype=np.float32)


class Tensor:
    """Behaves like a sparse torch tensor: numpy refuses it while it has a gradient or is sparse."""

    dtype = "torch.float64"

    def __init__(self, values, attached=True, dense=False):
        self.values, self.attached, self.dense = values, attached, dense

    def detach(self):
        return Tensor(self.values, False, self.dense)

    def cpu(self):
        return self

    def to_dense(self):
        return Tensor(self.values, self.attached, True)

    def __array__(self, dtype=None, copy=None):
        assert not self.attached and self.dense
        return np.array(self.values, dtype=dtype)


@pytest.mark.parametrize(
    "form",
    [
        lambda x: x,
        lambda x: x.tolist(),
        np.asfortranarray,
        sparse.csr_matrix,
        sparse.csr_array,
        pd.DataFrame,
        Tensor,
        lambda x: x.astype(np.longdouble),
    ],
)
def test_vectors_come_in_unit_norm_from_every_form(form):
    found = inputs.vectors(form(MATRIX), "queries")
    assert found.dtype == np.float32 and found.flags.c_contiguous
    assert np.allclose(found, UNIT)


def test_whole_numbers_and_half_precision_are_numbers():
    assert np.allclose(inputs.vectors(np.array([[3, 4]]), "queries"), UNIT[:1])
    assert np.allclose(inputs.vectors(np.array([[3, 4]], dtype=np.float16), "queries"), UNIT[:1])


def test_what_is_masked_is_no_number():
    masked = np.ma.masked_less(np.array([[3, 4], [1, -2]]), 0)
    assert np.allclose(inputs.vectors(masked[:1], "queries"), UNIT[:1])
    with pytest.raises(ValueError, match="row 1 is not"):
        inputs.vectors(masked, "queries")


def test_unit_vectors_stay_where_they_are(tmp_path):
    np.save(tmp_path / "vectors.npy", UNIT)
    mapped = np.load(tmp_path / "vectors.npy", mmap_mode="r")
    assert inputs.vectors(mapped, "documents") is mapped
    assert inputs.vectors(UNIT, "documents", normalize=False) is UNIT


@given(arrays.arrays(np.float64, (4, 3), elements=st.floats(-1e100, 1e100).filter(lambda x: abs(x) > 1e-100)))
@settings(max_examples=50)
def test_every_row_ends_in_unit_norm_and_in_its_direction(matrix):
    found = inputs.vectors(matrix, "queries").astype(np.float64)
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)
    assert (np.sign(found) * np.sign(matrix) >= 0).all()


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([["red shoes", "blue"]], "encode the texts"),
        (np.ones(3), "matrix"),
        (np.ones((2, 0)), "matrix"),
        ([[1, 2], [3]], "one length"),
        ([[1.0, np.nan]], "row 0"),
        ([[1.0, 2.0], [np.inf, 0.0]], "row 1"),
        ([[1.0, 2.0], [0.0, 0.0]], "row 1 is all zeros"),
        (np.ones((2, 3)), "2 dimensions, found 3"),
        (np.ones((2, 2), dtype=complex), "complex"),
    ],
)
def test_other_vectors_are_one_clear_error(matrix, message):
    with pytest.raises(ValueError, match=message) as error:
        inputs.vectors(matrix, "queries", dimension=2)
    assert str(error.value).startswith("queries") and "\n" not in str(error.value)


def test_vectors_of_another_norm_are_refused_on_request():
    with pytest.raises(ValueError, match="row 1 is 2"):
        inputs.vectors([[1.0, 0.0], [0.0, 2.0]], "queries", normalize=False)


PAIRS = [(0, 1), (2, 0), (0, 1), (1, 2)]  # one of them twice
DISTINCT = [(0, 1), (1, 2), (2, 0)]


@pytest.mark.parametrize(
    "form",
    [
        lambda x: x,
        np.array,
        lambda x: np.array(x, dtype=np.float64),
        lambda x: pd.DataFrame(x, columns=["query", "document"]),
        lambda x: tuple(np.array(x).T),
        lambda x: tuple(map(list, zip(*x, strict=True))),
        lambda x: (pd.Series([q for q, _ in x]), pd.Series([d for _, d in x])),
        lambda x: sparse.coo_matrix((np.ones(len(x)), tuple(np.array(x).T)), shape=(3, 3)),
        lambda x: sparse.coo_matrix((np.ones(len(x)), tuple(np.array(x).T)), shape=(3, 3)).tocsr(),
        lambda x: Tensor(x),
    ],
)
def test_pairs_come_once_each_from_every_form(form):
    found = inputs.pairs(form(PAIRS), 3, 3)
    assert list(zip(found.queries.tolist(), found.documents.tolist(), strict=True)) == DISTINCT
    assert found.weights is None


def test_two_pairs_in_a_list_are_no_columns():
    found = inputs.pairs([(0, 1), (2, 0)], 3, 3)
    assert found.queries.tolist() == [0, 2] and found.documents.tolist() == [1, 0]


def test_weights_of_a_repeated_pair_add_up_and_those_of_0_are_no_pairs():
    found = inputs.pairs(PAIRS, 3, 3, weights=[1, 0, 2.5, 4])
    assert (found.queries.tolist(), found.documents.tolist()) == ([0, 1], [1, 2])
    assert found.weights.tolist() == [3.5, 4]


def test_no_pairs_are_pairs():
    for nothing in ([], np.empty((0, 2)), ([], []), sparse.csr_matrix((3, 3))):
        assert len(inputs.pairs(nothing, 3, 3).queries) == 0


def test_a_stored_zero_is_no_pair():
    matrix = sparse.csr_matrix((np.array([1.0, 0.0]), ([0, 1], [0, 1])), shape=(3, 3))
    assert inputs.pairs(matrix, 3, 3).queries.tolist() == [0]


@pytest.mark.parametrize(
    ("given", "weights", "message"),
    [
        ([(0, 0.5)], None, "document rows of the pairs must be whole numbers"),
        ([(np.nan, 0)], None, "query rows of the pairs must be whole numbers"),
        ([("shoes", "A1")], None, "row numbers"),
        ([(0, 3)], None, "document row 3 .* outside of the 3"),
        ([(-1, 0)], None, "query row -1"),
        (np.zeros((2, 5), dtype=int), None, "tuple of two columns"),
        ([0, 1], None, "rows of"),
        (([0, 1], [0]), None, "2 query rows, but 1"),
        (sparse.csr_matrix((2, 3)), None, "3 x 3"),
        ([(0, 0)], [1, 2], "1 numbers"),
        ([(0, 0)], [-1], "at least 0"),
        ([(0, 0)], [np.nan], "finite"),
        (sparse.csr_matrix((3, 3)), [1], "sparse matrix"),
    ],
)
def test_other_pairs_are_one_clear_error(given, weights, message):
    with pytest.raises(ValueError, match=message) as error:
        inputs.pairs(given, 3, 3, weights)
    assert "\n" not in str(error.value)
