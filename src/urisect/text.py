"""URIs among other text: found in prose, freed of their wrappers, and made whole where a part is left out.

RFC 3986, Appendix C, calls this delimiting a URI in context, and 4.5 calls a URI without its scheme a suffix
reference. Nothing here is exact: prose has no grammar, so each function states the rules by which it goes.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import AnyStr, Final, Generic, NamedTuple, Protocol, overload

from urisect.address import IPVFUTURE
from urisect.characters import DIGIT, HEXDIG, SCHEME, SCHEME_CHARACTER, UNRESERVED
from urisect.repetition import unrolled_loop, zero_or_more
from urisect.schemes import DEFAULT_PORTS, WITHOUT_AUTHORITY
from urisect.text_types import BytesLike, restore_type, to_plain_text, to_str

__all__ = ["Found", "FoundInStream", "complete", "find", "find_in_stream", "unwrap"]

# IP-literal = "[" ( IPv6address / IPvFuture ) "]"  (RFC 3986, 3.2.2), told from other brackets by the first ":" of an
# address, which is loose, and which a zone may follow (RFC 6874), or by the beginning of what the future brings.
_IPV6: Final = rf"[{HEXDIG}]{{0,4}}+:[{HEXDIG}:.]*+(?>%[{UNRESERVED}%]*+|)"
IP_LITERAL: Final = rf"\[(?:{_IPV6}|{IPVFUTURE})\]"

# What no URI holds: the controls, the space, and the delimiters and unwise characters of RFC 2396, 2.4.3. Brackets do
# stand in one, around an IP-literal.
EXCLUDED: Final = r'\x00-\x20\x7f"<>\\^`{|}'

# White space, a set of characters: in ASCII, and what Unicode adds to it.
SPACE: Final = r" \t\n\v\f\r"
SPACE_BEYOND_ASCII: Final = "\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"

# Where one line of a quoted URI ends and the next begins. A blank line does not belong to a URI.
LINE_BREAK: Final = r"[ \t]*+(?:\r\n?+|\n)[ \t]*+"

# Quotation marks. Languages do not agree which of them open and which close, so each may do both; the apostrophe, which
# a URI may hold, is not one of them.
QUOTES: Final = '"'
QUOTES_BEYOND_ASCII: Final = "“”„‟‘’‚‛«»‹›"

# Punctuation that a URI may end with, but a clause does more often.
TRAILING: Final = ".,:;!?'*_~"


class Found(NamedTuple, Generic[AnyStr]):
    """A URI that was found in prose (RFC 3986, Appendix C).

    Attributes:
        text: the URI, without the white space that stood in it.
        start: where it begins in the prose, behind its delimiter.
        end: where it ends, before its delimiter; `prose[start:end]` is `text` together with its white space.
        delimiter: what opens it, without white space: "<", "<URL:" as written, a quotation mark, or "" if it is bare.

    >>> next(find("Look at <http://example.com/>!"))
    Found(text='http://example.com/', start=9, end=28, delimiter='<')
    """

    text: AnyStr
    start: int
    end: int
    delimiter: AnyStr


@overload
def find(text: str) -> Iterator[Found[str]]: ...
@overload
def find(text: BytesLike) -> Iterator[Found[bytes]]: ...
def find(text: str | BytesLike) -> Iterator[Found[str]] | Iterator[Found[bytes]]:
    r"""Find the URIs in prose (RFC 3986, Appendix C).

    A URI is recognized in three forms. What looks like one of the first two, and is not, is looked at as the third.

    - In angle brackets, with or without the prefix "URL:", any URI, over any number of lines. White space after the
      scheme, and around the URI, does not count; but "<Note: see below>" is prose: after a scheme that is not one of
      those below, "://" may be broken, and no other ":" be followed by white space.
    - In quotation marks, a URI that would be recognized without them. White space counts, unless it surrounds a single
      line break: a sentence in quotation marks is no URI.
    - Bare, a scheme with "://" behind it, or one of `urisect.schemes.WITHOUT_AUTHORITY` with ":", and then more than
      punctuation. The scheme is as long as it can be. The URI ends at white space, at a character that no URI holds, at
      a bracket that is not an IP address's, at a parenthesis without its partner or three deep, and at punctuation
      beyond ASCII. Letters and symbols beyond it belong to the URI, for IRIs are met in prose. Punctuation at the end
      is left to the sentence.

    Only URIs are found: neither "www.example.com" nor "fred@example.com", for which there is `complete`. A hyphen
    before a line break is kept, though a typesetter may have put it there: `prose[start:end]` still shows the break.
    Of bytes, every octet beyond ASCII belongs to the URI, and only ASCII is white space or a quotation mark.

    Args:
        text: the prose, str, bytes, bytearray or memoryview.

    Returns:
        An iterator over what was found, in order. No two overlap.

    Raises:
        TypeError: the argument is neither str nor bytes-like.

    >>> [found.text for found in find("See <ftp://a.example/b;\n  type=d>, (http://c.example/d_(e)), or mailto:f@g.")]
    ['ftp://a.example/b;type=d', 'http://c.example/d_(e)', 'mailto:f@g']
    """
    prose = to_plain_text(text, "find()")
    if isinstance(prose, str):
        return _find(prose, _CHARACTERS)
    return (
        Found(uri.encode("latin-1"), start, end, delimiter.encode("latin-1"))
        for uri, start, end, delimiter in _find(to_str(prose), _OCTETS)
    )


class _Alphabet(NamedTuple):
    """What the characters of a text mean; of octets, read as Latin-1, those beyond ASCII mean nothing."""

    space: str
    quotes: str
    has_punctuation: bool


_CHARACTERS: Final = _Alphabet(SPACE + SPACE_BEYOND_ASCII, QUOTES + QUOTES_BEYOND_ASCII, has_punctuation=True)
_OCTETS: Final = _Alphabet(SPACE, QUOTES, has_punctuation=False)


def _find(prose: str, alphabet: _Alphabet) -> Iterator[Found[str]]:
    """Find URIs: one pass of one expression, and of each match what cannot be told by an expression."""
    for match in _expression(alphabet).finditer(prose):
        group = match.lastindex or 0
        delimiter, uri, start = match[group - 1], match[group], match.start(group)
        if delimiter:
            text, delimiter = _squeeze(uri, alphabet), _squeeze(delimiter, alphabet)
        else:
            text = uri = uri.rstrip(TRAILING)
        if delimiter.startswith("<") or _says_something(text):
            yield Found(text, start, start + len(uri), delimiter)


def _says_something(uri: str) -> bool:
    """Whether more than slashes and punctuation follows the scheme; "http://..." is a way to speak of URIs."""
    return bool(uri.partition(":")[2].strip(f"/{TRAILING}"))


def _squeeze(text: str, alphabet: _Alphabet) -> str:
    """Take all white space out of a text."""
    return re.sub(f"[{alphabet.space}]+", "", text)


@cache
def _expression(alphabet: _Alphabet) -> re.Pattern[str]:
    """Compile the expression that finds URIs: alternatives of two groups each, the delimiter and the URI.

    It is linear. None of its parts gives a character back. A delimiter whose URI fails has read at most to the next
    delimiter of its kind, and a parenthesis at most to the second one that is open behind it.
    """
    space, quotes, has_punctuation = alphabet
    known = f"(?ai:{'|'.join(map(re.escape, sorted(WITHOUT_AUTHORITY)))}):"
    start = rf"(?:{SCHEME}://|{known})"

    excluded = EXCLUDED + space
    # "<Note: see below>" is no URI.
    any_start = rf"(?:{known}|{SCHEME}:(?![{space}]++(?!/)))"
    spaced = unrolled_loop(f"[^{excluded}]", rf"[{space}]++(?!>)")
    prefix = rf"<[{space}]*+(?>(?ai:URL):|)[{space}]*+"
    angle = rf"({prefix})({any_start}{spaced})[{space}]*+>"
    quoted = (
        rf"([{marks}])({start}[^{excluded}{marks}]++{zero_or_more(f'{LINE_BREAK}[^{excluded}{marks}]++')})[{marks}]"
        for marks in (quotes, "'")
    )

    ends = rf"{excluded}()\[\]{_punctuation() if has_punctuation else ''}"
    no_end = f"[^{ends}]"
    inner = rf"\({no_end}*+\)"
    parentheses = rf"\({unrolled_loop(no_end, inner)}\)"
    literal = rf"(?>[^{ends}/?#@]*+@|){IP_LITERAL}"
    bare = rf"()({start}(?>{literal}|){unrolled_loop(no_end, parentheses)})"
    # Only from the beginning of a run of characters that a scheme may hold, lest the run is read from each of them.
    run = rf"(?<![{SCHEME_CHARACTER}])[{DIGIT}+\-.]*+"
    # Most characters begin none of these, which is asked first, and once.
    first = rf"(?=[{SCHEME_CHARACTER}<'{quotes}])"
    return re.compile(f"{first}(?:{'|'.join((angle, *quoted, run + bare))})")


def _punctuation() -> str:
    """List the characters beyond ASCII at which a bare URI ends: spaces, controls and punctuation.

    What joins letters to a word is left out: the joiners of Persian and of Indic scripts, the middle dots of Catalan
    and Japanese. Full-width symbols are taken for the punctuation that they are written as.
    """
    import unicodedata  # noqa: PLC0415  a table of a megabyte, and only this reads it

    joining = "\u00b7\u200c\u200d\u30fb"

    def ends(character: str) -> bool:
        if "\uff00" <= character <= "\uffef":
            return not character.isalnum()
        category = unicodedata.category(character)
        return category[0] in "PZ" or category in ("Cc", "Cf")

    return "".join(
        character for character in map(chr, range(0x80, 0x10000)) if ends(character) and character not in joining
    )


@overload
def unwrap(text: str) -> str: ...
@overload
def unwrap(text: BytesLike) -> bytes: ...
def unwrap(text: str | BytesLike) -> str | bytes:
    r"""Free what a person typed of its wrapper and of white space (RFC 3986, Appendix C).

    All white space is taken out, and then, as long as there are any, a pair of angle brackets or of quotation marks
    around the whole, and the prefix "URL:". What has none of these comes back as it is.

    Args:
        text: the text, as it was typed or pasted; str, bytes, bytearray or memoryview.

    Returns:
        What is left, str or bytes. It is not checked, and may lack a scheme: see `complete`.

    Raises:
        TypeError: the argument is neither str nor bytes-like.

    >>> unwrap(" <URL: http://example.com/\n    over/there> ")
    'http://example.com/over/there'
    """
    typed = to_plain_text(text, "unwrap()")
    return restore_type(_unwrap(to_str(typed), _CHARACTERS if isinstance(typed, str) else _OCTETS), typed)


def _unwrap(text: str, alphabet: _Alphabet) -> str:
    """Take the layers of a wrapper off by moving two ends, so that only one copy is made."""
    text = _squeeze(text, alphabet)
    closing = {"<": ">", "'": "'"} | dict.fromkeys(alphabet.quotes, alphabet.quotes)
    prefix = "url:"
    start, end = 0, len(text)
    while start < end:
        if text[start : start + len(prefix)].lower() == prefix and start + len(prefix) <= end:
            start += len(prefix)
        elif start + 1 < end and text[end - 1] in closing.get(text[start], ""):
            start, end = start + 1, end - 1
        else:
            break
    return text[start:end]


# [ userinfo "@" ] host [ ":" port ]  (RFC 3986, 3.2), and its end. The userinfo has no ":", which would make what comes
# before it a scheme, and the port is not empty.
_NAME = rf"[^{EXCLUDED}:/?#\[\]@]++"
SUFFIX: Final = rf"(?>{_NAME}@|)(?P<host>{IP_LITERAL}|{_NAME})(?P<port>:[{DIGIT}]++)?(?![^/?#])"

# local-part "@" domain  (RFC 5322, 3.4.1, "addr-spec", as it is mostly written), and its end.
MAILBOX: Final = rf"{_NAME}@{_NAME}(?![^?#])"


@overload
def complete(text: str, *, scheme: str = ...) -> str: ...
@overload
def complete(text: BytesLike, *, scheme: str = ...) -> bytes: ...
def complete(text: str | BytesLike, *, scheme: str = "http") -> str | bytes:
    """Make a suffix reference whole (RFC 3986, 4.5), by the first of these rules that applies.

    1. What begins with "?", "#", "." or a single "/" is a relative reference, and stays.
    2. What begins with "//" and an authority gets the scheme.
    3. What begins with a scheme stays: one that "://" follows, or one of `urisect.schemes` that ":" follows.
    4. A mailbox gets "mailto:". It has one "@", and no ":" or "/" before the first "?" or "#".
    5. A host gets the scheme and "://"; if its name begins with "ftp.", "ftp://". A host may have a user before it, a
       port after it, and then "/", "?", "#" or nothing. It is recognized by a "." in it, by brackets around an IP
       address, by its port, or by being "localhost".
    6. Everything else stays: a word may as well be a relative path.

    Wrappers and white space are not looked for; `complete(unwrap(text))` takes both away.

    Args:
        text: the reference, str, bytes, bytearray or memoryview.
        scheme: the scheme that is supplied.

    Returns:
        The URI, or the text unchanged; str or bytes. To complete it once more changes nothing.

    Raises:
        TypeError: the text is neither str nor bytes-like.
        ValueError: the scheme is none by RFC 3986, 3.1.

    >>> complete("www.w3.org/Addressing/"), complete("localhost:8080", scheme="https"), complete("../up")
    ('http://www.w3.org/Addressing/', 'https://localhost:8080', '../up')
    """
    reference = to_plain_text(text, "complete()")
    if not re.fullmatch(SCHEME, scheme):
        raise ValueError(f"a scheme is a letter, then letters, digits, '+', '-' and '.'; not {scheme!r}")
    if isinstance(reference, str):
        return _missing(reference, scheme) + reference
    return _missing(to_str(reference), scheme).encode() + reference


def _missing(reference: str, scheme: str) -> str:
    """Give what a reference lacks at its beginning."""
    if re.match("[?#.]|/(?!/)", reference):
        return ""
    if reference.startswith("//"):
        return f"{scheme}:" if re.match("//[^/?#]", reference) else ""
    own = re.match(rf"({SCHEME}):(//)?", reference)
    if own and (own[2] or own[1].lower() in DEFAULT_PORTS or own[1].lower() in WITHOUT_AUTHORITY):
        return ""
    if re.match(MAILBOX, reference):
        return "mailto:"
    suffix = re.match(SUFFIX, reference)
    return _prefix(suffix["host"].lower(), suffix["port"], scheme) if suffix else ""


def _prefix(host: str, port: str | None, scheme: str) -> str:
    """Give what a host lacks, or nothing if it may be a word."""
    if host.startswith("ftp."):
        return "ftp://"
    return f"{scheme}://" if port or "." in host or host.startswith("[") or host == "localhost" else ""


# How much of a stream is searched at once, in bytes.
CHUNK_BYTES: Final = 1 << 20

# Where a chunk ends: after the last of the first group that occurs in it.
_CHUNK_ENDS: Final = ((b"\n\n", b"\n\r\n"), (b"\n",), (b" ", b"\t", b"\r"), (b'"', b">"))

# The beginning of a character in UTF-8, or a whole character.
_UTF8_CHARACTER: Final = rb"[\xc0-\xff][\x80-\xbf]*\Z"


class BinaryStream(Protocol):
    """A buffered binary file, a pipe, or `io.BytesIO`."""

    def read1(self, size: int, /) -> bytes:
        """Read up to `size` bytes with at most one read of the underlying stream; none at the end."""
        ...  # pragma: no cover


class FoundInStream(NamedTuple):
    """A URI that was found in a stream (RFC 3986, Appendix C).

    Attributes:
        text: the URI, without the white space in it; a byte that is not UTF-8 is a lone surrogate (PEP 383).
        offset: where it begins in the stream, in bytes.
        length: its length in the stream, with its white space, in bytes.
        delimiter: what opens it, as in `Found`.

    >>> import io
    >>> next(find_in_stream(io.BytesIO(b"Look at <http://example.com/>!"))).offset
    9
    """

    text: str
    offset: int
    length: int
    delimiter: str


def find_in_stream(stream: BinaryStream) -> Iterator[FoundInStream]:
    r"""Find the URIs in a stream of UTF-8, in constant memory, as `find` does (RFC 3986, Appendix C).

    The stream is searched in chunks of up to 1 MiB. A chunk ends after the last blank line in it, else after the last
    line, else after the last white space, else after the last '"' or ">". A URI that crosses such an end is cut or
    missed.

    Args:
        stream: a buffered binary file, such as `open(path, "rb")` returns; read to its end.

    Returns:
        An iterator over the URIs, in order.

    >>> import io
    >>> list(find_in_stream(io.BytesIO("é: <http://a.example/\n b>".encode())))
    [FoundInStream(text='http://a.example/b', offset=5, length=20, delimiter='<')]
    """
    new = tuple.__new__  # takes half the time of calling the class
    offset = 0
    for chunk in _chunks(stream):
        if b":" in chunk:  # as in every URI
            prose = chunk.decode("utf-8", "surrogateescape")
            same_length = len(prose) == len(chunk)  # every character is one byte
            position, last = offset, 0
            for text, start, end, delimiter in _find(prose, _CHARACTERS):
                length = end - start if same_length else _utf8_length(prose[start:end])
                position += start - last if same_length else _utf8_length(prose[last:start])
                yield new(FoundInStream, (text, position, length, delimiter))
                position += length
                last = end
        offset += len(chunk)


def _chunks(stream: BinaryStream) -> Iterator[bytes]:
    """Read a stream in chunks that end where few URIs continue; their ends depend on the text alone."""
    held = bytearray()
    while data := stream.read1(CHUNK_BYTES - len(held)):
        held += data
        if len(held) == CHUNK_BYTES:
            end = _chunk_end(held)
            yield bytes(held[:end])
            del held[:end]
    yield bytes(held)


def _chunk_end(held: bytearray) -> int:
    """Return where a chunk ends: where few URIs continue, or else between two characters."""
    for ends in _CHUNK_ENDS:
        if found := [place + len(end) for end in ends if (place := held.rfind(end)) >= 0]:
            return max(found)
    begun = re.search(_UTF8_CHARACTER, held[-3:])  # the last three bytes may lack the fourth of a character
    return len(held) - len(begun[0]) if begun else len(held)


def _utf8_length(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))
