"""The page of a run: its answer, its data, and that texts from data stay texts."""

import base64
import gzip
import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
import small_run
from small_run import SmallRun

from mvg.multiview import Addition, Behavioural
from mvg.page.answer import Part, advice, answers, headline
from mvg.page.charts import frontier, hull
from mvg.page.explorer import matching_view, packed, sampled
from mvg.page.tables import sign_tests

SHOWN = ("dssm", "prior+dssm", "mvg+dssm", "auto+dssm")  # in the explorer
HOSTILE = "<script>alert(1)</script> & \"quoted\" 'x' </title>{{ 7*7 }}"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return SmallRun(tmp_path_factory.mktemp("run"))


def unpacked(page: str) -> dict:
    code = re.search(r'class="packed-dataset"[^>]*>([^<]+)<', page).group(1)
    return json.loads(gzip.decompress(base64.b64decode(code)))


def scores(recall, map):
    return pd.DataFrame({"recall@10": np.zeros(len(map)), "recall@100": recall, "map@100": map})


BASE = scores([50.0] * 40, [20.0] * 40)


def over(row, prior=None, size=1.3):
    methods = {"x": BASE, "mvg+prior+x": row} | ({} if prior is None else {"prior+x": prior})
    (found,) = answers({"mine": methods}, {("mine", m): size if "mvg" in m else 1.0 for m in methods})
    return found


def test_a_gain_on_both_metrics_is_used():
    answer = over(scores([56.2] * 40, [25.0] * 40))
    assert advice(answer).what == "use"
    assert headline(answer, advice(answer), {}) == (
        "mine: use MVG + Prior + x. Recall@100 56.2, +6.2 against x alone (95 % interval +6.2 to +6.2), "
        "with an index of 1.30x."
    )
    assert headline(answer, advice(answer), {"mine": {"simulated": True, "title": "Mine"}}).startswith(
        "Simulated data, no evidence for the method. Mine (simulated): use "
    )
    assert answer.gains[0].wins == 40 and answer.gains[0].losses == 0


FEW_WIN_MUCH = [5.0] * 30 + [100.0] * 10  # against 20: the mean rises, three queries of four lose


@pytest.mark.parametrize(
    ("row", "expected", "why"),
    [
        (scores([56.0] * 40, [15.0] * 40), "weigh", "Recall@100 rises, but MAP@100 falls."),
        (
            scores([56.0] * 40, FEW_WIN_MUCH),
            "weigh",
            "Recall@100 rises, but on MAP@100 more queries lose (30) than win (10).",
        ),
        (BASE, "leave", "no better than x alone."),
        (scores([40.0] * 40, [10.0] * 40), "leave", "worse than x alone."),
        (
            scores([49.0, 51.0] * 20, [19.0, 21.0] * 20),
            "leave",
            "no better than x alone.",
        ),
    ],
)
def test_a_loss_is_weighed_whatever_the_mean_and_no_gain_is_left(row, expected, why):
    found = advice(over(row))
    assert found.what == expected and found.why.endswith(why)


def test_the_headline_is_one_line_for_a_terminal_whatever_the_title():
    answer = over(BASE)
    line = headline(answer, advice(answer), {"mine": {"title": "First\nsecond \x1b[31m"}})
    assert line.startswith("First second \\x1b[31m: leave")


def test_a_row_that_costs_a_part_of_the_documents_is_weighed():
    answer = over(scores([56.0] * 40, [25.0] * 40))
    head, tail = Part("Head", 9, (50, 45, 55), (60, 55, 65)), Part("Tail", 9, (30, 27, 33), (20, 15, 25))
    found = advice(answer, lambda method: [head, tail])
    assert found.what == "weigh" and found.why.endswith("lose, in points of recall: Tail −10.0.")
    assert advice(answer, lambda method: [head, tail._replace(base=(30, 0, 60))]).what == "use"


