"""`mvg prepare`, `build` and `search`: from a table to documents found, and one line for whatever is wrong."""

import json
import random
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml
from snakemake.utils import update_config

import mvg
from mvg.__main__ import main
from mvg.commands import COMMANDS, estimate
from mvg.config import checked, load_schema
from mvg.datasets.reading import load_texts
from mvg.plan import Plan

WORKFLOW = Path(mvg.__file__).parents[1]
ROOT, SCHEMA = WORKFLOW.parent, WORKFLOW / "schemas/config.schema.yaml"
WORDS = ("shoe", "lamp", "chair", "phone", "book", "knife", "tent", "drum")


SLANG = ("kicks", "glow", "throne", "cell", "novel", "blade", "camp", "beat")


def clicks(queries=400) -> str:
    """A shop of 24 products: queries of a product's slang and its number, which its own text hardly shares."""
    rng = random.Random(0)
    rows = ["query,document,count"]
    for number in range(queries):
        product = int(24 * rng.random() ** 2)
        query = f"{SLANG[product % 8]} {product // 8} n{number % 50}"
        rows.append(f"{query},{WORDS[product % 8]} model {'ABC'[product // 8]},{1 + number % 3}")
    return "\n".join(rows) + "\n"


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """clicks.csv, and vectors.npy of a bag-of-words encoder for it."""
    folder = tmp_path_factory.mktemp("shop")
    (folder / "clicks.csv").write_text(clicks(), encoding="utf-8")
    assert main(["prepare", str(folder / "clicks.csv"), str(folder / "data"), "--split", "random"]) == 0
    sides = {"documents": "corpus.jsonl", "queries": "queries.jsonl"}
    texts = {side: load_texts(folder / "data" / file)[1] for side, file in sides.items()}
    rng, known = np.random.default_rng(0), {}
    (folder / "vectors").mkdir()
    for side, lines in texts.items():
        vectors = [sum(known.setdefault(word, rng.normal(size=16)) for word in line.split()) for line in lines]
        np.save(folder / f"vectors/{side}.npy", np.array(vectors))
    both = [np.load(folder / f"vectors/{side}.npy") for side in sides]
    np.save(folder / "vectors.npy", np.concatenate(both))
    return folder


def build(table, folder, *more) -> int:
    return main(["build", str(table / "clicks.csv"), str(folder), "--split", "random", *map(str, more)])


@pytest.fixture(scope="module")
def built(table, tmp_path_factory):
    """An index with a static encoder of texts."""
    folder = tmp_path_factory.mktemp("built") / "index"
    assert build(table, folder, "--k", 10, "--min-count", 2) == 0
    return folder


def test_mvg_alone_lists_its_commands(capsys):
    assert main([]) == 0
    page = capsys.readouterr().out
    assert all(f"\n    {command} " in page for command in COMMANDS)


