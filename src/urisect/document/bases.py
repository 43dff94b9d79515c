"""The base URIs of documents, and of the parts of messages (RFC 3986, 5.1)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from urisect.document.pages import check_encoding, parse_page, qualified_name
from urisect.document.white_space import clean_reference
from urisect.reference import split
from urisect.resolution import resolve
from urisect.text_types import BytesLike, to_plain_text

if TYPE_CHECKING:
    from email.message import Message

    import turbohtml

__all__ = ["base_from_page", "base_uri", "parts"]

# White space within a header field, folding included, is ignored (draft-fielding-uri-url-00, 5.1).
_DELETE_FOLDING: Final = str.maketrans("", "", "\t\n\r ")


def base_uri(
    *,
    html: str | BytesLike | None = None,
    headers: "Message | Mapping[str, str] | Iterable[tuple[str, str]] | None" = None,
    encapsulating: "str | Message | Sequence[str | Message] | None" = None,
    retrieval: str | None = None,
    default: str | None = None,
    historical: bool = False,
    encoding: str | None = None,
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
        html: the document, if it is HTML: str, or bytes in any encoding.
        headers: the document's own header fields: a message, a mapping or pairs of name and value.
        encapsulating: the base URI of the entity around the document, or that entity as a message, whose header fields
            give its base URI; or a sequence of these, from the outermost to the innermost.
        retrieval: the URI of the retrieval, after redirections.
        default: the URI to use if nothing else is known.
        historical: whether to read header fields (draft-fielding-uri-url-00, 5.1).
        encoding: the encoding of `html` in bytes, if it is known, as in `links`.

    Returns:
        The base URI without a fragment, or None. An empty argument counts as not given.

    Raises:
        ValueError: `encapsulating`, `retrieval` or `default` has no scheme.
        TypeError: one of these is not a str, `encoding` neither a str nor None, or `html` neither str nor
            bytes-like.
        ModuleNotFoundError: `html` is given, and the extra `html` is not installed.

    >>> page = '<title>Test</title><base href="../b/#top">'
    >>> base_uri(html=page, retrieval="http://a.example/x/y?z")
    'http://a.example/b/'
    >>> base_uri(headers={"Content-Base": "http://a.example/"}, historical=True)
    'http://a.example/'
    """
    check_encoding(encoding, "base_uri()")
    base = _outermost_base(retrieval, default)
    for entity in _check_layers(encapsulating):
        if entity is None or isinstance(entity, str):
            base = entity or base
        elif historical:
            base = _base_from_headers(entity, base)
    if headers is not None and historical:
        base = _base_from_headers(headers, base)
    if html is not None:
        base = base_from_page(parse_page(to_plain_text(html, "base_uri()"), encoding), base)
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


def base_from_page(document: "turbohtml.Document", outer: str | None) -> str | None:
    """Return the base URI from a page (the HTML Standard, 4.2.3), or else the outer one.

    >>> base_from_page(parse_page("<base href=/b>"), "http://a.example/")
    'http://a.example/b'
    """
    for element in document.iter_elements("base"):
        if qualified_name(element) == "base" and "href" in element.attrs:
            absolute = _resolve_base(clean_reference(element.attr("href") or ""), outer)
            return outer if absolute is None or _scheme_of(absolute) in {"data", "javascript"} else absolute
    return outer


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
            base = base_from_page(parse_page(content or b"", part.get_content_charset()), base)
        yield part, base