def test_a_prior_that_is_as_good_is_what_to_use():
    row = scores([56.0] * 40, [25.0] * 40)
    found = advice(over(row, prior=row))
    assert (found.what, found.method, found.index_ratio) == ("use", "prior+x", 1.0)
    assert found.why.endswith("MVG + Prior + x, dev's choice, is the same.")
    better = scores([56.0] * 40, [26.0] * 40)
    assert advice(over(row, prior=better)).why.endswith(
        "adds nothing to it: Recall@100 +0.0, MAP@100 −1.0, with an index of 1.30x."
    )


def test_a_row_that_adds_to_the_prior_is_weighed_against_it():
    row = scores([56.0] * 40, [25.0] * 40)
    found = advice(over(row, prior=scores([51.0] * 40, [25.0] * 40)))
    assert (found.what, found.method) == ("use", "mvg+prior+x")
    assert found.why.endswith("Over the popularity prior alone: Recall@100 +5.0, MAP@100 +0.0.")
    assert advice(over(row, prior=scores([51.0] * 40, [26.0] * 40))).what == "weigh"


def test_what_dev_chose_among_all_goes_before_the_papers_rows():
    methods = {"x": BASE, "mvg+x": BASE, "auto+x": BASE, "mvg+prior+x": BASE}
    (found,) = answers({"mine": methods}, {("mine", m): 1.0 for m in methods})
    assert found.method == "auto+x"


def test_queries_are_sampled_by_traffic_and_a_shorter_sample_begins_a_longer_one():
    weights, rows = np.ones(1000), np.arange(0, 1000, 2)
    weights[:100] = 1000
    chosen = sampled(weights, rows, 50)
    assert (rows[chosen] < 100).sum() >= 45 and len(set(chosen)) == 50
    assert sampled(weights, rows, 20).tolist() == chosen[:20].tolist()
    assert sampled(weights, rows, min_count=2).tolist() == sampled(weights, rows, 50, min_count=2).tolist()
    assert set(rows[sampled(weights, rows, 500, min_count=2)]) == set(range(0, 100, 2))


def test_a_behavioural_vector_matches_only_above_the_documents_own():
    views = Behavioural(np.float32([[0, 1], [1, 0]]), np.array([0, 0]))
    addition, query = Addition(np.float32([[1, 0], [0, 1]]), views), np.float32([0.6, 0.8])
    assert matching_view(addition, query, 0).vector == 0  # 0.8 with the first view, 0.6 with its own
    assert matching_view(addition._replace(view_bias=-0.3), query, 0) is None
    assert matching_view(addition, query, 1) is None  # has none


def test_a_frontier_gives_each_method_a_look_of_its_own():
    row = dict(dataset="mine", encoder="x", metric="recall", k=10, budget=None, index_ratio=1.0, value=1.0)
    methods = ("x", "prior+x", "mvg+x", "tuned+x", "auto+x", "shared+tuned+x")
    ((facet,),) = [frontier(pd.DataFrame([row | {"method": m} for m in methods]), {})["facets"]]
    *series, best = facet["panels"][0]["series"]
    assert [one["label"] for one in series][:2] == ["x", "Prior + x"] and best["dash"]
    assert len({(one["color"], one["marker"]) for one in series}) == len(methods)


def test_the_hull_never_falls():
    points = [(1, 5), (1, 7), (2, 6), (3, 9)]
    series = [{"points": [{"x": x, "y": y} for x, y in points]}]
    assert [(p["x"], p["y"]) for p in hull(series)["points"]] == [(1, 7), (3, 7), (3, 9), (3, 9)]


def test_a_number_that_is_missing_leaves_a_chart_that_browsers_can_read():
    row = dict(dataset="mine", encoder="x", method="x", metric="recall", k=10, budget=None, index_ratio=1.0, value=1.0)
    chart = frontier(pd.DataFrame([row, row | {"value": float("nan")}, row | {"method": "mvg+x", "value": np.nan}]), {})
    json.dumps(chart, allow_nan=False)
    one, other, _ = chart["facets"][0]["panels"][0]["series"]
    assert (len(one["points"]), len(other["points"])) == (1, 0)


