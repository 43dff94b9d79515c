"""URIs in documents: which base URI a document has (RFC 3986, 5.1), and what it links to.

HTML is read by `turbohtml`, a parser as the HTML Standard has it: `pip install 'urisect[html]'`.
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

Cut = Literal["one", "spaces", "commas", "srcset", "refresh"]

# Each attribute that holds references, the elements on which it does, and how its value is cut (the HTML Standard;
# HTML 4.01 for what that no longer has; SVG 2). <base href> sets the base and is no link; the `code` of an applet is
# the name of a class and no reference.
ATTRIBUTES: Final[tuple[tuple[str, str, Cut], ...]] = (
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
_CUTS_BY_ELEMENT: Final = {
    element: {attribute: cut for attribute, elements, cut in ATTRIBUTES if element in elements.split()}
    for _, elements, _ in ATTRIBUTES
    for element in elements.split()
}
_TAGS: Final = frozenset(element.removeprefix("svg:") for element in _CUTS_BY_ELEMENT)

# What an object and an applet resolve against their codebase (HTML 4.01, 13.3.1 and 13.4).
_BELOW_CODEBASE: Final = frozenset({"archive", "classid", "data"})

# ASCII whitespace (the Infra Standard). What of it stands within a reference breaks lines, and is not part of the
# URI (the URL Standard, 4.4).
WHITE_SPACE: Final = "\t\n\f\r "
_LINE_BREAKS: Final = dict.fromkeys(map(ord, "\t\n\r"))
# White space within a header field, folding included, is ignored (draft-fielding-uri-url-00, 5.1).
_FOLDING: Final = dict.fromkeys(map(ord, "\t\n\r "))

# A candidate of a srcset: a URL, which neither begins nor ends with a comma, and descriptors up to a comma that is in
# no parentheses (the HTML Standard, "parse a srcset attribute"). It matches white space and commas alone, too, so that
# none are read twice; the URL gives back no more than the commas at its end.
_DESCRIPTORS: Final = unrolled_loop("[^,(]", r"[(][^)]*+[)]?+")
CANDIDATE: Final = rf"[{WHITE_SPACE},]*+(?>([^{WHITE_SPACE}]*[^{WHITE_SPACE},])(?:,++|{_DESCRIPTORS})|)"
_candidates = re.compile(CANDIDATE).finditer

# A refresh: seconds, and after a separator a URL, with "url=" before it or without, in quotes or without (the HTML
# Standard, 4.2.5.3, the shared declarative refresh steps).
REFRESH: Final = (
    rf"[{WHITE_SPACE}]*+(?:[0-9]++|(?=[.]))[0-9.]*+(?=[;,{WHITE_SPACE}])[{WHITE_SPACE}]*+[;,]?+[{WHITE_SPACE}]*+"
    rf"(?>[Uu][Rr][Ll][{WHITE_SPACE}]*+=[{WHITE_SPACE}]*+|)(?:\"([^\"]*+)|'([^']*+)|(.++))"
)
_refresh = re.compile(REFRESH, re.DOTALL).match

# Start tags whose attributes a parser adds to those of the first such element (the HTML Standard, 13.2.6.4.7).
MERGED: Final = re.compile(rf"<(?=(?:html|body)[{WHITE_SPACE}/])", re.IGNORECASE)
_MERGED_AT_MOST: Final = 64


def base_uri(
    *,
    html: str | BytesLike | None = None,
    headers: "Message[Any, Any] | Mapping[str, str] | Iterable[tuple[str, str]] | None" = None,
    encapsulating: "str | Message[Any, Any] | Sequence[str | Message[Any, Any]] | None" = None,
    retrieval: str | None = None,
    default: str | None = None,
    historical: bool = False,
) -> str | None:
    """Establish the base URI of a document (RFC 3986, 5.1): the innermost that is known.

    From the innermost to the outermost:

    - what the content says (5.1.1): the first `<base href>` of an HTML page, or else, if `historical`, the header
      fields Content-Base and Content-Location. What is relative is resolved against the layers around; what cannot
      be, or is not absolute where it has to be, is ignored, and so is a `<base href>` of the scheme data or
      javascript (the HTML Standard, 4.2.3);
    - the base URI of what the document is enclosed in (5.1.2);
    - the URI that the document was retrieved from (5.1.3);
    - what the application supposes (5.1.4).

    Args:
        html: the document, if it is HTML: str, or bytes in the encoding that they declare or look like.
        headers: the document's own header fields, as a message, a mapping or pairs of a name and a value.
        encapsulating: the base URI of the entity around the document, or that entity as a message, the base URI of
            which its header fields give; or a sequence of these, from the outermost to the innermost.
        retrieval: the URI of the retrieval, the last one after redirections.
        default: the URI to be supposed if nothing else is known.
        historical: whether to read header fields (draft-fielding-uri-url-00, 5.1).

    Returns:
        The base URI without a fragment, or None if there is none. "" counts as not given.

    Raises:
        ValueError: `encapsulating`, `retrieval` or `default` has no scheme.
        TypeError: one of these is no str, or `html` is no text.
        ModuleNotFoundError: `html` is given, and the extra `html` is not installed.

    >>> page = '<title>Test</title><base href="../b/#top">'
    >>> base_uri(html=page, retrieval="http://a.example/x/y?z")
    'http://a.example/b/'
    >>> base_uri(headers={"Content-Base": "http://a.example/"}, default="urn:x", historical=True)
    'http://a.example/'
    """
    base = _outermost(retrieval, default)
    for entity in _entities(encapsulating):
        if entity is None or isinstance(entity, str):
            base = entity or base
        elif historical:
            base = _in_headers(entity, base)
    if headers is not None and historical:
        base = _in_headers(headers, base)
    if html is not None:
        base = _in_page(_parse(to_plain_text(html, "base_uri()")), base)
    return base


def parts(
    message: "Message[Any, Any]", *, retrieval: str | None = None, default: str | None = None, historical: bool = False
) -> "Iterator[tuple[Message[Any, Any], str | None]]":
    r"""Walk through a MIME message, and find the base URI of each part (RFC 3986, 5.1).

    The parts are those that hold no other; each composite part around them, multipart or message, is a layer. In a
    part of the type text/html counts what it says itself.

    Args:
        message: the message, as the standard library's `email` has it.
        retrieval: the URI that the message was retrieved from.
        default: the URI to be supposed if nothing else is known.
        historical: whether to read header fields, as in `base_uri`.

    Yields:
        Each part in its order, and its base URI, or None.

    Raises:
        ValueError: `retrieval` or `default` has no scheme.
        TypeError: one of these is no str, or the message is no `email.message.Message`.
        ModuleNotFoundError: there is a part in HTML, and the extra `html` is not installed.

    >>> from email import message_from_string
    >>> message = message_from_string("Content-Type: text/html\nContent-Base: http://a.example/x/\n\n<base href=../y>")
    >>> [base for part, base in parts(message, historical=True)]
    ['http://a.example/y']
    """
    if not _is_message(message):
        raise TypeError(f"parts() takes an email.message.Message, not {type(message).__name__}")
    return _walk(message, _outermost(retrieval, default), historical=historical)


class Link(str):
    """A link of a document: the URI that it leads to (RFC 3986, 5.2), which is the text, and where it was found.

    Attributes:
        element: the name of the element, in lower case.
        attribute: the name of the attribute, in lower case.
        reference: the reference as written there, without the white space around it.

    >>> link = Link("http://a.example/b", "a", "href", "/b")
    >>> link.reference, link == "http://a.example/b"
    ('/b', True)
    """

    __slots__ = ("attribute", "element", "reference")

    element: str
    attribute: str
    reference: str

    def __new__(cls, target: str, element: str, attribute: str, reference: str) -> Self:
        """Make a link of a target and where it was found."""
        self = super().__new__(cls, target)
        self.element = element
        self.attribute = attribute
        self.reference = reference
        return self

    def __getnewargs__(self) -> tuple[str, str, str, str]:  # type: ignore[override]  # what __new__ takes, not str's
        """Give what copies and pickles are made of."""
        return str(self), self.element, self.attribute, self.reference


def links(html: str | BytesLike, base: str | Reference[str] | Base[str]) -> Iterator[Link]:
    """Find what an HTML page links to, every attribute that holds a reference, each resolved (RFC 3986, 5.2).

    The page is read as a browser without scripts reads it: what stands in `<noscript>` counts, and what stands in
    comments, scripts and `<template>` is no link. Nothing is left out for its scheme, for being empty, or for being
    found twice.

    Args:
        html: the page: str, or bytes in the encoding that they declare or look like.
        base: the page's own URI, or what `base_uri` gives without `html`. A `<base href>` in the page takes its place,
            but for the manifest of `<html>`, which is read before.

    Yields:
        The links in document order, those of an element in the order of its attributes.

    Raises:
        ValueError: the base has no scheme.
        TypeError: the page or the base is no text, or the base is bytes.
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
    document = _parse(to_plain_text(html, "links()"))
    return _links(document, own, Base(_in_page(document, without_fragment) or without_fragment))


