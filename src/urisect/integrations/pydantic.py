"""Types of pydantic for references: `URI`, `URIReference`, `AbsoluteURI`, `IRI` and `WebURL`.

The values are `str`, exactly as they were given: nothing is normalized, encoded or written in lower case. Type checkers
see `str`.

>>> import pydantic
>>> class Page(pydantic.BaseModel):
...     url: URI
>>> Page(url="HTTP://Example.com")
Page(url='HTTP://Example.com')
>>> try:
...     Page(url="//example.com:8O/")
... except pydantic.ValidationError as error:
...     print(error.errors()[0]["msg"])
Input should be a valid URI: "/" instead of a letter at offset 0 (RFC 3986, 3, URI), and 1 more
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Final, TypeAlias, cast

from urisect import web
from urisect.extras import MissingExtraError
from urisect.specs import SPECIFICATIONS
from urisect.specs.abnf import SCHEME
from urisect.web.grammar import check_schemes

try:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core import PydanticCustomError
    from pydantic_core.core_schema import CoreSchema, no_info_after_validator_function
except ModuleNotFoundError:
    raise MissingExtraError("a type of pydantic", "pydantic", "pydantic") from None

__all__ = ["IRI", "URI", "AbsoluteURI", "Constraints", "URIReference", "WebURL"]

# Returns the text that it is given, or raises PydanticCustomError.
_Check: TypeAlias = Callable[[str], str]

# The key in the metadata of a schema under which `Constraints` finds the `_ReferenceType`.
_METADATA_KEY: Final = "urisect"


@dataclass(frozen=True)
class _ReferenceType(ABC):
    """The part of an annotation that pydantic asks for schemas.

    Attributes:
        name: what a value is, for messages.
        format: the format of JSON Schema.
    """

    name: str
    format: str

    @abstractmethod
    def make_check(self, schemes: tuple[str, ...] | None) -> _Check:
        """Make the function that checks a text; `schemes`, if not None, are the allowed ones."""

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        # A function after the schema of str is the fastest: 440 ns a URL, of which 370 are for the match. The pattern
        # in the schema of str takes 480 ns, and a union of that and a function that explains 500 ns (CPython 3.11).
        return no_info_after_validator_function(self.make_check(None), handler(source), metadata={_METADATA_KEY: self})

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {**handler(schema), "format": self.format}


@dataclass(frozen=True)
class _GrammarType(_ReferenceType):
    """A rule of a specification.

    Attributes:
        error_type: the type of an error.
        spec: the name of the specification.
        rule: the rule.
    """

    error_type: str
    spec: str
    rule: str

    def make_check(self, schemes: tuple[str, ...] | None) -> _Check:
        pattern = SPECIFICATIONS[self.spec].pattern(self.rule)
        fullmatch = re.compile(f"{_allowed_schemes(schemes)}{pattern}").fullmatch

        def check(text: str) -> str:
            if fullmatch(text):
                return text
            raise self._error(text) or _scheme_error(text, schemes or ())

        return check

    def _error(self, text: str) -> PydanticCustomError | None:
        """Describe the first violation; None if the grammar is kept."""
        violations = SPECIFICATIONS[self.spec].violations(text, self.rule)
        if not violations:
            return None
        first, *others = violations
        more = ", and {others} more" if others else ""
        return PydanticCustomError(
            self.error_type,
            "Input should be a valid {name}: {found} instead of {expected} at offset {offset} "
            "({specification}, {section}, {rule})" + more,
            {
                "name": self.name,
                "component": first.component,
                "offset": first.offset,
                "length": first.length,
                "section": first.section,
                "rule": first.rule,
                "specification": first.title,
                "others": len(others),
                "found": first.found,
                "expected": first.expected,
            },
        )


def _allowed_schemes(schemes: tuple[str, ...] | None) -> str:
    """Write the condition that a scheme, if there is one, is one of these; it takes 45 ns of a match."""
    if schemes is None:
        return ""
    names = "|".join(re.escape(scheme.lower()) for scheme in schemes)
    return rf"(?:(?=(?:{names}|(?i:{names})):)|(?!{SCHEME}:))"


def _scheme_error(text: str, schemes: tuple[str, ...]) -> PydanticCustomError:
    """Describe a scheme that is not allowed."""
    return PydanticCustomError(
        "uri_scheme",
        "Input should have the scheme {expected}, not {found} (RFC 3986, {section}, scheme)",
        {
            "component": "scheme",
            "offset": 0,
            "section": "3.1",
            "expected": " or ".join(schemes),
            "found": text.partition(":")[0],
        },
    )


@dataclass(frozen=True)
class _WebType(_ReferenceType):
    """A web address, as `urisect.web` checks it."""

    def make_check(self, schemes: tuple[str, ...] | None) -> _Check:
        allowed = ("http", "https") if schemes is None else schemes

        def check(text: str) -> str:
            if web.is_valid(text, schemes=allowed):
                return text
            first, *others = web.check(text, schemes=allowed)
            raise PydanticCustomError(
                "web_url",
                "Input should be a valid {name}: {message}" + (" And {others} more." if others else ""),
                {
                    "name": self.name,
                    "code": first.code,
                    "offset": first.offset,
                    "length": first.length,
                    "suggestion": first.suggestion,
                    "others": len(others),
                    "message": first.message,
                },
            )

        return check


@dataclass(frozen=True, kw_only=True)
class Constraints:
    """What a type of this module demands besides its grammar, in an annotation (RFC 3986, 3.1).

    Lengths can also be constrained as everywhere in pydantic, by `Field` or `annotated_types`. Here, they are tested
    before the grammar. If an annotation has several, the last value of each attribute counts.

    Attributes:
        schemes: the allowed schemes, in any case; None allows all, and for `WebURL` http and https. A relative
            reference, which is a `URIReference`, has no scheme, and is allowed.
        min_length: the least number of characters.
        max_length: the largest number of characters.

    >>> from typing import Annotated
    >>> import pydantic
    >>> link = pydantic.TypeAdapter(Annotated[URI, Constraints(schemes=("https", "mailto"), max_length=2083)])
    >>> link.validate_python("HTTPS://example.com/")
    'HTTPS://example.com/'
    >>> try:
    ...     link.validate_python("ftp://example.com/")
    ... except pydantic.ValidationError as error:
    ...     print(error.errors()[0]["msg"])
    Input should have the scheme https or mailto, not ftp (RFC 3986, 3.1, scheme)
    >>> link.json_schema()
    {'format': 'uri', 'maxLength': 2083, 'type': 'string'}
    """

    schemes: tuple[str, ...] | None = None
    min_length: int | None = None
    max_length: int | None = None

    def __post_init__(self) -> None:
        """Check the schemes."""
        if self.schemes is not None:
            check_schemes(self.schemes)

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return cast("CoreSchema", self._constrain(cast("dict[str, Any]", handler(source))))

    def _constrain(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return the schema with these constraints at the type of this module, which others may surround."""
        if "schema" not in schema:
            raise TypeError(f"Constraints() takes a type of urisect.integrations.pydantic, not {schema['type']}")
        reference_type = schema.get("metadata", {}).get(_METADATA_KEY)
        if reference_type is None:
            return {**schema, "schema": self._constrain(schema["schema"])}
        constrained = {**schema, "schema": {**schema["schema"], **self._lengths()}}
        if self.schemes is not None:
            constrained["function"] = {"type": "no-info", "function": reference_type.make_check(self.schemes)}
        return constrained

    def _lengths(self) -> dict[str, int]:
        lengths = {"min_length": self.min_length, "max_length": self.max_length}
        return {name: length for name, length in lengths.items() if length is not None}


URI: TypeAlias = Annotated[str, _GrammarType("URI", "uri", "uri", "rfc3986", "URI")]
URIReference: TypeAlias = Annotated[
    str, _GrammarType("URI reference", "uri-reference", "uri_reference", "rfc3986", "URI-reference")
]
AbsoluteURI: TypeAlias = Annotated[str, _GrammarType("absolute URI", "uri", "absolute_uri", "rfc3986", "absolute-URI")]
IRI: TypeAlias = Annotated[str, _GrammarType("IRI", "iri", "iri", "rfc3987", "URI")]
WebURL: TypeAlias = Annotated[str, _WebType("web address", "uri")]
