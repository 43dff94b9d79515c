"""Finding files by name, pattern and directory; decompression, also of damaged files."""

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.corpora import access_log
from tests.support import naive, sizes
from tests.support.compressed import PACKED, Pipe, pipe
from urisect.logs.input.decompression import (
    COMPRESSIONS,
    MAX_MAGIC_BYTES,
    decompressed,
    detect_compression,
    prepend,
)
from urisect.logs.input.files import expand_paths
from urisect.logs.temporary import LOCK_NAME
from urisect.text_types import Stream

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

LOG = access_log(50)


every_compression = pytest.mark.parametrize("pack", PACKED.values(), ids=PACKED)


def chunks(stream: Stream, size: int = 8192) -> Iterator[bytes]:
    while data := stream.read1(size):
        yield data


def read_until_failure(stream: Stream, size: int = 8192) -> tuple[bytes, bool]:
    """Return what a stream returns before it ends or fails, and whether it fails."""
    content = b""
    try:
        for chunk in chunks(stream, size):
            content += chunk
    except OSError:
        return content, True
    return content, False


def decompress_gzip_bytewise(data: bytes) -> Iterator[bytes]:
    decompressor = zlib.decompressobj(wbits=31)
    for byte in data:
        part = decompressor.decompress(bytes([byte]), 1)
        while part:
            yield part
            part = decompressor.decompress(decompressor.unconsumed_tail, 1)
    if not decompressor.eof:
        raise EOFError


def decompress_bytewise(decompressor: Any, data: bytes) -> Iterator[bytes]:
    for byte in data:
        part = decompressor.decompress(bytes([byte]), 1)
        while part:
            yield part
            part = b"" if decompressor.eof else decompressor.decompress(b"", 1)
    if not decompressor.eof:
        raise EOFError


# Decompress a member with one byte of input and one byte of output at a time.
NAIVE: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": decompress_gzip_bytewise,
    "bzip2": lambda data: decompress_bytewise(bz2.BZ2Decompressor(), data),
    "xz": lambda data: decompress_bytewise(lzma.LZMADecompressor(), data),
    "zstd": lambda data: decompress_bytewise(zstd.ZstdDecompressor(), data),
}


def decompress_naively(name: str, data: bytes) -> tuple[bytes, bool]:
    """Return the content of a member before it ends or fails, and whether it fails."""
    content = b""
    try:
        for part in NAIVE[name](data):
            content += part
    except (OSError, EOFError, zlib.error, lzma.LZMAError, zstd.ZstdError):
        return content, True
    return content, False


@every_compression
def test_compressed_data_is_decompressed_from_files_and_pipes(pack: Callable[[bytes], bytes]) -> None:
    @given(st.lists(naive.octets, min_size=1, max_size=3), st.integers(1, 40))
    @example([b"", LOG, b""], 7)
    def check(contents: list[bytes], size: int) -> None:
        packed = b"".join(map(pack, contents))
        for stream in (io.BytesIO(packed), pipe(packed)):
            assert b"".join(chunks(decompressed(stream), size)) == b"".join(contents)

    check()


@given(naive.octets)
@example(b"")
@example(b"BZ")
@example(b"\x1f")
@example(b"\xfd7zXZ")
@example(b"\x28\xb5\x2f")
@example(b" BZh9")
def test_uncompressed_data_is_unchanged(data: bytes) -> None:
    if detect_compression(data) is None:
        for stream in (io.BytesIO(data), pipe(data)):
            assert b"".join(chunks(decompressed(stream))) == data


@pytest.mark.parametrize("magic", [known.magic for known in COMPRESSIONS])
def test_a_magic_number_alone_is_a_damaged_file(magic: bytes) -> None:
    assert len(magic) <= MAX_MAGIC_BYTES
    for stream in (io.BytesIO(magic), pipe(magic)):
        assert read_until_failure(decompressed(stream)) == (b"", True)


@every_compression
def test_a_stream_is_read_from_its_position(pack: Callable[[bytes], bytes]) -> None:
    before = b"before\n"
    for end, failed in ((None, False), (-1, True)):
        stream = io.BytesIO(before + pack(LOG)[:end])
        stream.seek(len(before))
        assert read_until_failure(decompressed(stream)) == (LOG, failed)


def places(length: int) -> list[int]:
    step = sizes.choose(full=149, quick=1490)
    return [*range(MAX_MAGIC_BYTES, 40), *range(40, length, step), *range(length - 8, length)]


