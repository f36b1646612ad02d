"""Any text, made safe for one cell of a Markdown or LaTeX table."""

import re
import unicodedata

# Bidirectional overrides and isolates would leak out of their cell: shown as code points.
_BIDI_CONTROLS = set("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_FIRST_STRONG_ISOLATE, _POP_ISOLATE = "\u2068", "\u2069"

_MARKDOWN = {c: f"\\{c}" for c in "\\`*_[]~$"} | {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    "|": "&#124;",  # not \|: some renderers split the row at every bar
}

_LATEX = {c: f"\\{c}" for c in "{}$&#%_"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\char34{}",
    "[": "{[}",  # \\ at the end of a row would take [ and * that follow it for its arguments
    "]": "{]}",
    "*": "{*}",
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "–": r"\textendash{}",
    "—": r"\textemdash{}",
    "‘": r"\textquoteleft{}",
    "’": r"\textquoteright{}",
    "“": r"\textquotedblleft{}",
    "”": r"\textquotedblright{}",
    "…": r"\dots{}",
    "±": r"\ensuremath{\pm}",
    "\N{NO-BREAK SPACE}": "~",
}
_LATEX_ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0327": "c",
}
_DOTLESS = {"i": r"\i", "j": r"\j"}


def escape_markdown(text) -> str:
    """``text`` as one line of literal text inside a GitHub-flavoured Markdown table or sentence."""
    line = single_line(text)
    escaped = "".join(_MARKDOWN.get(c, c) for c in line)
    if any(unicodedata.bidirectional(c) in ("R", "AL") for c in line):
        # Keeps right-to-left text from reordering the cells around it.
        return _FIRST_STRONG_ISOLATE + escaped + _POP_ISOLATE
    return escaped


def escape_latex(text) -> str:
    """``text`` as one line of literal LaTeX, for pdfLaTeX, XeLaTeX and LuaLaTeX alike.

    pdfLaTeX without more packages stops at letters outside the Latin ones: those go through a
    switch that gives XeLaTeX and LuaLaTeX the letters and pdfLaTeX their code points.
    """
    runs = re.split("([^\x00-\x7f]+)", single_line(text))
    return "".join(_latex_ascii(run) if run.isascii() else _latex_letters(run) for run in runs)


def _latex_ascii(run: str) -> str:
    escaped = "".join(_LATEX.get(c, c) for c in run)
    # TeX would read --, '', ?` and their like as one dash, quotation mark or ¿.
    return re.sub("(?<=[-'`,?!])(?=[-'`,])", "{}", escaped)


def _latex_letters(run: str) -> str:
    """A run of letters outside ASCII."""
    composed = [_latex_letter(c) for c in run]
    if None not in composed:
        return "".join(composed)
    code_points = " ".join(f"U+{ord(c):04X}" for c in run)
    return rf"\ifdefined\Uchar {run}\else[{code_points}]\fi{{}}"


def _latex_letter(c: str) -> str | None:
    """``é`` -> ``\\'{e}``; None for what plain pdfLaTeX can't set."""
    if c in _LATEX:
        return _LATEX[c]
    base, *accents = unicodedata.normalize("NFD", c)
    accents = "".join(accents)
    if base.isascii() and accents in _LATEX_ACCENTS:
        return f"\\{_LATEX_ACCENTS[accents]}{{{_DOTLESS.get(base, base)}}}"
    return None


def single_line(text) -> str:
    """``text`` without line breaks; control characters shown as escapes, nothing dropped."""
    return "".join(_visible(c) for c in str(text))


def _visible(c: str) -> str:
    if c in "\t\n\v\f\r\x1c\x1d\x1e\x1f\x85\u2028\u2029":
        return " "
    if c in _BIDI_CONTROLS or unicodedata.category(c) in ("Cc", "Cs"):
        return c.encode("unicode_escape").decode("ascii")
    return c
