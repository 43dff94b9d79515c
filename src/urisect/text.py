"""Find URIs in prose, remove wrappers such as angle brackets from them, and complete references without a scheme.

RFC 3986 calls this delimiting a URI in context (Appendix C), and calls a URI without its scheme a suffix reference
(4.5). Prose has no grammar, so these are heuristics: each function documents its rules.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import AnyStr, Final, Generic, NamedTuple, overload

from urisect.address import IPVFUTURE
from urisect.characters import DIGIT, HEXDIG, SCHEME, SCHEME_CHARACTER, UNRESERVED
from urisect.repetition import unrolled_loop, zero_or_more
from urisect.schemes import DEFAULT_PORTS, SCHEMES_WITHOUT_AUTHORITY
from urisect.text_types import BytesLike, Stream, get_read1, restore_type, to_plain_text, to_str

__all__ = ["Found", "FoundInStream", "complete", "find", "find_in_stream", "unwrap"]

# IP-literal = "[" ( IPv6address / IPvFuture ) "]"  (RFC 3986, 3.2.2). The expression for an address is loose, and
# allows a zone (RFC 6874): it only has to distinguish literals from other text in brackets.
_LOOSE_IPV6: Final = rf"[{HEXDIG}]{{0,4}}+:[{HEXDIG}:.]*+(?>%[{UNRESERVED}%]*+|)"
LOOSE_IP_LITERAL: Final = rf"\[(?:{_LOOSE_IPV6}|{IPVFUTURE})\]"

# The characters that are not in any URI: the controls, the space, and the delimiters and unwise characters of RFC 2396,
# 2.4.3, except the brackets, which enclose an IP-literal.
EXCLUDED: Final = r'\x00-\x20\x7f"<>\\^`{|}'

# White space, as character sets: in ASCII, and in the rest of Unicode.
ASCII_WHITE_SPACE: Final = r" \t\n\v\f\r"
UNICODE_WHITE_SPACE: Final = "\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"

# A line break inside a quoted URI. A URI does not contain a blank line.
LINE_BREAK: Final = r"[ \t]*+(?:\r\n?+|\n)[ \t]*+"

# Quotation marks. Languages differ in which of them open and which close, so each may do both. The apostrophe is not in
# the set, because a URI may contain it.
ASCII_QUOTATION_MARKS: Final = '"'
UNICODE_QUOTATION_MARKS: Final = "“”„‟‘’‚‛«»‹›"

# Punctuation that may end a URI, but more often ends a clause.
TRAILING_PUNCTUATION: Final = ".,:;!?'*_~"


class Found(NamedTuple, Generic[AnyStr]):
    """A URI found in prose (RFC 3986, Appendix C).

    Attributes:
        text: the URI, without the white space inside it.
        start: the offset where it begins in the prose, after its delimiter.
        end: the offset where it ends, before its delimiter; `prose[start:end]` is `text` with its white space.
        delimiter: the opening delimiter, without white space: "<", "<URL:" as written, a quotation mark, or "".

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

    A URI has one of three forms. Text that only resembles one of the first two is tried as the third.

    - In angle brackets, with or without the prefix "URL:", any URI, on any number of lines. White space inside is
      ignored. But "<Note: see below>" is prose: after a scheme that is not one of those below, "://" may be broken by
      white space, and any other ":" must not be followed by white space.
    - In quotation marks, a URI that would be found without them. Only white space around a single line break is
      ignored: a sentence in quotation marks is not a URI.
    - Bare, a scheme and "://", or a known scheme without an authority, such as mailto, and ":", followed by more than
      punctuation. The scheme is the longest possible. The URI ends at white space, at a character that is not in
      any URI, at a bracket that does not enclose an IP address, at a parenthesis that is unmatched or three deep, and
      at punctuation beyond ASCII. Letters and symbols beyond ASCII belong to the URI, because prose contains IRIs.
      Trailing punctuation belongs to the sentence.

    Only URIs are found: not "www.example.com" or "fred@example.com", which `complete` completes. A hyphen before a
    line break is kept, although a typesetter may have inserted it: `prose[start:end]` still shows the break. In bytes,
    every byte beyond ASCII belongs to the URI, and only ASCII is white space or a quotation mark.

    Args:
        text: the prose, str, bytes, bytearray or memoryview.

    Returns:
        An iterator over the URIs, in order. They do not overlap.

    Raises:
        TypeError: the argument is neither str nor bytes-like.

    >>> prose = "See <ftp://a.example/b;\n  type=d>, (http://c.example/d_(e)), or mailto:f@g."
    >>> [found.text for found in find(prose)]
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
    """The meaning of characters. In bytes, read as Latin-1, characters beyond ASCII have none."""

    space: str
    quotes: str
    has_punctuation: bool


