"""The page of a run: what it says, what it packs, and that texts from data stay texts."""

import base64
import gzip
import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from small_run import SmallRun

from mvg.page.answer import advice, answers, headline, reason
from mvg.page.charts import hull
from mvg.page.explorer import Space, matching_view, packed, sampled
from mvg.page.tables import sign_tests

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
    assert advice(answer) == "use it"
    assert headline(answer, {}) == (
        "mine: MVG + Prior + x has Recall@100 56.2, +6.2 against x alone (95 % interval +6.2 to +6.2), "
        "with an index of 1.30x."
    )
    assert answer.gains[0].wins == 40 and answer.gains[0].losses == 0


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (scores([56.0] * 40, [15.0] * 40), "weigh it"),
        (BASE, "leave it"),
        (scores([40.0] * 40, [10.0] * 40), "leave it"),
        (scores([49.0, 51.0] * 20, [19.0, 21.0] * 20), "leave it"),  # no more than chance
    ],
)
def test_a_loss_is_weighed_and_no_gain_is_left(row, expected):
    assert advice(over(row)) == expected


def test_a_prior_that_is_as_good_is_named():
    row = scores([56.0] * 40, [25.0] * 40)
    assert "prior alone is as good, with an index of 1.00x" in reason(over(row, prior=row))
    assert "it adds Recall@100 +5.0" in reason(over(row, prior=scores([51.0] * 40, [25.0] * 40)))


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
    space = Space(
        np.float32([[1, 0], [0, 1]]), np.float32([[0.6, 0.8]]), np.float32([[0, 1], [1, 0]]), np.array([0, 0])
    )
    assert matching_view(space, 0, 0, 0.0) == 0  # 0.8 with the first view, 0.6 with its own
    assert matching_view(space, 0, 0, -0.3) is None
    assert matching_view(space, 0, 1, 0.0) is None  # has none


def test_the_hull_never_falls():
    points = [(1, 5), (1, 7), (2, 6), (3, 9)]
    series = [{"points": [{"x": x, "y": y} for x, y in points]}]
    assert [(p["x"], p["y"]) for p in hull(series)["points"]] == [(1, 7), (3, 7), (3, 9), (3, 9)]


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
    assert data["methods"] == ["DSSM", "Prior + DSSM", "MVG + DSSM", "MVG + Prior + DSSM"]
    assert len(data["queries"]) == len(test.queries)
    by_text = {run.queries[row]: row for row in test.queries}
    for text, relevant, lists, _ in data["queries"]:
        row = by_text[text]
        for index, shown in zip(run.indexes.values(), lists):
            found = index.search(run.query_vectors[[row]], 10).documents[0]
            assert [data["documents"][number][0] for number in shown] == [f"d{d}" for d in found]
        wanted = test.pairs[1][test.pairs[0] == row]
        assert {data["documents"][number][0] for number in relevant} == {f"d{d}" for d in wanted}


def test_the_explorer_says_which_vector_matched_and_its_nearest_training_queries(run):
    data = unpacked(run.page.read_text(encoding="utf-8"))
    train, (vectors, owner) = run.splits["train"], run.behavioural
    by_text = {text: row for row, text in enumerate(run.queries)}
    seen = 0
    for text, _, lists, matched in data["queries"]:
        query = run.query_vectors[by_text[text]]
        for place, view in matched.items():
            method, rank = map(int, place.split(":"))
            document = int(data["documents"][lists[method][rank]][0][1:])
            own = vectors[owner == document]
            number, count, nearest = data["views"][view]
            assert count == len(own) and number == 1 + np.argmax(own @ query)
            assert method in (2, 3) and own[number - 1] @ query > run.documents[document] @ query
            rows = train.pairs[0][train.pairs[1] == document]
            order = rows[np.argsort(-(run.query_vectors[rows] @ own[number - 1]))]
            assert [by_text[one] for one in nearest] == order[:3].tolist()
            seen += 1
    assert seen > 20


def test_rare_queries_are_not_shown_if_a_run_says_so(tmp_path):
    run = SmallRun(tmp_path, min_count=3)
    data = unpacked(run.page.read_text(encoding="utf-8"))
    rare = {text for row, text in enumerate(run.queries) if 1 + row % 3 < 3}
    shown = {query[0] for query in data["queries"]} | {text for view in data["views"] for text in view[2]}
    assert shown and not shown & rare


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
    assert page.text[page.text.index("Simulated data: EurLex") :].index("The answer") < 200
    for address in page.addresses:
        assert address.startswith(("#", "data:")) or (run.folder / address).is_file(), address
    assert {address[1:] for address in page.addresses if address.startswith("#")} <= set(page.ids)
    assert "Beta is 0.5, drawn." in page.text and "snakemake --config run=small" in page.text
    assert run.answer.read_text(encoding="utf-8").startswith("EurLex (simulated): MVG + Prior + DSSM has Recall@20")


def test_of_ones_own_data_the_paper_says_nothing(tmp_path):
    page = Page(SmallRun(tmp_path, dataset="mine", simulated=False).page.read_text(encoding="utf-8"))
    assert "paper" not in page.ids and "Simulated" not in page.text


def test_texts_from_data_stay_texts(tmp_path, run):
    hostile = SmallRun(tmp_path, text=lambda number: f"{HOSTILE} {number}").page.read_text(encoding="utf-8")
    assert Page(hostile).tags.count("script") == Page(run.page.read_text(encoding="utf-8")).tags.count("script")
    assert f"{HOSTILE} 1" in Page(hostile).text
    assert unpacked(hostile)["documents"][0][1].startswith(HOSTILE)
