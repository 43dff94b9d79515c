"""Draw a bar chart of the engines of one group as SVG."""

from collections.abc import Iterator
from xml.sax.saxutils import escape

from benchmarks.results import Group, Line

__all__ = ["draw_chart"]

# The width and the colours of a README on GitHub, light and dark. All lengths are in pixels.
WIDTH = 830
LEFT = 200  # the left end of bars
LONGEST_BAR = 540
ROW_HEIGHT = 26
BAR_HEIGHT = 16
STYLE = """
text { font: 13px system-ui, -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; fill: #1f2328; }
.title { font-size: 16px; font-weight: 600; }
.quiet { font-size: 12px; fill: #59636e; }
.name { text-anchor: end; }
rect.peer { fill: #8c959f; }
rect.bare { fill: #c4ccd4; }
.ours { fill: #0969da; font-weight: 600; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc; }
  .quiet { fill: #9198a1; }
  rect.peer { fill: #656c76; }
  rect.bare { fill: #474e57; }
  .ours { fill: #4493f8; }
}
"""


def draw_chart(group: Group, setting: str) -> str:
    """Draw a bar for each engine: first the libraries, then bare regular expressions."""
    slowest = max(line.nanoseconds for line in group.lines)
    title = f"Nanoseconds to split a {group.item} into its five components"
    source = f"{group.items:,} {group.item}s: {group.corpus}. {setting}."
    drawn = [_text(title, 0, 18, "title")]
    y = 24
    for heading, bare in (
        ("Libraries, all five components read", False),
        ("Bare regular expressions: a match and its groups", True),
    ):
        y += ROW_HEIGHT + 4
        drawn.append(_text(heading, LEFT, y - 9, "quiet"))
        for line in group.lines:
            if line.is_bare == bare:
                drawn += _bar(line, y, line.nanoseconds / slowest * LONGEST_BAR)
                y += ROW_HEIGHT
    drawn.append(_text(source, 0, y + ROW_HEIGHT, "quiet"))
    height = y + ROW_HEIGHT + 8
    description = "; ".join(f"{line.name}: {line.nanoseconds:,.0f}" for line in group.lines)
    return "\n".join((
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"',
        'role="img" aria-labelledby="title description">',
        f'<title id="title">{escape(title)}</title>',
        f'<desc id="description">{escape(description)}</desc>',
        f"<style>{STYLE}</style>",
        *drawn,
        "</svg>",
        "",
    ))  # fmt: skip


def _bar(line: Line, y: int, length: float) -> Iterator[str]:
    kind = "ours" if line.is_ours else "bare" if line.is_bare else "peer"
    baseline = y + BAR_HEIGHT - 3.5  # centers text on the bar
    yield _text(line.name, LEFT - 10, baseline, f"name {kind}")
    yield f'<rect class="{kind}" x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR_HEIGHT}" rx="2"/>'
    yield _text(f"{line.nanoseconds:,.0f}", LEFT + length + 8, baseline, kind)


def _text(text: str, x: float, y: float, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y}">{escape(text)}</text>'