_CHARACTERS: Final = _Alphabet(
    ASCII_WHITE_SPACE + UNICODE_WHITE_SPACE, ASCII_QUOTATION_MARKS + UNICODE_QUOTATION_MARKS, has_punctuation=True
)
_OCTETS: Final = _Alphabet(ASCII_WHITE_SPACE, ASCII_QUOTATION_MARKS, has_punctuation=False)


def _find(prose: str, alphabet: _Alphabet) -> Iterator[Found[str]]:
    """Find URIs in one pass of one expression, then apply the rules that an expression cannot test."""
    for match in _uri_pattern(alphabet).finditer(prose):
        group = match.lastindex or 0
        delimiter, uri, start = match[group - 1], match[group], match.start(group)
        if delimiter:
            text, delimiter = _remove_white_space(uri, alphabet), _remove_white_space(delimiter, alphabet)
        else:
            text = uri = uri.rstrip(TRAILING_PUNCTUATION)
        if delimiter.startswith("<") or _has_content(text):
            yield Found(text, start, start + len(uri), delimiter)


def _has_content(uri: str) -> bool:
    """Return whether more than slashes and punctuation follows the scheme: "http://..." only stands for a URI."""
    return bool(uri.partition(":")[2].strip(f"/{TRAILING_PUNCTUATION}"))


def _remove_white_space(text: str, alphabet: _Alphabet) -> str:
    """Remove all white space from a text."""
    return re.sub(f"[{alphabet.space}]+", "", text)


@cache
def _uri_pattern(alphabet: _Alphabet) -> re.Pattern[str]:
    """Compile the expression that finds URIs: each alternative has two groups, the delimiter and the URI.

    It takes linear time. No part of it backtracks. A delimiter without a URI has been read at most up to the next
    delimiter of its kind, and a parenthesis at most up to the second unmatched one after it.
    """
    space, quotes, has_punctuation = alphabet
    known = f"(?ai:{'|'.join(map(re.escape, sorted(SCHEMES_WITHOUT_AUTHORITY)))}):"
    start = rf"(?:{SCHEME}://|{known})"

    excluded = EXCLUDED + space
    # "<Note: see below>" is not a URI.
    any_start = rf"(?:{known}|{SCHEME}:(?![{space}]++(?!/)))"
    spaced = unrolled_loop(f"[^{excluded}]", rf"[{space}]++(?!>)")
    prefix = rf"<[{space}]*+(?>(?ai:URL):|)[{space}]*+"
    angle = rf"({prefix})({any_start}{spaced})[{space}]*+>"
    quoted = (
        rf"([{marks}])({start}[^{excluded}{marks}]++{zero_or_more(f'{LINE_BREAK}[^{excluded}{marks}]++')})[{marks}]"
        for marks in (quotes, "'")
    )

    ends = rf"{excluded}()\[\]{_ending_characters() if has_punctuation else ''}"
    no_end = f"[^{ends}]"
    inner = rf"\({no_end}*+\)"
    parentheses = rf"\({unrolled_loop(no_end, inner)}\)"
    literal = rf"(?>[^{ends}/?#@]*+@|){LOOSE_IP_LITERAL}"
    bare = rf"()({start}(?>{literal}|){unrolled_loop(no_end, parentheses)})"
    # Only at the beginning of a run of scheme characters; otherwise the run would be read from each of its characters.
    run = rf"(?<![{SCHEME_CHARACTER}])[{DIGIT}+\-.]*+"
    # Most characters begin none of the alternatives: test that first, once.
    first = rf"(?=[{SCHEME_CHARACTER}<'{quotes}])"
    return re.compile(f"{first}(?:{'|'.join((angle, *quoted, run + bare))})")


