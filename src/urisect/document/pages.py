"""HTML pages: their encoding, and their tree, as `turbohtml` builds it by the HTML Standard."""

import re
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, AnyStr, Final

from urisect.document.white_space import WHITE_SPACE
from urisect.text_types import compile_for, restore_type

if TYPE_CHECKING:
    import turbohtml

__all__ = ["check_encoding", "parse_page", "qualified_name"]

# Start tags whose attributes a parser merges into the first element of that name (the HTML Standard, 13.2.6.4.7), also
# in UTF-16. Names that mix the two do not matter. Of several expressions this is the fastest: 1 ns a byte.
MERGED_TAG: Final = rf"<\0?[HhBb]\0?(?:[Tt]\0?[Mm]\0?[Ll]|[Oo]\0?[Dd]\0?[Yy])\0?[{WHITE_SPACE}/]"
_MAX_MERGED_TAGS: Final = 64

# The encoding in an XML declaration (the HTML Standard, 13.2.3.2, "get an XML encoding"). Without a byte order mark,
# UTF-16 shows in the declaration itself.
XML_ENCODING: Final = rb"<\?xml(?>[^>]*?encoding)[\0- ]*+=[\0- ]*+(?:\"([^\"\0- ]*+)\"|'([^'\0- ]*+)')"
_match_xml_encoding = re.compile(XML_ENCODING).match
_XML_IN_UTF_16: Final = {b"<\0?\0x\0": "utf-16le", b"\0<\0?\0x": "utf-16be"}
_PRESCAN_BYTES: Final = 1024


def parse_page(html: str | bytes, encoding: str | None = None) -> "turbohtml.Document":
    """Parse a page, and drop its templates.

    Args:
        html: the page.
        encoding: the encoding of bytes, if it is known; a label of the Encoding Standard.

    Raises:
        ModuleNotFoundError: the extra `html` is not installed.

    >>> parse_page("<a href=x>").select_one("a").attr("href")
    'x'
    """
    try:
        import turbohtml  # noqa: PLC0415  an extra
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "turbohtml, which parses HTML, is not installed: pip install 'urisect[html]'", name="turbohtml"
        ) from None
    if isinstance(html, str):
        document = turbohtml.parse(_limit_merged_tags(html))
    else:
        document = _parse_bytes(_limit_merged_tags(html), encoding)
    document.remove("template")
    return document


def check_encoding(encoding: object, function: str) -> None:
    """Raise TypeError unless an encoding is a str or None.

    Args:
        encoding: the encoding.
        function: the name of the function that was called, for the message.

    >>> check_encoding(b"utf-8", "links()")
    Traceback (most recent call last):
    TypeError: links() takes an encoding as str, not bytes
    """
    if not isinstance(encoding, str | None):
        raise TypeError(f"{function} takes an encoding as str, not {type(encoding).__name__}")


def qualified_name(element: "turbohtml.Element") -> str:
    """Return the name of an element, with its namespace unless that is HTML.

    >>> [qualified_name(element) for element in parse_page("<svg><a>").iter_elements(["body", "a"])]
    ['body', 'svg:a']
    """
    namespace: str = element.namespace.value
    return element.tag if namespace == "html" else f"{namespace}:{element.tag}"


def _parse_bytes(html: bytes, encoding: str | None) -> "turbohtml.Document":
    """Parse bytes in the encoding that the HTML Standard, 13.2.3.2, determines; invalid bytes become U+FFFD.

    A byte order mark wins, then the given encoding, then what a <meta> declares, then an XML declaration, then
    detection. A <meta> beyond the first 1,024 bytes counts, too (13.2.3.5).
    """
    import turbohtml  # noqa: PLC0415  an extra

    if encoding is not None:
        with suppress(LookupError, ValueError):  # not a label of an encoding
            return turbohtml.parse(html, encoding=encoding)
    document = turbohtml.parse(html, detect_encoding=True)
    if document.encoding_confidence == "tentative":
        declared = _declared_in_xml(html[:_PRESCAN_BYTES])
        if declared is not None:
            with suppress(LookupError, ValueError):
                return turbohtml.parse(html, encoding=declared)
    return document


def _declared_in_xml(beginning: bytes) -> str | None:
    """Return the encoding that the XML declaration of a page names; UTF-16 cannot be declared in ASCII.

    >>> _declared_in_xml(b"<?xml version='1.0' encoding='koi8-r'?>"), _declared_in_xml(b"<?xml encoding='utf-16'?>")
    ('koi8-r', 'utf-8')
    """
    match = _match_xml_encoding(beginning)
    if match is None:
        return _XML_IN_UTF_16.get(beginning[:6])
    label = match[match.lastindex or 0].decode("latin-1")
    return "utf-8" if label.lower().startswith("utf-16") else label


def _limit_merged_tags(html: AnyStr) -> AnyStr:
    """Rename the tags whose attributes are merged, except the first `_MAX_MERGED_TAGS`.

    For each of them, the parser copies the attributes merged so far: in a page of such tags it would copy gigabytes.
    Only letters are replaced, so that UTF-16 remains UTF-16.

    >>> _limit_merged_tags(b"<body a>" * 65)[-16:]
    b'<body a><xxxx a>'
    """
    pattern = compile_for(type(html), MERGED_TAG)
    beyond = next(islice(pattern.finditer(html), _MAX_MERGED_TAGS, None), None)
    if beyond is None:
        return html
    letters = compile_for(type(html), "[a-zA-Z]")
    x = restore_type("x", html)
    return html[: beyond.start()] + pattern.sub(lambda tag: letters.sub(x, tag[0]), html[beyond.start() :])
