r"""draft-fielding-uri-url-00, Uniform Resource Locators (URL) (10 November 1996): its BNF, rule by rule.

This is a dialect. A reference is split from the outside in (4.3), only a "/" ends the server (4.3.1), a path ends in
parameters (4.3.3), and a scheme may begin with a digit (4.1). Empty and undefined components are not distinguished:
both are None here. Only this dialect allows a "?" in a server: `str()` of such a reference follows RFC 3986, and
raises.

alpha, digit, escaped, port and the labels of hostnames are in `urisect.specs.abnf`. A set, such as `PCHAR`, does not
include escapes: `zero_or_more_characters` and `one_or_more_characters` add them. Where the document contradicts itself:

- After a scheme, any text of urlchars is an opaque-URL (4.2), so the rules for server, path and query apply only to
  relative references. This is kept: "http://a_b/" is valid, and its server is "a_b".
- The BNF allows a colon in the first segment of a relative path (4.3.2), but text that can be read as a scheme is a
  scheme (4.1): "a:b" is not a `relative-ref`, "a_b:c" is.
- Where a relative path without "/" inherits a server (6, step 7), "/" is inserted, because an abs_path follows a
  net_path (4.2).
"""

import re
from collections.abc import Iterator
from typing import AnyStr, Final

from urisect.normalization import Normalization
from urisect.paths import drop_last_segment
from urisect.reference import Reference, recompose
from urisect.repetition import zero_or_more
from urisect.spans import authority_spans
from urisect.specs.abnf import (
    ALPHA,
    ALPHANUM,
    DIGIT,
    DOMAINLABEL,
    HOSTNUMBER,
    PORT,
    TOPLABEL,
    one_or_more_characters,
    zero_or_more_characters,
)
from urisect.specs.diagnosis import ComponentRule, DiagnosedComponent
from urisect.specs.rfc2396 import remove_dot_segments
from urisect.specs.specification import Specification
from urisect.text_types import to_plain_text

__all__ = ["URL1996"]

# mark       = "$" / "-" / "_" / "." / "!" / "~" / "*" / "'" / "(" / ")" / ","
# unreserved = alpha / digit / mark  (2.2)
MARK: Final = r"$\-_.!~*'(),"
UNRESERVED: Final = f"{ALPHA}{DIGIT}{MARK}"

# reserved = ";" / "/" / "?" / ":" / "@" / "&" / "=" / "+"  (2.1)
# urlchar  = reserved / unreserved / escaped
# uchar    = unreserved / escaped
# pchar    = uchar / ":" / "@" / "&" / "=" / "+"  (2)
RESERVED: Final = ";/?:@&=+"
URLCHAR: Final = f"{RESERVED}{UNRESERVED}"
UCHAR: Final = UNRESERVED
PCHAR: Final = f"{UCHAR}:@&=+"

# fragment = *urlchar  (3)
# query    = *urlchar  (4.3.4)
FRAGMENT: Final = zero_or_more_characters(URLCHAR)
QUERY: Final = zero_or_more_characters(URLCHAR)

# scheme = 1*( alpha / digit / "+" / "-" / "." )  (4.1)
SCHEME: Final = rf"[{ALPHANUM}+\-.]++"

# param      = *( pchar / "/" )
# parameters = param *( ";" param )  (4.3.3)
PARAM: Final = zero_or_more_characters(f"{PCHAR}/")
PARAMETERS: Final = zero_or_more_characters(f"{PCHAR}/;")

# segment  =  *pchar
# fsegment = 1*pchar
# path     = fsegment *( "/" segment )  (4.3.2)
SEGMENT: Final = zero_or_more_characters(PCHAR)
FSEGMENT: Final = one_or_more_characters(PCHAR)
PATH: Final = one_or_more_characters(PCHAR, "/")

# hostname = *( domainlabel "." ) toplabel
# host     = hostname / hostnumber
# hostport = host [ ":" port ]  (4.3.1)
HOSTNAME: Final = zero_or_more(rf"{DOMAINLABEL}\.") + TOPLABEL
HOST: Final = rf"(?:{HOSTNAME}|{HOSTNUMBER})"
HOSTPORT: Final = rf"{HOST}(?::{PORT})?"

# user     = *( uchar / ";" / "?" / "&" / "=" / "+" )
# password = *( uchar / ";" / "?" / "&" / "=" / "+" )
# server   = [ [ user [ ":" password ] "@" ] hostport ]  (4.3.1)
USER: Final = zero_or_more_characters(f"{UCHAR};?&=+")
PASSWORD: Final = zero_or_more_characters(f"{UCHAR};?&=+")
USERINFO: Final = rf"{USER}(?>:{PASSWORD}|)"
SERVER: Final = rf"(?:(?:{USERINFO}@)?{HOSTPORT})?"