@pytest.mark.slow
@pytest.mark.parametrize("name", PACKED)
def test_a_truncated_file_is_read_to_the_last_intact_byte(name: str) -> None:
    packed = PACKED[name](LOG)
    for end in places(len(packed)):
        expected, failed = decompress_naively(name, packed[:end])
        assert failed
        assert LOG.startswith(expected)
        for size in (1, 1000, len(LOG) + 1):
            assert read_until_failure(decompressed(io.BytesIO(packed[:end])), size) == (expected, True)
        from_pipe, failed = read_until_failure(decompressed(pipe(packed[:end])))
        assert failed
        assert expected.startswith(from_pipe)


@pytest.mark.slow
@pytest.mark.parametrize("name", PACKED)
def test_a_damaged_file_is_read_to_the_last_intact_byte(name: str) -> None:
    packed = PACKED[name](LOG)
    for position in places(len(packed)):
        if position >= 10 or name != "gzip":  # zlib does not check the header of gzip
            damaged = packed[:position] + bytes([packed[position] ^ 1]) + packed[position + 1 :]
            expected, fails = decompress_naively(name, damaged)
            assert fails or expected == LOG  # bzip2 has bits without a meaning
            for size in (1, 1000, len(LOG) + 1):
                content, failed = read_until_failure(decompressed(io.BytesIO(damaged)), size)
                assert failed == fails
                assert content.startswith(expected[: len(content)])
                assert len(expected) - len(content) <= 1  # if the last byte and the wrong checksum are found together
                assert len(content) <= len(expected) or name == "gzip"  # isal notices some damage later than zlib
            from_pipe, failed = read_until_failure(decompressed(pipe(damaged)))
            assert failed == fails
            assert content.startswith(from_pipe)


@every_compression
def test_members_before_the_damage_are_read(pack: Callable[[bytes], bytes]) -> None:
    packed = pack(b"first\n") + pack(b"second\n")
    assert read_until_failure(decompressed(io.BytesIO(packed + pack(LOG)[:-1]))) == (b"first\nsecond\n" + LOG, True)


