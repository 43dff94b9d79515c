"""Convert host names between Unicode and ASCII by IDNA 2008 and UTS #46, with the package `idna`.

Only labels that need it are converted: a label beyond ASCII to ASCII, and an "xn--" label to Unicode. Labels in ASCII
stay as they are, because a registered name may be more than a domain name ("a_b.example"; RFC 3986, 3.2.2). So do IP
literals and IPv4 addresses.
"""

import re
from typing import TYPE_CHECKING, Final

from urisect.extras import MissingExtraError

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["to_ascii", "to_unicode"]

# The characters that UTS #46, 2.3, takes for the "." between labels.
_DOTS: Final = "[.\u3002\uff0e\uff61]"

# The longest domain name in ASCII, without the "." at its end (RFC 1034, 3.1, as RFC 5890, 4.2, reads it).
_MAX_OCTETS: Final = 253

# No name that is longer in Unicode can fit, except one of ignored characters. `idna` once took quadratic time for long
# names (CVE-2024-3651), so it never sees one.
_MAX_CHARACTERS: Final = 4 * _MAX_OCTETS

_SHOWN: Final = 63  # characters of a label in a message


def to_ascii(host: str) -> str:
    """Convert the labels of a host to ASCII (IDNA 2008; UTS #46, 4.2: nontransitional, with STD3 rules).

    Args:
        host: a host, without escapes.

    Returns:
        The host in ASCII; the same object if it is in ASCII already, or an IP literal.

    Raises:
        ValueError: a label is not valid in a domain name, or the host is too long; the message says which, and why.
        MissingExtraError: the package `idna` is not installed.

    >>> to_ascii("Bücher.example."), to_ascii("日本語。jp"), to_ascii("a_B.example")
    ('xn--bcher-kva.example.', 'xn--wgv71a119e.jp', 'a_B.example')
    """
    if host.isascii() or host.startswith("["):
        return host
    if len(host) > _MAX_CHARACTERS:
        raise _too_long(host, f"{len(host):,} characters")
    labels = [label if label.isascii() else _label_to_ascii(label, host) for label in re.split(_DOTS, host)]
    name = ".".join(labels)
    if len(name.removesuffix(".")) > _MAX_OCTETS:
        raise _too_long(host, f"{len(name):,} characters in ASCII")
    return name


def _too_long(host: str, length: str) -> ValueError:
    return ValueError(f"the host {host[:_SHOWN]!r}… has {length}; a domain name has at most {_MAX_OCTETS} in ASCII")


def _label_to_ascii(label: str, host: str) -> str:
    try:
        return _encode_label(label)
    except UnicodeError as error:  # idna.IDNAError is one
        shown = f"{label[:_SHOWN]!r}{'…' * (len(label) > _SHOWN)}"
        whose = "" if label == host else f" of the host {host[:_SHOWN]!r}{'…' * (len(host) > _SHOWN)}"
        raise ValueError(
            f"the label {shown}{whose} is not valid in a domain name: {error}; "
            "write the name as it is registered, or do without IDNA"
        ) from None


def _encode_label(label: str) -> str:
    return _idna().encode(label, uts46=True, std3_rules=True).decode("ascii")  # type: ignore[no-any-return]


def to_unicode(host: str) -> str:
    """Convert the "xn--" labels of a host to Unicode, if they convert back to the same label (RFC 5891, 5.4).

    Args:
        host: a host, without escapes.

    Returns:
        The host, in which a label that no Unicode label has as its form in ASCII stays; the same object if it has no
        other "xn--" label. Upper case in such a label becomes lower case.

    Raises:
        MissingExtraError: the package `idna` is not installed.

    >>> to_unicode("xn--bcher-kva.example."), to_unicode("xn--a.example")
    ('bücher.example.', 'xn--a.example')
    """
    if _PREFIX not in host.lower() or host.startswith("["):
        return host
    labels = host.split(".")
    converted = [_label_to_unicode(label) for label in labels]
    return host if converted == labels else ".".join(converted)


_PREFIX: Final = "xn--"
_MAX_LABEL: Final = 63  # octets (RFC 1034, 3.1)


def _label_to_unicode(label: str) -> str:
    alabel = label.lower()
    if not alabel.startswith(_PREFIX) or len(label) > _MAX_LABEL or not label.isascii():
        return label
    try:
        ulabel: str = _idna().ulabel(alabel)
        return ulabel if _encode_label(ulabel) == alabel else label
    except UnicodeError:
        return label


def _idna() -> "ModuleType":
    try:
        import idna  # noqa: PLC0415  slow to import; few hosts need it
    except ImportError:
        raise MissingExtraError("a host by IDNA", "idna", "idna") from None
    return idna