def test_sign_tests_are_found_by_their_two_rows():
    row = dict(dataset="mine", metric="recall", k=10, a="x", b="mvg+x", wins=1, losses=2, ties=3, p_value=0.12345)
    (found,) = sign_tests(pd.DataFrame([row]), {})["datasets"]
    assert found == ["mine", ["Recall@10"], {"x mvg+x": [[1, 2, 3, 0.12]]}]


def test_what_does_not_fit_is_not_packed():
    noise = np.random.default_rng(0).integers(1 << 60, size=500).tolist()
    assert packed(noise, 1000) is None and packed(noise, 100_000)


def test_the_explorer_has_the_ten_best_of_each_row(run):
    data = unpacked(run.page.read_text(encoding="utf-8"))
    test = run.splits["test"]
    assert data["methods"] == ["DSSM", "Prior + DSSM", "MVG + DSSM", "Auto: Shared + MVG + Prior + DSSM"]
    assert len(data["queries"]) == len(test.queries)
    by_text = {run.queries[row]: row for row in test.queries}
    for text, relevant, lists, _ in data["queries"]:
        row = by_text[text]
        for method, shown in zip(SHOWN, lists):
            found = run.indexes[method].search(run.query_vectors[[row]], 10).documents[0]
            assert [data["documents"][number][0] for number in shown] == [f"d{d}" for d in found]
        wanted = test.pairs[1][test.pairs[0] == row]
        assert {data["documents"][number][0] for number in relevant} == {f"d{d}" for d in wanted}


def hits(run, kind):
    """(method, query row, document row, what is said, rows of training queries) of each hit in the explorer."""
    data = unpacked(run.page.read_text(encoding="utf-8"))
    by_text = {text: row for row, text in enumerate(run.queries)}
    for text, _, lists, matched in data["queries"]:
        for place, number in matched.items():
            method, rank = map(int, place.split(":"))
            said, nearest = data["hits"][number]
            if said.startswith(kind):
                document = int(data["documents"][lists[method][rank]][0][1:])
                yield SHOWN[method], by_text[text], document, said, [by_text[one] for one in nearest]


def nearest_of(run, document, vector):
    train = run.splits["train"].pairs
    rows = train[0][train[1] == document]
    return rows[np.argsort(-(run.query_vectors[rows] @ vector))][:3].tolist()


def test_the_explorer_says_which_vector_matched_and_its_nearest_training_queries(run):
    vectors, owner = run.behavioural
    found = [*hits(run, "Vector")]
    for method, query, document, said, nearest in found:
        own, query = vectors[owner == document], run.query_vectors[query]
        best = int(np.argmax(own @ query))
        assert said.startswith(f"Vector {best + 1} of {len(own)} matched.")
        assert method == "mvg+dssm" and own[best] @ query > run.documents[document] @ query
        assert nearest == nearest_of(run, document, own[best])
    assert len(found) > 20


def test_the_explorer_says_what_votes_add_and_whose_vote_weighs_most(run):
    votes = run.auto.votes
    found = [*hits(run, "Near centers")]
    for method, query, document, said, nearest in found:
        similarity = votes.centers @ run.query_vectors[query]
        near = np.argsort(-similarity)[: votes.nearest]
        parts = votes.weights(similarity[None, near])[0] * votes.shares[near, document].toarray().ravel()
        assert method == "auto+dssm" and f"add {parts.sum():.3f} to" in said
        assert nearest == nearest_of(run, document, votes.centers[near[parts.argmax()]])
    assert len(found) > 20


def test_rare_queries_are_not_shown_if_a_run_says_so(tmp_path):
    run = SmallRun(tmp_path, min_count=3)
    data = unpacked(run.page.read_text(encoding="utf-8"))
    rare = {text for row, text in enumerate(run.queries) if 1 + row % 3 < 3}
    shown = {query[0] for query in data["queries"]} | {text for hit in data["hits"] for text in hit[1]}
    assert shown and not shown & rare


