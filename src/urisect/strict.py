"""Validate references against a specification, and explain what is invalid in them.

`import urisect` imports neither this module nor `urisect.specs`.

>>> from urisect import strict
>>> strict.is_valid("http://example.com/%7Efred"), strict.is_valid("http://example.com/a b")
(True, False)
"""

from typing import AnyStr, overload

from urisect.reference import Reference
from urisect.specs import RFC3986, SPECIFICATIONS, Specification
from urisect.specs.specification import TextOrBytes
from urisect.specs.violation import InvalidURI, Violation
from urisect.suggestion import did_you_mean
from urisect.text_types import BytesLike

__all__ = ["InvalidURI", "Violation", "is_valid", "split", "violations"]


@overload
def split(reference: AnyStr, spec: Specification = RFC3986, rule: str = "URI-reference") -> Reference[AnyStr]: ...
@overload
def split(reference: BytesLike, spec: Specification = RFC3986, rule: str = "URI-reference") -> Reference[bytes]: ...
def split(  # type: ignore[misc]  # as in `urisect.split`
    reference: TextOrBytes, spec: Specification = RFC3986, rule: str = "URI-reference"
) -> Reference[str] | Reference[bytes]:
    """Split a valid reference into its five components, by one match (RFC 3986, Appendices A and B).

    Args:
        reference: str gives str components, anything bytes-like gives bytes.
        spec: the specification that decides what is valid.
        rule: the rule to match: "URI-reference", "URI", "absolute-URI" or "relative-ref".

    Raises:
        InvalidURI: the reference is not valid; the exception says where, and what was expected.
        TypeError: the reference is neither str nor bytes-like, or `spec` is not a `Specification`.
        ValueError: unknown rule.

    >>> split("http://example.com/?q")
    Reference('http', 'example.com', '/', 'q', None)
    >>> split("/?q", rule="URI")
    Traceback (most recent call last):
    urisect.specs.violation.InvalidURI: scheme, offset 0: "/" instead of a letter (RFC 3986, 3, URI) in '/?q'
    """
    try:
        return spec.split(reference, rule)
    except (AttributeError, TypeError):
        _check_specification(spec)
        raise


def is_valid(reference: TextOrBytes, spec: Specification = RFC3986, rule: str = "URI-reference") -> bool:
    """Return whether a reference is valid by the grammar, by one match (RFC 3986, Appendix A).

    Args:
        reference: str or bytes-like.
        spec: the specification that decides what is valid.
        rule: the rule to match: "URI-reference", "URI", "absolute-URI" or "relative-ref".

    Raises:
        TypeError: the reference is neither str nor bytes-like, or `spec` is not a `Specification`.
        ValueError: unknown rule.

    >>> is_valid("//example.com/"), is_valid(b"//ex ample.com/")
    (True, False)
    >>> is_valid("//example.com/", rule="URI")
    False
    """
    try:
        return spec.is_valid(reference, rule)
    except (AttributeError, TypeError):
        _check_specification(spec)
        raise


def violations(
    reference: TextOrBytes, spec: Specification = RFC3986, rule: str = "URI-reference"
) -> tuple[Violation, ...]:
    r"""Find every place where a reference breaks a rule of the grammar (RFC 3986, Appendix A).

    Args:
        reference: str or bytes-like. Offsets count its characters, or its bytes.
        spec: the specification that decides what is valid.
        rule: the rule to match: "URI-reference", "URI", "absolute-URI" or "relative-ref".

    Returns:
        The violations by offset; empty if the reference is valid.

    Raises:
        TypeError: the reference is neither str nor bytes-like, or `spec` is not a `Specification`.
        ValueError: unknown rule.

    >>> for violation in violations("http://example.com:8O/#a#b"):
    ...     print(violation)
    port: "O" instead of a digit (RFC 3986, 3.2.3, port)
      http://example.com:8O/#a#b
                          ^
    fragment: "#" instead of a letter, a digit or one of !$%&'()*+,-./:;=?@_~ (RFC 3986, 3.5, fragment)
      http://example.com:8O/#a#b
                              ^
    """
    try:
        return spec.violations(reference, rule)
    except (AttributeError, TypeError):
        _check_specification(spec)
        raise


def _check_specification(spec: object) -> None:
    """Raise TypeError unless `spec` is a `Specification`; for a name, suggest the constant."""
    if not isinstance(spec, Specification):
        constants = [name.upper() for name in SPECIFICATIONS]
        is_name = isinstance(spec, str)
        given = f"{spec!r}{did_you_mean(str(spec), constants)}" if is_name else type(spec).__name__
        raise TypeError(f"spec takes a urisect.specs.Specification (known: {', '.join(constants)}), not {given}")