# rel_path    = [ path ] [ ";" parameters ] [ "?" query ]
# abs_path    = "/" rel_path
# net_path    = "//" server [ abs_path ]
# relativeURL = net_path / abs_path / rel_path
# generic-URL = scheme ":" relativeURL
# opaque-URL  = scheme ":" *urlchar
# absoluteURL = generic-URL / opaque-URL  (4.2)
# URL-reference = [ absoluteURL / relativeURL ] [ "#" fragment ]  (3)
# All in one expression. After a scheme, everything is an opaque-URL, split as in 4.3: the server is any run of urlchar
# except "/", the path any run except "?". An empty component does not capture.
_NO_SLASH: Final = URLCHAR.replace("/", "")
_OPAQUE_SERVER: Final = one_or_more_characters(_NO_SLASH)
_OPAQUE_PATH: Final = zero_or_more_characters(URLCHAR.replace("?", ""))
_RELATIVE_PATH: Final = rf"(?>{PATH}|)(?>;{PARAMETERS}|)"
_RELATIVE_SERVER: Final = rf"(?:{USERINFO}@)?{HOSTPORT}"
AUTHORITY_TO_QUERY: Final = (
    rf"(?>//(?>(?P<authority>(?(scheme){_OPAQUE_SERVER}|{_RELATIVE_SERVER}))|)(?![{_NO_SLASH}%])|)"
    rf"(?P<path>(?(scheme){_OPAQUE_PATH}|/?+{_RELATIVE_PATH}))"
    rf"(?>\?(?>(?P<query>{one_or_more_characters(URLCHAR)})|)|)"
)

# The rest of a host: an alphanum follows each run of hyphens, and each dot.
_HOST_REST: Final = zero_or_more(rf"[{ALPHANUM}]++|(?:-++|\.)(?=[{ALPHANUM}])")

COMPONENT_RULES: Final = {
    "scheme": ComponentRule("scheme", "4.1", SCHEME),
    "authority": ComponentRule("server", "4.3.1", SERVER),
    "server": ComponentRule("server", "4.3.1", SERVER),
    "userinfo": ComponentRule("server", "4.3.1", USERINFO),
    "user": ComponentRule("user", "4.3.1", USER),
    "password": ComponentRule("password", "4.3.1", PASSWORD),
    "host": ComponentRule("host", "4.3.1", HOST, _HOST_REST),
    "port": ComponentRule("port", "4.3.1", PORT),
    "path": ComponentRule("path", "4.3.2", PATH, zero_or_more_characters(f"{PCHAR}/")),
    "segment": ComponentRule("segment", "4.3.2", SEGMENT),
    "parameters": ComponentRule("parameters", "4.3.3", PARAMETERS),
    "param": ComponentRule("param", "4.3.3", PARAM),
    "query": ComponentRule("query", "4.3.4", QUERY),
    "fragment": ComponentRule("fragment", "3", FRAGMENT),
}

RULE_CITATIONS: Final = {
    "URI": ("absoluteURL", "4.2"),
    "absolute-URI": ("absoluteURL", "4.2"),
    "relative-ref": ("relativeURL", "4.2"),
    "escaped": ("escaped", "2.3.1"),
}

# The prose of 3 and 4.3, from the outside in.
COMPONENTS: Final = (
    rf"(?>(?P<scheme>{SCHEME}):|)(?>//(?P<server>[^/#]*+)|)(?P<path>[^?#]*+)"
    r"(?>\?(?P<query>[^#]*+)|)(?>#(?P<fragment>[\s\S]*+)|)"
)


def _match_components(text: str) -> re.Match[str]:
    return re.fullmatch(COMPONENTS, text)  # type: ignore[return-value]  # it matches every text


def plain_split(text: str) -> Reference[str]:
    """Split any text into components as 4.3 says, without validation; an empty component is None.

    >>> plain_split("http://a?b/c;d?#")
    Reference('http', 'a?b', '/c;d', None, None)
    """
    scheme, server, path, query, fragment = _match_components(text).groups()
    return Reference(scheme, server or None, path, query or None, fragment or None)


