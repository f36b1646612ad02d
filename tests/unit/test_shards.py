"""Shards: their contents, and that their number changes no result."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvg.datasets import reading
from mvg.datasets.reading import load_shard, load_texts
from mvg.io.files import save_array, save_arrays
from mvg.io.shards import Shard, join, join_starts
from mvg.multiview import allocate, fit
from mvg.multiview.budget import of_shard
from mvg.multiview.tokens import fit_tokens
from mvg.search.index import Index, search
from mvg.search.views import Views

seeds = st.integers(0, 2**32 - 1)


def shards(of):
    return [Shard(number, of) for number in range(1, of + 1)]


def unit(rng, *shape):
    vectors = rng.normal(size=shape).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def test_the_name_of_a_shard():
    assert Shard.parse("2-of-16") == (2, 16)


@given(n=st.integers(0, 100), of=st.integers(1, 20), multiple=st.integers(1, 30))
def test_every_row_is_in_one_shard_and_shards_begin_at_multiples(n, of, multiple):
    parts = [shard.rows(n, multiple) for shard in shards(of)]
    assert [row for part in parts for row in range(n)[part]] == list(range(n))
    assert all(part.start % multiple == 0 or part.start == n for part in parts)


@pytest.mark.parametrize("of", [1, 2, 3, 16])
def test_the_texts_of_shards_are_those_of_the_file(tmp_path, monkeypatch, of):
    monkeypatch.setattr(reading, "SHARD_OF_TEXTS", 4)
    file = tmp_path / "corpus.jsonl"
    records = [{"_id": str(row), "title": f"t{row}", "text": f"\u2028 oak {row}"} for row in range(21)]
    file.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    whole = load_texts(file)[1]
    loaded = [load_shard(file, shard) for shard in shards(of)]
    assert [text for _, texts in loaded for text in texts] == whole
    assert all(texts == whole[first : first + len(texts)] for first, texts in loaded)


@given(seed=seeds, of=st.integers(1, 16))
def test_joined_parts_are_the_bytes_of_the_whole(tmp_path_factory, seed, of):
    folder, rng = tmp_path_factory.mktemp("join"), np.random.default_rng(seed)
    array = unit(rng, rng.integers(1, 40), 3)
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 4, len(array)))])
    parts = [shard.rows(len(array)) for shard in shards(of)]
    for name, write, values in (
        ("whole", save_array, [array]),
        ("part", save_array, [array[part] for part in parts]),
        ("whole_starts", save_array, [starts]),
        ("starts", save_array, [starts[p.start : p.stop + 1] - starts[p.start] for p in parts]),
    ):
        for i, value in enumerate(values):
            write(folder / f"{name}{i}.npy", value)
    for i, rows in enumerate([slice(None), *parts]):
        save_arrays(folder / f"run{i}.npz", n=np.int64(7), documents=array[rows])
    join([folder / f"part{i}.npy" for i in range(of)], folder / "joined.npy")
    join_starts([folder / f"starts{i}.npy" for i in range(of)], folder / "joined_starts.npy")
    join([folder / f"run{i + 1}.npz" for i in range(of)], folder / "joined.npz")
    for joined, whole in (
        ("joined.npy", "whole0.npy"),
        ("joined_starts.npy", "whole_starts0.npy"),
        ("joined.npz", "run0.npz"),
    ):
        assert (folder / joined).read_bytes() == (folder / whole).read_bytes()


@given(seed=seeds, of=st.integers(1, 16))
def test_behavioural_vectors_of_shards_are_those_of_the_whole(seed, of):
    rng = np.random.default_rng(seed)
    documents, queries = unit(rng, 20, 4), unit(rng, 50, 4)
    pairs = rng.integers(0, 50, 80), rng.integers(0, 20, 80)
    counts = allocate(np.bincount(pairs[1], minlength=20), rng.integers(0, 30), 0.5)
    parts = [of_shard(counts, shard) for shard in shards(of)]
    assert (sum(parts) == counts).all()
    whole = fit(documents, queries, pairs, counts)
    fitted = [fit(documents, queries, pairs, part) for part in parts]
    for side, together in zip(zip(*fitted), whole):
        assert np.concatenate(side).tobytes() == together.tobytes()


@pytest.mark.filterwarnings("error")
def test_a_budget_of_nothing_has_shards_too():
    assert [of_shard(np.zeros(3, dtype=int), shard).tolist() for shard in shards(2)] == [[0, 0, 0]] * 2


@given(seed=seeds, of=st.integers(1, 5))
def test_behavioural_token_vectors_of_shards_are_those_of_the_whole(seed, of):
    rng = np.random.default_rng(seed)
    starts = np.concatenate([[0], np.cumsum(rng.integers(1, 4, 6))])
    tokens, queries, real = unit(rng, starts[-1], 4), unit(rng, 9, 3, 4), rng.random((9, 3)) < 0.7
    pairs = rng.integers(0, 9, 20), rng.integers(0, 6, 20)

    def fitted(shard):
        return fit_tokens(tokens, starts, queries, real, np.arange(9), pairs, 0.5, 0.5, shard=shard)

    for side, together in zip(zip(*map(fitted, shards(of))), fitted(Shard())):
        assert np.concatenate(side).tobytes() == together.tobytes()


@given(seed=seeds, block=st.integers(1, 60), k=st.integers(1, 14), biased=st.booleans(), of=st.integers(1, 4))
def test_exact_search_in_blocks_and_shards_is_that_of_one_index(seed, block, k, biased, of):
    rng = np.random.default_rng(seed)
    documents, queries = unit(rng, 12, 3), unit(rng, 7, 3)
    documents[3] = documents[9]  # a tie between documents of different blocks
    owner = np.sort(rng.integers(0, 12, 8)).astype(np.int32)
    added = (unit(rng, 8, 3), owner), *((rng.normal(size=12), 0.1) if biased else (None, None))
    excluded = np.sort(rng.integers(0, 7, 5)), rng.integers(0, 12, 5)
    views = Views.of(documents, *added)
    expected = Index(views).search(queries, k, excluded)
    parts = []
    for shard in shards(of):
        rows = shard.rows(7)
        inside = (excluded[0] >= rows.start) & (excluded[0] < rows.stop)
        hidden = excluded[0][inside] - rows.start, excluded[1][inside]
        ranking, n_floats = search(documents, queries[rows], k, *added, excluded=hidden, block=block)
        assert n_floats == views.n_floats
        parts.append(ranking)
    for side, together in zip(zip(*parts), expected):
        assert np.concatenate(side).tobytes() == together.tobytes()


def test_search_in_blocks_reads_vectors_from_disk(tmp_path):
    rng = np.random.default_rng(0)
    documents = unit(rng, 300, 8)
    save_array(tmp_path / "documents.npy", documents)
    mapped = np.load(tmp_path / "documents.npy", mmap_mode="r")
    found, _ = search(mapped, documents[:50], 10, block=640)
    assert (found.documents[:, 0] == np.arange(50)).all()
