"""Training popularity."""

import pytest

from mvg.lexical.popularity import training_popularity


def test_counts_distinct_queries_and_keeps_unused_documents():
    pairs = [0, 0, 1, 1, 7], [2, 2, 2, 0, 2]
    assert training_popularity(pairs, 4).tolist() == [1, 0, 3, 0]


def test_no_pairs_is_all_zeros_of_the_same_type():
    popularity = training_popularity(([], []), 2)
    assert popularity.tolist() == [0, 0] and popularity.dtype == "int64"


@pytest.mark.parametrize("row", [-1, 2])
def test_rows_out_of_range_are_refused(row):
    with pytest.raises(ValueError, match="0..1"):
        training_popularity(([0], [row]), 2)