def test_a_query_is_answered_with_the_vectors_that_found_it(built, capsys):
    assert main(["search", str(built), "cell 0 n3", "--k", "5"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 10
    place, score, document = lines[0].split(maxsplit=2)
    assert (place, document) == ("1", "phone model A") and float(score) > 0
    assert all("similarity" in line and " vector " in line for line in lines[1::2])
    assert 'asked before: "cell 0' in lines[1]


def test_the_encoded_query_is_saved_on_request(built, tmp_path, capsys):
    assert main(["search", str(built), "cell 0 n3", "--k", "3", "--save", str(tmp_path / "query.npy")]) == 0
    found = capsys.readouterr().out.splitlines()[::2]
    ids, _ = mvg.load(built).search(np.load(tmp_path / "query.npy"), 3, ids=True)
    assert [line.split(maxsplit=2)[2] for line in found] == ids.tolist()
    with pytest.raises(SystemExit, match="2"):
        main(["search", str(built), "cell", "--save", str(tmp_path / "query")])
    only_error(capsys)


def test_a_query_without_words_is_one_line(built, capsys):
    for words in ([" "], [], ["red", "--k", "0"], ["red", "--min-count", "-1"]):
        with pytest.raises(SystemExit, match="2"):
            main(["search", str(built), *words])
        only_error(capsys)


def test_more_documents_than_there_are_are_all(built, capsys):
    assert main(["search", str(built), "cell", "--k", str(10**12)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2 * len(mvg.load(built))


def test_what_was_built_says_how(built, table):
    index, manifest = mvg.load(built), json.loads((built / "manifest.json").read_text())
    assert manifest["encoder"]["init"] == "package:wordllama" and manifest["data"]["format"] == "clicklog"
    assert index.metrics["k"] == 10 and index.metrics["queries"] == manifest["data"]["queries"]["dev"]
    own, plain = (sum(index.metrics[name].values()) for name in (index.method, "plain"))
    assert own > plain + 10
    assert len(index) == 24 and sorted(index.ids) == sorted(index.texts)


def test_rare_queries_are_not_written(built):
    shown = [json.loads(line)["text"] for line in (built / "log/queries.jsonl").open(encoding="utf-8")]
    asked = mvg.load(built)._log.asked
    assert {text is None for text, n in zip(shown, asked) if n < 2} == {True}
    assert None not in [text for text, n in zip(shown, asked) if n >= 2]


def test_ready_vectors_come_as_one_file_or_as_two(table, tmp_path, capsys):
    for name in ("vectors", "vectors.npy"):
        assert build(table, tmp_path / name, "--encoder", table / name, "--method", "mvg+prior") == 0
    assert "mvg+prior over the encoder alone, on" in capsys.readouterr().out
    one, two = (mvg.load(tmp_path / name) for name in ("vectors", "vectors.npy"))
    query = np.load(table / "vectors/queries.npy")[7]
    assert np.array_equal(one.search(query, 9)[1], two.search(query, 9)[1])
    assert main(["search", str(tmp_path / "vectors"), "lamp"]) == 1
    assert "built from vectors of the kind vectors" in capsys.readouterr().err


def test_test_queries_are_left_out_unless_asked_for(table, tmp_path):
    arguments = "--encoder", table / "vectors", "--method", "mvg"
    assert (
        build(table, tmp_path / "without", *arguments)
        == build(table, tmp_path / "with", "--with-test", *arguments)
        == 0
    )
    without, all_of_them = (mvg.load(tmp_path / name) for name in ("without", "with"))
    counts = json.loads((tmp_path / "with/manifest.json").read_text())["data"]["queries"]
    assert len(without._log.queries) == counts["train"]
    assert len(all_of_them._log.queries) == counts["train"] + counts["test"]


def test_every_format_can_be_built(tmp_path):
    from raw_sets import RAW_FILES, write_files

    rng = np.random.default_rng(0)
    for format, files in RAW_FILES.items():
        raw = write_files(tmp_path / format / "raw", files)
        assert main(["prepare", str(raw), str(tmp_path / format / "data")]) == 0
        n = sum(len(load_texts(tmp_path / format / "data" / file)[0]) for file in ("corpus.jsonl", "queries.jsonl"))
        np.save(tmp_path / format / "vectors.npy", rng.normal(size=(n, 4)))
        given = "--encoder", str(tmp_path / format / "vectors.npy"), "--method", "moved"
        assert main(["build", str(raw), str(tmp_path / format / "index"), *given]) == 0
        assert len(mvg.load(tmp_path / format / "index")) > 0


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--encoder", "nosuch.npy"], "nosuch.npy"),
        (["--encoder", "./nosuch"], "./nosuch: expected a model folder"),
        (["--encoder", "{table}/vectors/queries.npy"], "in the order of `mvg prepare`"),
        (["--count", "nosuch"], "expected one column 'nosuch'"),
    ],
)
def test_a_wrong_input_is_one_line_and_leaves_nothing(table, tmp_path, capsys, more, words):
    assert build(table, tmp_path / "index", *(word.format(table=table) for word in more)) == 1
    assert words in only_error(capsys) and list(tmp_path.iterdir()) == []


def only_error(capsys) -> str:
    """The one line of an error; what went before it are steps."""
    *steps, error = capsys.readouterr().err.splitlines()
    assert error.startswith("error: ") and not any("error" in line for line in steps)
    return error


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--method", "best"], "method 'best' names an encoder"),
        (["--method", "mvg+mvg"], "'mvg+mvg': expected [shared+|knn+]"),
        (["--budget", "0.5"], "budget must be a number from 1 to"),
        (["--budget", "nan"], "budget must be a number from 1 to"),
        (["--k", "0"], "k must be a whole number of at least 1"),
        (["--seed", "-1"], "seed must be a whole number of at least 0"),
        (["--min-count", "-1"], "--min-count is at least 0"),
        (["--format", "csv"], "--split goes with the format clicklog"),
    ],
)
def test_flags_that_mean_nothing_are_one_line(table, tmp_path, capsys, more, words):
    with pytest.raises(SystemExit, match="2"):
        build(table, tmp_path / "index", *more)
    assert words in only_error(capsys) and list(tmp_path.iterdir()) == []


