"""Draw the structure of the package as a house, and list its storeys: `make pages`.

Rooms are boxes on storeys. An arrow leads from a room to each room that it imports from, unless it gets there through
another room. Arrows to one room join; between two storeys they run on tracks, and past a storey through the gaps
between its rooms.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from textwrap import wrap
from typing import NamedTuple
from xml.sax.saxutils import escape

from tests.support.pages import with_generated
from tests.support.paths import DOCS
from tests.support.structure import FACADE, STOREY_OF, STOREYS, Structure

__all__ = ["DRAWING", "PAGE", "draw", "is_current", "with_storeys"]

DRAWING = DOCS / "images" / "structure.svg"
PAGE = DOCS / "architecture.md"
TOLERANCE = 0.2  # by which a count of lines may be off before the drawing counts as old

# All lengths are in pixels.
MARGIN = 52  # beside the house, where arrows run, too
LIBRARY, LOGS = 572, 372  # widths of the wings
BETWEEN_WINGS = 60
BETWEEN_ROOMS = 34
WIDTH = MARGIN + LIBRARY + BETWEEN_WINGS + LOGS + MARGIN
WIDEST_ROOM = 300
PADDING = 11
TITLE_HEIGHT = 20
LINE_HEIGHT = 15
CHARACTER_WIDTH = 6.8  # of the sentences, on average
TRACK = 9  # from one track to the next
CLEARANCE = 15  # between a room and a track
NUMBERS = 18.0  # the column of the numbers of storeys
HEADING = 34
CORNER = 5  # radius where an arrow turns
LANE = 8  # between two arrows that run side by side

STYLE = """
text { font: 12px system-ui, -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; fill: #3d444d; }
.name { font: 600 13px ui-monospace, SFMono-Regular, Menlo, "DejaVu Sans Mono", monospace; fill: #1f2328; }
.quiet { font-size: 11px; fill: #59636e; }
.wing { text-anchor: middle; letter-spacing: 0.08em; }
.storey { text-anchor: middle; }
.panel { fill: #ffffff; }
.room { fill: #f6f8fa; stroke: #c8d1da; }
.logs { fill: #ddf4ff; stroke: #9fcdf2; }
.ends { fill: #fff8e6; stroke: #e0c989; }
.arrow { fill: none; stroke: #818b98; stroke-width: 1.3; }
.head { fill: #818b98; }
@media (prefers-color-scheme: dark) {
  text { fill: #c5cdd6; }
  .name { fill: #f0f6fc; }
  .quiet { fill: #9198a1; }
  .panel { fill: #0d1117; }
  .room { fill: #151b23; stroke: #3d444d; }
  .logs { fill: #10233a; stroke: #27507e; }
  .ends { fill: #272215; stroke: #5c4d20; }
  .arrow { stroke: #7d8590; }
  .head { fill: #7d8590; }
}
"""


class Room(NamedTuple):
    """A box.

    Attributes:
        name: the room's name.
        left: its left edge.
        width: its width.
        sentence: the lines of its sentence.
    """

    name: str
    left: float
    width: float
    sentence: list[str]

    @property
    def middle(self) -> float:
        return self.left + self.width / 2

    @property
    def height(self) -> float:
        return 2 * PADDING + TITLE_HEIGHT + LINE_HEIGHT * (len(self.sentence) + 1) - 3


class Stretch(NamedTuple):
    """The part of an arrow between two neighbouring storeys.

    Attributes:
        start: where it leaves the upper storey.
        end: where it reaches the lower one.
        target: the room that the arrow leads to.
        arrives: whether it ends there.
    """

    start: float
    end: float
    target: str
    arrives: bool


def place_rooms(structure: Structure) -> list[list[Room]]:
    """Lay out the rooms of each storey from left to right."""
    storeys = []
    for library, logs in STOREYS:
        row = []
        is_whole = not logs and set(library) <= {"cli", *STOREYS[-1][0]}
        library_width = WIDTH - 2 * MARGIN if is_whole else LIBRARY
        for names, left, width in ((library, MARGIN, library_width), (logs, WIDTH - MARGIN - LOGS, LOGS)):
            present = [name for name in names if name in structure.modules]
            if not present:
                continue
            share = (width - BETWEEN_ROOMS * (len(present) - 1)) / len(present)
            box = share if is_whole else min(share, WIDEST_ROOM)
            step = box + BETWEEN_ROOMS
            first = left + (width - step * len(present) + BETWEEN_ROOMS) / 2
            for number, name in enumerate(present):
                characters = int((box - 2 * PADDING) / CHARACTER_WIDTH)
                sentence = wrap(structure.modules[name].summary.replace("`", ""), characters)
                row.append(Room(name, first + step * number, box, sentence))
        if row:
            storeys.append(row)
    return storeys


def gaps(row: Sequence[Room]) -> list[tuple[float, float]]:
    """List the gaps between the rooms of a storey, the margins included."""
    edges = [(0.0, NUMBERS), *((room.left, room.left + room.width) for room in row), (float(WIDTH), float(WIDTH))]
    return [(left[1], right[0]) for left, right in pairwise(edges) if right[0] - left[1] > 2 * LANE]


class Lanes:
    """Finds a free place for each arrow on a line across the drawing; arrows to one room share theirs."""

    def __init__(self) -> None:
        self._taken: dict[float, str] = {}

    def take(self, wish: float, low: float, high: float, target: str) -> float:
        """Return the free place nearest to a wish between two ends."""
        inside = max(low, min(high, wish))
        for distance in range(int(high - low) + 1):
            for place in (inside - distance, inside + distance):
                near = {other: owner for other, owner in self._taken.items() if abs(place - other) < LANE}
                if low <= place <= high and {*near.values()} <= {target}:
                    place = next(iter(near), place)  # noqa: PLW2901  join the arrow that is there
                    self._taken[place] = target
                    return place
        return inside


def route(storeys: Sequence[Sequence[Room]], arrows: Iterable[tuple[str, str]]) -> list[list[Stretch]]:
    """Lead arrows past the storeys between their rooms.

    Returns:
        For each storey but the lowest, the stretches below it.
    """
    level = {room.name: number for number, row in enumerate(storeys) for room in row}
    rooms = {room.name: room for row in storeys for room in row}
    below: list[list[Stretch]] = [[] for _ in storeys[1:]]
    lanes, exits = [Lanes() for _ in storeys], [Lanes() for _ in storeys]
    passed: dict[tuple[int, str], float] = {}
    # Short arrows choose their lanes first.
    for source, target in sorted(arrows, key=lambda arrow: (level[arrow[1]] - level[arrow[0]], arrow)):
        origin, goal = rooms[source], rooms[target]
        here = max(origin.left, min(origin.left + origin.width, goal.middle))
        places = []
        for number in range(level[source] + 1, level[target]):
            if (number, target) not in passed:
                passed[number, target] = _pass(lanes[number], storeys[number], here, goal.middle, target)
            here = passed[number, target]
            places.append(here)
        places.append(goal.middle)
        edge = 3 * CORNER
        leave = exits[level[source]].take(places[0], origin.left + edge, origin.left + origin.width - edge, target)
        for number, (start, end) in enumerate(pairwise([leave, *places]), level[source]):
            below[number].append(Stretch(start, end, target, arrives=number + 1 == level[target]))
    return below


def _pass(lanes: Lanes, row: Sequence[Room], here: float, goal: float, target: str) -> float:
    """Choose a gap on the way from here to the goal, and a lane in it."""

    def detour(gap: tuple[float, float]) -> float:
        near = max(gap[0], min(gap[1], here))
        return abs(near - here) + 0.9 * abs(near - goal)

    left, right = min(gaps(row), key=detour)
    return lanes.take(here, left + LANE, right - LANE, target)


def assign_tracks(stretches: Sequence[Stretch]) -> tuple[dict[str, int], int]:
    """Assign horizontal tracks to the arrows between two storeys, so that no two arrows overlap.

    Returns:
        The track of each target, counted from above, and how many tracks there are.
    """
    spans: dict[str, list[float]] = defaultdict(list)
    for stretch in stretches:
        if stretch.start != stretch.end:
            spans[stretch.target] += (stretch.start, stretch.end)
    tracks: list[list[tuple[float, float]]] = []
    chosen = {}
    for target, ends in sorted(spans.items(), key=lambda span: max(span[1]) - min(span[1])):
        span = (min(ends) - LANE, max(ends) + LANE)
        free = (
            number
            for number, track in enumerate(tracks)
            if all(span[1] <= other[0] or other[1] <= span[0] for other in track)
        )
        chosen[target] = next(free, len(tracks))
        if chosen[target] == len(tracks):
            tracks.append([])
        tracks[chosen[target]].append(span)
    return chosen, len(tracks)


def draw(structure: Structure) -> str:
    """Draw the house as SVG."""
    storeys = place_rooms(structure)
    arrows = [(room, other) for room, others in structure.direct_imports.items() for other in sorted(others)]
    below = route(storeys, arrows)
    tops, bottoms, y = [], [], float(HEADING)
    tracks = [assign_tracks(stretches) for stretches in below]
    for number, row in enumerate(storeys):
        tops.append(y)
        bottoms.append(y + max(room.height for room in row))
        if number < len(tracks):
            y = bottoms[-1] + 2 * CLEARANCE + TRACK * max(tracks[number][1] - 1, 0) + 4
    lines: list[str] = []
    heads: dict[tuple[float, float], str] = {}
    for number, stretches in enumerate(below):
        chosen = tracks[number][0]
        for stretch in sorted(set(stretches)):
            track = bottoms[number] + CLEARANCE + TRACK * chosen.get(stretch.target, 0)
            tip = tops[number + 1] - 1
            end = tip - 5 if stretch.arrives else tip + 1
            lines.append(f'<path class="arrow" d="{_bent(stretch, bottoms[number], track, end)}"/>')
            if stretch.arrives:
                x = stretch.end
                heads[x, tip] = f'<path class="head" d="M{x - 4:.1f} {tip - 8:.1f}h8l-4 8z"/>'
    for number, stretches in enumerate(below, 1):
        passing = sorted({stretch.end for stretch in stretches if not stretch.arrives})
        lines += (f'<path class="arrow" d="M{x:.1f} {tops[number]:.1f}V{bottoms[number]:.1f}"/>' for x in passing)
    height = bottoms[-1] + 16
    boxes = []
    for row, top, bottom in zip(storeys, tops, bottoms, strict=True):
        number = STOREY_OF[row[0].name]
        boxes.append(f'<text class="quiet storey" x="{NUMBERS / 2}" y="{(top + bottom) / 2 + 4:.1f}">{number}</text>')
        boxes += (line for room in row for line in _box(room, top, bottom, structure.lines(room.name)))
    title = "The rooms of urisect, and what they import"
    return "\n".join((
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:.0f}"',
        f'viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-labelledby="title">',
        f'<title id="title">{title}</title>',
        f"<style>{STYLE}</style>",
        f'<rect class="panel" width="{WIDTH}" height="{height:.0f}" rx="12"/>',  # a page may have another colour
        *_wings(),
        *lines,
        *heads.values(),
        *boxes,
        "</svg>",
        "",
    ))  # fmt: skip


def _bent(stretch: Stretch, top: float, track: float, bottom: float) -> str:
    """Write the path of a stretch: down, along its track with rounded corners, and down."""
    start, end = stretch.start, stretch.end
    if start == end:
        return f"M{start:.1f} {top:.1f}V{bottom:.1f}"
    radius = min(CORNER, abs(end - start) / 2)
    turn = radius if end > start else -radius
    return (
        f"M{start:.1f} {top:.1f}V{track - radius:.1f}q0 {radius:.1f} {turn:.1f} {radius:.1f}"
        f"H{end - turn:.1f}q{turn:.1f} 0 {turn:.1f} {radius:.1f}V{bottom:.1f}"
    )


def _wings() -> Iterator[str]:
    yield f'<text class="quiet wing" x="{MARGIN + LIBRARY / 2}" y="20">URI references</text>'
    yield f'<text class="quiet wing" x="{WIDTH - MARGIN - LOGS / 2}" y="20">Logs</text>'


def _box(room: Room, top: float, bottom: float, lines: int) -> Iterator[str]:
    kind = "logs" if room.name.startswith("logs") else "ends" if room.name in {"cli", FACADE} else "room"
    corner = f'x="{room.left:.1f}" y="{top:.1f}"'
    yield f'<rect class="{kind}" {corner} width="{room.width:.1f}" height="{bottom - top:.1f}" rx="6"/>'
    x, y = f"{room.left + PADDING:.1f}", top + PADDING + 12
    yield f'<text class="name" x="{x}" y="{y:.1f}">{room.name}</text>'
    for number, line in enumerate(room.sentence):
        yield f'<text x="{x}" y="{y + TITLE_HEIGHT - 1 + LINE_HEIGHT * number:.1f}">{escape(line)}</text>'
    yield f'<text class="quiet" x="{x}" y="{bottom - PADDING:.1f}">{lines:,} lines</text>'


def is_current(old: str, new: str) -> bool:
    """Whether a drawing shows the same as a new one, but for small changes in the counts of lines."""
    count = re.compile(r"([0-9,]+)(?= lines<)")
    counts = [[int(found.replace(",", "")) for found in count.findall(drawing)] for drawing in (old, new)]
    return count.sub("", old) == count.sub("", new) and all(
        abs(before - after) <= TOLERANCE * max(before, after) for before, after in zip(*counts, strict=True)
    )


def list_storeys(structure: Structure) -> str:
    """List the storeys from the top in Markdown: each room, its purpose, and the rooms that it imports directly."""
    imports = structure.direct_imports
    lines = []
    for room, imported in imports.items():
        others = ", ".join(f"`{other}`" for other in sorted(imported, key=[*STOREY_OF].index))
        sentence = structure.modules[room].summary
        lines.append(f"- {STOREY_OF[room]}: `{room}`. {sentence}." + (f" Imports {others}." if others else ""))
    return "\n".join(lines) + "\n"


def with_storeys(page: str, structure: Structure) -> str:
    """Replace the list of storeys on a page."""
    return with_generated(page, "storeys", list_storeys(structure))
