r"""RFC 2396, Uniform Resource Identifiers (URI): Generic Syntax (August 1998): its collected BNF, rule by rule.

scheme, port, alphanum and the labels of hostnames are in `urisect.specs.abnf`. A set, such as `PCHAR`, does not include
escapes: `zero_or_more_characters` and `one_or_more_characters` add them. Where the document contradicts itself:

- The BNF has no rule for a reference that is only a query, but Appendix C resolves "?y". It is accepted.
- `relative-ref` is a URI-reference without an absoluteURI: an optional relativeURI and an optional fragment (4).
- With a base that has an authority but no path, "http://a", step 6 of the resolution (5.2) makes "g" the whole path of
  "g", which would then be read as part of the authority. An abs_path follows a net_path (3), so "/" is inserted.
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
    one_or_more_characters,
    zero_or_more_characters,
)
from urisect.specs.diagnosis import ComponentRule
from urisect.specs.specification import Specification, split_for_diagnosis

__all__ = ["RFC2396", "collapse_dot_segments", "remove_dot_segments"]

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
FRAGMENT: Final = zero_or_more_characters(URIC)
QUERY: Final = zero_or_more_characters(URIC)

# pchar         = unreserved / escaped / ":" / "@" / "&" / "=" / "+" / "$" / ","
# param         = *pchar
# segment       = *pchar *( ";" param )
# path_segments = segment *( "/" segment )  (3.3)
PCHAR: Final = f"{UNRESERVED}:@&=+$,"
PARAM: Final = zero_or_more_characters(PCHAR)
SEGMENT: Final = zero_or_more_characters(f"{PCHAR};")
PATH_SEGMENTS: Final = zero_or_more_characters(f"{PCHAR};/")

# userinfo = *( unreserved / escaped / ";" / ":" / "&" / "=" / "+" / "$" / "," )  (3.2.2)
USERINFO: Final = zero_or_more_characters(f"{UNRESERVED};:&=+$,")

# hostname = *( domainlabel "." ) toplabel [ "." ]
# host     = hostname / IPv4address
# hostport = host [ ":" port ]
# server   = [ [ userinfo "@" ] hostport ]  (3.2.2)
# A "." belongs to a domainlabel only if another label follows.
HOSTNAME: Final = zero_or_more(rf"{DOMAINLABEL}\.(?=[{ALPHANUM}])") + rf"{TOPLABEL}\.?"
HOST: Final = rf"(?:{HOSTNAME}|{HOSTNUMBER})"
HOSTPORT: Final = rf"{HOST}(?::{PORT})?"
SERVER: Final = rf"(?:(?:{USERINFO}@)?{HOSTPORT})?"

# reg_name  = 1*( unreserved / escaped / "$" / "," / ";" / ":" / "@" / "&" / "=" / "+" )  (3.2.1)
# authority = server / reg_name  (3.2)
# Every non-empty server is also a reg_name, so server adds only the empty authority.
REG_NAME: Final = one_or_more_characters(f"{UNRESERVED}$,;:@&=+")
AUTHORITY: Final = zero_or_more_characters(f"{UNRESERVED}$,;:@&=+")

# abs_path    = "/" path_segments  (3)
# rel_segment = 1*( unreserved / escaped / ";" / "@" / "&" / "=" / "+" / "$" / "," )
# rel_path    = rel_segment [ abs_path ]  (5)
ABS_PATH: Final = rf"/{PATH_SEGMENTS}"
REL_SEGMENT: Final = one_or_more_characters(f"{UNRESERVED};@&=+$,")
REL_PATH: Final = rf"{REL_SEGMENT}(?:{ABS_PATH})?"

# uric_no_slash = unreserved / escaped / ";" / "?" / ":" / "@" / "&" / "=" / "+" / "$" / ","
# opaque_part   = uric_no_slash *uric  (3)
# Appendix B (and 4.3) splits it at a "?" all the same; this is the text before the "?".
OPAQUE_PATH: Final = rf"(?:{one_or_more_characters(f'{PCHAR};', '/')}|(?=\?))"

# net_path    = "//" authority [ abs_path ]
# hier_part   = ( net_path / abs_path ) [ "?" query ]
# absoluteURI = scheme ":" ( hier_part / opaque_part )  (3)
# relativeURI = ( net_path / abs_path / rel_path ) [ "?" query ]  (5)
# Both in one expression: which path is allowed depends on whether there is an authority, and a scheme.
AUTHORITY_TO_QUERY: Final = (
    rf"(?>//(?P<authority>{AUTHORITY})|)"
    rf"(?P<path>(?(authority)(?:{ABS_PATH})?|"
    rf"(?:{ABS_PATH}|(?(scheme){OPAQUE_PATH}|(?:{REL_PATH})?))))"
    rf"(?>\?(?P<query>{QUERY})|)"
)

COMPONENT_RULES: Final = {
    "scheme": ComponentRule("scheme", "3.1", SCHEME, rf"[{SCHEME_CHARACTER}]*+"),
    "authority": ComponentRule("authority", "3.2", AUTHORITY),
    "userinfo": ComponentRule("userinfo", "3.2.2", USERINFO),
    "host": ComponentRule("host", "3.2.2", HOST),
    "port": ComponentRule("port", "3.2.2", PORT),
    "server": ComponentRule("server", "3.2.2", SERVER),
    "path": ComponentRule("path_segments", "3.3", PATH_SEGMENTS),
    "segment": ComponentRule("segment", "3.3", SEGMENT),
    "param": ComponentRule("param", "3.3", PARAM),
    "query": ComponentRule("query", "3.4", QUERY),
    "fragment": ComponentRule("fragment", "4.1", FRAGMENT),
}

RULE_CITATIONS: Final = {
    "URI": ("absoluteURI", "3"),
    "absolute-URI": ("absoluteURI", "3"),
    "relative-ref": ("relativeURI", "5"),
    "escaped": ("escaped", "2.4.1"),
}

# The rules for diagnosis: the authority is diagnosed as a whole, because a reg_name has no sub-components.
DIAGNOSED_RULES: Final = {component: COMPONENT_RULES[component] for component in Reference._fields} | {
    "colon path": ComponentRule("rel_path", "5", REL_PATH, PATH_SEGMENTS),
    "empty path": ComponentRule("opaque_part", "3", one_or_more_characters(URIC)),
}


def resolve_components(base: Reference[str], reference: Reference[str]) -> Reference[str]:
    """Return the components of the target (5.2).

    >>> resolve_components(Reference("http", "a", "/b/c", "q", None), Reference(None, None, "", "y", None))
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
    """Remove "." and ".." from a merged path, except ".." without a segment before it (5.2, steps 6c to 6g).

    >>> [remove_dot_segments(path) for path in ("/b/c/./../g", "/b/c/..", "/../g", "b/../../g")]
    ['/b/g', '/b/', '/../g', '../g']
    """
    slash = path[: path.startswith("/")]
    return slash + "/".join(collapse_dot_segments(path.removeprefix("/").split("/")))


def collapse_dot_segments(segments: list[str]) -> list[str]:
    """Remove "." segments, and each ".." with the segment before it; a removed last one leaves an empty segment.

    >>> collapse_dot_segments(["b", "", "..", ".", "..", "..", "g"]), collapse_dot_segments(["b", "c", ".."])
    (['..', 'g'], ['b', ''])
    """
    output: list[str] = []
    removed = False
    for segment in segments:
        is_parent = segment == ".." and bool(output) and output[-1] != ".."
        removed = is_parent or segment == "."
        if is_parent:
            output.pop()
        elif not removed:
            output.append(segment)
    return [*output, ""] if removed else output


RFC2396: Final = Specification(
    name="rfc2396",
    title="RFC 2396",
    component_rules=COMPONENT_RULES,
    rule_citations=RULE_CITATIONS,
    authority_to_query=AUTHORITY_TO_QUERY,
    optional_fragment=rf"(?>#(?P<fragment>{FRAGMENT})|)",
    split_for_diagnosis=partial(split_for_diagnosis, rules=DIAGNOSED_RULES),
    plain_split=split,
    resolve_components=resolve_components,
    normalization=Normalization(UNRESERVED, remove_dot_segments),
)
