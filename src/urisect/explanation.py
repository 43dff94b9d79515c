"""Everything there is to say about one reference, as the command `explain` shows it."""

import re
from typing import Final, Literal, NamedTuple, get_args

from urisect import crawl, iri, query
from urisect.address import IPV4ADDRESS, is_ip_literal
from urisect.normalization import Level, normalize
from urisect.reference import Reference, ReferenceKind, split
from urisect.security import Hazard, hazards
from urisect.spans import component_spans
from urisect.specs import SPECIFICATIONS
from urisect.specs.violation import Violation

__all__ = ["Explanation", "explain"]

HostKind = Literal["IP-literal", "IPv4address", "reg-name"]

# In the order of the text: each component, and its sub-components.
_PARTS: Final = ("scheme", "authority", "userinfo", "host", "port", "path", "query", "fragment")


class Explanation(NamedTuple):
    """Everything about a reference.

    Attributes:
        reference: the reference.
        kind: its form (RFC 3986, 4.1, 4.2 and 4.4).
        host_kind: the rule that its host matches first (3.2.2); None without a host.
        parts: where its components and sub-components begin and end, in characters, by their names, in the order of the
            text; without those that are undefined.
        parameters: the parameters of its query, decoded.
        violations: what each specification objects to, by its name; an empty tuple if it is valid.
        forms: its normal form at each level (6.2).
        iri: the IRI that people read (RFC 3987, 3.2).
        uri: the URI that is sent (RFC 3987, 3.1).
        keys: its key by each profile of `urisect.crawl`, and its SURT.
        hazards: what to know before it is dereferenced (7).
    """

    reference: str
    kind: ReferenceKind
    host_kind: HostKind | None
    parts: dict[str, tuple[int, int]]
    parameters: tuple[tuple[str, str | None], ...]
    violations: dict[str, tuple[Violation, ...]]
    forms: dict[str, str]
    iri: str
    uri: str
    keys: dict[str, str]
    hazards: tuple[Hazard, ...]


def explain(reference: str) -> Explanation:
    """Collect everything about a reference.

    Args:
        reference: any text.

    >>> explanation = explain("http://EXAMPLE.com:80/a?b=%zz")
    >>> explanation.host_kind, explanation.parts["host"], explanation.forms["scheme"]
    ('reg-name', (7, 18), 'http://example.com/a?b=%zz')
    >>> [violation.offset for violation in explanation.violations["rfc3986"]]
    [27]
    """
    components = split(reference)
    spans = component_spans(reference)
    return Explanation(
        reference,
        components.kind,
        _host_kind(components),
        {name: spans[name] for name in _PARTS if name in spans},
        tuple(query.parse(components.query)),
        {name: specification.violations(reference) for name, specification in SPECIFICATIONS.items()},
        {level: normalize(reference, level=level) for level in get_args(Level) if level != "string"},
        iri.to_iri(reference),
        iri.to_uri(reference),
        {**{profile: crawl.key(reference, profile) for profile in crawl.PROFILES}, "surt": crawl.surt(reference)},
        hazards(reference),
    )


def _host_kind(reference: Reference[str]) -> HostKind | None:
    """Return the first rule of `host` that matches; what none matches is taken for a name."""
    if not reference.host:
        return None
    if is_ip_literal(reference.host):
        return "IP-literal"
    return "IPv4address" if re.fullmatch(IPV4ADDRESS, reference.host) else "reg-name"
