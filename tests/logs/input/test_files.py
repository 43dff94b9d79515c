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
from urisect.logs.input.blocks import Stream
from urisect.logs.input.decompression import (
    COMPRESSIONS,
    MAX_MAGIC_BYTES,
    decompressed,
    detect_compression,
    prepend,
)
from urisect.logs.input.files import expand_paths
from urisect.logs.temporary import LOCK_NAME

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

LOG = access_log(50)


every_compression = pytest.mark.parametrize("pack", PACKED.values(), ids=PACKED)


def held(stream: Stream, size: int = 8192) -> Iterator[bytes]:
    while data := stream.read1(size):
        yield data


def given_and_failed(stream: Stream, size: int = 8192) -> tuple[bytes, bool]:
    """What a stream gives, and whether it fails in the end."""
    given = b""
    try:
        for data in held(stream, size):
            given += data
    except OSError:
        return given, True
    return given, False


def of_gzip(data: bytes) -> Iterator[bytes]:
    decompressor = zlib.decompressobj(wbits=31)
    for byte in data:
        part = decompressor.decompress(bytes([byte]), 1)
        while part:
            yield part
            part = decompressor.decompress(decompressor.unconsumed_tail, 1)
    if not decompressor.eof:
        raise EOFError


def of_blocks(decompressor: Any, data: bytes) -> Iterator[bytes]:
    for byte in data:
        part = decompressor.decompress(bytes([byte]), 1)
        while part:
            yield part
            part = b"" if decompressor.eof else decompressor.decompress(b"", 1)
    if not decompressor.eof:
        raise EOFError


# What a member holds, as a decompressor gives it that takes a byte after the other, and gives a byte after the other.
NAIVE: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": of_gzip,
    "bzip2": lambda data: of_blocks(bz2.BZ2Decompressor(), data),
    "xz": lambda data: of_blocks(lzma.LZMADecompressor(), data),
    "zstd": lambda data: of_blocks(zstd.ZstdDecompressor(), data),
}


def naively(name: str, data: bytes) -> tuple[bytes, bool]:
    """What a damaged member gives, and whether it is damaged."""
    given = b""
    try:
        for part in NAIVE[name](data):
            given += part
    except (OSError, EOFError, zlib.error, lzma.LZMAError, zstd.ZstdError):
        return given, True
    return given, False


@every_compression
def test_what_was_packed_is_given_however_it_comes(pack: Callable[[bytes], bytes]) -> None:
    @given(st.lists(naive.octets, min_size=1, max_size=3), st.integers(1, 40))
    @example([b"", LOG, b""], 7)
    def holds(contents: list[bytes], size: int) -> None:
        packed = b"".join(map(pack, contents))
        for stream in (io.BytesIO(packed), pipe(packed)):
            assert b"".join(held(decompressed(stream), size)) == b"".join(contents)

    holds()


@given(naive.octets)
@example(b"")
@example(b"BZ")
@example(b"\x1f")
@example(b"\xfd7zXZ")
@example(b"\x28\xb5\x2f")
@example(b" BZh9")
def test_what_was_not_packed_is_given_as_it_is(data: bytes) -> None:
    if detect_compression(data) is None:
        for stream in (io.BytesIO(data), pipe(data)):
            assert b"".join(held(decompressed(stream))) == data


@pytest.mark.parametrize("magic", [known.magic for known in COMPRESSIONS])
def test_the_first_bytes_alone_are_a_damaged_file(magic: bytes) -> None:
    assert len(magic) <= MAX_MAGIC_BYTES
    for stream in (io.BytesIO(magic), pipe(magic)):
        assert given_and_failed(decompressed(stream)) == (b"", True)


@every_compression
def test_a_stream_is_read_from_where_it_stands(pack: Callable[[bytes], bytes]) -> None:
    before = b"before\n"
    for end, failed in ((None, False), (-1, True)):
        stream = io.BytesIO(before + pack(LOG)[:end])
        stream.seek(len(before))
        assert given_and_failed(decompressed(stream)) == (LOG, failed)


