"""Draw charts as SVG: bars over time, and thin bars for shares.

Horizontal positions are percentages, vertical ones pixels: bars grow with the width of the page, text does not. Colours
are CSS classes, since the page has a light and a dark style.
"""

from collections.abc import Callable, Iterator, Sequence
from html import escape
from math import floor, log10
from typing import NamedTuple

from urisect.logs.report.timeline import Cycle, Timeline

__all__ = ["Series", "axis_values", "draw_axis", "draw_bars", "draw_share_bar", "draw_swatch", "highest_values"]

GAP = 0.15  # between two bars, as a part of the width of a bucket
MARGIN_TOP = 10  # pixels above the highest bar
MARGIN_BOTTOM = 22  # pixels below the bars, for the time axis
MAX_STEPS = 4  # of the vertical axis
MIN_SLOTS = 8  # a bar is not wider than with this many bars
GAP_PIXELS = 1  # between two parts of a bar, whose colours need not differ much then


class Series(NamedTuple):
    """One part of each bar, or a mark across it.

    Attributes:
        name: what the part stands for.
        style: the CSS class of its colour.
        values: one value per bucket.
        shown: the values to show in tooltips, if they are others.
        is_mark: whether each value is marked by a line at its height, and no part of the bar.
    """

    name: str
    style: str
    values: Sequence[float]
    shown: Sequence[float] = ()
    is_mark: bool = False


def _element(name: str, *content: str, **attributes: object) -> str:
    """Write an element; attribute values are escaped, the content is markup.

    >>> _element("rect", x="1%", class_="s2", aria_label='"<"')
    '<rect x="1%" class="s2" aria-label="&quot;&lt;&quot;"/>'
    """
    markup = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"' for key, value in attributes.items()
    )
    return f"<{name}{markup}>{''.join(content)}</{name}>" if content else f"<{name}{markup}/>"


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.3f}".rstrip("0").rstrip(".") + "%"


