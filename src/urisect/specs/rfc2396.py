r"""RFC 2396, Uniform Resource Identifiers (URI): Generic Syntax (August 1998): its collected BNF, rule by rule.

scheme, port, alphanum and the labels of hostnames are in `urisect.specs.abnf`. A set, such as `PCHAR`, leaves the
escape to `run` and `nonempty`. Where the document disagrees with itself:

- No rule of the BNF takes a reference that is a query and nothing else, but Appendix C resolves "?y": it is accepted.
- `relative-ref` is here what URI-reference takes without an absoluteURI: a relativeURI, if any, with or without a
  fragment (4).
- A base with an authority and without a path, "http://a", leaves step 6 of the resolution (5.2) nothing but "g" for
  the path of "g", which would then be a part of the authority. A net_path goes on with an abs_path (3), so "/" is put
  between them.
"""

from functools import partial
from typing import Final

from urisect.normalization import Normalization
from urisect.paths import drop_last_segment
from urisect.reference import Reference, split
from urisect.repetition import zero_or_more
from urisect.specs.abnf import (
    ALPHANUM,
    DOMAINLABEL,
    HOSTNUMBER,
    PORT,
    SCHEME,
    SCHEME_CHARACTER,
    TOPLABEL,
    nonempty,
    run,
)
from urisect.specs.diagnosis import Rule
from urisect.specs.specification import Specification, outlined

__all__ = ["RFC2396", "collapse", "remove_dot_segments"]

# mark       = "-" / "_" / "." / "!" / "~" / "*" / "'" / "(" / ")"
# unreserved = alphanum / mark  (2.3)
MARK: Final = r"\-_.!~*'()"
UNRESERVED: Final = f"{ALPHANUM}{MARK}"

# reserved = ";" / "/" / "?" / ":" / "@" / "&" / "=" / "+" / "$" / ","  (2.2)
# uric     = reserved / unreserved / escaped  (2)
RESERVED: Final = ";/?:@&=+$,"
URIC: Final = f"{RESERVED}{UNRESERVED}"

# fragment = *uric  (4.1)
# query    = *uric  (3.4)
FRAGMENT: Final = run(URIC)
QUERY: Final = run(URIC)

# pchar         = unreserved / escaped / ":" / "@" / "&" / "=" / "+" / "$" / ","
# param         = *pchar
# segment       = *pchar *( ";" param )
# path_segments = segment *( "/" segment )  (3.3)
PCHAR: Final = f"{UNRESERVED}:@&=+$,"
PARAM: Final = run(PCHAR)
SEGMENT: Final = run(f"{PCHAR};")
PATH_SEGMENTS: Final = run(f"{PCHAR};/")

# userinfo = *( unreserved / escaped / ";" / ":" / "&" / "=" / "+" / "$" / "," )  (3.2.2)
USERINFO: Final = run(f"{UNRESERVED};:&=+$,")

# hostname = *( domainlabel "." ) toplabel [ "." ]
# host     = hostname / IPv4address
# hostport = host [ ":" port ]
# server   = [ [ userinfo "@" ] hostport ]  (3.2.2)
# A "." belongs to a domainlabel only if another label follows it.
HOSTNAME: Final = zero_or_more(rf"{DOMAINLABEL}\.(?=[{ALPHANUM}])") + rf"{TOPLABEL}\.?"
HOST: Final = rf"(?:{HOSTNAME}|{HOSTNUMBER})"
HOSTPORT: Final = rf"{HOST}(?::{PORT})?"
SERVER: Final = rf"(?:(?:{USERINFO}@)?{HOSTPORT})?"

# reg_name  = 1*( unreserved / escaped / "$" / "," / ";" / ":" / "@" / "&" / "=" / "+" )  (3.2.1)
# authority = server / reg_name  (3.2)
# A server is made of characters of reg_name, so all that it adds is the empty authority.
REG_NAME: Final = nonempty(f"{UNRESERVED}$,;:@&=+")
AUTHORITY: Final = run(f"{UNRESERVED}$,;:@&=+")

# abs_path    = "/" path_segments  (3)
# rel_segment = 1*( unreserved / escaped / ";" / "@" / "&" / "=" / "+" / "$" / "," )
# rel_path    = rel_segment [ abs_path ]  (5)
ABS_PATH: Final = rf"/{PATH_SEGMENTS}"
REL_SEGMENT: Final = nonempty(f"{UNRESERVED};@&=+$,")
REL_PATH: Final = rf"{REL_SEGMENT}(?:{ABS_PATH})?"