def test_names_of_documents_may_hold_what_shops_write(tmp_path):
    rows = (f"q{number % 40} w{number % 4},Shoe\u00a0\u201cNo {number % 4}\u201d \u00ad,1" for number in range(200))
    (tmp_path / "clicks.csv").write_text("\n".join(["query,document,count", *rows]), encoding="utf-8")
    assert main(["prepare", str(tmp_path / "clicks.csv"), str(tmp_path / "data"), "--split", "random"]) == 0
    sizes = [len(load_texts(tmp_path / "data" / file)[0]) for file in ("corpus.jsonl", "queries.jsonl")]
    np.save(tmp_path / "vectors.npy", np.random.default_rng(0).normal(size=(sum(sizes), 4)))
    assert build(tmp_path, tmp_path / "index", "--encoder", tmp_path / "vectors.npy", "--method", "mvg") == 0
    assert len(mvg.load(tmp_path / "index")) == 4


def test_a_folder_of_something_else_stays(table, tmp_path, capsys):
    (tmp_path / "thesis.tex").write_text("years of work")
    assert build(table, tmp_path) == 1
    assert "expected a new folder" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_command_that_is_none_is_one_line(capsys):
    with pytest.raises(SystemExit) as left:
        main(["bild"])
    error = capsys.readouterr().err
    assert left.value.code == 2 and error.startswith("error: ") and error.count("\n") == 1


def test_a_build_that_is_stopped_leaves_the_index_that_was_there(table, built, tmp_path):
    (tmp_path / "index").symlink_to(built)  # a build would replace the link
    before = (built / "manifest.json").read_bytes()
    command = [
        sys.executable,
        "-m",
        "mvg",
        "build",
        str(table / "clicks.csv"),
        str(tmp_path / "index"),
        "--split",
        "random",
    ]
    process = subprocess.Popen(command, cwd=WORKFLOW, stderr=subprocess.PIPE, text=True)
    while "encoding" not in (line := process.stderr.readline()):
        assert line, "it ended"
    process.send_signal(signal.SIGTERM)
    process.communicate()
    assert process.returncode == 143
    assert [path.name for path in tmp_path.iterdir()] == ["index"] and (built / "manifest.json").read_bytes() == before


# mvg init


def test_init_writes_a_config_that_the_schema_takes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [f"q{number};d{number % 5};2" for number in range(60)]
    Path("My clicks (2025).csv").write_text("\n".join(["Search Term;Product Title;Clicks", *rows]))
    assert main(["init", "My clicks (2025).csv", "--min-count", "3"]) == 0
    assert capsys.readouterr().out == "snakemake --configfile my-clicks-2025.yaml\n"
    given = yaml.safe_load(Path("my-clicks-2025.yaml").read_text())
    entry = {"source": "path", "path": "My clicks (2025).csv", "format": "clicklog", "split": "random"}
    assert given["sources"] == {"my-clicks-2025": entry} and given["datasets"] == ["my-clicks-2025"]
    config = yaml.safe_load((ROOT / "config.yaml").read_text())
    update_config(config, given)
    plan = Plan(checked(config, load_schema(SCHEMA)))
    assert plan.config["explorer"]["min_count"] == 3
    assert plan.reading("my-clicks-2025")["options"] == {"split": "random"}
    assert main(["init", "My clicks (2025).csv"]) == 1
    assert "my-clicks-2025.yaml: expected a new file" in capsys.readouterr().err


