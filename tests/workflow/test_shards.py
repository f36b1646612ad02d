"""Shards scatter and gather inside the workflow, and change no byte of its results."""

import pytest

pytestmark = pytest.mark.runs
CONFIG = ["datasets=['wikiseealso']", "encoders=['dssm']", "experiments=[]", "seeds=[]"]
MADE = ["*/*.npy", "*/mvg/*/*.npy", "*/mvg/*/choice.json", "runs/*.npz", "scores/*.csv"]


def test_three_shards_give_the_bytes_of_one(fresh):
    for shards in (1, 3):
        fresh.tiny("all", "--config", *CONFIG, f"run=s{shards}", f"shards={shards}")
    one, three = (fresh / f"results/s{shards}" for shards in (1, 3))
    made = [file.relative_to(one) for pattern in MADE for file in (one / "wikiseealso").glob(pattern)]
    made += [file.relative_to(one) for file in one.glob("tables/*.csv")]
    assert len(made) > 20
    assert [file for file in made if (one / file).read_bytes() != (three / file).read_bytes()] == []
    left = [file for file in three.rglob("*-of-3.*") if file.suffix in (".npy", ".npz")]
    assert left == []  # parts go once they are gathered
    assert (three / "logs/wikiseealso/dssm/encode.2-of-3.log").exists()
