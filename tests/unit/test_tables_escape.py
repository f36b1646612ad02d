"""Whatever a title contains, the table stays a table and shows the title."""

import html
import re
import shutil
import subprocess
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvg.reporting.escapes import escape_latex, escape_markdown, single_line
from mvg.reporting.tables import pipe_table

NASTY = [
    "a | b",
    "<b>bold</b> & more",
    r"\textbf{x} \input{/etc/passwd}",
    "tab\there\nnew line\r\nand\u2028more",
    "NUL \x00 and escape \x1b[31m",
    "$5 #1 50% a_b ~ ^ {",
    "[link](http://x) *stars* `code` ![i](j)",
    "שלום עולם",
    "\u202eoverride",
    "naïve café Ångström Łódź – “quoted” … ß",
    "日本語 and emoji 👩\u200d🔬",
    "[x] at the start",
    "* at the start",
    "-- ?` ''",
    "\ud800 lone surrogate",
    "",
]


def unescape_markdown(text):
    """What a Markdown renderer shows of literal text."""
    return html.unescape(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text)).strip("\u2068\u2069")


@pytest.mark.parametrize("text", NASTY)
def test_markdown_examples(text):
    escaped = escape_markdown(text)
    assert unescape_markdown(escaped) == single_line(text)
    assert not re.search(r"[|<>\n\r\x00]", escaped)
    assert not re.search(r"(?<!\\)[*`\[\]_~$]", escaped)
    escaped.encode("utf-8")


@given(st.text())
def test_markdown_shows_any_text_in_one_cell(text):
    escaped = escape_markdown(text)
    assert unescape_markdown(escaped) == single_line(text).strip("\u2068\u2069")
    table = pipe_table(["a", "b"], [[escaped, "1"]], align="lr")
    assert table.count("\n") == 2 and len(table.splitlines()) == 3
    assert all(line.count("|") == 3 for line in table.splitlines())


def test_right_to_left_text_stays_in_its_cell():
    assert escape_markdown("שלום") == "\u2068שלום\u2069"
    assert escape_markdown("a\u202eb") == r"a\\u202eb"


@given(st.text())
def test_a_single_line_has_no_control_characters(text):
    line = single_line(text)
    assert len(line.splitlines()) <= 1
    assert not any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in line)


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        (r"\textbf{x}", r"\textbackslash{}textbf\{x\}"),
        ("50% of $5 & a_b #1", r"50\% of \$5 \& a\_b \#1"),
        ("~^", r"\textasciitilde{}\textasciicircum{}"),
        ("<b>|", r"\ensuremath{<}b\ensuremath{>}\textbar{}"),
        ("dssm-tuned", "dssm-tuned"),
        ("a--b", "a-{}-b"),
        ("[x]*", "{[}x{]}{*}"),
        ("naïve", r"na\"{\i}ve"),
        ("Łódź", r"\L{}\'{o}d\'{z}"),
        ("Erdős, ű, ǎ, e\u0301", r"Erd\H{o}s, \H{u}, \v{a}, \'{e}"),
        ("é日本", r"\'{e}\ifdefined\Uchar 日本\else[U+65E5 U+672C]\fi{}"),
        ("MVG + Prior + DSSM-tuned, 0.5 ± 0.1", r"MVG + Prior + DSSM-tuned, 0.5 \ensuremath{\pm} 0.1"),
        ("שלום", r"\ifdefined\Uchar שלום\else[U+05E9 U+05DC U+05D5 U+05DD]\fi{}"),
        ("a\x00\nb", r"a\textbackslash{}x00 b"),
    ],
)
def test_latex_examples(text, latex):
    assert escape_latex(text) == latex


LATEX_COMMANDS = set(
    [
        r"\ensuremath",
        r"\pm",
        r"\textbackslash",
        r"\textasciitilde",
        r"\textasciicircum",
        r"\textbar",
        r"\char",
        r"\textendash",
        r"\textemdash",
        r"\textquoteleft",
        r"\textquoteright",
        r"\textquotedblleft",
        r"\textquotedblright",
        r"\textellipsis",
        r"\ss",
        r"\ae",
        r"\AE",
        r"\oe",
        r"\OE",
        r"\o",
        r"\O",
        r"\l",
        r"\L",
        r"\i",
        r"\j",
        r"\u",
        r"\r",
        r"\H",
        r"\v",
        r"\c",
        r"\ifdefined",
        r"\Uchar",
        r"\else",
        r"\fi",
        r"\ensuremath",
        r"\pm",
        r"\{",
        r"\}",
        r"\$",
        r"\&",
        r"\#",
        r"\%",
        r"\_",
        r"\`",
        r"\'",
        r"\^",
        r"\~",
        r"\=",
        r"\.",
        r"\"",
    ]
)


@given(st.text() | st.sampled_from(NASTY))
def test_latex_of_any_text_is_balanced_and_knows_its_commands(text):
    escaped = escape_latex(text)
    assert set(re.findall(r"\\(?:[a-zA-Z]+|.)", escaped)) <= LATEX_COMMANDS
    bare = re.sub(r"\\(?:[a-zA-Z]+|.)", "", escaped)
    assert not re.search(r"[#$%&_^\\\n\x00]", bare)
    depth = 0
    for c in bare:
        depth += (c == "{") - (c == "}")
        assert depth >= 0
    assert depth == 0
    # pdfLaTeX reads letters outside ASCII only inside the branch that it skips.
    outside = re.sub(r"\\ifdefined\\Uchar .*?\\else", "", escaped)
    assert outside.isascii()


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="no pdflatex: the form is checked above")
def test_latex_of_nasty_text_compiles(tmp_path):
    rows = " \\\\\n".join(f"{escape_latex(text)} & 1" for text in NASTY)
    document = (
        r"\documentclass{article}\begin{document}\begin{tabular}{ll}"
        rf"{rows}\end{{tabular}}\end{{document}}"
    )
    (tmp_path / "page.tex").write_text(document, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout[-2000:]