def split_for_diagnosis(text: str) -> Iterator[DiagnosedComponent]:
    """Split any text into the components to be diagnosed.

    >>> sorted(part.component for part in split_for_diagnosis("//fred:secret@a/b;c"))
    ['host', 'parameters', 'password', 'path', 'user']
    """
    match = _match_components(text)
    spans = {name: match.span(name) for name, value in match.groupdict().items() if value}
    opaque = "scheme" in spans
    if not opaque and "server" in spans:
        spans |= _server_spans(text, *spans.pop("server"))
    if not opaque and "path" in spans:
        spans |= _path_spans(text, *spans.pop("path"))
    for component, (start, end) in spans.items():
        rule = COMPONENT_RULES[component]
        if opaque and component not in ("scheme", "fragment"):
            rule = ComponentRule("opaque-URL", "4.2", zero_or_more_characters(URLCHAR))
        yield DiagnosedComponent(component, rule, start, end)


def _path_spans(text: str, start: int, end: int) -> dict[str, tuple[int, int]]:
    """Find the path and the parameters, without the "/" and the ";" before them (4.3.2 and 4.3.3)."""
    start += text.startswith("/", start)
    semicolon = text.find(";", start, end)
    if semicolon < 0:
        semicolon = end
    spans = {"path": (start, semicolon), "parameters": (semicolon + 1, end)}
    return {component: (start, end) for component, (start, end) in spans.items() if start < end}


def _server_spans(text: str, start: int, end: int) -> dict[str, tuple[int, int]]:
    """Find the sub-components of a server (4.3.1)."""
    spans = authority_spans(text, start, end)
    if "userinfo" in spans:
        start, end = spans.pop("userinfo")
        colon = text.find(":", start, end)
        if colon >= 0:
            spans["password"] = (colon + 1, end)
            end = colon
        spans["user"] = (start, end)
    return spans


def resolve_components(base: Reference[str], reference: Reference[str]) -> Reference[str]:
    """Return the components of the target (6); here, parameters are not part of the path that is merged.

    >>> resolve_components(Reference("http", "a", "/b/c/d;p", "q", None), Reference(None, None, ";x", None, None))
    Reference('http', 'a', '/b/c/d;x', None, None)
    """
    _, server, path, query, fragment = reference
    if server is None and not path and query is None:  # step 2a: the current document
        return base._replace(fragment=fragment)
    if server is not None:  # step 3
        return Reference(base.scheme, server, path, query, fragment)
    if not path.startswith("/"):  # step 4
        own, _, parameters = path.partition(";")
        base_path, _, base_parameters = base.path.partition(";")
        if own:  # step 6
            own = remove_dot_segments(drop_last_segment(base_path) + own)
        else:  # step 5
            own = base_path
            if not parameters:
                parameters = base_parameters
        path = f"{own};{parameters}" if parameters else own
    if base.authority is not None and not path.startswith("/"):  # step 7
        path = f"/{path}"
    return Reference(base.scheme, base.authority, path, query, fragment)


class _DraftSpecification(Specification):
    """The draft of 1996, which has parameters, and allows an unknown base."""

    def parameters(self, reference: Reference[AnyStr]) -> AnyStr | None:
        """Return the parameters of a path: the text after its first ";" (4.3.3), or None if that is empty.

        Args:
            reference: the result of `split`.

        >>> URL1996.parameters(URL1996.split("ftp://ds.internic.net/rfc;type=d"))
        'type=d'
        """
        path = reference.path
        parameters = path.partition(";")[2] if isinstance(path, str) else path.partition(b";")[2]
        return parameters or None

    def _coerce_text(self, reference: object) -> str | bytes:
        """Recompose a reference whose server may contain a "?", for which `urisect.unsplit` raises."""
        return to_plain_text(recompose(reference) if isinstance(reference, Reference) else reference, "resolve()")

    def _resolve_text(self, base: str, reference: str) -> str:
        """Return an absolute URL unchanged (6, step 2b), and every reference if the base is "" (6, step 1)."""
        if not base or self.plain_split(reference).scheme is not None:
            return reference
        return super()._resolve_text(base, reference)


URL1996: Final = _DraftSpecification(
    name="url1996",
    title="draft-fielding-uri-url-00",
    component_rules=COMPONENT_RULES,
    rule_citations=RULE_CITATIONS,
    authority_to_query=AUTHORITY_TO_QUERY,
    optional_fragment=rf"(?>#(?>(?P<fragment>{one_or_more_characters(URLCHAR)})|)|)",
    split_for_diagnosis=split_for_diagnosis,
    plain_split=plain_split,
    resolve_components=resolve_components,
    normalization=Normalization(UNRESERVED, remove_dot_segments),
)
