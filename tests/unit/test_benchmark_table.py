"""The benchmark table: means, marks, verdicts, and its layout."""

import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest
from made import made

from mvg.io.errors import DataError
from mvg.reporting.tables import NAMES, format_number, group_methods, read_table, write_table
from mvg.verdicts.benchmark import (
    benchmark_table,
    read_benchmark,
    read_scores,
    significance_table,
    write_benchmark_layouts,
)

COLUMNS = ["recall@10", "recall@100", "map@10", "map@100"]
METHODS = ["bm25", "popularity", "dssm", "prior+dssm", "mvg+dssm", "mvg+prior+dssm"]
FACTS = {
    "eurlex": {"documents": 7201, "queries": {"train": 45000, "dev": 6000, "test": 6000}},
    "pubmed": {"documents": 50, "queries": {"train": 9, "dev": 9, "test": 9}, "simulated": True},
}


def frame(values):
    return pd.DataFrame({column: np.asarray(values, dtype=float) for column in COLUMNS}, index=range(np.size(values)))


def scores():
    """Every method is 10 points above the one before it, on each of 40 queries."""
    noise = np.linspace(-5, 5, 40)
    one = {method: frame(20 + 10 * i + noise) for i, method in enumerate(METHODS)}
    return {"eurlex": one, "pubmed": one}


def sizes():
    return {
        ("eurlex", "dssm"): 1.843456,
        ("eurlex", "mvg+dssm"): 2.396416,
        ("eurlex", "bm25"): None,
    }


@pytest.fixture
def table():
    return benchmark_table(scores(), sizes(), FACTS)


def at(table, dataset, method, metric, k):
    rows = table[(table.dataset == dataset) & (table.method == method) & (table.metric == metric)]
    return rows[rows.k.isna() if k is None else (rows.k == k).fillna(False)].iloc[0]


def test_rows_come_in_a_fixed_order(table):
    assert list(dict.fromkeys(table["dataset"])) == ["eurlex", "pubmed"]
    eurlex = table[table["dataset"] == "eurlex"]
    assert list(dict.fromkeys(eurlex["method"])) == METHODS
    dssm = eurlex[eurlex["method"] == "dssm"]
    assert dssm["metric"].tolist() == ["recall", "recall", "map", "map", "index_mfloats"]
    assert dssm["k"].tolist()[:4] == [10, 100, 10, 100]


def test_mean_paper_and_verdict(table):
    row = at(table, "eurlex", "dssm", "recall", 100)
    assert row.value == pytest.approx(40)
    assert (row.paper, row.verdict, row.n_queries) == (67.20, "worse", 40)
    assert at(table, "eurlex", "mvg+dssm", "index_mfloats", None).verdict == "match"
    assert at(table, "pubmed", "dssm", "recall", 100).verdict == "not comparable"
    ours_only = at(table, "eurlex", "prior+dssm", "recall", 100)
    assert np.isnan(ours_only.paper) and ours_only.verdict == ""


def test_the_papers_rows_have_the_papers_marks_and_ours_are_marked_beside_them(table):
    best = table[table["best"] & (table["dataset"] == "eurlex") & (table["metric"] == "recall")]
    assert best["method"].tolist() == ["popularity"] * 2 + ["mvg+dssm"] * 2 + ["mvg+prior+dssm"] * 2
    assert best["significant"].all()
    assert best["p_value"].tolist() == pytest.approx([2 * 0.5**40] * 6)
    assert table.loc[~table["best"], "p_value"].isna().all()
    assert not table.loc[table["metric"] == "index_mfloats", "best"].any()


def test_a_row_of_ours_takes_no_mark_from_a_row_of_the_papers():
    """MVG is compared with the encoder alone, as in the paper, not with the prior, which is between the two."""
    noise = np.linspace(-5, 5, 40)
    lifted = {"dssm": 20 + noise, "prior+dssm": 29 - noise, "mvg+dssm": 30 + noise}
    table = benchmark_table({"eurlex": {name: frame(values) for name, values in lifted.items()}}, {}, FACTS)
    assert set(table.loc[table["best"], "method"]) == {"mvg+dssm"}
    assert table.loc[table["best"], "p_value"].tolist() == pytest.approx([2 * 0.5**40] * 4)


def test_colbert_stands_in_the_group_of_sbert_and_mvg_over_it_is_ours():
    rows = {"sbert": 10, "mvg+sbert": 30, "colbert": 20, "mvg+colbert": 40}
    table = benchmark_table({"eurlex": {name: frame(np.full(40, v)) for name, v in rows.items()}}, {}, FACTS)
    assert set(table.loc[table["best"], "method"]) == {"mvg+sbert", "mvg+colbert"}


