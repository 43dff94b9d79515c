r"""draft-fielding-uri-url-00, Uniform Resource Locators (URL) (10 November 1996): its BNF, rule by rule.

A dialect of its own: a reference is cut from the outside in (4.3), only a "/" ends the server (4.3.1), a path ends in
parameters (4.3.3), a scheme may begin with a digit (4.1), and what is absent is empty, so a component that is there
and empty is not told apart from one that is not: both are None here. A server with a "?" in it belongs to this dialect
alone: `str()` of such a reference, which follows RFC 3986, refuses it.

alpha, digit, escaped, port and the labels of hostnames are in `urisect.specs.abnf`. A set, such as `PCHAR`, leaves the
escape to `run` and `nonempty`. Where the document disagrees with itself:

- Any text of urlchars is an opaque-URL after a scheme (4.2), so the rules of server, path and query bind relative
  references only. That is kept: "http://a_b/" is valid, and its server is "a_b".
- A relative path may hold a colon in its first segment by the BNF (4.3.2), but what can be read as a scheme is one
  (4.1): "a:b" is no `relative-ref`, "a_b:c" is.
- A server that is inherited by a relative path without "/" is put before a "/" (6, step 7), since a net_path goes on
  with an abs_path (4.2).
"""

import re
from collections.abc import Iterator
from typing import AnyStr, Final

from urisect.normalization import Normalization
from urisect.paths import drop_last_segment
from urisect.reference import Reference, recompose
from urisect.repetition import zero_or_more
from urisect.spans import authority_spans
from urisect.specs.abnf import ALPHA, ALPHANUM, DIGIT, DOMAINLABEL, HOSTNUMBER, PORT, TOPLABEL, nonempty, run
from urisect.specs.diagnosis import Part, Rule
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
FRAGMENT: Final = run(URLCHAR)
QUERY: Final = run(URLCHAR)

# scheme = 1*( alpha / digit / "+" / "-" / "." )  (4.1)
SCHEME: Final = rf"[{ALPHANUM}+\-.]++"

# param      = *( pchar / "/" )
# parameters = param *( ";" param )  (4.3.3)
PARAM: Final = run(f"{PCHAR}/")
PARAMETERS: Final = run(f"{PCHAR}/;")

# segment  =  *pchar
# fsegment = 1*pchar
# path     = fsegment *( "/" segment )  (4.3.2)
SEGMENT: Final = run(PCHAR)
FSEGMENT: Final = nonempty(PCHAR)
PATH: Final = nonempty(PCHAR, "/")

# hostname = *( domainlabel "." ) toplabel
# host     = hostname / hostnumber
# hostport = host [ ":" port ]  (4.3.1)
HOSTNAME: Final = zero_or_more(rf"{DOMAINLABEL}\.") + TOPLABEL
HOST: Final = rf"(?:{HOSTNAME}|{HOSTNUMBER})"
HOSTPORT: Final = rf"{HOST}(?::{PORT})?"

# user     = *( uchar / ";" / "?" / "&" / "=" / "+" )
# password = *( uchar / ";" / "?" / "&" / "=" / "+" )
# server   = [ [ user [ ":" password ] "@" ] hostport ]  (4.3.1)
USER: Final = run(f"{UCHAR};?&=+")
PASSWORD: Final = run(f"{UCHAR};?&=+")
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
# All in one. After a scheme everything is an opaque-URL, and is cut as 4.3 says; the server then is any run of urlchar
# but "/", the path of all but "?". An empty component captures nothing.
_NO_SLASH: Final = URLCHAR.replace("/", "")
_OPAQUE_SERVER: Final = nonempty(_NO_SLASH)
_OPAQUE_PATH: Final = run(URLCHAR.replace("?", ""))
_RELATIVE_PATH: Final = rf"(?>{PATH}|)(?>;{PARAMETERS}|)"
_RELATIVE_SERVER: Final = rf"(?:{USERINFO}@)?{HOSTPORT}"
HIERARCHY: Final = (
    rf"(?>//(?>(?P<authority>(?(scheme){_OPAQUE_SERVER}|{_RELATIVE_SERVER}))|)(?![{_NO_SLASH}%])|)"
    rf"(?P<path>(?(scheme){_OPAQUE_PATH}|/?+{_RELATIVE_PATH}))"
    rf"(?>\?(?>(?P<query>{nonempty(URLCHAR)})|)|)"
)

# What a host can go on with: each stretch of hyphens, and each dot, stands before an alphanum.
_HOST_REST: Final = zero_or_more(rf"[{ALPHANUM}]++|(?:-++|\.)(?=[{ALPHANUM}])")

RULES: Final = {
    "scheme": Rule("scheme", "4.1", SCHEME),
    "authority": Rule("server", "4.3.1", SERVER),
    "server": Rule("server", "4.3.1", SERVER),
    "userinfo": Rule("server", "4.3.1", USERINFO),
    "user": Rule("user", "4.3.1", USER),
    "password": Rule("password", "4.3.1", PASSWORD),
    "host": Rule("host", "4.3.1", HOST, _HOST_REST),
    "port": Rule("port", "4.3.1", PORT),
    "path": Rule("path", "4.3.2", PATH, run(f"{PCHAR}/")),
    "segment": Rule("segment", "4.3.2", SEGMENT),
    "parameters": Rule("parameters", "4.3.3", PARAMETERS),
    "param": Rule("param", "4.3.3", PARAM),
    "query": Rule("query", "4.3.4", QUERY),
    "fragment": Rule("fragment", "3", FRAGMENT),
}

