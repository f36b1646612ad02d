"""A wrong config ends in one line that says which key and what was expected; nothing is made."""

import pytest
import yaml

from .conftest import ROOT

SCHEMA = yaml.safe_load((ROOT / "workflow/schemas/config.schema.yaml").read_text(encoding="utf-8"))


def error_lines(done):
    return [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("error:")]


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("sed=1", ["sed", "unexpected"]),
        ("seed=-1", ["seed", "minimum"]),
        ("seed=many", ["seed", "integer"]),
        ("seeds=[-1]", ["seeds", "minimum"]),
        ("seeds={many: 1}", ["seeds", "many"]),
        ("encoder_settings={dssm-s1: {kind: dssm}}", ["encoder_settings.dssm-s1", "seed"]),
        ("run=../up", ["run", "match"]),
        ("ks=[0]", ["ks.0", "minimum"]),
        ("ks=[]", ["ks", "non-empty"]),
        ("multiview={beta: 2}", ["multiview.beta", "maximum"]),
        ("multiview={gamma: 1}", ["multiview", "gamma"]),
        ("datasets=[nosuch]", ["datasets", "nosuch", "sources"]),
        ("datasets=eurlex", ["datasets", "array"]),
        ("encoders=[nosuch]", ["encoders", "nosuch", "encoder_settings"]),
        ("encoders=[data]", ["encoders", "data"]),
        ("experiments=[nosuch]", ["experiments", "nosuch"]),
        ("raw_dir=nosuch", ["raw_dir", "nosuch", "folder"]),
        ("raw_dir=workflow", ["raw_dir", "eurlex", "workflow"]),
        ("raw_dir=" + 5000 * "x", ["raw_dir", "xxx"]),
        ("multiview={'beta': .nan}", ["multiview.beta", "number"]),
        ("index=HNSW1", ["index", "HNSW1"]),
        ("index=IVF0,Flat", ["index", "IVF0"]),
        ("index=HNSW00", ["index", "HNSW00"]),
        ("seeds={values: [1], encoders: [nope]}", ["seeds.encoders: nope"]),
        ("seeds={values: [1], datasets: [nope]}", ["seeds.datasets: nope"]),
        ("encoder_settings={dssm-d8: {kind: dssm, epochs: 1}}|sweeps={dimensions: [8]}", ["encoder_settings.dssm-d8"]),
        ("encoder_settings={dssm.1-of-2: {kind: dssm}}", ["encoder_settings"]),
        ("sources={eurlex: {source: path}}", ["sources.eurlex", "path"]),
        ("sources={eurlex: {source: path, path: nosuch, format: eurlex}}", ["sources.eurlex.path", "nosuch"]),
        ("sources={eurlex: {source: path, path: ., format: nosuch}}", ["sources.eurlex.format", "nosuch"]),
        ("sources={mine: {source: simulated}}|datasets=[mine]", ["sources.mine", "simulated"]),
        ("sources={mine: {source: download}}|datasets=[mine]", ["sources.mine", "eurlex, pubmed", "downloaded"]),
        ("sources={eurlex: {source: download, files: 3}}", ["sources.eurlex.files", "download"]),
        ("sources={eurlex: {source: simulated, columns: {query: a, document: b}}}", ["sources.eurlex.columns"]),
        ("sources={mine: {source: path, path: ., format: csv, columns: {query: a}}}", ["columns", "document"]),
        ("sources={pubmed: {source: download, sample: {train: 0, dev: 1, test: 1}}}", ["sources.pubmed.sample.train"]),
        ("download_dir=a{x}", ["download_dir", "match"]),
        ("encoder_settings={dssm: {kind: dssm, vocabulary: {eurlex: 9}}}", ["dssm.vocabulary.eurlex", "minimum"]),
        ("click_log={dataset: nosuch, encoder: dssm}", ["click_log.dataset", "nosuch", "sources"]),
        ("click_log={dataset: clicklog, encoder: colbert}", ["click_log.encoder", "colbert", "one vector"]),
        ("flat_popularity={dataset: flat, depth: 5}", ["flat_popularity", "depth"]),
        ("sources={clicklog: {source: path, path: ., format: clicklog, min_clicks: 0}}", ["min_clicks", "minimum"]),
        ("sources={flat: {source: path, path: ., format: msmarco, split: date}}", ["sources.flat", "split"]),
        ("sources={clicklog: {source: path, path: ., format: clicklog, test_from: May}}", ["test_from", "May"]),
        ("bm25={tokenizer: nosuch}", ["bm25.tokenizer", "nosuch"]),
        ("encoder_settings={dssm: {kind: dssm, epochs: 0}}", ["encoder_settings.dssm.epochs", "minimum"]),
        ("encoder_settings={minilm: {kind: pretrained, steps: 3}}", ["encoder_settings.minilm", "steps"]),
        ("encoder_settings={sbert: {kind: sbert, recipe: nosuch}}", ["encoder_settings.sbert.recipe", "nosuch"]),
        ("encoder_settings={mine: {kind: nosuch}}", ["encoder_settings.mine.kind", "nosuch"]),
        ("encoders=[mine]|encoder_settings={mine: {kind: module, module: ../up}}", ["mine.module", "match"]),
        ("encoders=[mine]|encoder_settings={mine: {kind: module, module: nosuch}}", ["mine.module", "nosuch.py"]),
        ("encoders=[mine]|encoder_settings={mine: {kind: vectors, path: nosuch}}", ["mine.path", "nosuch/eurlex"]),
        ("device=tpu", ["device", "tpu"]),
        ("sweeps={encoders: [dssm, colbert]}", ["sweeps.encoders", "colbert"]),
        ("sweeps={dssm: minilm}", ["sweeps.dssm", "kind dssm"]),
        ("sweeps={datasets: [nosuch]}", ["sweeps.datasets", "nosuch"]),
        ("sweeps={checkpoints: [0, 0.5]}", ["sweeps.checkpoints"]),
        ("diversity_encoder=nosuch", ["diversity_encoder", "nosuch"]),
    ],
)
def test_a_wrong_config_is_one_line(fresh, config, words):
    done = fresh.run("--config", *config.split("|"), check=False)
    assert done.returncode != 0
    lines = error_lines(done)
    assert len(lines) == 1, done.stdout + done.stderr
    assert all(word in lines[0] for word in words), lines[0]
    assert "Traceback" not in done.stdout + done.stderr
    assert not (fresh / "results").exists()


