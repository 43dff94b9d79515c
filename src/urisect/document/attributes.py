"""The attributes of HTML and SVG that contain references, and how their values list them."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal

from urisect.document.white_space import WHITE_SPACE, split_at_spaces
from urisect.repetition import unrolled_loop

__all__ = [
    "ELEMENTS",
    "LINK_ATTRIBUTES",
    "RELATIVE_TO_CODEBASE",
    "SPLIT_VALUE",
    "ValueSyntax",
]

# How the value of an attribute lists references.
ValueSyntax = Literal["one", "spaces", "commas", "srcset", "refresh"]

# Attributes that contain references, their elements, and the syntax of their values (the HTML Standard; HTML 4.01 for
# obsolete ones; SVG 2). <base href> sets the base and is not a link; the `code` of an applet is a class name, not a
# reference.
LINK_ATTRIBUTES: Final[tuple[tuple[str, str, ValueSyntax], ...]] = (
    ("action", "form", "one"),
    ("archive", "applet", "commas"),
    ("archive", "object", "spaces"),
    ("background", "body table td th", "one"),
    ("cite", "blockquote del ins q", "one"),
    ("classid", "object", "one"),
    ("codebase", "applet object", "one"),
    ("content", "meta", "refresh"),
    ("data", "object", "one"),
    ("formaction", "button input", "one"),
    ("href", "a area link svg:a svg:image svg:script svg:use", "one"),
    ("icon", "command menuitem", "one"),
    ("imagesrcset", "link", "srcset"),
    ("longdesc", "frame iframe img", "one"),
    ("manifest", "html", "one"),
    ("ping", "a area", "spaces"),
    ("poster", "video", "one"),
    ("profile", "head", "spaces"),
    ("src", "audio embed frame iframe img input script source track video", "one"),
    ("srcset", "img source", "srcset"),
    ("usemap", "img input object", "one"),
    ("xlink:href", "svg:a svg:image svg:script svg:use", "one"),
)

# The same by element: the syntax of each attribute.
ELEMENTS: Final = {
    element: {attribute: syntax for attribute, elements, syntax in LINK_ATTRIBUTES if element in elements.split()}
    for _, elements, _ in LINK_ATTRIBUTES
    for element in elements.split()
}

# The attributes of an object or an applet that are relative to its codebase (HTML 4.01, 13.3.1 and 13.4).
RELATIVE_TO_CODEBASE: Final = frozenset({"archive", "classid", "data"})

# A candidate of a srcset: a URL, which neither begins nor ends with a comma, and descriptors up to a comma outside
# parentheses (the HTML Standard, "parse a srcset attribute"). It also matches only white space and commas, so that they
# are read once; the URL backtracks only over the commas at its end.
_DESCRIPTORS: Final = unrolled_loop("[^,(]", r"[(][^)]*+[)]?+")
CANDIDATE: Final = rf"[{WHITE_SPACE},]*+(?>([^{WHITE_SPACE}]*[^{WHITE_SPACE},])(?:,++|{_DESCRIPTORS})|)"
_find_candidates = re.compile(CANDIDATE).finditer

# A refresh: seconds, a separator, and a URL, with or without "url=", in quotes or not (the HTML Standard, 4.2.5.3, the
# shared declarative refresh steps).
REFRESH: Final = (
    rf"[{WHITE_SPACE}]*+(?:[0-9]++|(?=[.]))[0-9.]*+(?=[;,{WHITE_SPACE}])[{WHITE_SPACE}]*+[;,]?+[{WHITE_SPACE}]*+"
    rf"(?>[Uu][Rr][Ll][{WHITE_SPACE}]*+=[{WHITE_SPACE}]*+|)(?:\"([^\"]*+)|'([^']*+)|(.++))"
)
_match_refresh = re.compile(REFRESH, re.DOTALL).match


def _split_one(value: str) -> Iterable[str]:
    return (value.strip(WHITE_SPACE),)


def _split_at_commas(value: str) -> Iterable[str]:
    return (match[0] for match in re.finditer(rf"[^{WHITE_SPACE},](?>[^,]*[^{WHITE_SPACE},]|)", value))


def _split_srcset(value: str) -> Iterable[str]:
    return filter(None, (match[1] for match in _find_candidates(value)))


def _split_refresh(value: str) -> Iterable[str]:
    match = _match_refresh(value)
    url = match[match.lastindex or 0].strip(WHITE_SPACE) if match else ""
    return (url,) if url else ()


SPLIT_VALUE: Final[Mapping[ValueSyntax, Callable[[str], Iterable[str]]]] = {
    "one": _split_one,
    "spaces": split_at_spaces,
    "commas": _split_at_commas,
    "srcset": _split_srcset,
    "refresh": _split_refresh,
}