def _ending_characters() -> str:
    """Return the characters beyond ASCII that end a bare URI: spaces, controls and punctuation.

    Characters that join letters to words are left out: the joiners of Persian and of Indic scripts, the middle dots of
    Catalan and Japanese. Full-width symbols count as the punctuation that they look like.
    """
    import unicodedata  # noqa: PLC0415  a table of a megabyte, used only here

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
    r"""Remove the wrapper and the white space from a URI that a person typed or pasted (RFC 3986, Appendix C).

    All white space is removed, and then, repeatedly, a pair of angle brackets or quotation marks around the whole, and
    the prefix "URL:". Text without any of these is returned unchanged.

    Args:
        text: the text as typed or pasted; str, bytes, bytearray or memoryview.

    Returns:
        The rest, str or bytes. It is not checked, and may lack a scheme, which `complete` adds.

    Raises:
        TypeError: the argument is neither str nor bytes-like.

    >>> unwrap(" <URL: http://example.com/\n    over/there> ")
    'http://example.com/over/there'
    """
    typed = to_plain_text(text, "unwrap()")
    return restore_type(_unwrap(to_str(typed), _CHARACTERS if isinstance(typed, str) else _OCTETS), typed)


def _unwrap(text: str, alphabet: _Alphabet) -> str:
    """Remove layers of wrappers by moving two offsets, so that the text is copied only once."""
    text = _remove_white_space(text, alphabet)
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


# [ userinfo "@" ] host [ ":" port ]  (RFC 3986, 3.2), up to its end. The userinfo has no ":", because the text before
# it would be a scheme, and the port is not empty.
_NAME = rf"[^{EXCLUDED}:/?#\[\]@]++"
SUFFIX_REFERENCE: Final = rf"(?>{_NAME}@|)(?P<host>{LOOSE_IP_LITERAL}|{_NAME})(?P<port>:[{DIGIT}]++)?(?![^/?#])"

# local-part "@" domain  (RFC 5322, 3.4.1, "addr-spec", in its usual form), up to its end.
MAILBOX: Final = rf"{_NAME}@{_NAME}(?![^?#])"


@overload
def complete(text: str, *, scheme: str = ...) -> str: ...
@overload
def complete(text: BytesLike, *, scheme: str = ...) -> bytes: ...
def complete(text: str | BytesLike, *, scheme: str = "http") -> str | bytes:
    """Complete a suffix reference (RFC 3986, 4.5), by the first of these rules that applies.

    1. Text that begins with "?", "#", "." or a single "/" is a relative reference, and is unchanged.
    2. Text that begins with "//" and an authority gets the scheme.
    3. Text that begins with a scheme is unchanged: any scheme before "://", or a registered one before ":".
    4. A mailbox gets "mailto:". It has one "@", and no ":" or "/" before the first "?" or "#".
    5. A host gets the scheme and "://", or "ftp://" if its name begins with "ftp.". A host may have a user before it, a
       port after it, and then "/", "?", "#" or nothing. It is recognized by a "." in it, by brackets around an IP
       address, by its port, or by being "localhost".
    6. Everything else is unchanged: a word may be a relative path.

    Wrappers and white space are not removed: use `complete(unwrap(text))`.

    Args:
        text: the reference, str, bytes, bytearray or memoryview.
        scheme: the scheme to add.

    Returns:
        The URI, or the text unchanged; str or bytes. Completing the result again changes nothing.

    Raises:
        TypeError: the text is neither str nor bytes-like.
        ValueError: the scheme is invalid (RFC 3986, 3.1).

    >>> complete("www.w3.org/Addressing/"), complete("localhost:8080", scheme="https")
    ('http://www.w3.org/Addressing/', 'https://localhost:8080')
    >>> complete("fred@example.com"), complete("../up")
    ('mailto:fred@example.com', '../up')
    """
    reference = to_plain_text(text, "complete()")
    if not re.fullmatch(SCHEME, scheme):
        raise ValueError(f"a scheme is a letter, then letters, digits, '+', '-' and '.', not {scheme!r}")
    if isinstance(reference, str):
        return _missing_prefix(reference, scheme) + reference
    return _missing_prefix(to_str(reference), scheme).encode() + reference


