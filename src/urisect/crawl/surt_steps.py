"""The steps that make the SURT of any URL, in the order of the Internet Archive's package surt 0.3.1.

Where a step looks strange, it is what the package does: a key has to be the one that an index has. All texts here have
one character for each byte, so that `str` methods and expressions serve for bytes, too.
"""

import re
from typing import Final

from urisect.characters import ESCAPED, SCHEME
from urisect.reference import split
from urisect.repetition import one_or_more

__all__ = ["NO_URL", "may_have_session_id", "sort_parameters", "surt_of_octets"]

# The key of what is no URL, as in the fields of a CDX file that have no value.
NO_URL: Final = "-"


def surt_of_octets(url: str, *, keep_www: bool) -> str:
    """Return the SURT of a URL.

    Args:
        url: the URL, one character for each byte.
        keep_www: whether "www." stays.

    >>> surt_of_octets(" http://http://www.example.com:80/%2541/../B/ ", keep_www=False)
    'com,example)/b'
    """
    url = _strip_white_space(url)
    if not url:
        return NO_URL
    scheme, authority, path, query, _ = split(_drop_repeated_schemes(_add_scheme(url)))
    host, port = _split_authority(authority or "")
    if not host and scheme is not None and scheme.startswith("http"):
        host, path = _host_from_path(path)
    host = host and _canonical_host(host)
    path = _canonical_path(path, has_host=bool(host))
    query = query and _canonical_query(query)
    if host and scheme != "dns" and not keep_www:
        host = _drop_www(host)
    before = f"{_reverse(host)}{_canonical_port(port, scheme)})" if host else f"{scheme}:"
    return f"{before}{path or '/'}?{query}" if query else before + path


# Parse


def _strip_white_space(url: str) -> str:
    return url.strip(" \t\n\v\f\r").replace("\t", "").replace("\n", "").replace("\r", "")


_SCHEME: Final = f"{SCHEME}:"


def _add_scheme(url: str) -> str:
    return url if re.match(_SCHEME, url) else f"http://{url}"


_REPEATED_SCHEMES: Final = one_or_more("https?://")


def _drop_repeated_schemes(url: str) -> str:
    """Drop all but the last "http://" of "http://http://example.com/"."""
    found = re.match(_REPEATED_SCHEMES, url) if url.find("://") != url.rfind("://") else None
    if not found:
        return url
    end = found.end()
    return url[end - len("https://" if url.startswith("https://", end - len("https://")) else "http://") :]


def _split_authority(authority: str) -> tuple[str, str]:
    """Return the host, without brackets, and the port, "" if there is none."""
    _, _, host_and_port = authority.rstrip(":").rpartition("@")
    _, bracket, after = host_and_port.partition("[")
    if bracket:
        host, _, rest = after.partition("]")
        return host, rest.partition(":")[2]
    host, _, port = host_and_port.partition(":")
    return host, port


def _host_from_path(path: str) -> tuple[str, str]:
    """Read "http:////example.com/a" and "http:example.com/a" as people meant them."""
    host, _, rest = path.lstrip("/").partition("/")
    return host, path and f"/{rest}"


# The host


def _canonical_host(host: str) -> str:
    host = _decode_repeatedly(host)
    if not host.isascii():
        host = _to_idna(host)
    host = host.replace("..", ".").strip(".")
    return _parse_ipv4(host) or _escape(host).lower()


# A domain name has at most 253 octets. The codec, which takes quadratic time, never sees a host that cannot be one.
_MAX_CHARACTERS: Final = 1012


def _to_idna(host: str) -> str:
    """Convert a host beyond ASCII by IDNA 2003; what is no UTF-8 is dropped, and what is no domain name stays."""
    name = host.encode("latin-1").decode("utf-8", "ignore")
    if len(name) > _MAX_CHARACTERS:
        return host
    try:
        return name.encode("idna").decode("ascii")
    except UnicodeError:
        return host


