"""The text of the anchors of a page."""

from itertools import pairwise, starmap
from operator import attrgetter, lt
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import turbohtml

__all__ = ["collect_texts"]


def collect_texts(document: "turbohtml.Document") -> dict[Any, list[str]] | None:
    """Return the pieces of text of each anchor by the position of its tag; None if each anchor has its own text.

    The tree contains copies of a misnested anchor, all with the position of its tag: their texts are one. Text in
    nested anchors belongs to the innermost one, so that no text counts twice, and all takes linear time: `turbohtml`
    limits the depth of the tree to 512. Most pages have neither. To find that out costs 0.15 µs an anchor.

    Args:
        document: the parsed page.

    >>> from urisect.document.pages import parse_page
    >>> collect_texts(parse_page("<a>b</a>"))
    >>> collect_texts(parse_page("<a>b<p>c</a>")), collect_texts(parse_page("<svg><a>b<a>c</a>d</a>"))
    ({(1, 0): ['b', 'c']}, {(1, 5): ['b', 'd'], (1, 9): ['c']})
    """
    # In document order the positions of anchors increase, unless some are copies, or were moved out of a table.
    positions: Any = map(attrgetter("position"), document.iter_elements("a"))
    if document.select_one("a a") is None and all(starmap(lt, pairwise(positions))):
        return None
    from turbohtml import Text  # noqa: PLC0415  an extra

    texts: dict[Any, list[str]] = {anchor.position: [] for anchor in document.iter_elements("a")}
    for node in document.descendants:
        if isinstance(node, Text):
            anchor = node.closest("a")
            if anchor is not None:
                texts[anchor.position].append(node.data)
    return texts