def places(length: int) -> list[int]:
    step = sizes.choose(full=149, quick=1490)
    return [*range(MAX_MAGIC_BYTES, 40), *range(40, length, step), *range(length - 8, length)]


@pytest.mark.slow
@pytest.mark.parametrize("name", PACKED)
def test_a_file_that_is_cut_gives_all_that_can_be_had_of_it(name: str) -> None:
    whole = PACKED[name](LOG)
    for end in places(len(whole)):
        expected, failed = naively(name, whole[:end])
        assert failed
        assert LOG.startswith(expected)
        for size in (1, 1000, len(LOG) + 1):
            assert given_and_failed(decompressed(io.BytesIO(whole[:end])), size) == (expected, True)
        in_a_pipe, failed = given_and_failed(decompressed(pipe(whole[:end])))
        assert failed
        assert expected.startswith(in_a_pipe)


@pytest.mark.slow
@pytest.mark.parametrize("name", PACKED)
def test_a_file_that_is_damaged_gives_all_that_can_be_had_of_it(name: str) -> None:
    whole = PACKED[name](LOG)
    for position in places(len(whole)):
        if position >= 10 or name != "gzip":  # the header of gzip is not read by zlib
            damaged = whole[:position] + bytes([whole[position] ^ 1]) + whole[position + 1 :]
            expected, failed = naively(name, damaged)
            assert failed
            for size in (1, 1000, len(LOG) + 1):
                given, failed = given_and_failed(decompressed(io.BytesIO(damaged)), size)
                assert failed
                assert expected.startswith(given)
                assert len(expected) - len(given) <= 1  # where the last byte and the wrong checksum are found in one
            in_a_pipe, failed = given_and_failed(decompressed(pipe(damaged)))
            assert failed
            assert given.startswith(in_a_pipe)


@every_compression
def test_of_several_members_those_before_the_damage_are_given(pack: Callable[[bytes], bytes]) -> None:
    packed = pack(b"first\n") + pack(b"second\n")
    assert given_and_failed(decompressed(io.BytesIO(packed + pack(LOG)[:-1]))) == (b"first\nsecond\n" + LOG, True)