@every_compression
@pytest.mark.parametrize("what", ["nothing", "half", "another"])
def test_a_damaged_file_that_changes_returns_nothing_of_its_new_content(
    pack: Callable[[bytes], bytes], what: str, tmp_path: Path
) -> None:
    packed = pack(LOG)
    path = tmp_path / "log"
    path.write_bytes(packed[:-1])
    with path.open("rb", buffering=0) as file:
        stream = decompressed(file)  # type: ignore[arg-type]
        beginning = stream.read1(2000)
        path.write_bytes({"nothing": b"", "half": packed[: len(packed) // 2], "another": pack(LOG[:1000])}[what])
        rest, failed = read_until_failure(stream)
    assert failed
    assert LOG.startswith(beginning + rest)


def test_a_failing_stream_is_not_mistaken_for_its_end() -> None:
    class Broken(Pipe):
        def readinto(self, buffer: Any, /) -> int:
            return super().readinto(buffer) or 1 // 0

    stream = decompressed(io.BufferedReader(Broken(gzip.compress(LOG)[:-1])))
    with pytest.raises(OSError, match="division"):
        list(chunks(stream))


def test_zstandard_is_an_optional_package() -> None:
    program = (
        "import sys, io; sys.modules['backports.zstd'] = sys.modules['compression.zstd'] = None\n"
        "from urisect.logs import MissingExtraError, decompressed\n"
        "try: decompressed(io.BytesIO(b'\\x28\\xb5\\x2f\\xfd'))\n"
        "except MissingExtraError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (
        done.stdout == "Zstandard needs backports.zstd, which is not installed; pip install 'urisect[logs]' brings it\n"
    )


@given(st.lists(st.binary(max_size=9)), st.binary(), st.integers(1, 20))
def test_prepended_bytes_come_first(heads: list[bytes], rest: bytes, size: int) -> None:
    stream: io.BufferedIOBase = pipe(rest)
    for head in reversed(heads):
        stream = prepend(head, stream)
    assert b"".join(chunks(stream, size)) == b"".join(heads) + rest


FILES = ["2.log", "a.log", "b[1].log", "b1.log", "sub/.hidden", "sub/a.log", "sub/deep/c.gz", "z/a.log"]

# Names, each with the files that it refers to, in a directory with these files and an empty directory.
FOUND: dict[str, list[str]] = {
    "a.log": ["a.log"],
    "-": ["-"],
    "*.log": ["2.log", "a.log", "b1.log", "b[1].log"],
    "?.log": ["2.log", "a.log"],
    "b[1].log": ["b[1].log"],  # a file of this name exists
    "b[0-9].log": ["b1.log"],
    "[ab]*.log": ["a.log", "b1.log", "b[1].log"],
    "*/a.log": ["sub/a.log", "z/a.log"],
    "**/a.log": ["a.log", "sub/a.log", "z/a.log"],
    "sub": ["sub/.hidden", "sub/a.log", "sub/deep/c.gz"],
    "sub/": ["sub/.hidden", "sub/a.log", "sub/deep/c.gz"],
    "sub/**": ["sub/.hidden", "sub/a.log", "sub/deep/c.gz"],
    "sub/*": ["sub/a.log", "sub/deep/c.gz"],
    "*": FILES,
    ".": [f"./{name}" for name in FILES],
    "no.log": ["no.log"],
    "no*.log": ["no*.log"],
    "no[.log": ["no[.log"],
    "none": ["none"],
    "n*e": ["n*e"],
    "": [""],
}


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in FILES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "none").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("directory")
@pytest.mark.parametrize(("name", "found"), FOUND.items())
def test_names_patterns_and_directories_are_expanded(name: str, found: list[str]) -> None:
    assert sorted(expand_paths([name])) == sorted(found)
    assert len(expand_paths([name])) == len(found)


def test_files_are_in_order_and_repeated_if_named_twice(directory: Path) -> None:
    assert expand_paths(["z", "a.log", "-", "[a]*.log", "a.log"]) == ["z/a.log", "a.log", "-", "a.log", "a.log"]
    assert expand_paths([str(directory)]) == sorted(str(directory / name) for name in FILES)
    (directory / "a.log").rename(directory / "\udcff.log")
    assert expand_paths(["*\udcff*"]) == ["\udcff.log"]


def test_links_are_not_followed_in_a_loop(directory: Path) -> None:
    for path in ("sub", "sub/deep", "z"):
        (directory / path / "up").symlink_to(directory)
        (directory / path / "again").symlink_to(directory / path)
    outside = directory.parent / f"{directory.name}-outside"
    outside.mkdir()
    (outside / "o.log").touch()
    (directory / "z" / "out").symlink_to(outside)
    assert expand_paths(["**/*.log"]) == ["2.log", "a.log", "b1.log", "b[1].log", "sub/a.log", "z/a.log", "z/out/o.log"]
    assert expand_paths(["**/up/**/c.gz"]) == ["sub/deep/up/sub/deep/c.gz"]
    assert expand_paths(["sub/**"]) == sorted(
        # Its own files first, then through the link those next to it.
        [*FOUND["sub"], *(f"sub/up/{name}" for name in FILES if not name.startswith("sub/")), "sub/up/z/out/o.log"]
    )
    assert expand_paths(["sub"]) == FOUND["sub"]


def test_a_directory_or_a_pattern_yields_no_file_twice(directory: Path) -> None:
    (directory / "0.log").symlink_to("a.log")
    (directory / "1.log").hardlink_to(directory / "2.log")
    (directory / "xlinked").symlink_to("sub")
    assert expand_paths(["*.log"]) == [
        "1.log",
        "a.log",
        "b1.log",
        "b[1].log",
    ]  # by a name that is not a link, if there is one
    assert expand_paths(["**/a.log"]) == FOUND["**/a.log"]
    assert expand_paths(["*"]) == sorted({*FILES, "1.log"} - {"2.log"})
    assert expand_paths(["0.log", "a.log"]) == ["0.log", "a.log"]


def test_special_files_are_skipped_unless_named(directory: Path) -> None:
    os.mkfifo(directory / "sub" / "pipe")
    (directory / "sub" / "null").symlink_to(os.devnull)
    (directory / "sub" / "broken").symlink_to("nothing")
    special: list[tuple[str, str]] = []
    found = sorted([*FOUND["sub"], "sub/broken"])
    assert expand_paths(["sub", "sub/pipe"], lambda *file: special.append(file)) == [*found, "sub/pipe"]
    assert sorted(special) == [("sub/null", "a device"), ("sub/pipe", "a pipe")]
    assert expand_paths(["sub"]) == found


def test_directories_that_are_being_written_are_not_read(directory: Path) -> None:
    (directory / "sub" / "deep" / LOCK_NAME).touch()
    assert expand_paths(["sub"]) == ["sub/.hidden", "sub/a.log"]
    assert expand_paths(["**/c.gz"]) == ["**/c.gz"]
