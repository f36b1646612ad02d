"""The workflow as a module of another workflow, from that workflow's folder."""

import shutil

import pytest

from .conftest import ROOT, Workflow, copy_of_project

pytestmark = pytest.mark.runs

SNAKEFILE = """
configfile: "mine.yaml"


rule longest_name:
    input:
        "results/tiny/tables/benchmark.csv",
    output:
        "longest.txt",
    shell:
        "echo \\"${{MALLOC_TRIM_THRESHOLD_:-unset}} ${{PYTHONPATH:-unset}}\\" > {output}; "
        "cut -d, -f2 {input} | sort -u | awk '{{ print length, $0 }}' | sort -n | tail -1 >> {output}"


module mvg:
    snakefile:
        "../mvg/Snakefile"
    config:
        config


use rule * from mvg
"""


@pytest.fixture
def importing(tmp_path):
    (tmp_path / "mvg").mkdir()
    copy_of_project(tmp_path / "mvg")
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "Snakefile").write_text(SNAKEFILE, encoding="utf-8")
    shutil.copy(ROOT / "tests/tiny.yaml", folder / "mine.yaml")
    return Workflow(folder)


def test_a_rule_of_ones_own_reads_our_table(importing):
    importing.run("--cores", "2", "longest_name", "--config", "datasets=[eurlex]", "experiments=[]", "seeds=[]")
    environment, longest = (importing / "longest.txt").read_text().splitlines()
    assert longest == "14 mvg+prior+dssm"
    assert environment == "unset unset"  # what we set for our own jobs does not leak into others
    assert not (importing.folder.parent / "mvg/results").exists()
