"""The opt-in layer: references checked against a specification, and what is wrong with them explained.

Neither this nor `urisect.specs` is imported by `import urisect`.

>>> from urisect import strict
>>> strict.is_valid("http://example.com/%7Efred"), strict.is_valid("http://example.com/%7efred wanted")
(True, False)
"""

from typing import Any, AnyStr, overload

from urisect.reference import Reference
from urisect.specs import RFC3986, Specification
from urisect.specs.specification import Text
from urisect.specs.violation import InvalidURI, Violation
from urisect.text_types import BytesLike

__all__ = ["InvalidURI", "Violation", "is_valid", "split", "violations"]


@overload
def split(reference: AnyStr, spec: Specification = RFC3986, rule: str = "URI-reference") -> Reference[AnyStr]: ...
@overload
def split(reference: BytesLike, spec: Specification = RFC3986, rule: str = "URI-reference") -> Reference[bytes]: ...
def split(reference: Text, spec: Specification = RFC3986, rule: str = "URI-reference") -> Reference[Any]:
    """Cut a reference into its five components, if it is valid: one match (RFC 3986, Appendices A and B).

    Args:
        reference: the text; str gives str components, anything bytes-like gives bytes.
        spec: the specification that says what is valid.
        rule: what the reference has to be: "URI-reference", "URI", "absolute-URI" or "relative-ref".

    Raises:
        InvalidURI: it is not valid; the exception says where, and what was expected.
        TypeError: the reference is neither str nor bytes-like.
        ValueError: there is no such rule.

    >>> split("http://example.com/?q")
    Reference('http', 'example.com', '/', 'q', None)
    >>> split("/?q", rule="URI")
    Traceback (most recent call last):
    urisect.specs.violation.InvalidURI: scheme, offset 0: "/" instead of a letter (RFC 3986, 3, URI) in '/?q'
    """
    return spec.split(reference, rule)


def is_valid(reference: Text, spec: Specification = RFC3986, rule: str = "URI-reference") -> bool:
    """Tell whether a reference is valid by the grammar: one match (RFC 3986, Appendix A).

    Args:
        reference: the text.
        spec: the specification that says what is valid.
        rule: what the reference has to be: "URI-reference", "URI", "absolute-URI" or "relative-ref".

    Raises:
        TypeError: the reference is neither str nor bytes-like.
        ValueError: there is no such rule.

    >>> is_valid("//example.com/"), is_valid("//example.com/", rule="URI"), is_valid(b"//ex ample.com/")
    (True, False, False)
    """
    return spec.is_valid(reference, rule)


def violations(reference: Text, spec: Specification = RFC3986, rule: str = "URI-reference") -> tuple[Violation, ...]:
    r"""Find all places at which a reference breaks a rule of the grammar (RFC 3986, Appendix A).

    Args:
        reference: the text. Offsets count its characters, or its octets.
        spec: the specification that says what is valid.
        rule: what the reference has to be: "URI-reference", "URI", "absolute-URI" or "relative-ref".

    Returns:
        The places in order of their offsets; none if the reference is valid.

    Raises:
        TypeError: the reference is neither str nor bytes-like.
        ValueError: there is no such rule.

    >>> for violation in violations("http://example.com:8O/#a#b"):
    ...     print(violation)
    port: "O" instead of a digit (RFC 3986, 3.2.3, port)
      http://example.com:8O/#a#b
                          ^
    fragment: "#" instead of a letter, a digit or one of !$%&'()*+,-./:;=?@_~ (RFC 3986, 3.5, fragment)
      http://example.com:8O/#a#b
                              ^
    """
    return spec.violations(reference, rule)