# A host with one to four numbers; those that begin with "0" are octal, as in C.
_ONE_NUMBER: Final = "[0-9]++"
_NUMBERS: Final = r"[1-9][0-9]*+(?:\.[0-9]++){1,3}|0[0-7]*+(?:\.[0-7]++){1,3}"
_IPV4_BYTES: Final = 4


def _parse_ipv4(host: str) -> str | None:
    """Return the dotted form of an IPv4 address, as inet_aton of C reads it, or None."""
    if not host[-1:].isdigit():
        return None
    if re.fullmatch(_ONE_NUMBER, host):
        # The last 32 bits depend on the last 32 digits only, because 2 ** 32 divides 10 ** 32.
        return _format_ipv4(int(host[-32:]) & 0xFFFFFFFF)
    if not re.fullmatch(_NUMBERS, host):
        return None
    try:
        *first, last = (int(number, 8 if number.startswith("0") else 10) for number in host.split("."))
    except ValueError:  # a digit that no octal number has, or more digits than `int` takes
        return None
    if max(first) > 0xFF or last >= 0x100 ** (_IPV4_BYTES - len(first)):  # noqa: PLR2004  a byte
        return None
    return _format_ipv4(int.from_bytes(bytes(first).ljust(_IPV4_BYTES, b"\0"), "big") + last)


def _format_ipv4(value: int) -> str:
    return ".".join(map(str, value.to_bytes(_IPV4_BYTES, "big")))


def _drop_www(host: str) -> str:
    found = re.match(r"www[0-9]*+\.", host) if host.startswith("www") else None
    return host[found.end() :] if found else host


def _reverse(host: str) -> str:
    return ",".join(reversed(host.split(".")))


_DEFAULT_PORTS: Final = {"http": "80", "https": "443"}


def _canonical_port(port: str, scheme: str | None) -> str:
    """Return the port with its colon, or "" if it is 0 or the default; what is no number stays."""
    if not (port.isascii() and port.isdigit()):
        return port and f":{_escape(port).lower()}"
    number = port.lstrip("0")
    return "" if not number or number == _DEFAULT_PORTS.get((scheme or "").lower()) else f":{number}"


# The path


def _canonical_path(path: str, *, has_host: bool) -> str:
    path = _decode_repeatedly(path)
    if has_host:
        path = _remove_dot_and_empty_segments(path)
    path = _drop_path_session_ids(_escape(path).lower())
    return path[:-1] if path.endswith("/") and len(path) > 1 else path


def _remove_dot_and_empty_segments(path: str) -> str:
    """Remove segments "." and ".." and empty ones; a ".." at the root stays, unless another one follows it."""
    kept: list[str] = []
    for segment in path.split("/")[1:]:
        if segment == ".." and kept:
            kept.pop()
        elif segment != ".":
            kept.append(segment)
    last = kept.pop() if kept else ""
    return "/".join(["", *filter(None, kept), last])


# Session ids of ASP.NET in a path: "/(S(0123456789abcdefghijklmn))/a.aspx", "/(0123456789abcdefghijklmn)/a.aspx".
_LETTER_AND_ID: Final = r"[a-z]\([0-9a-z]{24}\)"
_PATH_SESSION_IDS: Final = (
    rf"(?<=/)\({one_or_more(_LETTER_AND_ID)}\)/",
    r"(?<=/)\([0-9a-z]{24}\)/",
)


def _drop_path_session_ids(path: str) -> str:
    """Drop the last session id of each kind before an ".aspx", if no "?" is between them."""
    if ".aspx" not in path or "(" not in path:
        return path
    for session_id in _PATH_SESSION_IDS:
        path = _drop_last_before_aspx(path, re.compile(session_id))
    return path


def _drop_last_before_aspx(path: str, session_id: re.Pattern[str]) -> str:
    parts = path.split("?")
    for index in reversed(range(len(parts))):
        # At least one character is between the session id and ".aspx".
        found = [*session_id.finditer(parts[index], 0, max(parts[index].rfind(".aspx") - 1, 0))]
        if found:
            parts[index] = parts[index][: found[-1].start()] + parts[index][found[-1].end() :]
            return "?".join(parts)
    return path


