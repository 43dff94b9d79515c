"""`find_in_stream`: URIs in a stream are those in its text, wherever its chunks end."""

import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support import naive, sizes
from urisect import text as module
from urisect.text import CHUNK_BYTES, FoundInStream, find, find_in_stream


class Dripping:
    """A stream that returns less than it is asked for."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        self._file = io.BytesIO(data)
        self._sizes = sizes

    def read1(self, size: int, /) -> bytes:
        self._sizes = self._sizes[1:] + self._sizes[:1]
        return self._file.read(min(size, self._sizes[0]))


prose = st.lists(
    naive.octets
    | st.sampled_from([b"http://h/", b"<a:b\n", b" ", b"\n\n", b">", b'"', "“é€".encode(), b"urn:x:y", b"\xff"]),
    max_size=20,
).map(b"".join)


@given(data=prose)
@example(data="é <x:a\r\n é> 'http://b/'".encode())
@example(data=b"\xff http://b/\xff")
def test_uris_and_their_places_are_those_in_the_text(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    found = list(find_in_stream(io.BytesIO(data)))
    assert [(uri.text, uri.delimiter) for uri in found] == [(uri.text, uri.delimiter) for uri in find(text)]
    for uri, expected in zip(found, find(text), strict=True):
        octets = data[uri.offset : uri.offset + uri.length]
        assert octets.decode("utf-8", "surrogateescape") == text[expected.start : expected.end]


@pytest.mark.parametrize("filler", ["a", "é", "\udcff"])
def test_offsets_count_from_the_beginning_of_the_stream(filler: str) -> None:
    paragraph = (filler * 1000 + "\n\n").encode("utf-8", "surrogateescape")
    before = paragraph * (2 * CHUNK_BYTES // len(paragraph))
    [found] = find_in_stream(io.BytesIO(before + b"<http://a/>"))
    assert found == FoundInStream("http://a/", len(before) + 1, 9, "<")


@given(
    data=st.text(' \n\r\t">é€𝄞\udc80a').map(lambda text: text.encode("utf-8", "surrogateescape")),
    lengths=st.lists(st.integers(1, 9), min_size=1),
)
def test_chunks_are_the_stream_and_do_not_depend_on_how_it_is_read(data: bytes, lengths: list[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CHUNK_BYTES", 8)
        chunks = list(module._chunks(io.BytesIO(data).read1))
        assert b"".join(chunks) == data
        assert all(len(chunk) <= 8 for chunk in chunks)
        assert list(module._chunks(Dripping(data, lengths).read1)) == chunks
        text = data.decode("utf-8", "surrogateescape")
        assert "".join(chunk.decode("utf-8", "surrogateescape") for chunk in chunks) == text


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("a\n\nb\n c>d", "a\n\n"),
        ("a\r\n\r\nb\nc>d", "a\r\n\r\n"),
        ("\n\na\r\n\r\nbcd", "\n\na\r\n\r\n"),
        ("a\nb c>def", "a\n"),
        ('a b\tc">def', "a b\t"),
        ('a"b>c"defg', 'a"b>c"'),
        ("abcdefghij", "abcdefgh"),
        ("abcdefgé", "abcdefg"),
        ("abcdef€", "abcdef"),
        ("abcde𝄞", "abcde"),
        ("abcdé€f", "abcdé"),
        ("abcdefé", "abcdef"),  # complete, but only a look at it would show that
        ("abcdefg", "abcdefg"),
    ],
)
def test_a_chunk_ends_where_few_uris_continue(text: str, first: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK_BYTES", 8)
    assert next(module._chunks(io.BytesIO(text.encode()).read1)) == first.encode()


@pytest.mark.slow
@pytest.mark.parametrize("piece", [b"<a:b ", b"http://a/", b"\n\n", b"(", b"\xe2\x82\xac", b"\xff"])
def test_any_text_is_searched_in_bounded_chunks(piece: bytes) -> None:
    stream = io.BytesIO(piece * (sizes.LONG // len(piece)))
    assert max(map(len, module._chunks(stream.read1))) <= CHUNK_BYTES


def test_a_stream_of_text_is_refused_at_once() -> None:
    with pytest.raises(TypeError, match=r"expected a buffered binary stream, as open.* gives, not StringIO"):
        find_in_stream(io.StringIO("http://h/"))  # type: ignore[arg-type]
