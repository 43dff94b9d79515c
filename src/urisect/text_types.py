"""Convert between the types of text that functions accept and return: str, bytes, bytes-like and binary streams."""

import re
from collections.abc import Callable
from typing import AnyStr, Protocol, overload

__all__ = ["BytesLike", "Stream", "compile_for", "get_read1", "restore_type", "to_plain_text", "to_str"]

BytesLike = bytes | bytearray | memoryview


class Stream(Protocol):
    """Any binary input with `read1`: `open(path, "rb")`, `sys.stdin.buffer`, a pipe, `io.BytesIO`, `gzip.open(path)`.

    >>> import io
    >>> log: Stream = io.BytesIO(b"http://example.com/")
    >>> log.read1(4)
    b'http'
    """

    def read1(self, size: int, /) -> bytes:
        """Read with at most one read of the underlying file.

        Args:
            size: the maximal number of bytes.

        Returns:
            From 1 to `size` bytes; none at the end of the stream.

        Raises:
            OSError: the stream cannot be read.

        >>> import io
        >>> io.BytesIO(b"http://example.com/").read1(4)
        b'http'
        """
        ...  # pragma: no cover


def get_read1(stream: Stream) -> Callable[[int], bytes]:
    """Return the `read1` of a stream.

    Raises:
        TypeError: the stream is not a buffered binary one.

    >>> import io
    >>> get_read1(io.BytesIO(b"/a"))(1)
    b'/'
    """
    if not hasattr(stream, "read1"):
        raise TypeError(f"expected a buffered binary stream, as open(path, 'rb') gives, not {type(stream).__name__}")
    return stream.read1


def to_plain_text(text: object, function: str) -> str | bytes:
    """Convert a text of any accepted type to plain str or plain bytes.

    Args:
        text: str, bytes, bytearray, memoryview, or an instance of a subclass.
        function: the name of the function that was called, for the message.

    Raises:
        TypeError: the text has another type; the message names it.

    >>> to_plain_text(bytearray(b"a"), "split()")
    b'a'
    """
    if type(text) is bytes:
        return text
    if isinstance(text, str):
        return str.__str__(text)
    if isinstance(text, BytesLike):
        return memoryview(text).tobytes()
    raise TypeError(f"{function} takes str, bytes, bytearray or memoryview, not {type(text).__name__}")


def to_str(text: str | bytes) -> str:
    r"""Return a text as str: each byte becomes one character (Latin-1), so offsets stay the same.

    >>> to_str(b"/caf\xe9")
    '/café'
    """
    return text if isinstance(text, str) else text.decode("latin-1")


@overload
def restore_type(text: str, original: str) -> str: ...


@overload
def restore_type(text: str, original: bytes) -> bytes: ...


@overload
def restore_type(text: str, original: str | bytes) -> str | bytes: ...


def restore_type(text: str, original: str | bytes) -> str | bytes:
    r"""Convert what was computed from `to_str(original)` back to the type of the original.

    >>> restore_type("/café/", b"/caf\xe9"), restore_type("/café/", "/café")
    (b'/caf\xe9/', '/café/')
    """
    return text if isinstance(original, str) else text.encode("latin-1")


def compile_for(text_type: type[AnyStr], expression: str, flags: int = 0) -> re.Pattern[AnyStr]:
    """Compile a regular expression that matches str or bytes.

    Args:
        text_type: the type of the texts, str or bytes.
        expression: the source; ASCII, if it is compiled for bytes.
        flags: as for `re.compile`.

    >>> compile_for(bytes, "a+").fullmatch(b"aa")
    <re.Match object; span=(0, 2), match=b'aa'>
    """
    if issubclass(text_type, str):
        return re.compile(expression, flags)
    return re.compile(expression.encode("ascii"), flags)