def test_numbers_may_be_written_with_an_exponent(fresh):
    """Which YAML takes for text."""
    settings = ["encoder_settings={dssm: {learning_rate: 1e-4}}", "simulation={documents: 2e2, queries: 1e3}"]
    fresh.run("-n", "--config", *settings)


def test_an_unknown_faiss_string_is_one_line(fresh):
    done = fresh.tiny("results/tiny/eurlex/runs/dssm.npz", "--config", "index=nonsense", check=False)
    assert done.returncode != 0
    assert [line for line in error_lines(done) if "nonsense" in line] == error_lines(done)[:1] == error_lines(done)


def keys(schema, path=""):
    for name, entry in schema.get("properties", {}).items():
        yield f"{path}{name}", entry
        yield from keys(entry, f"{path}{name}.")


def test_every_key_is_described_and_every_object_is_closed():
    objects = [SCHEMA, *SCHEMA["$defs"].values()]
    for entry in objects:
        for path, key in keys(entry):
            assert key.get("description"), path
            if key.get("type") == "object":
                assert "additionalProperties" in key, path


def test_the_default_config_names_every_top_level_key():
    config = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    assert config.keys() == SCHEMA["properties"].keys()


def test_lint_is_clean(fresh):
    done = fresh.run("--lint")
    assert "Congratulations" in done.stdout + done.stderr