REFERENCES: Final = {
    "URI": ("absoluteURL", "4.2"),
    "absolute-URI": ("absoluteURL", "4.2"),
    "relative-ref": ("relativeURL", "4.2"),
    "escaped": ("escaped", "2.3.1"),
}

# The prose of 3 and 4.3, from the outside in.
OUTLINE: Final = (
    rf"(?>(?P<scheme>{SCHEME}):|)(?>//(?P<server>[^/#]*+)|)(?P<path>[^?#]*+)"
    r"(?>\?(?P<query>[^#]*+)|)(?>#(?P<fragment>[\s\S]*+)|)"
)


def _outline(text: str) -> re.Match[str]:
    return re.fullmatch(OUTLINE, text)  # type: ignore[return-value]  # it matches every text


def cut(text: str) -> Reference[str]:
    """Cut any text into components as 4.3 says, without validation; what is empty is None.

    >>> cut("http://a?b/c;d?#")
    Reference('http', 'a?b', '/c;d', None, None)
    """
    scheme, server, path, query, fragment = _outline(text).groups()
    return Reference(scheme, server or None, path, query or None, fragment or None)


def parts(text: str) -> Iterator[Part]:
    """Cut any text into the parts that a diagnosis looks at.

    >>> sorted(part.component for part in parts("//fred:secret@a/b;c"))
    ['host', 'parameters', 'password', 'path', 'user']
    """
    match = _outline(text)
    spans = {name: match.span(name) for name, value in match.groupdict().items() if value}
    opaque = "scheme" in spans
    if not opaque and "server" in spans:
        spans |= _server(text, *spans.pop("server"))
    if not opaque and "path" in spans:
        spans |= _path(text, *spans.pop("path"))
    for component, (start, end) in spans.items():
        rule = RULES[component]
        if opaque and component not in ("scheme", "fragment"):
            rule = Rule("opaque-URL", "4.2", run(URLCHAR))
        yield Part(component, rule, start, end)


def _path(text: str, start: int, end: int) -> dict[str, tuple[int, int]]:
    """Find path and parameters, without the "/" and the ";" before them (4.3.2 and 4.3.3)."""
    start += text.startswith("/", start)
    semicolon = text.find(";", start, end)
    if semicolon < 0:
        semicolon = end
    spans = {"path": (start, semicolon), "parameters": (semicolon + 1, end)}
    return {component: (start, end) for component, (start, end) in spans.items() if start < end}


def _server(text: str, start: int, end: int) -> dict[str, tuple[int, int]]:
    """Find the parts of a server (4.3.1)."""
    spans = authority_spans(text, start, end)
    if "userinfo" in spans:
        start, end = spans.pop("userinfo")
        colon = text.find(":", start, end)
        if colon >= 0:
            spans["password"] = (colon + 1, end)
            end = colon
        spans["user"] = (start, end)
    return spans


def resolve(base: Reference[str], reference: Reference[str]) -> Reference[str]:
    """Find the components of the target (6); parameters are a part of the path that is no part of it.

    >>> resolve(Reference("http", "a", "/b/c/d;p", "q", None), Reference(None, None, ";x", None, None))
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


class _Draft(Specification):
    """The draft's specification: it knows parameters, and a base that is not known."""

    def parameters(self, reference: Reference[AnyStr]) -> AnyStr | None:
        """Give the parameters at the end of a path: what follows its first ";" (4.3.3), None where that is nothing.

        Args:
            reference: what `split` returned.

        >>> URL1996.parameters(URL1996.split("ftp://ds.internic.net/rfc;type=d"))
        'type=d'
        """
        path = reference.path
        parameters = path.partition(";")[2] if isinstance(path, str) else path.partition(b";")[2]
        return parameters or None

    def _text(self, reference: object) -> str | bytes:
        """Recompose a reference; its server may hold a "?", which `urisect.unsplit` refuses."""
        return to_plain_text(recompose(reference) if isinstance(reference, Reference) else reference, "resolve()")

    def _resolved(self, base: str, reference: str) -> str:
        """Leave an absolute URL as it is (6, step 2b), and every reference where the base is "" (6, step 1)."""
        if not base or self.cut(reference).scheme is not None:
            return reference
        return super()._resolved(base, reference)


URL1996: Final = _Draft(
    name="url1996",
    title="draft-fielding-uri-url-00",
    rules=RULES,
    references=REFERENCES,
    hierarchy=HIERARCHY,
    fragment=rf"(?>#(?>(?P<fragment>{nonempty(URLCHAR)})|)|)",
    parts=parts,
    cut=cut,
    resolution=resolve,
    normalization=Normalization(UNRESERVED, remove_dot_segments),
)
