"""The algorithms of the specifications, implemented literally and slowly, to compare the package with."""

import itertools
import re
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

# RFC 3986, Appendix B, as printed, except that "." matches every character.
APPENDIX_B = r"^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?"
_STR = re.compile(APPENDIX_B, re.DOTALL)
_BYTES = re.compile(APPENDIX_B.encode(), re.DOTALL)

DELIMITERS = "a:/?#@[]%.\n\r\0 \udcff\ud800é"

# Any text, including lone surrogates, and text of characters that matter to a splitter.
texts = st.text(st.characters(exclude_categories=())) | st.text(DELIMITERS)
octets = st.binary() | st.text(DELIMITERS).map(lambda text: text.encode("utf-8", "surrogatepass"))


def split(text: str | bytes) -> tuple[str | bytes | None, ...]:
    """Split by Appendix B: scheme = $2, authority = $4, path = $5, query = $7, fragment = $9."""
    match = _STR.match(text) if isinstance(text, str) else _BYTES.match(text)
    assert match
    return match.group(2, 4, 5, 7, 9)


def is_blank(line: bytes) -> bool:
    """Whether there is no text in a line of a log."""
    return not line.replace(b"\xef\xbb\xbf", b"", 1).strip()


def lines(data: Any) -> list[Any]:
    r"""Return the lines of a text: they end with "\n" or "\r\n", the last end is optional; "" has no lines."""
    found: list[Any] = re.split("\r?\n" if isinstance(data, str) else b"\r?\n", data)
    return found if found[-1] else found[:-1]


def strings(alphabet: str, longest: int) -> Iterator[str]:
    """Yield all strings over an alphabet up to a length."""
    for length in range(longest + 1):
        yield from map("".join, itertools.product(alphabet, repeat=length))


def remove_dot_segments(path: str) -> str:
    """RFC 3986, 5.2.4, with its two buffers."""
    source, output = path, ""
    while source:
        if source.startswith("../"):  # 2A
            source = source[3:]
        elif source.startswith(("./", "/./")):  # 2A, 2B
            source = source[2:]
        elif source == "/.":
            source = "/"
        elif source.startswith("/../"):  # 2C
            source, output = source[3:], output[: max(output.rfind("/"), 0)]
        elif source == "/..":
            source, output = "/", output[: max(output.rfind("/"), 0)]
        elif source in (".", ".."):  # 2D
            source = ""
        else:  # 2E
            end = source.find("/", 1)
            end = len(source) if end < 0 else end
            source, output = source[end:], output + source[:end]
    return output


def remove_dot_segments_2003(path: str) -> str:
    """rfc2396bis-03, 5.2, steps 2 to 6, each a replacement in a buffer."""
    path = re.sub(r"^\.\.?(?=/)", "", path)  # 2
    while "/./" in path:  # 3
        path = path.replace("/./", "/", 1)
    path = re.sub(r"/\.$", "/", path)  # 4
    segment = r"/(?!\.\./)[^/]*/\.\."
    while found := re.search(rf"{segment}/", path):  # 5
        path = path[: found.start()] + "/" + path[found.end() :]
    path = re.sub(rf"{segment}$", "/", path)
    while path.startswith("/../"):  # 6
        path = path[3:]
    return "/" if path == "/.." else path


def remove_dot_segments_1998(path: str) -> str:
    """RFC 2396, 5.2, steps 6c to 6g, and the draft of 1996, 6, steps 6a to 6d, each a replacement in a buffer."""
    slash, path = ("/", path[1:]) if path.startswith("/") else ("", path)
    while found := re.search(r"(?<![^/])\./", path):
        path = path[: found.start()] + path[found.end() :]
    path = re.sub(r"(?<![^/])\.$", "", path)
    segment = r"(?<![^/])(?!\.\./)[^/]*/\.\."
    while found := re.search(rf"{segment}/", path):
        path = path[: found.start()] + path[found.end() :]
    return slash + re.sub(rf"{segment}$", "", path)


def recompose(scheme: str | None, authority: str | None, path: str, query: str | None, fragment: str | None) -> str:
    """RFC 3986, 5.3; "/." before a path that 3.3 forbids."""
    result = ""
    if scheme is not None:
        result += f"{scheme}:"
    if authority is not None:
        result += f"//{authority}"
    elif path.startswith("//"):
        result += "/."
    result += path
    if query is not None:
        result += f"?{query}"
    if fragment is not None:
        result += f"#{fragment}"
    return result


def transform(base: str, reference: str) -> str:
    """RFC 3986, 5.2.2 to 5.3."""
    parts: Any = (*split(base), *split(reference))
    base_scheme, base_authority, base_path, base_query, _, scheme, authority, path, query, fragment = parts
    if scheme is not None:
        path = remove_dot_segments(path)
    else:
        if authority is not None:
            path = remove_dot_segments(path)
        else:
            if path == "":
                path = base_path
                if query is None:
                    query = base_query
            elif path.startswith("/"):
                path = remove_dot_segments(path)
            elif base_authority is not None and base_path == "":  # 5.2.3
                path = remove_dot_segments(f"/{path}")
            else:
                path = remove_dot_segments(base_path[: base_path.rfind("/") + 1] + path)
            authority = base_authority
        scheme = base_scheme
    return recompose(scheme, authority, path, query, fragment)


UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
HEXDIGS = "0123456789ABCDEFabcdef"


def is_escape(text: str) -> bool:
    return len(text) == 3 and text[0] == "%" and text[1] in HEXDIGS and text[2] in HEXDIGS


def normalize_escapes(text: str, unreserved: str = UNRESERVED) -> str:
    """RFC 3986, 6.2.2.1 and 6.2.2.2, character by character; a decoded character never completes another escape."""
    output: list[str] = []
    while text:
        token = text[: 3 if is_escape(text[:3]) else 1]
        text = text[len(token) :]
        begun = output[-1:] == ["%"] or (output[-2:-1] == ["%"] and output[-1] in HEXDIGS)
        if len(token) == 1:
            output.append(token)
        elif chr(int(token[1:], 16)) in unreserved and not begun:
            output.append(chr(int(token[1:], 16)))
        else:
            output.append(token.upper())
    return "".join(output)


def lower(text: str) -> str:
    """Write ASCII letters in lower case, except the digits of escapes."""
    output, index = "", 0
    while index < len(text):
        width = 3 if is_escape(text[index : index + 3]) else 1
        token = text[index : index + width]
        output += token.lower() if width == 1 and token.isascii() else token
        index += width
    return output


def normalize(text: str) -> str:
    """RFC 3986, 6.2.2, component by component."""
    parts: Any = split(text)
    scheme, authority, path, query, fragment = parts
    path = normalize_escapes(path)
    if scheme is not None:
        scheme = lower(scheme)
        path = remove_dot_segments(path)
    if authority is not None:
        userinfo, at, rest = authority.rpartition("@")
        host, colon, port = rest.partition("]") if rest.startswith("[") else ("", "", rest)
        name, mark, number = port.partition(":")
        if rest.startswith("[") and not colon:
            name, mark, number = "", "", ""
        authority = f"{normalize_escapes(userinfo)}{at}{lower(normalize_escapes(host + colon + name))}{mark}{number}"
    if query is not None:
        query = normalize_escapes(query)
    if fragment is not None:
        fragment = normalize_escapes(fragment)
    return recompose(scheme, authority, path, query, fragment)
