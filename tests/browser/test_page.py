"""The page of a run in a headless browser: it loads nothing from outside, sorts, filters, explores, runs no text."""

import os
import re
import shutil

import pytest
import small_run
from small_run import SmallRun

playwright = pytest.importorskip("playwright.sync_api")

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)> \"quoted\" 'x' \u202e {{ 7*7 }}"

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium is installed"),
]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return SmallRun(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def chromium():
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium):
    """visit(file, **context) -> the open page; nothing may go wrong on it, and nothing may leave it."""
    contexts, wrong = [], []

    def visit(file, ready="#explore[data-ready]", **options):
        contexts.append(chromium.new_context(**options))
        page = contexts[-1].new_page()
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: wrong.append(request.url) if request.url != file.as_uri() else None)
        page.goto(file.as_uri())
        page.wait_for_selector(ready, state="attached")
        return page

    yield visit
    for context in contexts:
        context.close()
    assert [message for message in wrong if not message.startswith("data:")] == []


def texts(page, selector):
    return page.locator(selector).all_inner_texts()


def test_a_table_sorts_by_mouse_and_by_keyboard(run, visit):
    page = visit(run.page)
    column = ".benchmark >> nth=0 >> tbody td:nth-child(2)"
    numbers = lambda: [float(text) for text in texts(page, column)]  # noqa: E731
    head = page.locator(".benchmark").first.locator("thead th").nth(1)
    head.click()
    page.wait_for_selector("th[aria-sort=descending]")
    page.wait_for_function("() => true")
    assert numbers() == sorted(numbers(), reverse=True) and len(set(numbers())) > 1
    head.press("Enter")
    page.wait_for_selector("th[aria-sort=ascending]")
    page.wait_for_timeout(50)
    assert numbers() == sorted(numbers())
    # Of a table, only the heads of its columns are stops of the keyboard, and they are named.
    stops = page.locator(".sortable th[tabindex='0']")
    assert stops.count() == page.locator(".sortable thead th").count()
    assert head.get_attribute("aria-label").startswith(
        f"Click to sort table by {' '.join(head.inner_text().split())} in "
    )


def test_two_rows_are_tested_against_each_other(run, visit):
    page = visit(run.page)
    page.get_by_label("Compare MVG + DSSM", exact=True).first.check()
    page.locator("tr[data-method=dssm] td").first.click()  # a row as well as its box
    page.wait_for_selector("#test table")
    caption = page.locator("#test caption").inner_text()
    assert caption.startswith("MVG + DSSM against DSSM")
    rows = [row.split("\t") for row in texts(page, "#test tbody tr")]
    lines = (run.folder / "tables/significance.csv").read_text().splitlines()[1:]
    expected = [line.split(",") for line in lines if ",dssm,mvg+dssm," in line]
    # In the csv, a is DSSM, so its losses are the wins of MVG.
    assert [row[2:5] for row in rows] == [[losses, wins, ties] for *_, wins, losses, ties, _ in expected]
    page.get_by_label("Compare DSSM", exact=True).first.uncheck()
    assert page.locator("#test").is_hidden()


def test_verdicts_are_filtered(run, visit):
    page = visit(run.page)
    page.get_by_role("radio", name=re.compile("^not comparable")).check()
    shown = page.locator(".verdicts tbody tr:visible")
    assert shown.count() == page.locator(".verdicts tr[data-verdict='not comparable']").count() > 0
    page.get_by_role("radio", name=re.compile("^all")).check()
    assert shown.count() == page.locator(".verdicts tbody tr").count()


def test_the_explorer_shows_the_ten_documents_of_index_search_for_twenty_queries(run, visit):
    page = visit(run.page)
    for row in run.splits["test"].queries[:20]:
        page.get_by_label("Filter the test queries").fill(run.queries[row])
        option = page.locator(".matches option").filter(has_text=re.compile(f"^{re.escape(run.queries[row])}$"))
        page.locator(".matches").select_option(option.get_attribute("value"))
        for number, method in enumerate(("dssm", "prior+dssm", "mvg+dssm", "auto+dssm")):
            found = run.indexes[method].search(run.query_vectors[[row]], 10).documents[0]
            shown = page.locator(".rankings > section").nth(number).locator("ol > li > bdi")
            assert shown.all_inner_texts() == [run.text(document) for document in found]


def test_a_behavioural_hit_opens_to_its_training_queries(run, visit):
    page = visit(run.page)
    options = page.locator(".matches option").count()
    for number in range(options):
        page.locator(".matches").select_option(index=number)
        if page.locator("details.view").count():
            break
    page.locator("details.view summary").first.click()
    training = {run.queries[row] for row in run.splits["train"].queries}
    nearest = texts(page, "details.view[open] li")
    assert nearest and set(nearest) <= training


def test_charts_are_drawn_and_named(run, visit):
    page = visit(run.page)
    chart = page.locator(".chart[data-chart=budget_sweep]")
    chart.scroll_into_view_if_needed()
    canvas = chart.locator("canvas").first
    canvas.wait_for()
    assert "Recall@20" in canvas.get_attribute("aria-label") and canvas.get_attribute("role") == "img"