def _outermost(retrieval: str | None, default: str | None) -> str | None:
    """Find the base URI that is left where nothing is embedded or encapsulated (RFC 3986, 5.1.3 and 5.1.4)."""
    default = _checked(default, "default")
    return _checked(retrieval, "retrieval") or default


def _entities(encapsulating: Any) -> "list[str | Message[Any, Any] | None]":
    """Give the layers around a document from the outermost to the innermost, the texts checked."""
    if encapsulating is None or isinstance(encapsulating, str | bytes) or _is_message(encapsulating):
        encapsulating = [encapsulating]
    return [entity if _is_message(entity) else _checked(entity, "encapsulating") for entity in encapsulating]


def _is_message(thing: object) -> "TypeGuard[Message[Any, Any]]":
    """Tell a message by what is read of it, for to import its class costs more than all else that is imported."""
    return hasattr(thing, "raw_items")


def _checked(base: str | None, what: str) -> str | None:
    """Check a base URI that the caller gives, and take its fragment away; "" is none."""
    if base is None:
        return None
    if not isinstance(base, str):
        raise TypeError(f"the base URI of a document is str, and as {what} {type(base).__name__} was given")
    if base and not _scheme(base):
        raise ValueError(f"a base URI has a scheme, and {base!r}, given as {what}, has none")
    return _without_fragment(base) or None


