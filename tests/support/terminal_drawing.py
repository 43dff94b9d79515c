"""Draw what a command prints on a terminal, as SVG in light and dark colours, without a request for a font."""

import re
from collections.abc import Iterator
from xml.sax.saxutils import escape

from rich.ansi import AnsiDecoder
from rich.cells import cell_len
from rich.console import Console
from rich.style import Style
from rich.text import Text

__all__ = ["draw_terminal"]

# All lengths are in pixels.
FONT_SIZE = 14
CELL_WIDTH = 8.4
LINE_HEIGHT = 19
MARGIN = 20
BELOW_PROMPT = 6
BLOCK_HEIGHT = 16  # less than a line: bars below each other do not touch

COLOURS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")

# How much of their cells blocks fill, from the left or from below. They are drawn as rectangles: those of fonts have
# seams between them.
WIDTHS = {block: number / 8 for number, block in enumerate("▏▎▍▌▋▊▉", 1)}
HEIGHTS = {block: number / 8 for number, block in enumerate("▁▂▃▄▅▆▇", 1)}

# A repeated block, or words with single spaces between them: some programs join several spaces to one.
RUN = re.compile(r"(?P<block>[▁-▏])(?P=block)*|\S+(?: \S+)*")

# The panel has a background of its own, since a page may be dark where the system is light, and the other way round.
STYLE = f"""
text {{ font: {FONT_SIZE}px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }}
text, .block {{ fill: #1f2328; shape-rendering: crispEdges; }}
.panel {{ fill: #f6f8fa; stroke: #d1d9e0; }}
.bold {{ font-weight: 700; }}
.dim {{ fill: #59636e; }}
.red {{ fill: #c5221f; }}
.green {{ fill: #116329; }}
.yellow {{ fill: #805300; }}
.cyan {{ fill: #0b6e8a; }}
@media (prefers-color-scheme: dark) {{
  text, .block {{ fill: #e6edf3; }}
  .panel {{ fill: #151b23; stroke: #3d444d; }}
  .dim {{ fill: #9198a1; }}
  .red {{ fill: #ff8b85; }}
  .green {{ fill: #6fdd8b; }}
  .yellow {{ fill: #e3b341; }}
  .cyan {{ fill: #5ac8e0; }}
}}
"""


def draw_terminal(command: str, printed: str, columns: int) -> str:
    """Draw a command after a prompt, and below it what it prints.

    Args:
        command: the command.
        printed: what it prints, with the escape sequences of styles.
        columns: the width of the terminal, in characters.

    Raises:
        ValueError: a line does not fit the terminal.
    """
    prompt = f"\x1b[2m$\x1b[0m \x1b[1m{command}\x1b[0m"
    parts: list[str] = []
    y = MARGIN
    for line in AnsiDecoder().decode(f"{prompt}\n{printed.rstrip()}"):
        if line.cell_len > columns:
            raise ValueError(f"more than {columns} columns: {line}")
        below = 0 if parts else BELOW_PROMPT
        parts += _draw_line(line, y)
        y += LINE_HEIGHT + below
    width, height = round(2 * MARGIN + CELL_WIDTH * columns), y + MARGIN
    return "\n".join((
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"',
        f'viewBox="0 0 {width} {height}" role="img" aria-labelledby="title">',
        f'<title id="title">{escape(command)}</title>',
        f"<style>{STYLE}</style>",
        f'<rect class="panel" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>',
        *parts,
        "</svg>",
        "",
    ))  # fmt: skip


def _draw_line(line: Text, y: int) -> Iterator[str]:
    """Draw each run of blocks or words in one style at its cells."""
    x = float(MARGIN)
    for text, style, _ in line.render(Console()):
        names = _class_names(style or Style.null())
        for run in RUN.finditer(text):
            left = x + CELL_WIDTH * cell_len(text[: run.start()])
            draw = _draw_block if run["block"] else _draw_words
            yield draw(run[0], names, left, y)
        x += CELL_WIDTH * cell_len(text)


def _class_names(style: Style) -> list[str]:
    names = [name for name, is_set in (("bold", style.bold), ("dim", style.dim)) if is_set]
    if style.color and style.color.number is not None:
        names.append(COLOURS[style.color.number])
    return names


def _draw_block(blocks: str, names: list[str], x: float, y: int) -> str:
    width = CELL_WIDTH * (len(blocks) - 1 + WIDTHS.get(blocks[0], 1))
    height = BLOCK_HEIGHT * HEIGHTS.get(blocks[0], 1)
    return (
        f'<rect class="{" ".join(("block", *names))}" x="{x:.2f}" y="{y + 1 + BLOCK_HEIGHT - height:.0f}" '
        f'width="{width:.2f}" height="{height:.0f}"/>'
    )


def _draw_words(words: str, names: list[str], x: float, y: int) -> str:
    """Draw words as wide as their cells, whatever font the reader has."""
    kind = f' class="{" ".join(names)}"' if names else ""
    return (
        f'<text{kind} x="{x:.1f}" y="{y + FONT_SIZE}" textLength="{CELL_WIDTH * cell_len(words):.1f}" '
        f'lengthAdjust="spacingAndGlyphs">{escape(words)}</text>'
    )
