"""Draw a bar chart of the engines of one group as SVG."""

from collections.abc import Iterator
from textwrap import wrap
from xml.sax.saxutils import escape

from benchmarks.results import Group, Line

__all__ = ["LABELS", "LEFT", "MARGIN", "STYLE", "describe_chart", "draw_chart"]

# Lengths are in units of the drawing. On a phone it is shown at two thirds of its size, where its text must still be
# legible.
WIDTH = 550
SHOWN_WIDTH = 510  # in pixels
MARGIN = 20
LEFT = 250  # the left end of bars
LONGEST_BAR = 206
ROW_HEIGHT = 33
BAR_HEIGHT = 21
LINE_HEIGHT = 25  # of text
LINE_LENGTH = 52  # of notes, in characters
OFF_SCALE = 8  # an engine that takes so many times as long as urisect has no bar: other bars would vanish

# The panel has a background of its own, since a page may be dark where the system is light, and the other way round.
STYLE = """
text { font: 20px system-ui, -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; fill: #1f2328; }
.title { font-size: 25px; font-weight: 600; }
.heading { font-weight: 600; }
.quiet { font-size: 18px; fill: #59636e; }
.panel { fill: #ffffff; stroke: #d1d9e0; }
.rule { stroke: #d1d9e0; }
rect.peer { fill: #6e7781; }
rect.bare { fill: #eaeef2; stroke: #59636e; stroke-width: 2; }
text.ours { fill: #0969da; font-weight: 600; }
rect.ours { fill: #0969da; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc; }
  .quiet { fill: #9198a1; }
  .panel { fill: #151b23; stroke: #3d444d; }
  .rule { stroke: #3d444d; }
  rect.peer { fill: #9198a1; }
  rect.bare { fill: #21262d; stroke: #9198a1; }
  text.ours { fill: #4493f8; }
  rect.ours { fill: #4493f8; }
}
"""

TITLE = "Nanoseconds to split a {}"
# Shorter names beside the bars, and what they leave out, below the chart.
LABELS = {
    "urllib.parse.urlsplit, cold": "urllib.parse.urlsplit",
    "yarl.URL(encoded=True)": "yarl.URL",
    "floor: match(u).groups()": "re, as urisect uses it",
    "re, urisect.pattern()": "re, pattern()",
    "re, Appendix B as printed": "re, RFC 3986, App. B",
    "regex, urisect.pattern()": "regex, pattern()",
}
CAVEATS = {
    "urllib.parse.urlsplit, cold": "urlsplit: without its cache.",
    "yarl.URL(encoded=True)": "yarl: encoded=True.",
}


def describe_chart(group: Group) -> str:
    """Describe the bars of libraries in a sentence, for readers who do not see the chart."""
    libraries = (line for line in group.lines if not line.is_bare)
    times = ", ".join(f"{LABELS.get(line.name, line.name)} {line.nanoseconds:,.0f}" for line in libraries)
    return f"Bar chart of nanoseconds to split a {group.item}, lower is better: {times}."


def draw_chart(group: Group, setting: str) -> str:
    """Draw a bar for each engine: first the libraries, then, apart from them, bare regular expressions."""
    ours = next(line for line in group.lines if line.is_ours)
    longest = max(line.nanoseconds for line in group.lines if line.nanoseconds < ours.nanoseconds * OFF_SCALE)
    y = MARGIN + 24
    title = TITLE.format(group.item)
    parts = [_text(title, MARGIN, y, "title"), _text("Lower is better.", MARGIN, y + 30, "better")]
    y += 54
    for heading, bare in (("Libraries", False), ("For comparison: bare regular expressions", True)):
        if bare:
            y += 6
            parts.append(f'<path class="rule" d="M{MARGIN} {y}H{WIDTH - MARGIN}"/>')
            y += 12
        y += 20
        parts.append(_text(heading, MARGIN, y, "heading"))
        y += 16
        for line in group.lines:
            if line.is_bare == bare:
                parts += _row(line, y, round(line.nanoseconds) / round(longest))
                y += ROW_HEIGHT
    y += 6
    for note in _notes(group, setting):
        for text in wrap(note, LINE_LENGTH):
            y += LINE_HEIGHT
            parts.append(_text(text, MARGIN, y, "quiet"))
    height = y + MARGIN
    return "\n".join((
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{SHOWN_WIDTH}" height="{height * SHOWN_WIDTH / WIDTH:.0f}"',
        f'viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="title description">',
        f'<title id="title">{escape(title)}</title>',
        f'<desc id="description">{escape(describe_chart(group))}</desc>',
        f"<style>{STYLE}</style>",
        f'<rect class="panel" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="12"/>',
        *parts,
        "</svg>",
        "",
    ))  # fmt: skip


def _notes(group: Group, setting: str) -> Iterator[str]:
    caveats = " ".join(CAVEATS[line.name] for line in group.lines if line.name in CAVEATS)
    if caveats:
        yield caveats
    yield f"{group.items:,} {group.item}s: {group.corpus}."
    yield f"{setting}."


def _row(line: Line, y: int, share: float) -> Iterator[str]:
    """Draw the label, the bar and the time of an engine.

    Args:
        line: the engine.
        y: the top of the bar.
        share: its length, as a share of the longest bar; an engine with more than 1 has no bar.
    """
    kind = "ours" if line.is_ours else "bare" if line.is_bare else "peer"
    baseline = y + BAR_HEIGHT - 3.5  # centers text on the bar
    yield _text(LABELS.get(line.name, line.name), MARGIN, baseline, kind)
    time = f"{line.nanoseconds:,.0f}"
    if share > 1:
        yield _text(f"{time}, too long to draw", LEFT, baseline, kind)
        return
    length = LONGEST_BAR * share
    yield f'<rect class="{kind}" x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR_HEIGHT}" rx="3"/>'
    yield _text(time, LEFT + length + 10, baseline, kind)


def _text(text: str, x: float, y: float, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y}">{escape(text)}</text>'
