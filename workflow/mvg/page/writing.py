"""Puts the page together: one file that carries its style, its scripts, its figures and its data."""

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ..datasets.pairs import read_split
from ..datasets.reading import load_facts, load_texts, load_weights
from ..io.files import load_array, load_arrays, text_writer
from ..multiview import Addition, Behavioural
from ..reporting.html import body
from ..reporting.labels import dataset_title, is_simulated, method_label
from ..reporting.tables import MISSING, read_table
from ..verdicts.benchmark import MARKS, read_benchmark, read_scores
from . import answer, charts, tables
from .explorer import MOST_QUERIES, Row, Texts, explored, packed, sampled

HERE = Path(__file__).parent
LIMIT = 5_000_000  # bytes of the page
SCRIPTS = ("vendor/chart.js", "vendor/sortable.js", "vendor/sortable.a11y.js", "templates/page.js")


def write(given, made, params, log) -> None:
    """Write ``made.page`` and ``made.answer``, the answer as text, a line a dataset.

    given: files of the run by name: ``benchmark, significance, verdicts, provenance``; lists in the order of
    ``params.rows`` ((dataset, method)): ``scores, rankings``; of ``params.datasets``: ``corpora, queries, train,
    test``; of ``params.all_datasets``: ``stats``; of ``params.spaces`` ((dataset, encoder)): ``documents,
    query_vectors, vectors, owner, choices``, and, where the run has ``auto``, ``additions, chosen``; ``experiments``:
    all files of the benchmark, of figures and of tables.
    params: also ``run, seed, captions`` (name -> text), ``config, benchmarks`` (a folder), ``explorer`` (settings).
    """
    facts = load_facts(params.all_datasets, given.stats)
    benchmark = read_benchmark(given.benchmark)
    scores = {dataset: {} for dataset in params.datasets}
    for (dataset, method), file in zip(params.rows, given.scores, strict=True):
        scores[dataset][method] = read_scores(file)
    sizes = benchmark[benchmark["metric"] == "index_mfloats"].set_index(["dataset", "method"])["value"].to_dict()
    found = answer.answers(scores, sizes, params.seed)
    log(f"{len(found)} answers")
    values = _values(given, made, params, facts, benchmark, found)
    room = LIMIT - len(_rendered(values).encode("utf-8")) - 1000
    for left, dataset in zip(range(len(params.datasets), 0, -1), params.datasets, strict=True):
        code, count = _explored(dataset, given, params, scores[dataset], found, room // left)
        if count:
            values["explorer"].append((dataset_title(facts, dataset), code))
            room -= len(code)
        log(f"{dataset}: {count} queries to explore, {len(code)} bytes")
    with text_writer(made.page) as file:
        file.write(_rendered(values))
    with text_writer(made.answer) as file:
        file.writelines(f"{line}\n" for line in values["headlines"])


def _rendered(values: dict) -> str:
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    return environment.get_template("page.html").render(values)


def _first(found) -> list:
    """The best answer of each dataset."""
    return list({one.dataset: one for one in reversed(found)}.values())[::-1]


def _values(given, made, params, facts, benchmark, found) -> dict:
    """All that the template names."""
    files, root = _by_name([*given.experiments, *given.verdicts]), Path(made.page).parent
    csvs = {path.stem: path for paths in files.values() for path in paths if path.suffix == ".csv"}
    figures = [_figure(name, paths, params, root) for name, paths in files.items() if _of_kind(paths, ".png")]
    drawn = {name: charts.sweep(name, read_table(csvs[name]), facts) for name in charts.SWEEPS if name in csvs}
    for figure in figures:
        figure["chart"] = figure["name"] in drawn
    with_frontier = "frontier" in csvs
    drawn["frontier"] = (
        charts.frontier(read_table(csvs["frontier"]), facts) if with_frontier else charts.benchmark(benchmark, facts)
    )
    breakdown = read_table(csvs["breakdown"]) if "breakdown" in csvs else None
    shown, chosen = tables.benchmark_tables(benchmark, facts), _chosen(given, params)
    trains = dict(zip(params.datasets, given.train, strict=True))
    cards = [_card(one, facts, breakdown, chosen) for one in _first(found)]
    provenance = json.loads(Path(given.provenance).read_text(encoding="utf-8"))
    sections = dict(answer="Answer", frontier="Frontier", figures="Experiments", tables="Tables", paper="Paper",
                    explorer="Explorer", data="Data", run="Run")  # fmt: skip
    for name, there in dict(figures=any(f["name"] != "frontier" for f in figures), paper=given.verdicts).items():
        if not there:
            del sections[name]
    return {
        "run": params.run,
        "sections": sections.items(),
        "css": _asset("templates/page.css"),
        "scripts": [_asset(name) for name in SCRIPTS],
        "simulated": [dataset_title(facts, d) for d in params.datasets if is_simulated(facts, d)],
        "cards": cards,
        "headlines": [card["headline"] for card in cards],
        "answers": [_card(one, facts, breakdown, chosen) for one in found],
        "order": " + ".join(gain.label for gain in found[0].gains) if found else "",
        "frontier_image": next((figure for figure in figures if figure["name"] == "frontier"), None),
        "figures": [figure for figure in figures if figure["name"] != "frontier"],
        "marks": MARKS,
        "benchmark": shown,
        "files": {name: _relative(paths, root) for name, paths in files.items()},
        "tables": [
            _table(name, paths, params)
            for name, paths in files.items()
            if name != "benchmark" and _of_kind(paths, ".html")
        ],
        "verdicts": tables.verdict_table(read_table(given.verdicts[0])) if given.verdicts else None,
        "data": [
            (dataset_title(facts, dataset), tables.data_facts(facts[dataset], trains.get(dataset)))
            for dataset in params.all_datasets
        ],
        "command": provenance.get("command") or MISSING,
        "run_facts": _run_facts(provenance),
        "software": _flat(provenance.get("software", {})),
        "config": json.dumps(provenance.get("config", {}), indent=1, ensure_ascii=False),
        "times": tables.times(params.benchmarks),
        "charts": drawn,
        "packed_tests": packed(tables.sign_tests(read_table(given.significance), facts), LIMIT),
        "explorer": [],
    }


def _asset(name: str) -> Markup:
    """A file of ours that goes into the page as it is."""
    return Markup((HERE / name).read_text(encoding="utf-8"))


def _by_name(paths) -> dict[str, list[Path]]:
    """The files of each experiment, by their stem."""
    found: dict[str, list[Path]] = {}
    for path in map(Path, paths):
        found.setdefault(path.stem, []).append(path)
    return found


def _of_kind(paths, suffix) -> list[Path]:
    return [path for path in paths if path.suffix == suffix]


def _relative(paths, root) -> list[str]:
    return [path.relative_to(root).as_posix() for path in paths if path.suffix not in (".png", ".html")]


def title(name: str) -> str:
    """``budget_sweep`` -> ``Budget sweep``."""
    return name.replace("_", " ").capitalize()


def _figure(name, paths, params, root) -> dict:
    png = _of_kind(paths, ".png")[0].read_bytes()
    shown = [path for path in paths if path.parent.name == "figures"]
    return {
        "name": name,
        "title": title(name),
        "png": base64.b64encode(png).decode("ascii"),
        "alt": f"{title(name)}, drawn as its caption says",
        "caption": _caption(name, params),
        "files": _relative(shown, root),
    }


def _table(name, paths, params) -> dict:
    text = _of_kind(paths, ".html")[0].read_text(encoding="utf-8")
    caption = "" if _of_kind(paths, ".png") else _caption(name, params)
    return {"name": name, "title": title(name), "caption": caption, "html": Markup(body(text))}


def _caption(name, params) -> str:
    """The caption of the report, which is a Jinja template of reStructuredText, as one line of text."""
    template = Environment().from_string(params.captions.get(name, ""))
    text = template.render(snakemake=SimpleNamespace(config=params.config, params=params))
    return re.sub(r"\*(\S[^*]*)\*", r"\1", " ".join(text.split()))


def _parts(one: answer.Answer, breakdown) -> Callable[[str], list[answer.Part]]:
    """Gives the parts of the test pairs for a row over the encoder of an answer; none in a run without a breakdown."""
    if breakdown is None or not one.gains:
        return lambda method: []
    return lambda method: tables.breakdown_parts(breakdown, one.dataset, one.encoder, method, one.gains[0].metric)


def _card(one: answer.Answer, facts, breakdown, chosen) -> dict:
    """An answer as texts."""
    parts = _parts(one, breakdown)
    found = answer.advice(one, parts)
    by_dev = chosen.get((one.dataset, one.encoder), one.method)
    return {
        "headline": answer.headline(one, found, facts),
        "dataset": dataset_title(facts, one.dataset),
        "encoder": method_label(one.encoder),
        "method": method_label(found.method),
        "by_dev": method_label(by_dev),
        "auto": by_dev != one.method,
        "advice": found.what,
        "reason": found.why,
        "ratio": f"{found.index_ratio:.2f}x",
        "over_prior": ", ".join(answer.signed(gain.difference) for gain in one.over_prior) or MISSING,
        "sort": {"ratio": found.index_ratio, "over_prior": one.over_prior[0].difference if one.over_prior else ""},
        "gains": [
            gain._asdict()
            | {"metric": gain.label, "sign": _sign(gain.low, gain.high)}
            | {"sort": {name: getattr(gain, name) for name in ("value", "difference", "low")}}
            | {name: f"{getattr(gain, name):.1f}" for name in ("base", "value")}
            | {name: f"{getattr(gain, name):,}" for name in ("wins", "losses", "queries")}
            | {name: answer.signed(getattr(gain, name)) for name in ("difference", "low", "high")}
            for gain in found.gains
        ],
        "parts": [
            {"name": part.name, "pairs": f"{part.pairs:,}", "base": f"{part.base[0]:.1f}"}
            | {name: f"{number:.1f}" for name, number in zip(("value", "low", "high"), part.ours, strict=True)}
            | {"change": answer.signed(part.change), "sign": _sign(*part.interval)}
            for part in parts(found.method)
        ],
    }


def _sign(low: float, high: float) -> str:
    """A class of the style: a gain, a loss, or neither by its interval."""
    return "gain" if low > 0 else "loss" if high < 0 else ""


def _run_facts(provenance: dict) -> list[tuple[str, str]]:
    """Code, seeds and machine."""
    machine = provenance.get("machine", {})
    parts = {"Code": provenance.get("code", {}), "Seeds": provenance.get("seeds", []), "Machine": machine}
    return [(name, tables.listed(value)) for name, value in parts.items()]


def _flat(versions: dict) -> list[tuple[str, str]]:
    """``{"packages": {"numpy": "2"}}`` -> ``[("numpy", "2")]``."""
    rows = []
    for name, value in versions.items():
        rows += _flat(value) if isinstance(value, dict) else [(name, tables.listed(value))]
    return rows


def _explored(dataset, given, params, by_method, found, room) -> tuple[str, int]:
    """The explorer's data of one dataset, packed, and its number of queries: as many as there is room for."""
    number = params.datasets.index(dataset)
    encoder = next((one.encoder for one in found if one.dataset == dataset), None)
    train, test = read_split(given.train[number]), read_split(given.test[number])
    texts = Texts(
        *load_texts(given.corpora[number]), load_texts(given.queries[number])[1], load_weights(given.queries[number])
    )
    rows, vectors = _rows(dataset, encoder, given, params, by_method)
    count = min(params.explorer["queries"], MOST_QUERIES)
    while True:
        chosen = sampled(texts.weights, test.queries, count, params.explorer["min_count"], params.seed)
        code = packed(explored(chosen, rows, test, train, texts, vectors, params.explorer["min_count"]), room)
        if code is not None or count == 0:
            return code or "", len(chosen)
        count //= 2


def _rows(dataset, encoder, given, params, by_method) -> tuple[list[Row], np.ndarray | None]:
    """Base, prior, MVG and what dev chose over one encoder, and its vectors of queries if it has one a text."""
    methods = [encoder, f"prior+{encoder}", f"mvg+{encoder}", answer.chosen_row(encoder, by_method)] if encoder else []
    methods = list(dict.fromkeys(method for method in methods if method in by_method)) or [*by_method][:4]
    vectors, additions, labels = None, {}, {}
    if [dataset, encoder] in params.spaces:
        at = params.spaces.index([dataset, encoder])
        vectors = load_array(given.query_vectors[at])
        over = Addition(load_array(given.documents[at]), Behavioural.load(given.vectors[at], given.owner[at]))
        additions = {f"mvg+{encoder}": over}
        bias = json.loads(Path(given.choices[at]).read_text(encoding="utf-8"))["view_bias"]
        if bias is not None:  # else dev chose no behavioural vectors
            additions[f"mvg+prior+{encoder}"] = over._replace(view_bias=bias)
        if given.additions:
            additions[f"auto+{encoder}"] = Addition.load(given.additions[at])
            labels[f"auto+{encoder}"] = f"Auto: {method_label(_chosen(given, params)[dataset, encoder])}"
    rows = []
    for method in methods:
        with load_arrays(given.rankings[params.rows.index([dataset, method])]) as ranking:
            rows.append(Row(labels.get(method, method_label(method)), ranking["documents"], additions.get(method)))
    return rows, vectors


def _chosen(given, params) -> dict[tuple[str, str], str]:
    """(dataset, encoder) -> the method that stands behind ``auto``."""
    found = {}
    for (dataset, encoder), file in zip(params.spaces, given.chosen, strict=False):  # none in a run without auto
        method = json.loads(Path(file).read_text(encoding="utf-8"))["method"]
        found[dataset, encoder] = "+".join(filter(None, [method, encoder]))
    return found