def axis_values(highest: float) -> list[float]:
    """Choose round values from 0 to a value, or to the next round one above it.

    >>> axis_values(7), axis_values(130), axis_values(0)
    ([0, 2, 4, 6, 8], [0, 50, 100, 150], [0, 1])
    """
    if highest <= 1:
        return [0, 1]
    power = 10 ** floor(log10(highest / MAX_STEPS))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power * MAX_STEPS >= highest)
    step = max(step, 1)
    count = -(-highest // step)
    return [step * number for number in range(int(count) + 1)]


def draw_axis(highest: float, height: int, format_value: Callable[[float], str]) -> str:
    """Draw the labels of the vertical axis.

    Args:
        highest: the value of the highest bar.
        height: of the chart, in pixels.
        format_value: formats a label.
    """
    values = axis_values(highest)
    labels = (
        _element("text", escape(format_value(value)), x="100%", y=f"{_y(value, values[-1], height):.1f}", dy="0.32em")
        for value in values
    )
    return _element("svg", *labels, class_="scale", height=height, aria_hidden="true")


def draw_bars(
    timeline: Timeline | Cycle, series: Sequence[Series], height: int, label: str, format_value: Callable[[float], str]
) -> str:
    """Draw stacked bars over time.

    Args:
        timeline: the buckets; each has a bar.
        series: the parts of the bars, the lowest first.
        height: of the chart, in pixels.
        label: a description of the chart for screen readers.
        format_value: formats a value in a tooltip.
    """
    values = axis_values(max(highest_values(series)))
    slots = max(timeline.bucket_count, MIN_SLOTS)
    lines = (
        _element("line", x1="0", x2="100%", y1=y, y2=y, class_="axis" if value == 0 else "grid")
        for value in values
        for y in (f"{_y(value, values[-1], height):.1f}",)
    )
    bars = (
        _draw_bar(timeline, series, bucket, slots, values[-1], height, format_value)
        for bucket in range(timeline.bucket_count)
    )
    return _element(
        "svg",
        *lines,
        *bars,
        *_draw_ticks(timeline, slots, height),
        class_="bars",
        height=height,
        role="img",
        aria_label=label,
    )


def highest_values(series: Sequence[Series]) -> list[float]:
    """Return how high each bar is, or its mark if that is higher.

    >>> highest_values([Series("", "", [1, 2]), Series("", "", [3, 1]), Series("", "", [2, 7], is_mark=True)])
    [4, 7]
    """
    heights = map(sum, zip(*(part.values for part in series if not part.is_mark), strict=True))
    marks = [part.values for part in series if part.is_mark]
    return [max(values) for values in zip(heights, *marks, strict=True)]


def _y(value: float, top: float, height: int) -> float:
    """Return the vertical position of a value, in pixels from the top of the chart."""
    return height - MARGIN_BOTTOM - (height - MARGIN_BOTTOM - MARGIN_TOP) * value / top


def _draw_bar(
    timeline: Timeline | Cycle,
    series: Sequence[Series],
    bucket: int,
    slots: int,
    top: float,
    height: int,
    format_value: Callable[[float], str],
) -> str:
    """Draw one bar, and a tooltip for its whole column."""
    x, width = _percent(bucket + GAP / 2, slots), _percent(1 - GAP, slots)
    parts: list[str] = []
    values: list[str] = []
    base = float(height - MARGIN_BOTTOM)
    for part in series:
        value = part.values[bucket]
        if value and part.is_mark:
            y = f"{_y(value, top, height):.1f}"
            parts.append(
                _element("line", x1=x, x2=_percent(bucket + 1 - GAP / 2, slots), y1=y, y2=y, class_=part.style)
            )
        elif value:
            pixels = max(height - MARGIN_BOTTOM - _y(value, top, height), 1)
            base -= pixels
            gap = GAP_PIXELS if parts and pixels > 2 * GAP_PIXELS else 0
            parts.append(
                _element("rect", x=x, y=f"{base:.1f}", width=width, height=f"{pixels - gap:.1f}", class_=part.style)
            )
        if value:
            values.append(f"{part.name}: {format_value((part.shown or part.values)[bucket])}")
    tooltip = "\n".join((f"{timeline.bucket_name(bucket)} UTC", *reversed(values or ["none"])))
    column = _element(
        "rect",
        x=_percent(bucket, slots),
        y="0",
        width=_percent(1, slots),
        height=height - MARGIN_BOTTOM,
        class_="column",
    )
    return _element("g", _element("title", escape(tooltip)), column, *parts)


def _draw_ticks(timeline: Timeline | Cycle, slots: int, height: int) -> Iterator[str]:
    for number, tick in enumerate(timeline.ticks()):
        x = _percent(tick.position, slots)
        style = "tick minor" if number % 2 else "tick"
        anchor = "start" if tick.position < slots / 50 else "end" if tick.position > slots * 0.96 else "middle"
        yield _element("line", x1=x, x2=x, y1=height - MARGIN_BOTTOM, y2=height - MARGIN_BOTTOM + 4, class_=style)
        yield _element("text", escape(tick.text), x=x, y=height - 4, text_anchor=anchor, class_=style)


def draw_share_bar(part: float, whole: float) -> str:
    """Draw a thin bar for a share.

    >>> draw_share_bar(1, 4)
    '<svg class="share" aria-hidden="true"><rect width="25%" height="100%"/></svg>'
    """
    bar = _element("rect", width=_percent(part, whole or 1), height="100%")
    return _element("svg", bar, class_="share", aria_hidden="true")


def draw_swatch(style: str) -> str:
    """Draw a sample of a colour.

    >>> draw_swatch("s2")
    '<svg class="swatch" aria-hidden="true"><rect width="100%" height="100%" class="s2"/></svg>'
    """
    rectangle = _element("rect", width="100%", height="100%", class_=style)
    return _element("svg", rectangle, class_="swatch", aria_hidden="true")
