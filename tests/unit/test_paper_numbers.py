"""The paper's numbers, checked against each other: a typo in paper.yaml fails here."""

import pytest

from mvg.verdicts.claims import CLAIMS, analytic, derive
from mvg.verdicts.comparison import verdict
from mvg.verdicts.paper import load_paper
from mvg.verdicts.table import statement_scale

PAPER = load_paper()
BENCHMARK = PAPER.benchmark()
STATEMENTS = {statement.id: statement for statement in PAPER.statements}


def test_ids_are_unique():
    ids = [cell.id for cell in PAPER.cells] + list(STATEMENTS)
    assert len(ids) == len(set(ids))


def test_the_benchmark_has_all_of_its_57_cells():
    assert len(BENCHMARK) == 7 * 6 + 5 * 3


@pytest.mark.parametrize("encoder", ["dssm", "sbert"])
@pytest.mark.parametrize("dataset", ["eurlex", "pubmed", "wikiseealso"])
def test_sizes_are_documents_times_dimensions(dataset, encoder):
    size = PAPER.sizes[dataset]["documents"] * PAPER.dimensions[encoder] / 1e6
    assert BENCHMARK[dataset, encoder, "index_mfloats", None] == pytest.approx(size, rel=2e-3)
    with_views = BENCHMARK[dataset, f"mvg+{encoder}", "index_mfloats", None]
    assert with_views == pytest.approx(1.3 * size, rel=2e-3)


def test_eurlex_has_7201_documents_not_the_4271_of_the_text():
    size = BENCHMARK["eurlex", "sbert", "index_mfloats", None]
    assert size == pytest.approx(7201 * 768 / 1e6, abs=0.005)
    assert {c.id: c.printed for c in PAPER.counts}["documents_eurlex"] == 4271


def test_map_is_never_above_recall_and_grows_with_k():
    cells = {cell[:7]: cell.printed for cell in PAPER.cells if cell.metric in ("recall", "map")}
    for cell in PAPER.cells:
        if cell.metric == "map":
            recall = cells[cell._replace(metric="recall")[:7]]
            assert cell.printed <= recall, cell.id
        if cell.metric in ("recall", "map") and cell.k == 100:
            at_10 = cells.get(cell._replace(k=10)[:7], 0)
            assert at_10 <= cell.printed, cell.id


@pytest.mark.parametrize("name", CLAIMS)
def test_claims_of_the_text_hold_in_the_table_unless_called_inconsistent(name):
    statement = STATEMENTS[name]
    derived = derive(BENCHMARK, lambda *cell: "")[name]
    assert derived.reason == ""
    found = verdict(statement.target, derived.value, statement_scale(statement)).verdict
    assert (found == "match") == (not statement.inconsistent), derived


@pytest.mark.parametrize("name", analytic())
def test_cost_model_claims_follow_from_the_formula_unless_called_inconsistent(name):
    statement = STATEMENTS[name]
    found = verdict(statement.target, analytic()[name].value, statement_scale(statement)).verdict
    assert (found == "match") == (not statement.inconsistent)


@pytest.mark.parametrize(("metric", "smaller", "larger"), [("recall", 4.61, 12.38), ("map", 0.42, 4.06)])
def test_gains_on_product_search_follow_from_its_table(metric, smaller, larger):
    values = {cell.id: cell.printed for cell in PAPER.cells}
    gains = [
        values[f"prodsearch/prodsearch/overall/mvg+prod/{metric}@{k}"]
        - values[f"prodsearch/prodsearch/overall/prod/{metric}@{k}"]
        for k in (10, 100)
    ]
    assert sorted(gains) == pytest.approx([smaller, larger])
    assert STATEMENTS[f"prod_gain_{metric}_min"].printed == pytest.approx(smaller, abs=0.06)
    assert STATEMENTS[f"prod_gain_{metric}_max"].printed == pytest.approx(larger, abs=0.06)


def test_statements_are_well_formed():
    for statement in PAPER.statements:
        assert statement.better in ("higher", "lower", "none"), statement.id
        assert statement_scale(statement)
        assert isinstance(statement.target, bool) == (statement.unit == "yes/no"), statement.id


def test_the_paper_marks_the_best_of_each_group():
    """In its tables, MVG over each encoder is bold, also above ColBERT; one bold cell is not underlined."""
    marked = {cell.id for cell in PAPER.cells if cell.bold}
    for cell in PAPER.cells:
        if cell.table == "benchmark" and cell.metric in ("recall", "map"):
            assert cell.bold == cell.underlined == cell.method.startswith("mvg+")
    only_bold = [cell.id for cell in PAPER.cells if cell.bold and not cell.underlined]
    assert only_bold == ["prodsearch/prodsearch/generalization/mvg+prod/map@100"]
    assert len(marked) == 2 * 6 + 12
    underlined = [cell.metric for cell in PAPER.cells if cell.table == "ab_test" and cell.underlined]
    assert underlined == ["units_percent", "exact_substitute_percent", "sparse_results_percent"]
