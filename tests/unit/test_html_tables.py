"""Tables as HTML, read back by the standard library's parser."""

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from mvg.reporting.escapes import single_line
from mvg.reporting.html import body, document
from mvg.reporting.tables import Entry, Layout


class Reader(HTMLParser):
    """The texts of the cells, by row, and all tags."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.tags = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_data(self, data):
        if self.rows and self.rows[-1] and data.strip("\n"):
            self.rows[-1][-1] += data


@given(st.text(min_size=1))
def test_any_text_stays_in_its_cell(text):
    layout = Layout(text, [text], [text], [[(text, [Entry(text)])]], head=text)
    found = Reader(body(document(text, [layout])))
    line = single_line(text)
    assert set(found.tags) == {"p", "div", "table", "caption", "thead", "tbody", "tr", "th", "td", "br"}
    assert [[cell.strip() for cell in row] for row in found.rows] == [
        [line.strip(), f"{line}{line}".strip()],
        [line.strip(), line.strip()],
    ]


def test_marks_and_groups():
    rows = [("a", [Entry("1.00", best=True, significant=True), Entry("2.00")])], [("b", [Entry("3.00"), Entry("–")])]
    text = document("T", [Layout("Caption.", ["Recall", "MAP"], ["mine"], list(rows))])
    assert text.count("<tbody>") == 2 and "<td><u><b>1.00</b></u></td><td>2.00</td>" in text


def test_no_table_is_said():
    assert "nothing &lt;here&gt;" in document("T", [], nothing="nothing <here>")