def test_a_row_for_which_dev_chose_no_behavioural_vectors_has_no_hits(tmp_path, monkeypatch):
    monkeypatch.setattr(small_run, "METHODS", ("dssm", "prior+dssm", "mvg+dssm", "mvg+prior+dssm"))
    run = SmallRun(tmp_path)
    (tmp_path / "choice.json").write_text('{"view_bias": null}')
    run._page({"queries": 2000, "min_count": 0})
    data = unpacked(run.page.read_text(encoding="utf-8"))
    assert data["methods"][3] == "MVG + Prior + DSSM"
    assert {place.partition(":")[0] for *_, matched in data["queries"] for place in matched} == {"2"}


class Page(HTMLParser):
    """Tags, ids, addresses and the text outside scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.addresses, self.text, self.hidden = [], [], [], "", False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.hidden = tag in ("script", "style")
        values = dict(attrs)
        self.ids += [values["id"]] if "id" in values else []
        self.addresses += [values[name] for name in ("href", "src") if name in values]
        assert tag != "img" or values["alt"]

    def handle_endtag(self, tag):
        self.hidden = False

    def handle_data(self, data):
        self.text += "" if self.hidden else data


def test_one_file_with_landmarks_that_names_simulated_data_first(run):
    page = Page(run.page.read_text(encoding="utf-8"))
    assert page.tags.count("h1") == page.tags.count("main") == 1
    assert len(page.ids) == len(set(page.ids))
    assert page.text[page.text.index("Simulated data check the code") :].index("The answer") < 200
    for address in page.addresses:
        assert address.startswith(("#", "data:")) or (run.folder / address).is_file(), address
    assert {address[1:] for address in page.addresses if address.startswith("#")} <= set(page.ids)
    data = page.text[page.text.index("The data") :]
    assert re.search(r"Split rule\s*by hand", data) and re.search(r"Dropped\s*repeated lines: 2", data)
    assert "Beta is 0.5, drawn." in page.text and "snakemake --config run=small" in page.text
    assert run.answer.read_text(encoding="utf-8").startswith("Simulated data, no evidence")


def test_of_ones_own_data_the_paper_says_nothing(tmp_path):
    page = Page(SmallRun(tmp_path, dataset="mine", simulated=False).page.read_text(encoding="utf-8"))
    assert "paper" not in page.ids and "Simulated" not in page.text


def test_cells_that_are_no_plain_numbers_say_what_to_sort_them_by(run):
    text = run.page.read_text(encoding="utf-8")
    cells = re.findall(
        r"<td([^>]*)>([^<]*)</td>", text[text.index("Each encoder and the row") : text.index("The frontier")]
    )
    keys = [re.search(r'data-sort="([^"]+)"', attributes) for attributes, shown in cells if shown[:1] in "+−0123456789"]
    assert len(keys) == 8 and all(key and np.isfinite(float(key[1])) for key in keys)


def test_a_run_without_experiments_has_no_empty_section(tmp_path):
    run = SmallRun(tmp_path)
    for path in (tmp_path / "figures").iterdir():
        path.unlink()
    run._page({"queries": 2000, "min_count": 0})
    page = Page(run.page.read_text(encoding="utf-8"))
    assert "figures" not in page.ids and "#figures" not in page.addresses and "frontier" in page.ids


def test_texts_from_data_stay_texts(tmp_path, run):
    hostile = SmallRun(tmp_path, text=lambda number: f"{HOSTILE} {number}").page.read_text(encoding="utf-8")
    assert Page(hostile).tags.count("script") == Page(run.page.read_text(encoding="utf-8")).tags.count("script")
    assert f"{HOSTILE} 1" in Page(hostile).text
    assert unpacked(hostile)["documents"][0][1].startswith(HOSTILE)
