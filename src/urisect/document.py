"""Establish the base URI of a document (RFC 3986, 5.1), and find its links.

`turbohtml` parses HTML as the HTML Standard specifies: `pip install 'urisect[html]'`.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeGuard

from urisect.reference import Reference, split
from urisect.repetition import unrolled_loop
from urisect.resolution import Base, resolve, to_base
from urisect.text_types import BytesLike, to_plain_text

if TYPE_CHECKING:
    from email.message import Message

    import turbohtml

__all__ = ["Link", "base_uri", "links", "parts"]

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
_SYNTAX_BY_ELEMENT: Final = {
    element: {attribute: syntax for attribute, elements, syntax in LINK_ATTRIBUTES if element in elements.split()}
    for _, elements, _ in LINK_ATTRIBUTES
    for element in elements.split()
}
_TAGS: Final = frozenset(element.removeprefix("svg:") for element in _SYNTAX_BY_ELEMENT)

# The attributes of an object or an applet that are relative to its codebase (HTML 4.01, 13.3.1 and 13.4).
_RELATIVE_TO_CODEBASE: Final = frozenset({"archive", "classid", "data"})

# ASCII whitespace (the Infra Standard). Tabs and line breaks inside a reference are not part of the URI (the URL
# Standard, 4.4).
WHITE_SPACE: Final = "\t\n\f\r "
_DELETE_LINE_BREAKS: Final = str.maketrans("", "", "\t\n\r")
# White space within a header field, folding included, is ignored (draft-fielding-uri-url-00, 5.1).
_DELETE_FOLDING: Final = str.maketrans("", "", "\t\n\r ")

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

# Start tags whose attributes a parser merges into the first element of that name (the HTML Standard, 13.2.6.4.7).
MERGED_TAG: Final = re.compile(rf"<(?=(?:html|body)[{WHITE_SPACE}/])", re.IGNORECASE)
_MAX_MERGED_TAGS: Final = 64


def base_uri(
    *,
    html: str | BytesLike | None = None,
    headers: "Message | Mapping[str, str] | Iterable[tuple[str, str]] | None" = None,
    encapsulating: "str | Message | Sequence[str | Message] | None" = None,
    retrieval: str | None = None,
    default: str | None = None,
    historical: bool = False,
) -> str | None:
    """Establish the base URI of a document (RFC 3986, 5.1): the innermost known one.

    From the innermost to the outermost:

    - the content (5.1.1): the first `<base href>` of an HTML page, or else, if `historical`, the header fields
      Content-Base and Content-Location. A relative reference is resolved against the next layer. A reference that
      cannot be resolved, or is not absolute although it must be, is ignored, as is a `<base href>` with the scheme data
      or javascript (the HTML Standard, 4.2.3);
    - the base URI of the encapsulating entity (5.1.2);
    - the URI from which the document was retrieved (5.1.3);
    - the default of the application (5.1.4).

    Args:
        html: the document, if it is HTML: str, or bytes, whose encoding is declared in them or detected.
        headers: the document's own header fields: a message, a mapping or pairs of name and value.
        encapsulating: the base URI of the entity around the document, or that entity as a message, whose header fields
            give its base URI; or a sequence of these, from the outermost to the innermost.
        retrieval: the URI of the retrieval, after redirections.
        default: the URI to use if nothing else is known.
        historical: whether to read header fields (draft-fielding-uri-url-00, 5.1).

    Returns:
        The base URI without a fragment, or None. An empty argument counts as not given.

    Raises:
        ValueError: `encapsulating`, `retrieval` or `default` has no scheme.
        TypeError: one of these is not a str, or `html` is neither str nor bytes-like.
        ModuleNotFoundError: `html` is given, and the extra `html` is not installed.

    >>> page = '<title>Test</title><base href="../b/#top">'
    >>> base_uri(html=page, retrieval="http://a.example/x/y?z")
    'http://a.example/b/'
    >>> base_uri(headers={"Content-Base": "http://a.example/"}, historical=True)
    'http://a.example/'
    """
    base = _outermost_base(retrieval, default)
    for entity in _check_layers(encapsulating):
        if entity is None or isinstance(entity, str):
            base = entity or base
        elif historical:
            base = _base_from_headers(entity, base)
    if headers is not None and historical:
        base = _base_from_headers(headers, base)
    if html is not None:
        base = _base_from_page(_parse(to_plain_text(html, "base_uri()")), base)
    return base


def parts(
    message: "Message", *, retrieval: str | None = None, default: str | None = None, historical: bool = False
) -> "Iterator[tuple[Message, str | None]]":
    r"""Walk through a MIME message, and find the base URI of each part (RFC 3986, 5.1).

    Only parts that contain no other parts are yielded; each composite part around them, multipart or message, is a
    layer. In a part of type text/html, `<base href>` is read.

    Args:
        message: an `email.message.Message`.
        retrieval: the URI from which the message was retrieved.
        default: the URI to use if nothing else is known.
        historical: whether to read header fields, as in `base_uri`.

    Yields:
        Each part in order, with its base URI or None.

    Raises:
        ValueError: `retrieval` or `default` has no scheme.
        TypeError: one of these is not a str, or the message is not an `email.message.Message`.
        ModuleNotFoundError: a part is HTML, and the extra `html` is not installed.

    >>> from email import message_from_string
    >>> header = "Content-Type: text/html\nContent-Base: http://a.example/x/"
    >>> message = message_from_string(f"{header}\n\n<base href=../y>")
    >>> [base for part, base in parts(message, historical=True)]
    ['http://a.example/y']
    """
    if not _is_message(message):
        raise TypeError(f"parts() takes an email.message.Message, not {type(message).__name__}")
    return _walk_parts(message, _outermost_base(retrieval, default), historical=historical)


class Link(str):
    """A link of a document: a str, the target URI (RFC 3986, 5.2), with the place where the link was found.

    Attributes:
        element: the name of the element, in lower case.
        attribute: the name of the attribute, in lower case.
        reference: the reference as written, without the white space around it.
        rel: the link types of the element, in lower case, in order: `rel="Next nofollow"` is `("next", "nofollow")`.
        text: the text of the element, white space collapsed.
        nofollow: whether crawlers are asked not to follow the link.

    >>> link = Link("http://a.example/b", "a", "href", "/b")
    >>> link.reference, link == "http://a.example/b"
    ('/b', True)
    """

    __slots__ = ("attribute", "element", "nofollow", "reference", "rel", "text")

    element: str
    attribute: str
    reference: str
    rel: tuple[str, ...]
    text: str
    nofollow: bool

    def __new__(
        cls,
        target: str,
        element: str,
        attribute: str,
        reference: str,
        rel: tuple[str, ...] = (),
        text: str = "",
        *,
        nofollow: bool = False,
    ) -> Self:
        """Make a link, given its target and the place where it was found."""
        self = super().__new__(cls, target)
        self.element = element
        self.attribute = attribute
        self.reference = reference
        self.rel = rel
        self.text = text
        self.nofollow = nofollow
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[object, ...], dict[str, bool]]:
        """Return the arguments of `__new__`, for copies and pickles."""
        return (str(self), self.element, self.attribute, self.reference, self.rel, self.text), {
            "nofollow": self.nofollow
        }


def links(
    html: str | BytesLike, base: str | Reference[str] | Base[str], *, encoding: str | None = None
) -> Iterator[Link]:
    """Find the links of an HTML page: every attribute that contains a reference, resolved (RFC 3986, 5.2).

    The page is read as by a browser without scripts: links in `<noscript>` are found, but not in comments, scripts and
    `<template>`. Links with any scheme, empty links and duplicates are included.

    Args:
        html: the page: str, or bytes, whose encoding is declared in them or detected.
        base: the page's own URI, or the result of `base_uri` without `html`. A `<base href>` in the page replaces it,
            except for the manifest of `<html>`, which is read before.
        encoding: the encoding of bytes, if it is known, as from the header field Content-Type.

    Yields:
        The links in document order, and in the order of an element's attributes.

    Raises:
        ValueError: the base has no scheme.
        TypeError: the page or the base has another type, or the base is bytes.
        ModuleNotFoundError: the extra `html` is not installed.

    >>> page = '<base href="/b/"><a href="c d">C</a><img srcset="e.png, f.png 2x">'
    >>> for link in links(page, "http://a.example/"):
    ...     print(link.element, link.attribute, link)
    a href http://a.example/b/c d
    img srcset http://a.example/b/e.png
    img srcset http://a.example/b/f.png
    """
    own = to_base(base)
    without_fragment = own.resolve("")
    document = _parse(to_plain_text(html, "links()"), encoding)
    return _find_links(document, own, Base(_base_from_page(document, without_fragment) or without_fragment))


def _outermost_base(retrieval: str | None, default: str | None) -> str | None:
    """Return the base URI of the outermost layer (RFC 3986, 5.1.3 and 5.1.4)."""
    default = _check_base(default, "default")
    return _check_base(retrieval, "retrieval") or default


def _check_layers(encapsulating: Any) -> "list[str | Message | None]":
    """Return the layers around a document, from the outermost to the innermost, and check those that are URIs."""
    if encapsulating is None or isinstance(encapsulating, str | bytes) or _is_message(encapsulating):
        encapsulating = [encapsulating]
    return [entity if _is_message(entity) else _check_base(entity, "encapsulating") for entity in encapsulating]


def _is_message(thing: object) -> "TypeGuard[Message]":
    """Return whether something is a message, by duck typing: importing the class is slow."""
    return hasattr(thing, "raw_items")


def _check_base(base: str | None, what: str) -> str | None:
    """Check a base URI from the caller, and remove its fragment; "" becomes None."""
    if base is None:
        return None
    if not isinstance(base, str):
        raise TypeError(f"a base URI is a str, but {what} is {type(base).__name__}")
    if base and not _scheme_of(base):
        raise ValueError(f"a base URI has a scheme, but {what}, {base!r}, has none")
    return _without_fragment(base) or None


def _base_from_headers(headers: Any, outer: str | None) -> str | None:
    """Return the base URI from header fields (draft-fielding-uri-url-00, 5.1), or else the outer one."""
    fields = _header_fields(headers)
    for wanted, base in (("content-base", None), ("content-location", outer)):
        for name, value in fields:
            if name.lower() == wanted:
                absolute = _resolve_base(str(value).translate(_DELETE_FOLDING), base)
                if absolute is not None:
                    return absolute
    return outer


def _header_fields(headers: Any) -> list[tuple[str, Any]]:
    """Return header fields as pairs; those of a message raw, because its policy may reject some."""
    if _is_message(headers):
        return list(headers.raw_items())
    return list(headers.items() if isinstance(headers, Mapping) else headers)


def _base_from_page(document: "turbohtml.Document", outer: str | None) -> str | None:
    """Return the base URI from a page (the HTML Standard, 4.2.3), or else the outer one."""
    for element in document.iter_elements("base"):
        if _qualified_name(element) == "base" and "href" in element.attrs:
            absolute = _resolve_base(_clean_reference(element.attr("href") or ""), outer)
            return outer if absolute is None or _scheme_of(absolute) in {"data", "javascript"} else absolute
    return outer


def _resolve_base(reference: str, outer: str | None) -> str | None:
    """Resolve a base URI that may be relative; None if there is no absolute URI to resolve it against."""
    base = reference if outer is None else outer
    return _without_fragment(resolve(base, reference)) if _scheme_of(base) else None


def _scheme_of(reference: str) -> str | None:
    """Return the scheme of a reference in lower case, because schemes are case-insensitive (RFC 3986, 3.1)."""
    scheme = split(reference).scheme
    return scheme and scheme.lower()


def _without_fragment(reference: str) -> str:
    """Return a reference without its "#" and fragment."""
    return reference.partition("#")[0]


def _walk_parts(message: "Message", base: str | None, *, historical: bool) -> "Iterator[tuple[Message, str | None]]":
    """Yield the parts that contain no other parts, at any depth."""
    waiting = [(message, base)]
    while waiting:
        part, base = waiting.pop()
        if historical:
            base = _base_from_headers(part, base)
        if part.is_multipart():
            inner: Any = part.get_payload()
            waiting.extend((below, base) for below in reversed(inner))
            continue
        if part.get_content_type() == "text/html":
            content: Any = part.get_payload(decode=True)
            base = _base_from_page(_parse(content or b"", part.get_content_charset()), base)
        yield part, base


def _parse(html: str | bytes, charset: str | None = None) -> "turbohtml.Document":
    """Parse a page, and drop its templates."""
    try:
        import turbohtml  # noqa: PLC0415  an extra
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "turbohtml, which parses HTML, is not installed: pip install 'urisect[html]'", name="turbohtml"
        ) from None
    text = html if isinstance(html, str) else _decode(html, charset)
    document = turbohtml.parse(_limit_merged_tags(text))
    document.remove("template")
    return document


def _decode(html: bytes, charset: str | None) -> str:
    """Decode bytes in the given encoding, or else in the one that they declare, or in a detected one."""
    from turbohtml.detect import detect  # noqa: PLC0415  an extra

    if charset is not None:
        with suppress(LookupError, ValueError):  # unknown encoding
            return html.decode(f"whatwg-{charset}")
    return html.decode(detect(html).codec or "utf-8")


def _limit_merged_tags(html: str) -> str:
    """Rename the tags whose attributes are merged, except the first `_MAX_MERGED_TAGS`.

    For each of them, the parser copies the attributes merged so far: in a page of such tags it would copy gigabytes.
    """
    beyond = next(islice(MERGED_TAG.finditer(html), _MAX_MERGED_TAGS, None), None)
    if beyond is None:
        return html
    return html[: beyond.start()] + MERGED_TAG.sub("<x-", html[beyond.start() :])


def _find_links(document: "turbohtml.Document", own: Base[str], base: Base[str]) -> Iterator[Link]:
    """Yield the links of each element of a page, in document order."""
    anchors = set()
    for element in document.iter_elements(_TAGS):
        syntaxes = _SYNTAX_BY_ELEMENT.get(_qualified_name(element), {})
        if element.tag == "a":
            # The tree contains copies of an unclosed anchor, all with the position of its tag.
            if element.position in anchors:
                continue
            anchors.add(element.position)
        for attribute in _known_attributes(element, syntaxes):
            syntax = syntaxes[attribute]
            if syntax == "refresh" and not _is_refresh(element):
                continue
            against = own if attribute == "manifest" else base
            codebase = element.attr("codebase") if attribute in _RELATIVE_TO_CODEBASE else None
            if codebase is not None:
                against = Base(base.resolve(_clean_reference(codebase)))
            for reference in _SPLIT_VALUE[syntax](element.attr(attribute) or ""):
                rel = tuple((element.attr("rel") or "").lower().split())
                target = against.resolve(_clean_reference(reference))
                text = " ".join(element.text.split())
                yield Link(target, element.tag, attribute, reference, rel, text, nofollow="nofollow" in rel)


def _qualified_name(element: "turbohtml.Element") -> str:
    """Return the name of an element, with its namespace unless that is HTML."""
    namespace: str = element.namespace.value
    return element.tag if namespace == "html" else f"{namespace}:{element.tag}"


def _known_attributes(element: "turbohtml.Element", known: Collection[str]) -> list[str]:
    """Return the names of an element's known attributes, in order."""
    try:
        return [name for name in element.attrs if name in known]
    except UnicodeDecodeError:  # turbohtml cannot list a name with a lone surrogate in it
        found = " or ".join(f"name()='{name}'" for name in known)
        count = sum(name in element.attrs for name in known)
        return [str(element.xpath(f"name(@*[{found}][{position}])")) for position in range(1, count + 1)]


