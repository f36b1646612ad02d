"""Any text, made safe for one cell of a Markdown or LaTeX table."""

import re
import unicodedata
from functools import cache

from pylatexenc.latexencode import (
    RULE_DICT,
    RULE_REGEX,
    UnicodeToLatexConversionRule,
    UnicodeToLatexEncoder,
    get_builtin_conversion_rules,
    get_builtin_uni2latex_dict,
)

# Bidirectional overrides and isolates would affect other cells, so they are shown as code points.
_BIDI_CONTROLS = set("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_FIRST_STRONG_ISOLATE, _POP_ISOLATE = "\u2068", "\u2069"

_MARKDOWN = {c: f"\\{c}" for c in "\\`*_[]~$"} | {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    "|": "&#124;",  # not \|: some renderers split the row at every bar
}

# The part of pylatexenc's tables that pdfLaTeX has without a package. The rest needs one, or shows another letter.
_NAMED = "{}$&#%_\\~^<>ßæÆœŒøØłŁ–—‘’“”…±\N{NO-BREAK SPACE}"
_ACCENTS = "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327"
_ACCENTED = range(0xC0, 0x1F00)  # code points of letters with one accent
_DOTLESS = {"i": r"\i", "j": r"\j"}
_LATEX = {
    '"': r"\char34{}",
    "|": r"\textbar{}",
    "[": "{[}",  # \\ at the end of a row would take [ and * that follow it for its arguments
    "]": "{]}",
    "*": "{*}",
}


def escape_markdown(text) -> str:
    """``text`` as one line of literal text inside a GitHub-flavoured Markdown table or sentence."""
    line = single_line(text)
    escaped = "".join(_MARKDOWN.get(c, c) for c in line)
    if any(unicodedata.bidirectional(c) in ("R", "AL") for c in line):
        # Otherwise right-to-left text would reorder the cells around it.
        return _FIRST_STRONG_ISOLATE + escaped + _POP_ISOLATE
    return escaped


def escape_latex(text) -> str:
    """``text`` as one line of literal LaTeX, for pdfLaTeX, XeLaTeX and LuaLaTeX alike.

    Without more packages pdfLaTeX stops at non-Latin letters. A switch gives XeLaTeX and LuaLaTeX the
    letters, and pdfLaTeX their code points.
    """
    return _encoder().unicode_to_latex(single_line(text))


@cache
def _encoder() -> UnicodeToLatexEncoder:
    named, (accents,) = get_builtin_uni2latex_dict(), get_builtin_conversion_rules("unicode-xml")
    known = {ord(c): named[ord(c)] for c in _NAMED} | {ord(c): latex for c, latex in _LATEX.items()}
    for number in _ACCENTED:
        base, *rest = unicodedata.normalize("NFD", chr(number))
        if base.isascii() and len(rest) == 1 and rest[0] in _ACCENTS:
            known[number] = f"{accents.rule[ord(rest[0])]}{{{_DOTLESS.get(base, base)}}}"  # é -> \'{e}
    others = "".join(chr(number) for number in known if number > 127)
    patterns = [
        (re.compile(f"[^\x00-\x7f{others}]+"), _switch),
        (re.compile("(?<=[-'`,?!])[-'`,]"), r"{}\g<0>"),  # TeX reads --, '', ?` and similar pairs as one sign
    ]
    return UnicodeToLatexEncoder(
        conversion_rules=[
            UnicodeToLatexConversionRule(RULE_DICT, known),
            UnicodeToLatexConversionRule(RULE_REGEX, patterns),
        ],
        replacement_latex_protection="braces-after-macro",
    )


def _switch(run: re.Match) -> str:
    code_points = " ".join(f"U+{ord(c):04X}" for c in run[0])
    return rf"\ifdefined\Uchar {run[0]}\else[{code_points}]\fi{{}}"


def single_line(text) -> str:
    """``text`` without line breaks; control characters become escapes, nothing is dropped."""
    return "".join(_visible(c) for c in str(text))


def _visible(c: str) -> str:
    if c in "\t\n\v\f\r\x1c\x1d\x1e\x1f\x85\u2028\u2029":
        return " "
    if c in _BIDI_CONTROLS or unicodedata.category(c) in ("Cc", "Cs"):
        return c.encode("unicode_escape").decode("ascii")
    return c