# uric_no_slash = unreserved / escaped / ";" / "?" / ":" / "@" / "&" / "=" / "+" / "$" / ","
# opaque_part   = uric_no_slash *uric  (3)
# Appendix B (and 4.3) cut it at a "?" all the same; this is what comes before.
OPAQUE_PATH: Final = rf"(?:{nonempty(f'{PCHAR};', '/')}|(?=\?))"

# net_path    = "//" authority [ abs_path ]
# hier_part   = ( net_path / abs_path ) [ "?" query ]
# absoluteURI = scheme ":" ( hier_part / opaque_part )  (3)
# relativeURI = ( net_path / abs_path / rel_path ) [ "?" query ]  (5)
# Both in one: which path there may be, depends on whether there is an authority, and whether there is a scheme.
HIERARCHY: Final = (
    rf"(?>//(?P<authority>{AUTHORITY})|)"
    rf"(?P<path>(?(authority)(?:{ABS_PATH})?|"
    rf"(?:{ABS_PATH}|(?(scheme){OPAQUE_PATH}|(?:{REL_PATH})?))))"
    rf"(?>\?(?P<query>{QUERY})|)"
)

RULES: Final = {
    "scheme": Rule("scheme", "3.1", SCHEME, rf"[{SCHEME_CHARACTER}]*+"),
    "authority": Rule("authority", "3.2", AUTHORITY),
    "userinfo": Rule("userinfo", "3.2.2", USERINFO),
    "host": Rule("host", "3.2.2", HOST),
    "port": Rule("port", "3.2.2", PORT),
    "server": Rule("server", "3.2.2", SERVER),
    "path": Rule("path_segments", "3.3", PATH_SEGMENTS),
    "segment": Rule("segment", "3.3", SEGMENT),
    "param": Rule("param", "3.3", PARAM),
    "query": Rule("query", "3.4", QUERY),
    "fragment": Rule("fragment", "4.1", FRAGMENT),
}

REFERENCES: Final = {
    "URI": ("absoluteURI", "3"),
    "absolute-URI": ("absoluteURI", "3"),
    "relative-ref": ("relativeURI", "5"),
    "escaped": ("escaped", "2.4.1"),
}

# What a diagnosis looks at: an authority is looked at whole, for a reg_name has no parts.
DIAGNOSED: Final = {component: RULES[component] for component in Reference._fields} | {
    "colon": Rule("rel_path", "5", REL_PATH, PATH_SEGMENTS),
    "nothing": Rule("opaque_part", "3", nonempty(URIC)),
}


def resolve(base: Reference[str], reference: Reference[str]) -> Reference[str]:
    """Find the components of the target (5.2).

    >>> resolve(Reference("http", "a", "/b/c", "q", None), Reference(None, None, "", "y", None))
    Reference('http', 'a', '/b/', 'y', None)
    """
    scheme, authority, path, query, fragment = reference
    if not path and scheme is authority is query is None:  # step 2: the current document
        return base._replace(fragment=fragment)
    if scheme is not None:  # step 3
        return reference
    if authority is None:  # step 4
        authority = base.authority
        if not path.startswith("/"):  # steps 5 and 6
            before = drop_last_segment(base.path) or ("" if authority is None else "/")
            path = remove_dot_segments(before + path)
    return Reference(base.scheme, authority, path, query, fragment)


def remove_dot_segments(path: str) -> str:
    """Take "." and ".." out of a merged path, but for ".." that no segment stands before (5.2, steps 6c to 6g).

    >>> [remove_dot_segments(path) for path in ("/b/c/./../g", "/b/c/..", "/../g", "b/../../g")]
    ['/b/g', '/b/', '/../g', '../g']
    """
    slash = path[: path.startswith("/")]
    return slash + "/".join(collapse(path.removeprefix("/").split("/")))


def collapse(segments: list[str]) -> list[str]:
    """Remove "." from segments, and ".." with the segment before it; in place of a last one, an empty segment is left.

    >>> collapse(["b", "", "..", ".", "..", "..", "g"]), collapse(["b", "c", ".."])
    (['..', 'g'], ['b', ''])
    """
    output: list[str] = []
    removed = False
    for segment in segments:
        climbs = segment == ".." and bool(output) and output[-1] != ".."
        removed = climbs or segment == "."
        if climbs:
            output.pop()
        elif not removed:
            output.append(segment)
    return [*output, ""] if removed else output


RFC2396: Final = Specification(
    name="rfc2396",
    title="RFC 2396",
    rules=RULES,
    references=REFERENCES,
    hierarchy=HIERARCHY,
    fragment=rf"(?>#(?P<fragment>{FRAGMENT})|)",
    parts=partial(outlined, rules=DIAGNOSED),
    cut=split,
    resolution=resolve,
    normalization=Normalization(UNRESERVED, remove_dot_segments),
)