def _in_headers(headers: Any, outer: str | None) -> str | None:
    """Find the base URI that header fields give (draft-fielding-uri-url-00, 5.1), or else the outer one."""
    fields = _fields(headers)
    for wanted, base in (("content-base", None), ("content-location", outer)):
        for name, value in fields:
            if name.lower() == wanted:
                absolute = _absolute(str(value).translate(_FOLDING), base)
                if absolute is not None:
                    return absolute
    return outer


def _fields(headers: Any) -> list[tuple[str, Any]]:
    """Give header fields as pairs; those of a message as they came, for its policy may refuse some."""
    if _is_message(headers):
        return list(headers.raw_items())
    return list(headers.items() if isinstance(headers, Mapping) else headers)


def _in_page(document: "turbohtml.Document", outer: str | None) -> str | None:
    """Find the base URI that a page gives (the HTML Standard, 4.2.3), or else the outer one."""
    for element in document.iter_elements("base"):
        if _name(element) == "base" and "href" in element.attrs:
            absolute = _absolute(_cleaned(element.attr("href") or ""), outer)
            return outer if absolute is None or _scheme(absolute) in {"data", "javascript"} else absolute
    return outer


def _absolute(reference: str, outer: str | None) -> str | None:
    """Make a base URI of a reference that may be relative, if there is what to resolve it against."""
    base = reference if outer is None else outer
    return _without_fragment(resolve(base, reference)) if _scheme(base) else None


def _scheme(reference: str) -> str | None:
    """Give the scheme of a reference in lower case, in which schemes are the same (RFC 3986, 3.1)."""
    scheme = split(reference).scheme
    return scheme and scheme.lower()


def _without_fragment(reference: str) -> str:
    """Give what stands before the first "#", at which a fragment begins."""
    return reference.partition("#")[0]


def _walk(
    message: "Message[Any, Any]", base: str | None, *, historical: bool
) -> "Iterator[tuple[Message[Any, Any], str | None]]":
    """Go down to the parts that hold no other, however deep they are."""
    waiting = [(message, base)]
    while waiting:
        part, base = waiting.pop()
        if historical:
            base = _in_headers(part, base)
        if part.is_multipart():
            inner: Any = part.get_payload()
            waiting.extend((below, base) for below in reversed(inner))
            continue
        if part.get_content_type() == "text/html":
            octets: Any = part.get_payload(decode=True)
            base = _in_page(_parse(octets or b"", part.get_content_charset()), base)
        yield part, base