def test_init_keeps_the_columns_that_are_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"q{number % 9},d{number % 5},2,2025-01-{number:02}" for number in range(1, 31)]
    Path("eurlex.csv").write_text("\n".join(["term,what,n,date", *rows]))
    assert (
        main(["init", "eurlex.csv", "--query", "term", "--document", "what", "--count", "n", "--into", "x.yaml"]) == 0
    )
    ((name, entry),) = yaml.safe_load(Path("x.yaml").read_text())["sources"].items()
    assert name == "my-eurlex"  # eurlex would be compared with the paper
    assert entry["columns"] == {"query": "term", "document": "what", "count": "n"} and "split" not in entry


def test_init_refuses_data_that_a_run_would_refuse(tmp_path, capsys):
    (tmp_path / "pairs.csv").write_text("query,document\nred,shoe\n")
    assert main(["init", str(tmp_path / "pairs.csv"), "--into", str(tmp_path / "x.yaml")]) == 1
    assert "expected queries with relevant documents in " in only_error(capsys)
    assert [path.name for path in tmp_path.iterdir()] == ["pairs.csv"]


# mvg compare


def run_of(folder, recall, average_precision, queries=None):
    """A run with one method's scores."""
    lines = [f"{query},0,{r},{m}" for query, r, m in zip(queries or range(len(recall)), recall, average_precision)]
    path = folder / "shop/scores/mvg+dssm.csv"
    path.parent.mkdir(parents=True)
    path.write_text("\n".join(["query,recall@10,recall@100,map@100", *lines]) + "\n")
    return str(folder)


def test_two_runs_are_compared_query_by_query(tmp_path, capsys):
    a = run_of(tmp_path / "a", [50] * 20, [10] * 20)
    b = run_of(tmp_path / "b", [100] * 18 + [50, 0], [10] * 20)
    assert main(["compare", a, b]) == 0
    header, recall, average_precision = capsys.readouterr().out.splitlines()
    cells = recall.split()
    assert cells[:6] == ["shop", "mvg+dssm", "recall@100", "50.00", "92.50", "+42.50"]
    assert cells[9:] == ["18", "1", "7.6e-05"]  # 2 * (1 + 19) / 2^19
    assert average_precision.split()[-3:] == ["0", "0", "1"]
    assert main(["compare", b, a]) == 3
    assert "worse" in capsys.readouterr().out
    assert main(["compare", b, a, "--level", "0.00001"]) == main(["compare", a, a, "--metric", "recall@10"]) == 0


def test_the_order_of_queries_does_not_matter(tmp_path, capsys):
    a = run_of(tmp_path / "a", [0, 100], [0, 50], "xy")
    b = run_of(tmp_path / "b", [100, 0], [50, 0], "yx")
    assert main(["compare", a, b]) == 0
    assert "+0.00 to +0.00" in capsys.readouterr().out


def test_runs_that_cannot_be_compared_are_one_line(tmp_path, capsys):
    a, b = run_of(tmp_path / "a", [1], [1]), run_of(tmp_path / "b", [1], [1], "x")
    for arguments, words in (
        ([a, b], "expected the 1 test queries of"),
        ([a, str(tmp_path)], "expected the folder of a run"),
        ([a, a, "--metric", "ndcg@10"], "expected a column 'ndcg@10'"),
    ):
        assert main(["compare", *arguments]) == 1
        assert words in only_error(capsys)


# mvg check --estimate


def test_an_estimate_measures_what_was_hidden_from_it(table, capsys, monkeypatch):
    monkeypatch.setattr(estimate, "SECONDS", 1e9)  # however slow the machine
    assert main(["check", str(table / "clicks.csv"), "--split", "random", "--estimate"]) == 0
    page = capsys.readouterr().out.partition("Estimate\n")[2]
    values = {line[:20].strip(): float(line.split("MAP@100")[1].split()[0]) for line in page.splitlines()[2:]}
    assert list(values) == ["the encoder alone", *estimate.METHODS[1:]]
    alone = values.pop("the encoder alone")
    assert min(values.values()) > alone and values["moved"] > alone + 20
    monkeypatch.setattr(estimate, "SECONDS", 0)
    assert main(["check", str(table / "clicks.csv"), "--split", "random", "--estimate"]) == 0
    assert "tuned                left out: its training would take longer" in capsys.readouterr().out
