"""The types of text that functions take, and the type that they give back."""

from typing import overload

__all__ = ["Octets", "restore_type", "to_plain_text", "to_str"]

Octets = bytes | bytearray | memoryview


def to_plain_text(text: object, taker: str) -> str | bytes:
    """Turn a text of any accepted type into plain str or plain bytes.

    Args:
        text: str, bytes, bytearray, memoryview, or an instance of a subclass.
        taker: who takes the text, for the message.

    Raises:
        TypeError: it is none of these; the message names its type.

    >>> to_plain_text(bytearray(b"a"), "split()")
    b'a'
    """
    if type(text) is bytes:
        return text
    if isinstance(text, str):
        return str.__str__(text)
    if isinstance(text, Octets):
        return memoryview(text).tobytes()
    raise TypeError(f"{taker} takes str, bytes, bytearray or memoryview, not {type(text).__name__}")


def to_str(reference: str | bytes) -> str:
    r"""Read bytes as text of as many characters, so that offsets are the same.

    >>> to_str(b"/caf\xe9")
    '/café'
    """
    return reference if isinstance(reference, str) else reference.decode("latin-1")


@overload
def restore_type(text: str, given: str) -> str: ...


@overload
def restore_type(text: str, given: bytes) -> bytes: ...


@overload
def restore_type(text: str, given: str | bytes) -> str | bytes: ...


def restore_type(text: str, given: str | bytes) -> str | bytes:
    r"""Write what `to_str` has read, and what was made of it, as text of the type that was given.

    >>> restore_type("/café/", b"/caf\xe9"), restore_type("/café/", "/café")
    (b'/caf\xe9/', '/café/')
    """
    return text if isinstance(given, str) else text.encode("latin-1")
