"""The zero-shot table: the benchmark's rows of pretrained encoders, laid out as in the paper."""

import pandas as pd
from made import made

from mvg.experiments.zero_shot import write_zero_shot, zero_shot_table


def benchmark(*methods):
    rows = [
        ["eurlex", method, metric, k, 10.0 * i + j]
        for i, method in enumerate(methods)
        for j, (metric, k) in enumerate(
            [("recall", 10), ("recall", 100), ("map", 10), ("map", 100), ("index_mfloats", None)]
        )
    ]
    columns = ["dataset", "method", "metric", "k", "value"]
    return pd.DataFrame(rows, columns=columns).astype({"k": "Int64"})


def test_rows_of_pretrained_encoders_beside_the_papers(tmp_path):
    table = zero_shot_table(benchmark("dssm", "mini", "mvg+mini", "mvg+dssm"), ["mini"])
    assert table["method"].unique().tolist() == ["mini", "mvg+mini"]
    assert table["value"].tolist() == [10, 11, 12, 13, 20, 21, 22, 23]
    write_zero_shot(table, {}, made(tmp_path / "zero_shot"))
    text = (tmp_path / "zero_shot.md").read_text()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")]
    heads = ["Recall@10<br>EurLex", "Recall@100<br>EurLex", "MAP@10<br>EurLex", "MAP@100<br>EurLex"]
    assert rows[0] == rows[4] == ["Method", *heads]
    assert rows[3] == ["MVG + mini", "20.00", "21.00", "22.00", "23.00"]
    assert rows[7] == ["MVG + BertBase", "55.84", "76.20", "43.46", "46.58"]


def test_a_run_without_pretrained_encoders_says_so_in_one_line(tmp_path):
    table = zero_shot_table(benchmark("dssm", "mvg+dssm"), [])
    assert table.empty and list(table) == ["dataset", "method", "metric", "k", "value"]
    write_zero_shot(table, {}, made(tmp_path / "zero_shot"))
    lines = (tmp_path / "zero_shot.md").read_text().splitlines()
    assert lines[:2] == ["# Zero-shot", ""] and len(lines) == 3 and "no encoder of kind" in lines[2]
    assert "no encoder of kind" in (tmp_path / "zero_shot.tex").read_text()