@pytest.mark.parametrize("width", [380, 1280])
def test_labels_of_an_axis_do_not_overlap(run, visit, width):
    page = visit(run.page, viewport={"width": width, "height": 900})
    chart = page.locator(".chart[data-chart=frontier]")
    chart.scroll_into_view_if_needed()
    chart.locator("canvas").first.wait_for()
    ticks = page.evaluate(
        """() => {
            const { x } = Chart.getChart(document.querySelector("[data-chart=frontier] canvas")).scales;
            x.ctx.font = "12px sans-serif";
            return x.ticks.map((tick, at) => [x.getPixelForTick(at), x.ctx.measureText(tick.label).width]);
        }"""
    )
    assert len(ticks) >= 2
    assert all(b - a > (wide + other) / 2 for (a, wide), (b, other) in zip(ticks, ticks[1:]))


def test_the_legend_hides_a_line_and_its_colours_stand_out_in_the_dark(run, visit):
    page = visit(run.page, color_scheme="dark")
    chart = page.locator(".chart[data-chart=budget_sweep]")
    chart.scroll_into_view_if_needed()
    button = chart.get_by_role("button", name="β = 0.5")
    button.wait_for()
    red, green, blue = map(int, re.findall(r"\d+", button.locator("span").evaluate("e => getComputedStyle(e).color")))
    assert max(red, green, blue) > 120  # viridis begins at #440154
    shown = "Chart.getChart(document.querySelector('.chart[data-chart=budget_sweep] canvas')).isDatasetVisible(1)"
    assert page.evaluate(shown)
    button.press("Enter")
    assert button.get_attribute("aria-pressed") == "false" and not page.evaluate(shown)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [380, 1024, 1600])
def test_it_fits_any_screen_light_and_dark(run, visit, width, scheme):
    page = visit(run.page, viewport={"width": width, "height": 800}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")


def test_without_javascript_all_but_the_explorer_is_there(run, visit):
    page = visit(run.page, ready="#run", java_script_enabled=False)
    assert page.get_by_text("The explorer needs JavaScript").is_visible()
    for section in ("answer", "frontier", "figures", "tables", "paper", "data", "run"):
        assert page.locator(f"#{section} h2").is_visible()
    assert page.locator(".benchmark").first.locator("tbody tr").count() == len(run.indexes)
    page.locator("summary", has_text="As printed").first.click()
    assert page.locator("#figure-budget_sweep img").is_visible()


def test_words_that_no_query_has_leave_nothing_of_the_query_before(run, visit):
    page = visit(run.page)
    words = page.get_by_label("Filter the test queries")
    words.fill("no query says this")
    assert page.get_by_text("No test query has these words").is_visible()
    assert (
        page.locator(".rankings > section").count() == 0 and page.get_by_role("button", name="Any query").is_disabled()
    )
    words.fill("")
    assert page.locator(".rankings > section").count() == 4


def test_any_query_is_one_of_all_that_have_the_words(tmp_path, monkeypatch, visit):
    monkeypatch.setattr(small_run, "SPLITS", ["train"] * 2 + ["dev"] + ["test"] * 7)
    page = visit(SmallRun(tmp_path).page)
    assert page.locator(".matches option").count() == 200
    assert page.get_by_text("The first 200 of 280 queries").is_visible()
    listed = set(texts(page, ".matches option"))
    page.evaluate("Math.random = () => 0.999")
    page.get_by_role("button", name="Any query").click()
    assert page.locator("#explore [role=status] strong").inner_text() not in listed


def test_a_page_without_queries_says_so(tmp_path, visit):
    page = visit(SmallRun(tmp_path, min_count=1e9).page, ready="#run")
    assert page.get_by_text("This page shows no test queries").is_visible()
    assert page.get_by_role("button", name="Any query").count() == 0


def test_on_paper_all_is_open_and_the_ground_is_white(run, visit):
    page = visit(run.page, color_scheme="dark")
    canvas = page.locator(".chart[data-chart=budget_sweep] canvas")
    assert canvas.count() == 0  # it is far below
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print", color_scheme="dark")
    assert canvas.count() > 0
    ground, text = page.evaluate(
        "(({backgroundColor, color}) => [backgroundColor, color])(getComputedStyle(document.body))"
    )
    assert ground == "rgb(255, 255, 255)" and max(map(int, re.findall(r"\d+", text))) < 80
    assert page.locator("#run details pre").is_visible()
    assert page.locator(".verdicts tbody tr").last.is_visible()
    box = page.locator(".tall").evaluate("e => [e.scrollHeight, e.clientHeight]")
    assert box[0] == box[1]


def test_hostile_texts_stay_texts(tmp_path, visit):
    run = SmallRun(tmp_path, text=lambda number: f"{HOSTILE} {number}")
    page = visit(run.page)
    shown = texts(page, ".rankings ol > li > bdi")
    assert shown and all(text.startswith("<script>alert(1)</script><img src=x") for text in shown)
    assert page.locator("#explore img, #explore script").count() == 0