def test_of_equal_means_the_first_is_best_and_the_papers_before_ours():
    by_method = {"dssm": frame([1, 2, 3]), "prior+dssm": frame([2, 2, 2]), "mvg+dssm": frame([3, 2, 1])}
    table = benchmark_table({"eurlex": by_method}, {}, FACTS)
    assert set(table.loc[table["best"], "method"]) == {"dssm"}
    assert not table["significant"].any()
    assert set(table.loc[table["best"], "p_value"]) == {1.0}


def test_a_higher_mean_with_fewer_wins_is_not_underlined():
    few_large = np.r_[np.full(5, 100.0), np.full(35, 0.0)]
    by_method = {"dssm": frame(np.full(40, 1.0)), "mvg+dssm": frame(few_large)}
    row = at(benchmark_table({"eurlex": by_method}, {}, FACTS), "eurlex", "mvg+dssm", "map", 100)
    assert row.best and row.p_value < 0.001 and not row.significant


def test_a_group_of_one_has_no_test():
    row = at(benchmark_table({"eurlex": {"x": frame([1])}}, {}, FACTS), "eurlex", "x", "map", 10)
    assert row.best and not row.significant and np.isnan(row.p_value)


def test_groups():
    methods = ["bm25", "popularity", "dssm", "mvg+dssm", "dssm-tuned", "sbert", "colbert"]
    assert group_methods(methods) == [
        ["bm25", "popularity"],
        ["dssm", "mvg+dssm"],
        ["dssm-tuned"],
        ["sbert", "colbert"],
    ]


def test_methods_scored_on_other_queries_are_refused():
    with pytest.raises(ValueError, match="mvg\\+dssm and dssm were scored on other queries"):
        benchmark_table({"d": {"dssm": frame([1, 2]), "mvg+dssm": frame([1])}}, {}, FACTS)


def test_methods_scored_by_other_metrics_are_refused():
    with pytest.raises(ValueError, match="mvg\\+dssm and dssm have other metrics: remove the file of one of them"):
        benchmark_table({"d": {"dssm": frame([1]), "mvg+dssm": frame([1]).iloc[:, 1:]}}, {}, FACTS)


def test_significance_of_all_pairs():
    table = significance_table(scores())
    assert len(table) == 2 * 4 * 15
    row = table.iloc[0]
    assert row.tolist()[:8] == ["eurlex", "recall", 10, "bm25", "popularity", 0, 40, 0]


def test_metrics_that_the_config_adds_are_rows_and_columns(tmp_path):
    wide = {method: frame(20).assign(**{"ndcg@10": 30.0, "mrr@10": 40.0}) for method in METHODS}
    table = benchmark_table({"eurlex": wide}, {}, FACTS)
    assert at(table, "eurlex", "dssm", "ndcg", 10).value == 30 and at(table, "eurlex", "dssm", "mrr", 10).value == 40
    write_benchmark_layouts(table, FACTS, made(tmp_path / "benchmark"))
    page = (tmp_path / "benchmark.md").read_text("utf-8")
    assert "Recall@10, MAP@10, nDCG@10 and MRR@10 in percent" in page
    heads = [line for line in page.splitlines() if "nDCG@10<br>" in line]
    assert len(heads) == 1 and heads[0].index("MAP@10<br>") < heads[0].index("nDCG@10<br>") < heads[0].index(
        "MRR@10<br>"
    )


def test_csv_keeps_full_precision(table, tmp_path):
    write_table(table, tmp_path / "benchmark.csv")
    pd.testing.assert_frame_equal(read_benchmark(tmp_path / "benchmark.csv"), table)


@pytest.mark.parametrize(
    ("value", "metric", "text"),
    [
        (81.618, "recall", "81.62"),
        (0.004, "map", "0.00"),
        (1748.16, "index_mfloats", "1748.16"),
        (0.19968, "index_mfloats", "0.200"),
        (0.012345, "index_mfloats", "0.0123"),
        (float("nan"), "recall", "–"),
    ],
)
def test_decimals(value, metric, text):
    assert format_number(value, metric) == text


@pytest.fixture
def pages(table, tmp_path):
    write_benchmark_layouts(table, FACTS, made(tmp_path / "benchmark"))
    return {s: (tmp_path / f"benchmark.{s}").read_text("utf-8") for s in ("md", "tex")}


def test_markdown(pages):
    assert "Recall@100<br>EurLex |" in pages["md"]
    assert "Recall@100<br>PubMed (simulated) |" in pages["md"]
    assert "<ins>**70.00**</ins>" in pages["md"]
    for block in re.findall(r"(?:^\|.*\n)+", pages["md"], flags=re.M):
        assert len({line.count("|") for line in block.splitlines()}) == 1
    assert "<ins>**81.62**</ins>" in pages["md"]  # the paper's own table stands below, with its marks