def _is_refresh(element: "turbohtml.Element") -> bool:
    return (element.attr("http-equiv") or "").lower() == "refresh"


def _clean_reference(reference: str) -> str:
    """Remove white space at the ends, and tabs and line breaks anywhere, as the URL Standard, 4.4, does."""
    return reference.strip(WHITE_SPACE).translate(_DELETE_LINE_BREAKS)


def _split_one(value: str) -> Iterator[str]:
    yield value.strip(WHITE_SPACE)


def _split_at_spaces(value: str) -> Iterator[str]:
    return (match[0] for match in re.finditer(rf"[^{WHITE_SPACE}]++", value))


def _split_at_commas(value: str) -> Iterator[str]:
    return (match[0] for match in re.finditer(rf"[^{WHITE_SPACE},](?>[^,]*[^{WHITE_SPACE},]|)", value))


def _split_srcset(value: str) -> Iterator[str]:
    return filter(None, (match[1] for match in _find_candidates(value)))


def _split_refresh(value: str) -> Iterator[str]:
    match = _match_refresh(value)
    url = match[match.lastindex or 0].strip(WHITE_SPACE) if match else ""
    if url:
        yield url


_SPLIT_VALUE: Final[Mapping[ValueSyntax, Callable[[str], Iterator[str]]]] = {
    "one": _split_one,
    "spaces": _split_at_spaces,
    "commas": _split_at_commas,
    "srcset": _split_srcset,
    "refresh": _split_refresh,
}