def _missing_prefix(reference: str, scheme: str) -> str:
    """Return the prefix that completes a reference, or ""."""
    if re.match("[?#.]|/(?!/)", reference):
        return ""
    if reference.startswith("//"):
        return f"{scheme}:" if re.match("//[^/?#]", reference) else ""
    own = re.match(rf"({SCHEME}):(//)?", reference)
    if own and (own[2] or own[1].lower() in DEFAULT_PORTS or own[1].lower() in SCHEMES_WITHOUT_AUTHORITY):
        return ""
    if re.match(MAILBOX, reference):
        return "mailto:"
    suffix = re.match(SUFFIX_REFERENCE, reference)
    return _host_prefix(suffix["host"].lower(), suffix["port"], scheme) if suffix else ""


def _host_prefix(host: str, port: str | None, scheme: str) -> str:
    """Return the prefix that completes a host, or "" if it may be a word."""
    if host.startswith("ftp."):
        return "ftp://"
    return f"{scheme}://" if port or "." in host or host.startswith("[") or host == "localhost" else ""


# How much of a stream is searched at once, in bytes.
CHUNK_BYTES: Final = 1 << 20

# Where a chunk ends: after the last of the first group that occurs in it.
_CHUNK_ENDS: Final = ((b"\n\n", b"\n\r\n"), (b"\n",), (b" ", b"\t", b"\r"), (b'"', b">"))

# The beginning of a character in UTF-8, or a whole character.
_UTF8_CHARACTER: Final = rb"[\xc0-\xff][\x80-\xbf]*\Z"


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


def find_in_stream(stream: Stream) -> Iterator[FoundInStream]:
    r"""Find the URIs in a stream of UTF-8, in constant memory, as `find` does (RFC 3986, Appendix C).

    The stream is searched in chunks of up to 1 MiB. A chunk ends after the last blank line in it, else after the last
    line, else after the last white space, else after the last '"' or ">". A URI that crosses such an end is cut or
    missed.

    Args:
        stream: a buffered binary file, such as `open(path, "rb")` returns; read to its end.

    Returns:
        An iterator over the URIs, in order.

    Raises:
        TypeError: the stream is not a buffered binary one.
        OSError: the stream cannot be read.

    >>> import io
    >>> list(find_in_stream(io.BytesIO("é: <http://a.example/\n b>".encode())))
    [FoundInStream(text='http://a.example/b', offset=5, length=20, delimiter='<')]
    """
    return _find_in_chunks(_chunks(get_read1(stream)))


def _find_in_chunks(chunks: Iterable[bytes]) -> Iterator[FoundInStream]:
    """Find the URIs in each chunk."""
    new = tuple.__new__  # takes half the time of calling the class
    offset = 0
    for chunk in chunks:
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


def _chunks(read1: Callable[[int], bytes]) -> Iterator[bytes]:
    """Read a stream in chunks that end where few URIs continue; their ends depend on the text alone."""
    held = bytearray()
    while data := read1(CHUNK_BYTES - len(held)):
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