def _parse(html: str | bytes, charset: str | None = None) -> "turbohtml.Document":
    """Read a page; what templates hold is no part of it."""
    try:
        import turbohtml  # noqa: PLC0415  an extra
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "HTML is read by turbohtml, which is not installed: pip install 'urisect[html]'", name="turbohtml"
        ) from None
    text = html if isinstance(html, str) else _decoded(html, charset)
    document = turbohtml.parse(_bounded(text))
    document.remove("template")
    return document


def _decoded(html: bytes, charset: str | None) -> str:
    """Read bytes in the encoding that came with them, or else in what they declare or look like."""
    from turbohtml.detect import detect  # noqa: PLC0415  an extra

    if charset is not None:
        with suppress(LookupError, ValueError):  # there is no encoding of that name
            return html.decode(f"whatwg-{charset}")
    return html.decode(detect(html).codec or "utf-8")


def _bounded(html: str) -> str:
    """Leave no more of the tags whose attributes are merged than a page may have.

    The parser copies what it has merged so far for each of them, which a page of nothing else would make it do for
    gigabytes. What is beyond the bound is given another name.
    """
    beyond = next(islice(MERGED.finditer(html), _MERGED_AT_MOST, None), None)
    if beyond is None:
        return html
    return html[: beyond.start()] + MERGED.sub("<x-", html[beyond.start() :])


def _links(document: "turbohtml.Document", own: Base[str], base: Base[str]) -> Iterator[Link]:
    """Go through the elements of a page, each as it was written, once."""
    anchors = set()
    for element in document.iter_elements(_TAGS):
        cuts = _CUTS_BY_ELEMENT.get(_name(element), {})
        if element.tag == "a":
            # Where an anchor is not closed, the tree holds copies of it, each with the position of the one tag.
            if element.position in anchors:
                continue
            anchors.add(element.position)
        for attribute in _attributes(element, cuts):
            cut = cuts[attribute]
            if cut == "refresh" and not _is_refresh(element):
                continue
            against = own if attribute == "manifest" else base
            codebase = element.attr("codebase") if attribute in _BELOW_CODEBASE else None
            if codebase is not None:
                against = Base(base.resolve(_cleaned(codebase)))
            for reference in _CUTS[cut](element.attr(attribute) or ""):
                yield Link(against.resolve(_cleaned(reference)), element.tag, attribute, reference)


def _name(element: "turbohtml.Element") -> str:
    """Give the name of an element, with its namespace unless that is HTML."""
    namespace: str = element.namespace.value
    return element.tag if namespace == "html" else f"{namespace}:{element.tag}"


def _attributes(element: "turbohtml.Element", known: Collection[str]) -> list[str]:
    """List the names of an element's attributes in their order, but only the known ones."""
    try:
        return [name for name in element.attrs if name in known]
    except UnicodeDecodeError:  # turbohtml cannot list a name with a lone surrogate in it
        found = " or ".join(f"name()='{name}'" for name in known)
        count = sum(name in element.attrs for name in known)
        return [str(element.xpath(f"name(@*[{found}][{position}])")) for position in range(1, count + 1)]


def _is_refresh(element: "turbohtml.Element") -> bool:
    return (element.attr("http-equiv") or "").lower() == "refresh"


def _cleaned(reference: str) -> str:
    """Take away what the URL Standard, 4.4, takes away: white space around, line breaks anywhere."""
    return reference.strip(WHITE_SPACE).translate(_LINE_BREAKS)


def _one(value: str) -> Iterator[str]:
    yield value.strip(WHITE_SPACE)


def _spaces(value: str) -> Iterator[str]:
    return (match[0] for match in re.finditer(rf"[^{WHITE_SPACE}]++", value))


def _commas(value: str) -> Iterator[str]:
    return (match[0] for match in re.finditer(rf"[^{WHITE_SPACE},](?>[^,]*[^{WHITE_SPACE},]|)", value))


def _srcset(value: str) -> Iterator[str]:
    return filter(None, (match[1] for match in _candidates(value)))


def _refreshed(value: str) -> Iterator[str]:
    match = _refresh(value)
    url = match[match.lastindex or 0].strip(WHITE_SPACE) if match else ""
    if url:
        yield url


_CUTS: Final[Mapping[Cut, Callable[[str], Iterator[str]]]] = {
    "one": _one,
    "spaces": _spaces,
    "commas": _commas,
    "srcset": _srcset,
    "refresh": _refreshed,
}
