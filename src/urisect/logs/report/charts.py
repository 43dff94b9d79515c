"""Charts as SVG: bars over time, and thin ones for shares.

Horizontally all is in per cent, vertically in pixels, so that bars grow with the page, and text does not. Colours are
classes, for the page is light or dark.
"""

from collections.abc import Callable, Iterator, Sequence
from html import escape
from math import floor, log10
from typing import NamedTuple

from urisect.logs.report.timeline import Timeline

__all__ = ["Series", "bars", "scale", "share_bar", "steps", "swatch"]

GAP = 0.15  # of the width of a stretch of time, between two bars
TOP = 10  # pixels above the highest bar
BELOW = 22  # pixels below the bars, for the time
LINES = 4  # as many steps on the vertical axis, at most
FEWEST = 12  # a bar is not wider than if there were so many


class Series(NamedTuple):
    """What a part of each bar stands for.

    Attributes:
        name: what it is called.
        style: the class of its colour.
        values: one a stretch of time.

    >>> Series("2xx", "s2", [10, 12]).name
    '2xx'
    """

    name: str
    style: str
    values: Sequence[float]


def _tag(name: str, *content: str, **attributes: object) -> str:
    """Write an element; what an attribute says is escaped, the content is markup.

    >>> _tag("rect", x="1%", class_="s2", aria_label='"<"')
    '<rect x="1%" class="s2" aria-label="&quot;&lt;&quot;"/>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"' for key, value in attributes.items()
    )
    return f"<{name}{written}>{''.join(content)}</{name}>" if content else f"<{name}{written}/>"


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.3f}".rstrip("0").rstrip(".") + "%"


def steps(highest: float) -> list[float]:
    """Choose round values from 0 up to a value, or the next round one above it.

    >>> steps(7), steps(130), steps(0)
    ([0, 2, 4, 6, 8], [0, 50, 100, 150], [0, 1])
    """
    if highest <= 1:
        return [0, 1]
    power = 10 ** floor(log10(highest / LINES))
    step = next(some * power for some in (1, 2, 5, 10) if some * power * LINES >= highest)
    step = max(step, 1)
    count = -(-highest // step)
    return [step * number for number in range(int(count) + 1)]


def scale(highest: float, height: int, written: Callable[[float], str]) -> str:
    """Draw the labels of the vertical axis.

    Args:
        highest: the value of the highest bar.
        height: of the chart, in pixels.
        written: writes a value.
    """
    values = steps(highest)
    labels = (
        _tag("text", escape(written(value)), x="100%", y=f"{_y(value, values[-1], height):.1f}", dy="0.32em")
        for value in values
    )
    return _tag("svg", *labels, class_="scale", height=height, aria_hidden="true")


def bars(times: Timeline, series: Sequence[Series], height: int, label: str, written: Callable[[float], str]) -> str:
    """Draw bars over time, of parts on top of each other.

    Args:
        times: the stretches of time; each has a bar.
        series: the parts, the lowest first.
        height: of the chart, in pixels.
        label: what the chart shows, for those who do not see it.
        written: writes a value.
    """
    totals = [sum(values) for values in zip(*(part.values for part in series), strict=True)]
    top = steps(max(totals))[-1]
    slots = max(times.stretches, FEWEST)
    lines = (
        _tag("line", x1="0", x2="100%", y1=y, y2=y, class_="axis" if value == 0 else "grid")
        for value in steps(max(totals))
        for y in (f"{_y(value, top, height):.1f}",)
    )
    groups = (_bar(times, series, stretch, slots, top, height, written) for stretch in range(times.stretches))
    return _tag(
        "svg",
        *lines,
        *groups,
        *_ticks(times, slots, height),
        class_="bars",
        height=height,
        role="img",
        aria_label=label,
    )


def _y(value: float, top: float, height: int) -> float:
    """Tell how far below the top a value is drawn."""
    return height - BELOW - (height - BELOW - TOP) * value / top


def _bar(
    times: Timeline,
    series: Sequence[Series],
    stretch: int,
    slots: int,
    top: float,
    height: int,
    written: Callable[[float], str],
) -> str:
    """Draw one bar, and what is told when the pointer is in its column."""
    x, width = _percent(stretch + GAP / 2, slots), _percent(1 - GAP, slots)
    parts: list[str] = []
    told: list[str] = []
    base = float(height - BELOW)
    for part in series:
        value = part.values[stretch]
        if value:
            tall = max(height - BELOW - _y(value, top, height), 1)
            base -= tall
            parts.append(_tag("rect", x=x, y=f"{base:.1f}", width=width, height=f"{tall:.1f}", class_=part.style))
            told.append(f"{part.name}: {written(value)}")
    title = "\n".join((f"{times.name(stretch)} UTC", *reversed(told or ["nothing"])))
    column = _tag(
        "rect", x=_percent(stretch, slots), y="0", width=_percent(1, slots), height=height - BELOW, class_="column"
    )
    return _tag("g", _tag("title", escape(title)), column, *parts)


def _ticks(times: Timeline, slots: int, height: int) -> Iterator[str]:
    for number, tick in enumerate(times.ticks()):
        x = _percent(tick.place, slots)
        style = "tick minor" if number % 2 else "tick"
        anchor = "start" if tick.place < slots / 50 else "end" if tick.place > slots * 0.96 else "middle"
        yield _tag("line", x1=x, x2=x, y1=height - BELOW, y2=height - BELOW + 4, class_=style)
        yield _tag("text", escape(tick.text), x=x, y=height - 4, text_anchor=anchor, class_=style)


def share_bar(part: float, whole: float) -> str:
    """Draw a thin bar.

    >>> share_bar(1, 4)
    '<svg class="share" aria-hidden="true"><rect width="25%" height="100%"/></svg>'
    """
    bar = _tag("rect", width=_percent(part, whole or 1), height="100%")
    return _tag("svg", bar, class_="share", aria_hidden="true")


def swatch(style: str) -> str:
    """Draw the colour of a part of the bars.

    >>> swatch("s2")
    '<svg class="swatch" aria-hidden="true"><rect width="100%" height="100%" class="s2"/></svg>'
    """
    return _tag("svg", _tag("rect", width="100%", height="100%", class_=style), class_="swatch", aria_hidden="true")
