"""One look for all figures.

Figures are made without pyplot, so the importer's settings neither affect them nor change. The canvas is
Agg, which needs no display.
"""

from contextlib import contextmanager
from typing import NamedTuple
from zlib import crc32

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from ..io.files import replacing
from .labels import split_method

COLUMN_WIDTH, PAGE_WIDTH = 3.4, 7.0  # inches, of the paper: figures go into it unscaled
RC = {
    "font.size": 8,
    "axes.labelsize": 8,
    "axes.titlesize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.linewidth": 0.4,
    "grid.alpha": 0.5,
    "lines.linewidth": 1.2,
    "lines.markersize": 4,
    "legend.frameon": False,
    "pdf.fonttype": 42,  # text stays text
}

# Okabe and Ito's palette, distinct for any colour vision; without yellow, which is too pale for lines on white.
BLACK, GREY = "#000000", "#767676"
ORANGE, SKY_BLUE, GREEN = "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILLION, PURPLE = "#0072B2", "#D55E00", "#CC79A7"
COLORS = (BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY_BLUE)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h")


class Look(NamedTuple):
    """Colour and marker of a series; ``look._asdict()`` goes to ``axes.plot``."""

    color: str
    marker: str


# The colour shows what was added to an encoder, the marker shows the encoder.
_WRAPPER_COLORS = {"": BLUE, "prior": GREEN, "mvg": VERMILLION, "mvg+prior": PURPLE}
_ENCODER_MARKERS = {"dssm": "o", "dssm-tuned": "D", "sbert": "s", "sbert-tuned": "P"}
_OTHER_COLORS, _OTHER_MARKERS = (ORANGE, SKY_BLUE, BLACK, GREY), MARKERS[4:]
_FIXED = {"bm25": Look(BLACK, "x"), "popularity": Look(GREY, "+"), "colbert": Look(ORANGE, "*")}
_FIXED_DATASETS = {
    "eurlex": Look(BLUE, "o"),
    "pubmed": Look(VERMILLION, "s"),
    "wikiseealso": Look(GREEN, "^"),
}


def method_look(method: str) -> Look:
    """The look of a method: fixed for known methods; for others it depends on the name only."""
    if method in _FIXED:
        return _FIXED[method]
    wrapper, encoder = split_method(method)
    color = _WRAPPER_COLORS.get(wrapper) or _by_name(wrapper, _OTHER_COLORS)
    return Look(color, _ENCODER_MARKERS.get(encoder) or _by_name(encoder, ("^", *MARKERS[4:])))


def dataset_looks(datasets) -> dict[str, Look]:
    """The looks of datasets: fixed for known datasets; others take what is left, in order."""
    looks = {dataset: _FIXED_DATASETS[dataset] for dataset in datasets if dataset in _FIXED_DATASETS}
    others = [dataset for dataset in datasets if dataset not in looks]
    for i, dataset in enumerate(others, start=len(_FIXED_DATASETS)):
        looks[dataset] = Look(COLORS[i % len(COLORS)], MARKERS[i % len(MARKERS)])
    return looks


def added_looks(added) -> dict[str, Look]:
    """The looks of additions to one encoder: each has its own colour and marker, fixed for the rows of every run."""
    looks = {name: Look(_WRAPPER_COLORS[name], marker) for name, marker in zip(_WRAPPER_COLORS, MARKERS, strict=False)}
    added = list(dict.fromkeys(added))
    others = [name for name in added if name not in looks]
    for i, name in enumerate(others):
        looks[name] = Look(_OTHER_COLORS[i % len(_OTHER_COLORS)], _OTHER_MARKERS[i % len(_OTHER_MARKERS)])
    return {name: looks[name] for name in added}


def ordered_looks(values) -> dict[float, Look]:
    """Looks from dark to light as a value rises, because these values have an order."""
    colors = matplotlib.colormaps["viridis"]
    values = sorted(values)
    shades = [0.9 * i / max(len(values) - 1, 1) for i in range(len(values))]
    return {v: Look(matplotlib.colors.to_hex(colors(s)), m) for v, s, m in zip(values, shades, MARKERS, strict=False)}


def _by_name(name: str, choices):
    return choices[crc32(name.encode()) % len(choices)]


@contextmanager
def panels(count=1, height=2.4, rows=1):
    """Provide ``(figure, axes)``: ``rows`` of ``count`` panels. One is a column wide, several are a page wide.

    ``height`` is that of the whole figure, in inches; the axes are in row order. Draw and save inside the
    block, because the style applies only there.
    """
    with matplotlib.rc_context(RC):
        size = (COLUMN_WIDTH if count == 1 else PAGE_WIDTH, height)
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        yield figure, figure.subplots(rows, count, squeeze=False).ravel()


# For numbers that the paper prints, with our colour and marker.
PAPERS = {"ls": "", "ms": 8, "markerfacecolor": "none", "markeredgewidth": 1.2}


def ring(number: int) -> dict:
    """The marker of a panel's n-th series, hollow and of its own size, so that equal points stay visible."""
    return {"markerfacecolor": "none", "ms": 3.5 + 1.2 * (number % 4)}


def literal(label: str) -> str:
    """Escape dollar signs, so that matplotlib does not read a name as mathematics."""
    return label.replace("$", r"\$")


def log_ticks(axis) -> None:
    """Ticks of a logarithmic x or y axis, once all is drawn: 1, 2 and 5 of each decade if they fit."""
    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 1000 * low else (1,)))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_locator(NullLocator())


def legend_below(figure, handles, labels, columns=3) -> None:
    """One legend for all panels, outside the data, in at most ``columns``, fewer if the figure is narrow."""
    for ncols in range(columns, 0, -1):
        legend = figure.legend(handles, labels, loc="outside lower center", ncols=ncols)
        if ncols == 1 or legend.get_window_extent().width < figure.bbox.width:
            break
        legend.remove()


def save(figure, made) -> None:
    """Write ``made.pdf`` and ``made.png`` (200 dpi), atomically and without timestamps."""
    for path, metadata in ((made.pdf, {"CreationDate": None}), (made.png, {"Software": None})):
        with replacing(path) as temporary:
            figure.savefig(temporary, dpi=200, metadata=metadata)
