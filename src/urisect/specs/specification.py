"""One class for every generation of the specification: its expressions, its diagnosis, its rules of resolution."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from types import MappingProxyType
from typing import Any, AnyStr, Final, overload

from urisect.normalization import Normalization
from urisect.reference import Reference, recompose, text_of
from urisect.resolution import check_types, split_base
from urisect.spans import component_spans
from urisect.specs.abnf import ANYTHING
from urisect.specs.diagnosis import Part, Rule, faults
from urisect.specs.violation import HEXDIGS, InvalidURI, Violation, words
from urisect.text_types import BytesLike, restore_type, to_plain_text, to_str

__all__ = ["RULES", "Specification", "outlined"]

Text = str | BytesLike

RULES: Final = ("URI-reference", "URI", "absolute-URI", "relative-ref")

# A group that is there and never matches.
ABSENT: Final = "(?>(?P<{}>(?!))|)"

_new: Callable[[type[Reference[Any]], tuple[Any, ...]], Reference[Any]] = tuple.__new__  # as in `urisect.split`


@dataclass(frozen=True, eq=False)
class Specification:
    """A generation of the URI specification.

    Everything takes str and bytes. Where it takes a `rule`, that is one of

    - `URI-reference`: any reference,
    - `URI`: one with a scheme,
    - `absolute-URI`: one with a scheme and without a fragment,
    - `relative-ref`: one without a scheme;

    a specification that has other names for them takes these four all the same. Expressions are compiled when they
    are first used.

    Attributes:
        name: what the command calls it.
        title: what citations call it.
        rules: what each component has to follow.
        references: how the specification itself calls the last three rules and an escaped octet, and in which
            section it has them.
        hierarchy: the expression of what stands between the ":" of the scheme and the "#" of the fragment, with the
            groups authority, path and query. It may ask which of the groups before has matched.
        fragment: the expression of the "#" and what follows, with the group fragment.
        parts: cuts any text into the parts that a diagnosis looks at.
        cut: splits any text into components, without validation.
        resolution: resolves a reference, given the components of its base and its own.
        normalization: normalizes references.

    >>> from urisect.specs import RFC3986, URL1996
    >>> RFC3986, URL1996.title
    (Specification(name='rfc3986', title='RFC 3986'), 'draft-fielding-uri-url-00')
    """

    name: str
    title: str
    rules: Mapping[str, Rule] = field(repr=False)
    references: Mapping[str, tuple[str, str]] = field(repr=False)
    hierarchy: str = field(repr=False)
    fragment: str = field(repr=False)
    parts: Callable[[str], Iterable[Part]] = field(repr=False)
    cut: Callable[[str], Reference[str]] = field(repr=False)
    resolution: Callable[[Reference[str], Reference[str]], Reference[str]] = field(repr=False)
    normalization: Normalization = field(repr=False)

    # The `fullmatch` of each rule's expression, once it has been compiled. Plain dicts in plain attributes, which the
    # interpreter looks up without a call: a cached property and a __missing__ would cost each validation 55 ns.
    _str: dict[str, Callable[[str], re.Match[str] | None]] = field(init=False, repr=False, default_factory=dict)
    _bytes: dict[str, Callable[[bytes], re.Match[bytes] | None]] = field(init=False, repr=False, default_factory=dict)

    @overload
    def split(self, reference: AnyStr, rule: str = "URI-reference") -> Reference[AnyStr]: ...
    @overload
    def split(self, reference: BytesLike, rule: str = "URI-reference") -> Reference[bytes]: ...
    def split(self, reference: Text, rule: str = "URI-reference") -> Reference[Any]:
        """Cut a reference into its five components, if it is valid: one match (RFC 3986, Appendices A and B).

        Args:
            reference: the text; str gives str components, anything bytes-like gives bytes.
            rule: what the reference has to be.

        Raises:
            InvalidURI: it is not valid; the exception says where, and what was expected.
            TypeError: the argument is neither str nor bytes-like.
            ValueError: there is no such rule.

        >>> from urisect.specs import RFC3986
        >>> RFC3986.split("http://example.com/?q")
        Reference('http', 'example.com', '/', 'q', None)
        """
        # The exact types by identity first, as in `urisect.split`. `is_valid` does the same: to share it takes a call.
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
            raise InvalidURI(reference, self._diagnosis(reference, rule))
        return _new(Reference, match.groups())

    def is_valid(self, reference: Text, rule: str = "URI-reference") -> bool:
        """Tell whether a reference is valid by the grammar: one match (RFC 3986, Appendix A).

        Args:
            reference: the text.
            rule: what it has to be.

        Raises:
            TypeError: the argument is neither str nor bytes-like.
            ValueError: there is no such rule.

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

    def violations(self, reference: Text, rule: str = "URI-reference") -> tuple[Violation, ...]:
        """Find all places at which a reference breaks a rule of the grammar (RFC 3986, Appendix A).

        Args:
            reference: the text. Offsets count its characters, or its octets.
            rule: what it has to be.

        Returns:
            The places in order of their offsets; none if the reference is valid.

        Raises:
            TypeError: the argument is neither str nor bytes-like.
            ValueError: there is no such rule.

        >>> from urisect.specs import RFC3986
        >>> for violation in RFC3986.violations("http://a b/%zz#c#d"):
        ...     print(violation.component, violation.offset, violation.expected[:20])
        host 8 a letter, a digit or
        path 12 a hexadecimal digit
        fragment 16 a letter, a digit or
        """
        text = to_plain_text(reference, "violations()")
        return () if self.is_valid(text, rule) else self._diagnosis(text, rule)

    @overload
    def resolve(self, base: AnyStr | Reference[AnyStr], reference: AnyStr | Reference[AnyStr]) -> AnyStr: ...
    @overload
    def resolve(self, base: BytesLike | Reference[bytes], reference: BytesLike | Reference[bytes]) -> bytes: ...
    def resolve(self, base: Any, reference: Any) -> Any:
        """Resolve a reference by the specification's own algorithm, without validation (RFC 3986, 5.2).

        Args:
            base: the base URI, as text or as a `Reference`.
            reference: the reference, of the same type of text.

        Returns:
            The target as text of that type.

        Raises:
            ValueError: the base has no scheme.
            TypeError: an argument is no text, or one is str and the other bytes.

        >>> from urisect.specs import RFC3986, RFC2396
        >>> RFC3986.resolve("http://a/b/c/d;p?q", "../../../g"), RFC2396.resolve("http://a/b/c/d;p?q", "../../../g")
        ('http://a/g', 'http://a/../g')
        """
        base, reference = self._text(base), self._text(reference)
        check_types(base=base, reference=reference)
        return restore_type(self._resolved(to_str(base), to_str(reference)), base)

    @cached_property
    def components(self) -> Mapping[str, re.Pattern[str]]:
        """The compiled expression of each component (RFC 3986, 3); `fullmatch` validates.

        They have no flag, no anchor and no group, and are ASCII: `components["host"].pattern` can be embedded in a
        larger expression, or encoded into one for bytes.

        >>> from urisect.specs import RFC3986
        >>> bool(RFC3986.components["host"].fullmatch("[::ffff:192.0.2.1]"))
        True
        """
        return MappingProxyType({component: re.compile(rule.source) for component, rule in self.rules.items()})

    def pattern(self, rule: str = "URI-reference") -> str:
        """Give the expression of a whole reference (RFC 3986, 4), with the five components as named groups.

        Like `urisect.pattern` it has no anchor, means the same under every flag and can be embedded in a larger one;
        it validates if what stands after it there cannot begin with a character of a reference.

        Args:
            rule: what the reference has to be.

        Raises:
            ValueError: there is no such rule.

        >>> from urisect.specs import RFC3986
        >>> re.fullmatch(rf"<{RFC3986.pattern('URI')}>", "<http://example.com/>")["authority"]
        'example.com'
        """
        scheme = self.rules["scheme"].source
        before = {
            "URI-reference": rf"(?>(?P<scheme>{scheme}):|)",
            "URI": rf"(?P<scheme>{scheme}):",
            "absolute-URI": rf"(?P<scheme>{scheme}):",
            "relative-ref": rf"(?!{scheme}:){ABSENT.format('scheme')}",
        }
        if rule not in RULES:
            raise ValueError(f"no rule is called {rule!r}; there are {', '.join(RULES)}")
        after = ABSENT.format("fragment") if rule == "absolute-URI" else self.fragment
        return f"(?-ix:{before[rule]}{self.hierarchy}{after})"

    def _text(self, reference: object) -> str | bytes:
        return text_of(reference, "resolve()")

    def _compile(self, reference: Text, rule: str) -> None:
        """Compile the expression of a rule, for text of one type."""
        expression = self.pattern(rule)
        if isinstance(reference, str):
            self._str[rule] = re.compile(expression).fullmatch
        else:
            self._bytes[rule] = re.compile(expression.encode()).fullmatch

    def _resolved(self, base: str, reference: str) -> str:
        return recompose(self.resolution(split_base(base, self.cut), self.cut(reference)))

    def _diagnosis(self, reference: str | bytes, rule: str) -> tuple[Violation, ...]:
        """Find the faults of a reference that is not valid: those of its parts, and what the rule does not allow."""
        text = to_str(reference)
        parts = list(self.parts(text))
        scheme = next((part for part in parts if part.component == "scheme"), None)
        found: list[Violation] = []

        def report(component: str, name: str, offset: int, length: int, expected: str, section: str) -> None:
            is_end = offset == len(text)
            found.append(Violation(component, name, offset, length, expected, section, is_end, reference, self.title))

        if rule == "relative-ref" and scheme is not None:
            name, section = self.references[rule]
            report("scheme", name, 0, scheme.end + 1, "a reference without a scheme", section)
        if rule in ("URI", "absolute-URI") and scheme is None:
            source = rf"{self.rules['scheme'].source}:{ANYTHING}"
            parts.insert(0, Part("scheme", Rule(*self.references[rule], source, ANYTHING), 0, len(text)))
        for component, broken, start, end in parts:
            for offset, length, expected in faults(broken, text, start, end):
                name, section = broken.name, broken.section
                if expected == HEXDIGS and "%" in text[max(start, offset - 2) : offset]:
                    name, section = self.references["escaped"]
                report(component, name, offset, length, words(expected) or f"the end of the {component}", section)
        if rule == "absolute-URI" and "#" in text:
            name, section = self.references[rule]
            report("fragment", name, text.index("#"), len(text) - text.index("#"), "the end", section)
        return tuple(sorted(found, key=attrgetter("offset")))


def outlined(text: str, rules: Mapping[str, Rule]) -> Iterator[Part]:
    """Cut any text into parts by Appendix B.

    Args:
        text: the reference.
        rules: what a part has to follow, by its component, or by its form where that has a rule of its own: "literal",
            a host that begins with "["; "colon", a path that begins with ":" where there is no scheme; "nothing", an
            empty path after a scheme with neither authority nor query. A component without a rule is no part: other
            parts say it all.

    >>> [part[2:] for part in outlined("//h:80", {"port": Rule("port", "3.2.3", "[0-9]*+")})]
    [(4, 6)]
    """
    spans = component_spans(text)
    for component, (start, end) in spans.items():
        rule = rules.get(_form(component, text[start : min(start + 1, end)], spans.keys())) or rules.get(component)
        if rule is not None:
            yield Part(component, rule, start, end)


def _form(component: str, first: str, present: Collection[str]) -> str:
    """Tell which form a component has, given its first character and which components there are."""
    match component, first:
        case "host", "[":
            return "literal"
        case "path", ":" if "scheme" not in present:
            return "colon"
        case "path", "" if "scheme" in present and "authority" not in present and "query" not in present:
            return "nothing"
    return component