# The query


def _canonical_query(query: str) -> str:
    query = _escape(_decode_repeatedly(query))
    if may_have_session_id(query.lower()):
        query = _drop_query_session_ids(query)
    return sort_parameters(query.lower())


def may_have_session_id(query: str) -> bool:
    """Check whether a query in lower case may have a parameter that is a session id.

    >>> may_have_session_id(f"phpsessid={'0' * 32}"), may_have_session_id("sid=1&pid=2")
    (True, False)
    """
    return ("id=" in query and re.search(_SESSION_ID_BEFORE_VALUE, query) is not None) or "aspsessionid" in query


_SESSION_ID_BEFORE_VALUE: Final = r"(?:sid|sessionid)=[0-9a-z]{32}|cfid="

# They may also be the end of a longer name.
_QUERY_SESSION_IDS: Final = tuple(
    rf"(.*){session_id}(?:&(.*))?"
    for session_id in (
        "jsessionid=[0-9a-z]{32}",
        "phpsessid=[0-9a-z]{32}",
        "sid=[0-9a-z]{32}",
        "aspsessionid[a-z]{8}=[a-z]{24}",
    )
)


def _drop_query_session_ids(query: str) -> str:
    """Drop the last session id of each kind; the "&" before it stays."""
    for session_id in _QUERY_SESSION_IDS:
        found = re.fullmatch(session_id, query, re.IGNORECASE | re.DOTALL)
        if found:
            query = found[1] + (found[2] or "")
    return _drop_cold_fusion_ids(query)


def _drop_cold_fusion_ids(query: str) -> str:
    """Drop the last "cfid=…&cftoken=…".

    An expression like those above would take quadratic time.
    """
    lowered = query.lower()
    for token in reversed([*re.finditer("&cftoken=[^&]++", lowered)]):
        parameter = lowered.rfind("&", 0, token.start()) + 1
        start = lowered.rfind("cfid=", parameter, max(token.start() - 1, 0))  # its value is not empty
        if start >= 0:
            return query[:start] + query[token.end() + 1 :]
    return query


def sort_parameters(query: str) -> str:
    """Sort the parameters of a query by name and value; one without "=" comes before one with an empty value.

    >>> sort_parameters("b&a=2&ab&a=&a")
    'a&a=&a=2&ab&b'
    """
    return "&".join(sorted(query.split("&"), key=_name_before_value))


def _name_before_value(parameter: str) -> str:
    return parameter.replace("=", "\0", 1)  # less than each character of a name


# Escapes

_ESCAPES: Final = one_or_more(ESCAPED)
_ROUNDS: Final = 3  # few URLs are encoded more often


def _decode_repeatedly(text: str) -> str:
    """Decode escapes until there are none: "%2541" becomes "%41", and that "A".

    Escapes never overlap, so the order in which they are decoded does not matter.
    """
    for _ in range(_ROUNDS):
        if "%" not in text:
            return text
        text, count = re.subn(_ESCAPES, _decode_run, text)
        if not count:
            return text
    return _decode_nested(text)


def _decode_run(run: re.Match[str]) -> str:
    return bytes.fromhex(run[0].replace("%", "")).decode("latin-1")


def _decode_nested(text: str) -> str:
    """Decode escapes of any depth in linear time: each character is read once, and each escape is decoded once."""
    decoded: list[str] = []
    for character in text:
        decoded.append(character)
        while decoded[-3:-2] == ["%"] and re.fullmatch(ESCAPED, "".join(decoded[-3:])):
            decoded[-3:] = chr(int("".join(decoded[-2:]), 16))
    return "".join(decoded)


def _escape(text: str) -> str:
    """Encode what is not visible ASCII, and "#" and "%"."""
    return re.sub(_UNSAFE, lambda run: f"%{run[0].encode('latin-1').hex('%')}", text)


_UNSAFE: Final = r"[^!-\"$&-~]++"