def test_latex_marks_and_groups(pages):
    assert r"\underline{\textbf{70.00}}" in pages["tex"]
    assert "PubMed (simulated)" in pages["tex"]
    first = pages["tex"].split(r"\end{table*}")[0]
    assert first.count(r"\midrule") == 2  # below the head, and between the two row groups


KNOWN_COMMANDS = set(
    [
        r"\begin",
        r"\end",
        r"\centering",
        r"\caption",
        r"\scriptsize",
        r"\setlength",
        r"\tabcolsep",
        r"\toprule",
        r"\midrule",
        r"\bottomrule",
        r"\cmidrule",
        r"\multirow",
        r"\multicolumn",
        r"\shortstack",
        r"\textbf",
        r"\underline",
        r"\textendash",
        r"\\",
        r"\%",
        r"\_",
        r"\&",
        r"\#",
        r"\$",
        r"\{",
        r"\}",
    ]
)


def test_latex_is_well_formed_without_a_compiler(pages):
    """Checks the structure of the tables, for machines without pdflatex."""
    lines = [line for line in pages["tex"].splitlines() if not line.startswith("%")]
    text = "\n".join(lines)
    assert set(re.findall(r"\\(?:[a-zA-Z]+|.)", text)) <= KNOWN_COMMANDS
    bare = re.sub(r"\\.", "", text)
    depth = np.cumsum([(c == "{") - (c == "}") for c in bare])
    assert depth.min() >= 0 and depth[-1] == 0
    columns = 0
    for line in lines:
        if found := re.match(r"\\begin\{tabular\}\{(\w+)\}", line):
            columns = len(found[1])
        elif line.endswith(r"\\"):
            spans = [int(n) for n in re.findall(r"\\multicolumn\{(\d+)\}", line)]
            assert line.count(" & ") + 1 + sum(spans) - len(spans) == columns


def latex_is_here():
    if not (shutil.which("pdflatex") and shutil.which("kpsewhich")):
        return False
    packages = ["booktabs.sty", "multirow.sty"]
    found = subprocess.run(["kpsewhich", *packages], capture_output=True, text=True).stdout
    return len(found.split()) == len(packages)


@pytest.mark.skipif(not latex_is_here(), reason="no pdflatex: the structure is checked above")
def test_latex_compiles(pages, tmp_path):
    document = (
        r"\documentclass{article}\usepackage{booktabs,multirow}\begin{document}"
        rf"{pages['tex']}\end{{document}}"
    )
    (tmp_path / "page.tex").write_text(document, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout[-2000:]


# Names that look like numbers or missing values stay names, in every table that is read back.

ODD_NAMES = ["NA", "2024", "null", "1e5", "True", "nan", "007", "-inf"]


def test_names_are_texts_wherever_a_table_is_read_back(tmp_path):
    table = pd.DataFrame({name: ODD_NAMES for name in NAMES} | {"value": np.linspace(0, 1, len(ODD_NAMES))})
    write_table(table, tmp_path / "t.csv")
    pd.testing.assert_frame_equal(read_table(tmp_path / "t.csv"), table, check_dtype=False)
    assert read_table(tmp_path / "t.csv")["value"].dtype == float


def test_an_odd_name_survives_the_benchmark_and_its_scores(tmp_path):
    for name in ODD_NAMES:
        table = benchmark_table({name: {"dssm": frame([1, 2]), "mvg+dssm": frame([2, 2])}}, {}, {name: {}})
        write_table(table, tmp_path / "benchmark.csv")
        pd.testing.assert_frame_equal(read_benchmark(tmp_path / "benchmark.csv"), table)
    (tmp_path / "scores.csv").write_text("query,recall@10\n" + "".join(f"{name},1.5\n" for name in ODD_NAMES))
    assert read_scores(tmp_path / "scores.csv").index.tolist() == ODD_NAMES


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("recall@10\n1.5\n", "expected a column 'query', found recall@10"),
        ("", "expected a table of results, but: No columns to parse"),
        ("query,recall@10\nq,1,2,3\nq,1\nq,1,2,3,4,5\n", "expected a table of results, but: "),
        ("query,recall@10\nq,much\n", "expected numbers in the column 'recall@10'"),
    ],
)
def test_a_damaged_table_of_scores_is_one_line(tmp_path, text, message):
    (tmp_path / "dssm.csv").write_text(text)
    with pytest.raises(DataError) as error:
        read_scores(tmp_path / "dssm.csv")
    assert str(error.value).startswith(f"{tmp_path}/dssm.csv: {message}") and "\n" not in str(error.value)