@every_compression
@pytest.mark.parametrize("what", ["nothing", "half", "another"])
def test_a_damaged_file_that_changes_gives_nothing_else(
    pack: Callable[[bytes], bytes], what: str, tmp_path: Path
) -> None:
    whole = pack(LOG)
    path = tmp_path / "log"
    path.write_bytes(whole[:-1])
    with path.open("rb", buffering=0) as file:
        stream = decompressed(file)  # type: ignore[arg-type]
        begun = stream.read1(2000)
        path.write_bytes({"nothing": b"", "half": whole[: len(whole) // 2], "another": pack(LOG[:1000])}[what])
        rest, failed = given_and_failed(stream)
    assert failed
    assert LOG.startswith(begun + rest)


def test_a_stream_that_fails_is_not_taken_for_one_that_ends() -> None:
    class Broken(Pipe):
        def readinto(self, buffer: Any, /) -> int:
            return super().readinto(buffer) or 1 // 0

    stream = decompressed(io.BufferedReader(Broken(gzip.compress(LOG)[:-1])))
    with pytest.raises(OSError, match="division"):
        list(held(stream))


def test_zstandard_needs_an_extra() -> None:
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
def test_what_is_rejoined_comes_first(heads: list[bytes], rest: bytes, size: int) -> None:
    stream: io.BufferedIOBase = pipe(rest)
    for head in reversed(heads):
        stream = prepend(head, stream)
    assert b"".join(held(stream, size)) == b"".join(heads) + rest


FILES = ["2.log", "a.log", "b[1].log", "b1.log", "sub/.hidden", "sub/a.log", "sub/deep/c.gz", "z/a.log"]

# What is found by which names, in a folder that has these files, and an empty one.
FOUND: dict[str, list[str]] = {
    "a.log": ["a.log"],
    "-": ["-"],
    "*.log": ["2.log", "a.log", "b1.log", "b[1].log"],
    "?.log": ["2.log", "a.log"],
    "b[1].log": ["b[1].log"],  # it is there
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
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in FILES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "none").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("name", "found"), FOUND.items())
def test_names_patterns_and_folders_stand_for_files(name: str, found: list[str]) -> None:
    assert sorted(expand_paths([name])) == sorted(found)
    assert len(expand_paths([name])) == len(found)


def test_files_are_in_order_and_come_as_often_as_they_are_named(folder: Path) -> None:
    assert expand_paths(["z", "a.log", "-", "[a]*.log", "a.log"]) == ["z/a.log", "a.log", "-", "a.log", "a.log"]
    assert expand_paths([str(folder)]) == sorted(str(folder / name) for name in FILES)
    (folder / "a.log").rename(folder / "\udcff.log")
    assert expand_paths(["*\udcff*"]) == ["\udcff.log"]


def test_links_are_not_followed_in_a_loop(folder: Path) -> None:
    for path in ("sub", "sub/deep", "z"):
        (folder / path / "up").symlink_to(folder)
        (folder / path / "again").symlink_to(folder / path)
    outside = folder.parent / f"{folder.name}-outside"
    outside.mkdir()
    (outside / "o.log").touch()
    (folder / "z" / "out").symlink_to(outside)
    assert expand_paths(["**/*.log"]) == ["2.log", "a.log", "b1.log", "b[1].log", "sub/a.log", "z/a.log", "z/out/o.log"]
    assert expand_paths(["**/up/**/c.gz"]) == ["sub/deep/up/sub/deep/c.gz"]
    assert expand_paths(["sub/**"]) == sorted(
        # Its own folder first, and then by the link what is beside it.
        [*FOUND["sub"], *(f"sub/up/{name}" for name in FILES if not name.startswith("sub/")), "sub/up/z/out/o.log"]
    )
    assert expand_paths(["sub"]) == FOUND["sub"]


def test_of_a_folder_or_a_pattern_no_file_is_read_twice(folder: Path) -> None:
    (folder / "0.log").symlink_to("a.log")
    (folder / "1.log").hardlink_to(folder / "2.log")
    (folder / "xlinked").symlink_to("sub")
    assert expand_paths(["*.log"]) == [
        "1.log",
        "a.log",
        "b1.log",
        "b[1].log",
    ]  # by a name that is no link, if it has one
    assert expand_paths(["**/a.log"]) == FOUND["**/a.log"]
    assert expand_paths(["*"]) == sorted({*FILES, "1.log"} - {"2.log"})
    assert expand_paths(["0.log", "a.log"]) == ["0.log", "a.log"]


def test_what_is_no_file_is_passed_over_but_where_it_is_named(folder: Path) -> None:
    os.mkfifo(folder / "sub" / "pipe")
    (folder / "sub" / "null").symlink_to(os.devnull)
    (folder / "sub" / "broken").symlink_to("nothing")
    told: list[tuple[str, str]] = []
    found = sorted([*FOUND["sub"], "sub/broken"])
    assert expand_paths(["sub", "sub/pipe"], lambda *what: told.append(what)) == [*found, "sub/pipe"]
    assert sorted(told) == [("sub/null", "a device"), ("sub/pipe", "a pipe")]
    assert expand_paths(["sub"]) == found


def test_what_is_being_written_is_not_read(folder: Path) -> None:
    (folder / "sub" / "deep" / LOCK_NAME).touch()
    assert expand_paths(["sub"]) == ["sub/.hidden", "sub/a.log"]
    assert expand_paths(["**/c.gz"]) == ["**/c.gz"]
