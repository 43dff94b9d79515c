"""Define `Specification`, the class of every generation: its expressions, its diagnosis, its rules of resolution."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from operator import attrgetter
from types import MappingProxyType
from typing import Any, AnyStr, Final, overload

from urisect.normalization import Normalization
from urisect.reference import Reference, ReferenceLike, recompose, text_of
from urisect.resolution import check_types, split_base
from urisect.spans import component_spans
from urisect.specs.abnf import ANY_TEXT
from urisect.specs.beyond_ascii import CharactersBeyondASCII, byte_offsets, decode_utf8, expression_for_utf8
from urisect.specs.diagnosis import ComponentRule, DiagnosedComponent, find_faults
from urisect.specs.violation import HEX_DIGITS, InvalidURI, Violation, describe_characters
from urisect.suggestion import did_you_mean
from urisect.text_types import BytesLike, restore_type, to_plain_text, to_str

__all__ = ["RULE_NAMES", "Specification", "TextOrBytes", "split_for_diagnosis"]

TextOrBytes = str | BytesLike

# The rules for a whole reference. Every specification takes these names, whatever its own are.
RULE_NAMES: Final = ("URI-reference", "URI", "absolute-URI", "relative-ref")

# A group that exists and never matches, so that every rule has five groups.
UNMATCHED_GROUP: Final = "(?>(?P<{}>(?!))|)"

_new: Callable[[type[Reference[Any]], tuple[Any, ...]], Reference[Any]] = tuple.__new__  # as in `urisect.split`


@dataclass(frozen=True, eq=False)
class Specification:
    """A generation of the URI specification (RFC 3986, RFC 2396 and the drafts before them).

    Every method takes str and bytes. The argument `rule` is one of

    - `URI-reference`: any reference,
    - `URI`: a reference with a scheme,
    - `absolute-URI`: a reference with a scheme and without a fragment,
    - `relative-ref`: a reference without a scheme.

    A specification that has other names for them takes these four. Expressions are compiled on first use.

    Programs use the methods and `components`. The attributes after `title` define the grammar.

    Attributes:
        name: the short name, which the command takes.
        title: the title, for citations.
        component_rules: the rule of each component.
        rule_citations: the specification's own names and sections for the last three rules and for an escaped octet.
        authority_to_query: the expression for the text between the ":" of the scheme and the "#" of the fragment, with
            the groups authority, path and query. It may test which of the groups before it has matched.
        optional_fragment: the expression for the "#" and the fragment, with the group fragment.
        split_for_diagnosis: splits any text into the components to be diagnosed.
        plain_split: splits any text into the five components, without validation.
        resolve_components: resolves a reference, given the components of its base and its own.
        normalization: normalizes references.
        beyond_ascii: the sets of characters beyond ASCII that the rules allow. With any, bytes are text in UTF-8;
            without one, text is ASCII.

    >>> from urisect.specs import RFC3986, URL1996
    >>> RFC3986, URL1996.title
    (Specification(name='rfc3986', title='RFC 3986'), 'draft-fielding-uri-url-00')
    """

    name: str
    title: str
    component_rules: Mapping[str, ComponentRule] = field(repr=False)
    rule_citations: Mapping[str, tuple[str, str]] = field(repr=False)
    authority_to_query: str = field(repr=False)
    optional_fragment: str = field(repr=False)
    split_for_diagnosis: Callable[[str], Iterable[DiagnosedComponent]] = field(repr=False)
    plain_split: Callable[[str], Reference[str]] = field(repr=False)
    resolve_components: Callable[[Reference[str], Reference[str]], Reference[str]] = field(repr=False)
    normalization: Normalization = field(repr=False)
    beyond_ascii: tuple[CharactersBeyondASCII, ...] = field(repr=False, default=())

    # The compiled `fullmatch` of each rule. Plain dicts in plain attributes, because the interpreter looks them up
    # without a call: a cached property and a __missing__ would cost each validation 55 ns.
    _str: dict[str, Callable[[str], re.Match[str] | None]] = field(init=False, repr=False, default_factory=dict)
    _bytes: dict[str, Callable[[bytes], re.Match[bytes] | None]] = field(init=False, repr=False, default_factory=dict)

    @overload
    def split(self, reference: AnyStr, rule: str = "URI-reference") -> Reference[AnyStr]: ...
    @overload
    def split(self, reference: BytesLike, rule: str = "URI-reference") -> Reference[bytes]: ...
    def split(  # type: ignore[misc]  # as in `urisect.split`
        self, reference: TextOrBytes, rule: str = "URI-reference"
    ) -> Reference[str] | Reference[bytes]:
        """Split a valid reference into its five components, by one match (RFC 3986, Appendices A and B).

        Args:
            reference: str gives str components, anything bytes-like gives bytes.
            rule: the rule that the reference has to match.

        Raises:
            InvalidURI: the reference is not valid; the exception says where, and what was expected.
            TypeError: the reference is neither str nor bytes-like.
            ValueError: unknown rule.

        >>> from urisect.specs import RFC3986
        >>> RFC3986.split("http://example.com/?q")
        Reference('http', 'example.com', '/', 'q', None)
        """
        # Exact types first, by identity, as in `urisect.split`. `is_valid` repeats these lines: sharing costs a call.
        match: re.Match[Any] | None
        try:
            if type(reference) is str:
                match = self._str[rule](reference)
            elif type(reference) is bytes:
                match = self._bytes[rule](reference)
            else:
                return self.split(to_plain_text(reference, "split()"), rule)
        except KeyError:
            self._compile(reference, rule)
            return self.split(reference, rule)
        if match is None:
            raise InvalidURI(reference, self._diagnose(reference, rule))
        return _new(Reference, match.groups())

    def is_valid(self, reference: TextOrBytes, rule: str = "URI-reference") -> bool:
        """Return whether a reference is valid by the grammar, by one match (RFC 3986, Appendix A).

        Args:
            reference: str or bytes-like.
            rule: the rule that the reference has to match.

        Raises:
            TypeError: the reference is neither str nor bytes-like.
            ValueError: unknown rule.

        >>> from urisect.specs import RFC2396, RFC3986
        >>> RFC3986.is_valid("http://[::1]/"), RFC2396.is_valid("http://[::1]/")
        (True, False)
        """
        try:
            if type(reference) is str:
                return self._str[rule](reference) is not None
            if type(reference) is bytes:
                return self._bytes[rule](reference) is not None
        except KeyError:
            self._compile(reference, rule)
        return self.is_valid(to_plain_text(reference, "is_valid()"), rule)

    def violations(self, reference: TextOrBytes, rule: str = "URI-reference") -> tuple[Violation, ...]:
        """Find every place where a reference breaks a rule of the grammar (RFC 3986, Appendix A).

        Args:
            reference: str or bytes-like. Offsets count its characters, or its bytes.
            rule: the rule that the reference has to match.

        Returns:
            The violations by offset; empty if the reference is valid.

        Raises:
            TypeError: the reference is neither str nor bytes-like.
            ValueError: unknown rule.

        >>> from urisect.specs import RFC3986
        >>> for violation in RFC3986.violations("http://a b/%zz#c#d"):
        ...     print(violation.component, violation.offset, violation.expected[:20])
        host 8 a letter, a digit or
        path 12 a hexadecimal digit
        fragment 16 a letter, a digit or
        """
        text = to_plain_text(reference, "violations()")
        return () if self.is_valid(text, rule) else self._diagnose(text, rule)

    @overload
    def resolve(self, base: AnyStr | Reference[AnyStr], reference: AnyStr | Reference[AnyStr]) -> AnyStr: ...
    @overload
    def resolve(self, base: BytesLike | Reference[bytes], reference: BytesLike | Reference[bytes]) -> bytes: ...
    def resolve(self, base: ReferenceLike, reference: ReferenceLike) -> str | bytes:  # type: ignore[misc]  # as above
        """Resolve a reference by the specification's own algorithm, without validation (RFC 3986, 5.2).

        Args:
            base: the base URI: str, bytes-like or a `Reference`.
            reference: the reference, of the same type of text.

        Returns:
            The target, str or bytes like the arguments.

        Raises:
            ValueError: the base has no scheme.
            TypeError: an argument is of another type, or one is str and the other bytes.

        >>> from urisect.specs import RFC3986, RFC2396
        >>> RFC3986.resolve("http://a/b/c/", "../../../g"), RFC2396.resolve("http://a/b/c/", "../../../g")
        ('http://a/g', 'http://a/../g')
        """
        base, reference = self._coerce_text(base), self._coerce_text(reference)
        check_types(base=base, reference=reference)
        return restore_type(self._resolve_text(to_str(base), to_str(reference)), base)

    @cached_property
    def components(self) -> Mapping[str, re.Pattern[str]]:
        """The compiled expression of each component (RFC 3986, 3); `fullmatch` validates.

        The expressions have no flags, anchors or groups, and are ASCII: `components["host"].pattern` can be embedded in
        a larger expression, or encoded for bytes. Those of RFC 3987 are for str only.

        >>> from urisect.specs import RFC3986
        >>> bool(RFC3986.components["host"].fullmatch("[::ffff:192.0.2.1]"))
        True
        """
        return MappingProxyType({name: re.compile(rule.source) for name, rule in self.component_rules.items()})

    def pattern(self, rule: str = "URI-reference", text_type: type[str] | type[bytes] = str) -> str:
        """Return the expression for a whole reference (RFC 3986, 4), with the five components as named groups.

        Like `urisect.pattern`, it has no anchors, means the same under every flag, and can be embedded in a larger
        expression. There it validates, provided that the text after it cannot begin with a character of a reference.

        Args:
            rule: the rule that the reference has to match.
            text_type: what it is to match, str or bytes; encode it for bytes. Only RFC 3987 has two expressions.

        Raises:
            ValueError: unknown rule.
            TypeError: the type is neither str nor bytes.

        >>> from urisect.specs import RFC3986
        >>> in_brackets = re.compile(f"<{RFC3986.pattern('URI')}>")
        >>> in_brackets.fullmatch("<http://example.com/>")["authority"]
        'example.com'
        """
        scheme = self.component_rules["scheme"].source
        before = {
            "URI-reference": rf"(?>(?P<scheme>{scheme}):|)",
            "URI": rf"(?P<scheme>{scheme}):",
            "absolute-URI": rf"(?P<scheme>{scheme}):",
            "relative-ref": rf"(?!{scheme}:){UNMATCHED_GROUP.format('scheme')}",
        }
        if rule not in RULE_NAMES:
            known = ", ".join(RULE_NAMES)
            raise ValueError(f"unknown rule {rule!r} (known: {known}){did_you_mean(str(rule), RULE_NAMES)}")
        if text_type not in (str, bytes):
            raise TypeError(f"text_type is str or bytes, not {text_type!r}")
        after = UNMATCHED_GROUP.format("fragment") if rule == "absolute-URI" else self.optional_fragment
        expression = f"(?-ix:{before[rule]}{self.authority_to_query}{after})"
        return expression if text_type is str else expression_for_utf8(expression, self.beyond_ascii)

    def _coerce_text(self, reference: object) -> str | bytes:
        return text_of(reference, "resolve()")

    def _compile(self, reference: TextOrBytes, rule: str) -> None:
        """Compile the expression of a rule, for str or for bytes."""
        if isinstance(reference, str):
            self._str[rule] = re.compile(self.pattern(rule)).fullmatch
        else:
            self._bytes[rule] = re.compile(self.pattern(rule, bytes).encode()).fullmatch

    def _resolve_text(self, base: str, reference: str) -> str:
        return recompose(self.resolve_components(split_base(base, self.plain_split), self.plain_split(reference)))

    def _diagnose(self, reference: str | bytes, rule: str) -> tuple[Violation, ...]:
        """Find the violations of an invalid reference: those of its components, and those of the rule for the whole."""
        if isinstance(reference, bytes) and self.beyond_ascii:
            text, is_utf8 = decode_utf8(reference), True
        else:
            text, is_utf8 = to_str(reference), False
        diagnosed = list(self.split_for_diagnosis(text))
        scheme = next((part for part in diagnosed if part.component == "scheme"), None)
        found: list[Violation] = []

        def report(component: str, name: str, offset: int, length: int, expected: str, section: str) -> None:
            is_end = offset == len(text)
            found.append(
                Violation(component, name, offset, length, expected, section, is_end, reference, self.title, is_utf8)
            )

        if rule == "relative-ref" and scheme is not None:
            name, section = self.rule_citations[rule]
            report("scheme", name, 0, scheme.end + 1, "a reference without a scheme", section)
        if rule in ("URI", "absolute-URI") and scheme is None:
            source = rf"{self.component_rules['scheme'].source}:{ANY_TEXT}"
            scheme_rule = ComponentRule(*self.rule_citations[rule], source, ANY_TEXT)
            diagnosed.insert(0, DiagnosedComponent("scheme", scheme_rule, 0, len(text)))
        for component, component_rule, start, end in diagnosed:
            for offset, length, expected in find_faults(component_rule, text, start, end, self.beyond_ascii):
                name, section = component_rule.name, component_rule.section
                if expected == HEX_DIGITS and "%" in text[max(start, offset - 2) : offset]:
                    name, section = self.rule_citations["escaped"]
                expectation = describe_characters(expected, self.beyond_ascii) or f"the end of the {component}"
                report(component, name, offset, length, expectation, section)
        if rule == "absolute-URI" and "#" in text:
            name, section = self.rule_citations[rule]
            report("fragment", name, text.index("#"), len(text) - text.index("#"), "the end", section)
        found.sort(key=attrgetter("offset"))
        return tuple(_count_bytes(found, text) if is_utf8 else found)


def _count_bytes(violations: Collection[Violation], text: str) -> Iterator[Violation]:
    """Replace offsets and lengths in characters of a text by those in bytes of its UTF-8 form."""
    spans = [(violation.offset, violation.offset + violation.length) for violation in violations]
    bytes_before = byte_offsets(text, {*chain.from_iterable(spans)})
    for violation, (start, end) in zip(violations, spans, strict=True):
        offset = bytes_before[start]
        yield replace(violation, offset=offset, length=bytes_before[end] - offset)


def split_for_diagnosis(text: str, rules: Mapping[str, ComponentRule]) -> Iterator[DiagnosedComponent]:
    """Split any text by Appendix B into the components to be diagnosed, each with its rule.

    Args:
        text: the reference.
        rules: the rule of each component. A special form of a component may have its own: "IP-literal", a host that
            begins with "["; "colon path", a path that begins with ":" in a reference without a scheme; "empty path", an
            empty path after a scheme, without authority and query. A component without a rule is left out, because
            other components cover it.

    >>> [part[2:] for part in split_for_diagnosis("//h:80", {"port": ComponentRule("port", "3.2.3", "[0-9]*+")})]
    [(4, 6)]
    """
    spans = component_spans(text)
    for component, (start, end) in spans.items():
        form = _form(component, text[start : min(start + 1, end)], spans.keys())
        rule = rules.get(form) or rules.get(component)
        if rule is not None:
            yield DiagnosedComponent(component, rule, start, end)


def _form(component: str, first: str, present: Collection[str]) -> str:
    """Return the special form of a component, or the component, given its first character and what is present."""
    match component, first:
        case "host", "[":
            return "IP-literal"
        case "path", ":" if "scheme" not in present:
            return "colon path"
        case "path", "" if "scheme" in present and "authority" not in present and "query" not in present:
            return "empty path"
    return component
