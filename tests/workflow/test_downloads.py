"""The plan of the paper's experiment, and a download through the workflow from a local server."""

import hashlib
import json
import re
import sys

import pytest
import yaml

from .conftest import ROOT

sys.path.insert(0, str(ROOT / "tests/unit"))
from misbehaving_server import Behaviour, serving  # noqa: E402
from raw_sets import RAW_FILES  # noqa: E402

pytestmark = pytest.mark.runs

PAPER = ("--configfile", "workflow/configs/paper.yaml")
FILES = RAW_FILES["eurlex"]


def jobs(done) -> dict[str, int]:
    return {name: int(n) for name, n in re.findall(r"^(\w+) +(\d+)$", done.stdout + done.stderr, flags=re.M)}


def test_the_papers_experiment_is_planned_to_the_end(fresh):
    planned = jobs(fresh.run("-n", *PAPER))
    assert planned["download"] == 4 and planned["prepare"] == 5  # one of them simulated: the click log
    assert (planned["train_sbert"], planned["train_colbert"], planned["encode_pretrained"]) == (18, 10, 7)
    assert planned["benchmark_table"] == planned["verdicts"] == 1


def test_the_papers_settings_are_those_of_the_paper():
    config = yaml.safe_load((ROOT / "workflow/configs/paper.yaml").read_text(encoding="utf-8"))
    vocabularies = config["encoder_settings"]["dssm"]["vocabulary"]
    assert vocabularies == {"eurlex": 40_000, "pubmed": 300_000, "wikiseealso": 100_000}
    assert config["encoder_settings"]["sbert"]["init"]["eurlex"] == "nlpaueb/legal-bert-base-uncased"
    sample = config["sources"]["pubmed"]["sample"]
    assert (sample["train"], sample["dev"], sample["test"]) == (1_200_000, 1_000, 100_000)


def test_raw_files_of_ones_own_are_sampled_as_the_config_says(fresh):
    (fresh / "raw/pubmed").mkdir(parents=True)
    for name, data in RAW_FILES["medline"].items():
        (fresh / "raw/pubmed" / name).write_bytes(data)
    target = "results/paper/pubmed/data/stats.json"
    sources = "sources={pubmed: {source: download, sample: {train: 1, dev: 1, test: 1, seed: 3}}}"
    done = fresh.run(target, *PAPER, "--config", "raw_dir=raw", "datasets=[pubmed]", sources)
    assert "download" not in jobs(done)
    stats = json.loads((fresh / target).read_text())
    assert stats["sample"] == {"train": 1, "dev": 1, "test": 1, "seed": 3}
    assert stats["queries"] == {"train": 1, "dev": 1, "test": 1}


@pytest.fixture
def from_server(fresh):
    """from_server(behaviours) -> the finished run; downloads.yaml of the copy names a local server."""

    def run(behaviours, target="results/real/eurlex/data/stats.json"):
        with serving({f"/{name}": behaviour for name, behaviour in behaviours.items()}) as address:
            files = [{"name": name, "urls": [f"{address}/{name}"]} for name in FILES]
            entry = {"title": "EURLEX57K", "licence": "x", "citation": "x", "files": files}
            catalogue = fresh / "workflow/mvg/fetch/downloads.yaml"
            catalogue.write_text(yaml.safe_dump({"eurlex": entry}), encoding="utf-8")
            config = ("run=real", "datasets=[eurlex]", "sources={eurlex: {source: download}}")
            return fresh.run(target, "--config", *config, check=False)

    return run


def test_a_download_is_prepared_and_not_fetched_again(fresh, from_server):
    done = from_server({name: Behaviour(data) for name, data in FILES.items()})
    assert done.returncode == 0, done.stderr
    assert json.loads((fresh / "results/real/eurlex/data/stats.json").read_text())["queries"]["train"] == 2
    listed = json.loads((fresh / "downloads/eurlex/downloaded.json").read_text())
    assert [file["name"] for file in listed["files"]] == list(FILES)
    (fresh / "results/real/eurlex/data/stats.json").unlink()
    assert from_server({}).returncode == 0


def test_the_checksums_of_a_download_are_those_seen_when_it_came(fresh, from_server):
    target = "results/real/eurlex/raw.checksums.json"
    assert from_server({name: Behaviour(data) for name, data in FILES.items()}, target).returncode == 0
    told = json.loads((fresh / target).read_text())
    assert {name: (file["bytes"], file["sha256"]) for name, file in told.items()} == {
        name: (len(data), hashlib.sha256(data).hexdigest()) for name, data in FILES.items()
    }
    assert all(file["url"].endswith(name) for name, file in told.items())


def test_what_cannot_be_fetched_is_one_line_and_can_be_put_there_by_hand(fresh, from_server):
    behaviours = {name: Behaviour(data) for name, data in FILES.items()}
    done = from_server(behaviours | {"test.jsonl": Behaviour(b"", always={"code": 404})})
    lines = [line for line in done.stderr.splitlines() if line.startswith("error:")]
    assert done.returncode != 0 and len(lines) == 1 and "Traceback" not in done.stderr, done.stderr
    (line,) = lines
    assert "downloads/eurlex/test.jsonl: could not be fetched; put http://127.0.0.1:" in line and "by hand" in line
    assert not (fresh / "downloads/eurlex/downloaded.json").exists()
    (fresh / "downloads/eurlex/test.jsonl").write_bytes(FILES["test.jsonl"])
    assert from_server({}).returncode == 0
