"""Charts as SVG to stand inside a page: drawn by matplotlib, coloured by the page.

What belongs here: how a chart looks. What does not: which charts there are (`pictures.py`). Colours become variables
of the page's style, so that a chart is right in light and in dark; ids are made unique, so that many charts can stand
in one page.
"""

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

MOST = 6  # series that can be told apart
# stand for variables of the page: nobody draws in these colours
_INK, _LINE = "#010203", "#040506"
_SERIES = tuple(f"#0708{place:02x}" for place in range(1, MOST + 1))
_STYLE = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.size": 9.5,
    "text.color": _INK,
    "axes.labelcolor": _INK,
    "axes.edgecolor": _LINE,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": _LINE,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
}
WIDTH = 5.4  # inches


@dataclass(frozen=True)
class Series:
    """One row's values, None where there is none. intervals: bounds or None for each value."""

    name: str
    values: Sequence[float | None]
    intervals: Sequence[tuple[float, float] | None] = ()


def grouped_bars(
    labels: Sequence[str],
    series: Sequence[Series],
    *,
    axis: str,
    name: str,
    span: tuple[float, float] = (0, 100),
    mark: Sequence[tuple[float, str]] = (),
) -> str:
    """Horizontal bars, a group a label, with whiskers where there is an interval.

    axis: what the numbers are. name: unique in the page. mark: (value, what it is) of vertical lines.
    """
    thick = 0.8 / len(series)
    height = 0.9 + 0.24 * len(series) + len(labels) * (0.16 + 0.17 * len(series))
    with rc_context(_STYLE):
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        axes = figure.subplots()
        for place, one in enumerate(series):
            shown = [
                (row + (place - (len(series) - 1) / 2) * thick, value, bounds)
                for row, (value, bounds) in enumerate(zip(one.values, _bounds(one), strict=True))
                if value is not None
            ]
            colour = _SERIES[place % MOST]
            axes.barh([at for at, _, _ in shown], [value for _, value, _ in shown], thick * 0.92, color=colour)
            axes.barh([0], [0], color=colour, label=one.name)
            for at, value, bounds in shown:
                if bounds:
                    axes.plot(bounds, [at, at], color=_INK, linewidth=1.1, solid_capstyle="butt")
                elif value == 0:  # a bar of no length would look like no bar
                    axes.plot([0, 0], [at - thick * 0.4, at + thick * 0.4], color=colour, linewidth=2)
        axes.set_yticks(range(len(labels)), labels)
        axes.set_ylim(len(labels) - 0.45, -0.55)  # the first on top
        axes.tick_params(axis="y", length=0)
        axes.axvline(0, color=_LINE, linewidth=1)
        for at, what in mark:
            axes.axvline(at, color=_INK, linewidth=1, linestyle=(0, (3, 3)), label=what)
        _finish(figure, axes, axis=axis, span=span)
        return _svg(figure, name)


def lines(labels: Sequence[str], series: Sequence[Series], *, axis: str, name: str) -> str:
    """A line a series over ordered labels, with whiskers."""
    with rc_context(_STYLE):
        figure = Figure(figsize=(WIDTH, 2.9 + 0.2 * len(series)), layout="constrained")
        axes = figure.subplots()
        for place, one in enumerate(series):
            colour = _SERIES[place % MOST]
            shift = (place - (len(series) - 1) / 2) * 0.06
            shown = [
                (at + shift, value, bounds)
                for at, (value, bounds) in enumerate(zip(one.values, _bounds(one), strict=True))
                if value is not None
            ]
            axes.plot([at for at, _, _ in shown], [value for _, value, _ in shown], "o-", color=colour, label=one.name)
            for at, _, bounds in shown:
                if bounds:
                    axes.plot([at, at], bounds, color=colour, linewidth=1.1)
        axes.set_xticks(range(len(labels)), labels)
        axes.set_ylim(-2, 102)
        axes.set_ylabel(axis)
        axes.grid(axis="y")
        axes.set_axisbelow(True)
        figure.legend(loc="outside upper left", ncols=1)
        return _svg(figure, name)


def stacked(labels: Sequence[str], series: Sequence[Series], *, axis: str, name: str) -> str:
    """A bar a label, made of the series' shares of 100."""
    with rc_context(_STYLE):
        figure = Figure(figsize=(WIDTH, 1.0 + 0.22 * len(series) + 0.34 * len(labels)), layout="constrained")
        axes = figure.subplots()
        start = [0.0] * len(labels)
        for place, one in enumerate(series):
            values = [value or 0.0 for value in one.values]
            axes.barh(range(len(labels)), values, 0.7, left=start, color=_SERIES[place % MOST], label=one.name)
            start = [before + value for before, value in zip(start, values, strict=True)]
        axes.set_yticks(range(len(labels)), labels)
        axes.set_ylim(len(labels) - 0.45, -0.55)
        axes.tick_params(axis="y", length=0)
        _finish(figure, axes, axis=axis, span=(0, 100))
        return _svg(figure, name)


def _bounds(series: Series) -> Sequence[tuple[float, float] | None]:
    return series.intervals or [None] * len(series.values)


def _finish(figure: Figure, axes: Axes, *, axis: str, span: tuple[float, float]) -> None:
    axes.set_xlim(*span)
    axes.set_xlabel(axis)
    axes.grid(axis="x")
    axes.set_axisbelow(True)
    figure.legend(loc="outside upper left", ncols=1)


def _svg(figure: Figure, name: str) -> str:
    """The picture's `svg` element; ids begin with `name`."""
    out = io.StringIO()
    with rc_context(_STYLE | {"svg.hashsalt": name}):
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    # tags only: whatever stands between them is text
    text = re.sub(r"<[^>]+>", lambda tag: _of_page(tag[0], name), text)
    width, height = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', text).groups()
    head = f'<svg class="chart" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" '
    head += 'xmlns:xlink="http://www.w3.org/1999/xlink" aria-hidden="true" focusable="false">'
    return head + text[text.index(">") + 1 :].strip()


def _of_page(tag: str, name: str) -> str:
    """A tag with the page's colours and font, and with ids of its own."""
    tag = re.sub(r" id=\"", f' id="{name}-', tag)
    tag = re.sub(r"(url\(|href=\")#", rf"\1#{name}-", tag)
    tag = tag.replace(_INK, "var(--ink)").replace(_LINE, "var(--line)")
    for place, colour in enumerate(_SERIES, 1):
        tag = tag.replace(colour, f"var(--c{place})")
    return re.sub(r"(font: [\d.]+px )[^;\"]*", r"\1system-ui, sans-serif", tag)
