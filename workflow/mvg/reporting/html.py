"""Tables as HTML, for ``snakemake --report`` and for the page of a run. Every text is escaped."""

from html import escape
from itertools import product

from .escapes import single_line

# The style of a stand-alone table; the page of a run has its own style.
HEAD = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<style>
:root { color-scheme: light dark; font: 14px/1.5 system-ui, sans-serif }
body { margin: 1rem } .scroll { overflow-x: auto } table { border-collapse: collapse } caption { display: none }
th, td { padding: .15rem .6rem; text-align: right; white-space: nowrap } th:first-child { text-align: left }
thead th { vertical-align: bottom; border-bottom: 1px solid } tbody { border-bottom: 1px solid }
</style>
"""


def document(title: str, layouts, nothing="") -> str:
    """A page with the tables, or with the line ``nothing`` if there are none."""
    return f"{HEAD}{fragment(title, layouts, nothing)}\n"


def body(text: str) -> str:
    """The part of a :func:`document` below its head."""
    return text.removeprefix(HEAD)


def fragment(title: str, layouts, nothing="") -> str:
    """The tables, each below its caption."""
    tables = "\n".join(map(table, layouts))
    return tables or f"<p>{html(nothing or f'{title}: nothing to show.')}</p>"


def table(layout) -> str:
    """A :class:`mvg.reporting.tables.Layout`: a head of one row, so that it can be sorted, and a body per group."""
    heads = ["<br>".join(filter(None, map(html, pair))) for pair in product(layout.metrics, layout.datasets)]
    head = "".join(f'<th scope="col">{cell}</th>' for cell in [html(layout.head), *heads])
    bodies = "\n".join(f"<tbody>\n{_rows(group)}\n</tbody>" for group in layout.groups)
    caption = html(layout.caption)
    return (
        f'<p>{caption}</p>\n<div class="scroll" tabindex="0"><table class="sortable"><caption>{caption}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n{bodies}\n</table></div>"
    )


def _rows(group) -> str:
    cells = ((html(label), "".join(f"<td>{entry_html(entry)}</td>" for entry in entries)) for label, entries in group)
    return "\n".join(f'<tr><th scope="row">{label}</th>{entries}</tr>' for label, entries in cells)


def entry_html(entry) -> str:
    """A :class:`mvg.reporting.tables.Entry` with its marks."""
    text = f"<b>{html(entry.text)}</b>" if entry.best else html(entry.text)
    return f"<u>{text}</u>" if entry.significant else text


def html(text) -> str:
    """``text`` as one line of literal HTML."""
    return escape(single_line(text))
