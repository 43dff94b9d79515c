"""Find hazards of the scheme, the authority, the path and the query, and combine them with all others."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from urisect.percent import decode
from urisect.reference import MAX_PORT
from urisect.repetition import one_or_more, zero_or_more
from urisect.schemes import DEFAULT_PORTS
from urisect.security.characters import (
    WHITE_SPACE,
    compile_once,
    find_character_hazards,
    remove_tabs_and_line_ends,
)
from urisect.security.codes import MAX_BYTES, Component, Hazard, quote
from urisect.security.hosts import (
    SPECIAL_SCHEMES,
    BrowserHost,
    find_browser_host,
    find_destination_hazards,
    find_host_hazards,
    read_host,
)
from urisect.spans import component_spans

__all__ = ["find_hazards"]


def find_hazards(text: str, size: int) -> Iterator[Hazard]:
    """Find all hazards of a reference, in no order.

    Args:
        text: the reference.
        size: its size in bytes.
    """
    components = {name: Component(name, text[start:end], start) for name, (start, end) in component_spans(text).items()}
    scheme, has_authority = components.get("scheme"), "authority" in components
    # The scheme as browsers read it. The default port and the code of the scheme depend on it.
    scheme_name = "" if scheme is None else _read_scheme(scheme.text)
    if scheme is not None:
        yield from _find_scheme_hazards(scheme, scheme_name, has_authority=has_authority)
    if has_authority:
        yield from _find_authority_hazards(components, scheme_name)
    yield from _find_path_hazards(components, scheme_name)
    host = find_browser_host(text)
    if host:
        yield from _find_browser_host_hazards(text, components, host)
    if "query" in components:
        yield from _find_query_hazards(components["query"], host.text if host else "")
    yield from find_character_hazards(text, components)
    if size > MAX_BYTES:
        yield Component("reference", text, 0).hazard("very-long", size, MAX_BYTES)


def _read_scheme(text: str) -> str:
    return remove_tabs_and_line_ends(text).strip(WHITE_SPACE).lower()


# The schemes whose references are, or contain, scripts, and other schemes with a code.
_SCRIPT_SCHEMES: Final = ("data", "javascript", "vbscript")
_CODES_BY_SCHEME: Final = {
    **dict.fromkeys(_SCRIPT_SCHEMES, "script-scheme"),
    "file": "file-scheme",
    "ldap": "ldap-scheme",
    "ldapi": "ldap-scheme",
    "ldaps": "ldap-scheme",
    "jar": "jar-scheme",
    "blob": "blob-scheme",
    "view-source": "view-source-scheme",
}


def _find_scheme_hazards(scheme: Component, scheme_name: str, *, has_authority: bool) -> Iterator[Hazard]:
    if scheme_name in _CODES_BY_SCHEME:
        yield scheme.hazard(_CODES_BY_SCHEME[scheme_name], scheme_name)
    if not has_authority and DEFAULT_PORTS.get(scheme_name):
        yield scheme.hazard("scheme-without-authority")


# A userinfo that begins like a host: a name with a dot, an IP literal, or "localhost".
_HOST_LIKE: Final = r"(?i)[\w-]++" + one_or_more(r"\.[\w-]++") + r"|\[[^]]*+|localhost\b"


def _find_authority_hazards(components: dict[str, Component], scheme_name: str) -> Iterator[Hazard]:
    host = components["host"]
    if "userinfo" in components:
        userinfo = components["userinfo"]
        yield userinfo.hazard("userinfo", quote(host.text))
        user, _, password = userinfo.text.partition(":")
        if password:
            yield userinfo.hazard_at("password", len(user) + 1, len(userinfo.text))
        if host_like := compile_once(_HOST_LIKE).match(userinfo.text):
            yield userinfo.hazard_at("userinfo-like-host", *host_like.span(), quote(host.text))
        if at_signs := userinfo.text.count("@"):
            first = userinfo.text.index("@")
            yield userinfo.hazard_at("several-at-signs", first, first + 1, at_signs + 1)
    yield from find_host_hazards(host)
    if "port" in components:
        yield from _find_port_hazards(components["port"], scheme_name)


def _find_port_hazards(port: Component, scheme_name: str) -> Iterator[Hazard]:
    digits = port.text.lstrip("0")
    default = DEFAULT_PORTS.get(scheme_name)
    if ":" in port.text:
        yield port.hazard("twin-port")
    elif not port.text:
        return
    elif not (port.text.isascii() and port.text.isdigit()):
        yield port.hazard("invalid-port")
    elif not digits or len(digits) > len(str(MAX_PORT)) or int(digits) > MAX_PORT:
        yield port.hazard("port-out-of-range")
    elif default and int(digits) != default:
        yield port.hazard("non-default-port", scheme_name, digits, default)


# A segment that is "." or ".." (RFC 3986, 3.3), and those with which a relative path may begin (4.2).
_DOT_SEGMENT: Final = r"(?<![^/])\.\.?+(?![^/])"
_LEADING_DOT_SEGMENTS: Final = zero_or_more(r"\.\.?+(?:/|\Z)")

# A segment that becomes a dot segment once "%2E" is "." and "%2F", "\" and "%5C" are "/".
_ESCAPED_DOT_SEGMENT: Final = (
    rf"(?i)(?:(?<![^/\\])|(?<=%2f)|(?<=%5c))(?!{_DOT_SEGMENT})(?>(?:\.|%2e){{1,2}})(?=[/\\]|%2f|%5c|\Z)"
)

# A dot segment with a parameter, which some programs remove before they look for dot segments, some after.
_DOT_SEGMENT_PARAMETER: Final = r"(?i)(?:(?<![^/\\])|(?<=%2f)|(?<=%5c))(?>(?:\.|%2e){1,2})(?=;|%3b)"


def _find_path_hazards(components: dict[str, Component], scheme_name: str) -> Iterator[Hazard]:
    path = components["path"]
    is_relative = "scheme" not in components and "authority" not in components
    leading = compile_once(_LEADING_DOT_SEGMENTS).match(path.text) if is_relative else None
    if segment := compile_once(_DOT_SEGMENT).search(path.text, leading.end() if leading else 0):
        yield path.hazard_at("dot-segments", *segment.span())
    if segment := compile_once(_ESCAPED_DOT_SEGMENT).search(path.text):
        yield path.hazard_at("escaped-dot-segments", *segment.span())
    if segment := compile_once(_DOT_SEGMENT_PARAMETER).search(path.text):
        yield path.hazard_at("dot-segment-parameter", *segment.span())
    rest = path.text.lstrip("/")
    slashes = len(path.text) - len(rest)
    is_empty = "authority" in components and not components["authority"].text
    if slashes and is_empty and (scheme_name in SPECIAL_SCHEMES or "scheme" not in components):
        yield components["authority"].hazard_at("extra-slashes", -len("//"), slashes, quote(rest.partition("/")[0]))
    elif slashes > 1:
        yield path.hazard_at("extra-slashes", 0, slashes, quote(rest.partition("/")[0]))


def _find_browser_host_hazards(text: str, components: dict[str, Component], host: BrowserHost) -> Iterator[Hazard]:
    """Find the hazards of the host that browsers find in a path, or where RFC 3986 finds none."""
    end = host.start + len(host.text)
    if host.slashes is not None:
        yield Component("reference", text, 0).hazard_at("network-path", host.slashes, end, quote(host.text))
    if "host" in components and components["host"][1:] == (host.text, host.start):
        return
    around = (each.name for each in components.values() if each.start <= host.start and end <= each.end)
    name = next((name for name in around if name != "authority"), "reference")
    yield from find_destination_hazards(Component(name, host.text, host.start), host.text)


# A parameter whose decoded value may be a reference with a host or a scheme.
_BLANKS: Final = zero_or_more(r"[\0- +]|%(?:[01][0-9a-f]|20)")
_SLASH: Final = r"(?:[/\\]|%2f|%5c)"
_LETTERS: Final = one_or_more(r"[\t\n\ra-z0-9+.-]|%(?:[2-7][0-9b-f]|[24-7]a|0[9ad])")
_PARAMETER: Final = (
    rf"(?i)(?<![^&;])(?P<name>[^=&;]*+)=(?P<value>{_BLANKS}(?:{_SLASH}{_BLANKS}{_SLASH}|{_LETTERS}(?::|%3a))[^&;]*+)"
)

# The usual names of parameters that contain a redirection target, in lower case and without separators.
_REDIRECT_PARAMETERS: Final = frozenset(
    {
        "continue", "continueto", "continueurl", "dest", "destination", "destinationurl", "forward", "forwardto",
        "forwardurl", "goto", "gotourl", "next", "nexturl", "redir", "redirect", "redirecturi", "redirecturl",
        "redirectto", "redirurl", "return", "returnpath", "returnto", "returnuri", "returnurl", "rurl", "successurl",
    }
)  # fmt: skip

# One for each of the shortest parameters that fit into `MAX_BYTES`; a query with more is "very-long".
_MAX_PARAMETERS: Final = MAX_BYTES // len("=a:&")


def _find_query_hazards(query: Component, own_host: str) -> Iterator[Hazard]:
    """Find references in parameters, except those that many queries contain for good reasons.

    Reported are redirection targets and network paths that lead to a host other than the reference's own, scripts, and
    references to an address that is not on the public Internet.
    """
    for match in islice(compile_once(_PARAMETER).finditer(query.text), _MAX_PARAMETERS):
        value = _decode_parameter(match["value"])
        place = Component("query", match["value"], query.start + match.start("value"))
        scheme = _read_scheme(value.partition(":")[0])
        if scheme in _SCRIPT_SCHEMES:
            yield place.hazard("nested-reference", f"a {scheme} reference")
        if host := find_browser_host(value):
            destination = tuple(find_destination_hazards(place, host.text))
            yield from destination
            redirects = host.slashes is not None or _canonical_name(match["name"]) in _REDIRECT_PARAMETERS
            if destination or (redirects and read_host(host.text) != read_host(own_host)):
                yield place.hazard("nested-reference", f"the host {quote(host.text)}")


def _decode_parameter(text: str) -> str:
    """Decode a name or a value of a form's query."""
    return decode(text.replace("+", " "), errors="surrogateescape")


def _canonical_name(text: str) -> str:
    """Return a parameter's name in lower case, without separators."""
    return compile_once("[^a-z]++").sub("", _decode_parameter(text).lower())
