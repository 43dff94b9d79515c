"""gzip by isal: the same content and the same errors as by zlib, from files and from pipes."""

import gzip
import io
import sys
import zlib

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchmarks.corpora import access_log
from tests.support import sizes
from tests.support.compressed import pipe
from urisect.logs import decompressed
from urisect.logs.input.decoders import FastGzipReader
from urisect.text_types import Stream

LOG = access_log(50)
FHCRC, FEXTRA, FNAME, FCOMMENT = 2, 4, 8, 16


def member(content: bytes, flags: int = 0, level: int = 6) -> bytes:
    """Return a member of gzip whose header has optional fields (RFC 1952, 2.3)."""
    header = b"\x1f\x8b\x08" + bytes([flags]) + bytes(6)
    if flags & FEXTRA:
        header += b"\3\0abc"
    if flags & FNAME:
        header += b"n" * 8200 + b"\0"
    if flags & FCOMMENT:
        header += b"comment\0"
    if flags & FHCRC:
        header += b"??"  # it is not checked
    body = zlib.compress(content, level, wbits=-15)
    return header + body + b"".join(value.to_bytes(4, "little") for value in (zlib.crc32(content), len(content)))


def read_all(stream: Stream, size: int = 1 << 16) -> tuple[bytes, str]:
    """Return the content of a stream before it ends or fails, and the error."""
    content = b""
    try:
        while data := stream.read1(size):
            assert len(data) <= size
            content += data
    except (OSError, EOFError) as error:
        return content, str(error)
    return content, ""


def read_by_zlib(stream: io.BufferedIOBase) -> tuple[bytes, str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "isal", None)
        return read_all(decompressed(stream))


members = st.builds(
    member,
    st.binary(max_size=20)
    | st.integers(0, 9).map(lambda digit: b"%d" % digit * 999)
    | st.integers(1, len(LOG)).map(lambda end: LOG[:end]),
    st.integers(0, 31),
    st.sampled_from([0, 1, 6]),
)
packed_files = st.lists(
    st.tuples(members, st.sampled_from([0, 0, 0, 1, 9000])).map(lambda pair: pair[0] + bytes(pair[1])),
    min_size=1,
    max_size=3,
).map(b"".join)


@settings(max_examples=sizes.choose(full=500, quick=40))
@given(packed_files, st.sampled_from([b"", b"", b"x", b"\x1f", b"\x1f\x8b", b"\x1f\x8b\x08", b"garbage"]))
@example(member(b""), b"")
@example(member(LOG, 31) + bytes(9) + member(b"") + member(LOG), b"\0\0x")
def test_isal_reads_what_zlib_reads(packed: bytes, rest: bytes) -> None:
    expected = read_by_zlib(io.BytesIO(packed + rest))
    for size in (1000, 1 << 20):
        assert read_all(decompressed(io.BytesIO(packed + rest)), size) == expected
    assert read_all(decompressed(pipe(packed + rest))) == expected


@settings(max_examples=sizes.choose(full=500, quick=40))
@given(packed_files, st.data())
def test_isal_fails_where_zlib_fails(packed: bytes, data: st.DataObject) -> None:
    position = data.draw(st.integers(10, 100) | st.integers(0, len(packed) - 1) | st.integers(-9, -1)) % len(packed)
    position = max(position, 2)  # behind the magic number
    changed = data.draw(st.binary(max_size=1) | st.just(bytes([packed[position] ^ 1])))
    damaged = packed[:position] + changed + packed[position + 1 :]
    if data.draw(st.booleans()):
        damaged = packed[:position]
    content, error = read_by_zlib(io.BytesIO(damaged))
    found = read_all(decompressed(io.BytesIO(damaged)))
    assert found[1] == error
    # A decompressor drops a byte that it decodes in the same call as the damage behind it.
    assert found[0].startswith(content[:-1])
    assert not error or found[0] == content[: len(found[0])]


@pytest.mark.parametrize(
    ("damaged", "reason"),
    [
        (member(LOG)[:-8] + bytes(8), f"CRC check failed 0x0 != {zlib.crc32(LOG):#x}"),
        (member(LOG)[:-4] + bytes(4), "Incorrect length of data produced"),
        (member(LOG)[:-1], "Compressed file ended before the end-of-stream marker was reached"),
        (member(LOG)[:500], "Compressed file ended before the end-of-stream marker was reached"),
        (member(b"", FEXTRA)[:13], "Compressed file ended before the end-of-stream marker was reached"),
        (member(b"", FNAME)[:5000], "Compressed file ended before the end-of-stream marker was reached"),
        (b"\x1f\x8b\x07" + bytes(7), "Unknown compression method"),
        (member(b"") + b"x", "Not a gzipped file (b'x')"),
        (member(b"")[:10] + b"\xff", "Error -3 while decompressing data: invalid data"),
    ],
)
def test_errors_are_those_of_zlib(damaged: bytes, reason: str) -> None:
    assert read_all(FastGzipReader(io.BytesIO(damaged)))[1] == reason
    if "invalid data" not in reason:
        assert read_by_zlib(pipe(damaged))[1] == reason


def test_isal_is_an_optional_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "isal", None)
    with pytest.raises(ImportError):
        FastGzipReader(io.BytesIO())
    assert read_all(decompressed(io.BytesIO(gzip.compress(LOG)))) == (LOG, "")
