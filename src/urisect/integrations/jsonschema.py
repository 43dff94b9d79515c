"""Check the formats of JSON Schema for references: uri, uri-reference, iri, iri-reference and uri-template.

`FORMATS` needs no other package: it has a function for each format, as jsonschema-rs and fastjsonschema take them.
`add_formats` adds the formats to a `FormatChecker` of the package jsonschema (`pip install 'urisect[jsonschema]'`).

>>> FORMATS["uri"]("http://example.com/"), FORMATS["uri"]("/a"), FORMATS["uri-reference"]("/a")
(True, False, True)
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from urisect.integrations import uri_templates
from urisect.specs import RFC3986, RFC3987
from urisect.specs.violation import InvalidURI, Violation

if TYPE_CHECKING:
    from jsonschema import FormatChecker

__all__ = ["FORMATS", "add_formats"]

# For each format: a function that tells whether a text is valid, and one that tells why it is not.
_FUNCTIONS: Final[dict[str, tuple[Callable[[str], bool], Callable[[str], tuple[Violation, ...]]]]] = {
    "uri": (partial(RFC3986.is_valid, rule="URI"), partial(RFC3986.violations, rule="URI")),
    "uri-reference": (RFC3986.is_valid, RFC3986.violations),
    "iri": (partial(RFC3987.is_valid, rule="URI"), partial(RFC3987.violations, rule="URI")),
    "iri-reference": (RFC3987.is_valid, RFC3987.violations),
    "uri-template": (uri_templates.is_valid, uri_templates.violations),
}


def add_formats(checker: "FormatChecker") -> "FormatChecker":
    r"""Let a checker of jsonschema check references (RFC 3986, 3 and 4.1; RFC 3987, 2.2; RFC 6570, 2).

    The formats are those of JSON Schema (Validation, 7.3.5 and 7.3.6): uri, uri-reference, iri, iri-reference and
    uri-template. They replace those that the checker has, in this checker only. The `cause` of an error is an
    `InvalidURI`, which says where the text is invalid.

    Args:
        checker: the checker to change, such as a new `jsonschema.FormatChecker()`.

    Returns:
        The same checker.

    Raises:
        AttributeError: the checker is of another type.

    >>> import jsonschema
    >>> checker = add_formats(jsonschema.FormatChecker())
    >>> validator = jsonschema.Draft202012Validator({"format": "uri"}, format_checker=checker)
    >>> [error] = validator.iter_errors("http://example.com:8O/")
    >>> print(f"{error.message}\n{error.cause}")
    'http://example.com:8O/' is not a 'uri'
    port, offset 20: "O" instead of a digit (RFC 3986, 3.2.3, port) in 'http://example.com:8O/'
    """
    for name, (is_valid, violations) in _FUNCTIONS.items():
        checker.checks(name, raises=InvalidURI)(partial(_check, is_valid, violations))
    return checker


def _conforms(is_valid: Callable[[str], bool], value: object) -> bool:
    """Return whether a value is valid. Formats are about strings: any other value is (JSON Schema, Validation, 7.1)."""
    return not isinstance(value, str) or is_valid(value)


def _check(is_valid: Callable[[str], bool], violations: Callable[[str], tuple[Violation, ...]], value: object) -> bool:
    """Return True for a valid value, and raise `InvalidURI` for any other."""
    if isinstance(value, str) and not is_valid(value):
        raise InvalidURI(value, violations(value))
    return True


# A dict, because jsonschema-rs takes no other mapping.
FORMATS: Final[dict[str, Callable[[str], bool]]] = {
    name: partial(_conforms, is_valid) for name, (is_valid, _) in _FUNCTIONS.items()
}
