"""Bounded memory for any input: long lines, decompression bombs, greedy headers; and byte order marks."""

import bz2
import gzip
import io
import json
import lzma
import os
import subprocess
import sys
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click import Context
from hypothesis import given
from hypothesis import strategies as st

from tests.support.command import LOG, URISECT, run_here
from tests.support.compressed import packed_zstd
from urisect import split, split_lines
from urisect.cli import main
from urisect.cli.app import urisect
from urisect.logs import LIST, batches, decompressed, tables
from urisect.logs.input.blocks import MAX_LINE_BYTES, read_blocks
from urisect.logs.input.decompression import COMPRESSIONS, Compression, _DecompressedStream

LINES = {
    "split": ["split"],
    "check": ["check"],
    "normalize": ["normalize"],
    "resolve": ["resolve", "http://a/b"],
    "hazards": ["hazards"],
    "compose": ["compose"],
    "repair": ["repair"],
    "get": ["get", "{host} {query:a}"],
    "set": ["set", "--query", "a=b", "--remove", "b*"],
    "key": ["key"],
    "surt": ["surt"],
    "site": ["site"],
    "dedupe": ["dedupe"],
    "encode": ["encode"],
    "decode": ["decode"],
    "logs": ["logs", "--format", "combined"],
    "top": ["top", "path", "--format", "list"],
    "report": ["report", "--format", "combined"],
}
COMMANDS = {**LINES, "find": ["find"]}

SIZE = 1 << 26
MAX_MIB = 75  # a process takes about 30, and a line of SIZE in memory another 64


COMPRESS_FAST: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda data: gzip.compress(data, 1),
    "bzip2": bz2.compress,
    "xz": lambda data: lzma.compress(data, preset=0),
    "zstd": packed_zstd,
}


# The peak memory comes from the kernel: getrusage() also counts the parent's memory before the fork.
WATCHED = (
    "import sys; from urisect.cli import main; status = main()\n"
    "[peak] = (line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM'))\n"
    "print(peak, file=sys.stderr); sys.exit(status)"
)


def peak(arguments: list[str], stdin: Any) -> tuple[float, int, str]:
    """Run the command, and return its peak memory in MiB, its exit status, and its messages."""
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, *arguments],
        stdin=stdin,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    *messages, kibibytes = done.stderr.splitlines()
    return int(kibibytes) / 1024, done.returncode, "\n".join(messages)


on_linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@on_linux
@pytest.mark.parametrize("command", COMMANDS)
def test_an_endless_line_is_not_kept_in_memory(command: str) -> None:
    program = f"import sys\nfor _ in range({SIZE >> 20}): sys.stdout.buffer.write(bytes(1 << 20))"
    zeros = [sys.executable, "-c", program]
    with subprocess.Popen(zeros, stdout=subprocess.PIPE) as process:
        memory, status, messages = peak(COMMANDS[command], process.stdout)
    assert status == int(command in LINES)
    assert ("1 skipped" in messages) == (command in LINES)
    assert memory < MAX_MIB


@on_linux
@pytest.mark.parametrize("pack", COMPRESS_FAST.values(), ids=COMPRESS_FAST)
def test_a_decompression_bomb_is_not_kept_in_memory(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(pack(bytes(SIZE)))
    for command in ("check", "find"):
        memory, status, _ = peak([*COMMANDS[command], str(path)], subprocess.DEVNULL)
        assert status == int(command == "check")
        assert memory < MAX_MIB


@pytest.mark.parametrize("name", LINES)
def test_every_command_that_reads_lines_has_the_same_limit(name: str) -> None:
    command = urisect.get_command(Context(urisect), name)
    assert command
    [option] = (option for option in command.params if option.name == "limit")
    assert (option.opts, option.default, getattr(option, "help", "")) == (
        ["--limit"],
        MAX_LINE_BYTES,
        "Skip longer lines.",
    )


LONG = b"a\n" + b"b" * 9 + b"\n/c\n"


@pytest.mark.parametrize(
    ("command", "output", "message"),
    [
        (["split", "--fields", "path"], b"a\n/c\n", "3 lines read: 1 skipped\n"),
        (["check"], b"", "3 lines read: 0 invalid, 1 skipped\n"),
        (["normalize"], b"a\n\n/c\n", "3 lines read: 1 skipped\n"),
        (["resolve", "http://h/x"], b"http://h/a\n\nhttp://h/c\n", "3 lines read: 1 skipped\n"),
        (["hazards"], b"", "3 lines read: 0 with hazards, 1 skipped\n"),
        (["repair"], b"a\n\n/c\n", "3 lines read: 1 skipped\n"),
        (["get", "{path}"], b"a\n\n/c\n", "3 lines read: 1 skipped\n"),
        (["set", "--fragment", "x"], b"a#x\n\n/c#x\n", "3 lines read: 2 changed, 0 rejected, 1 skipped\n"),
        (["key"], b"a\n\n/c\n", "3 lines read: 1 skipped\n"),
        (["site"], b"\n\n\n", "3 lines read: 1 skipped\n"),
        (["dedupe"], b"a\n/c\n", "3 lines read: 2 kept, 0 dropped, 1 skipped\n"),
        (["encode"], b"a\n\n%2Fc\n", "3 lines read: 1 skipped\n"),
        (["decode"], b"a\n\n/c\n", "3 lines read: 1 skipped\n"),
        (
            ["logs", "--format", "list", "--fields", "path"],
            b"a\n/c\n",
            "3 lines read: 2 parsed, 0 rejected, 1 skipped\n",
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_line_over_the_limit_is_skipped_and_counted(command: list[str], output: bytes, message: str) -> None:
    status = int(command[0] in ("check", "hazards"))  # these must not report success without checking every line
    assert run_here(*command, "--limit", "8", stdin=LONG) == (status, output, message)
    assert run_here(*command, "--limit", "8", "--quiet", stdin=LONG) == (status, output, "")
    assert "skipped" not in run_here(*command, "--limit", "9", stdin=LONG)[2]


def test_compose_skips_a_line_over_the_limit_and_numbers_the_others() -> None:
    status, output, messages = run_here("compose", "--limit", "12", stdin=b'{"path":"a"}\n{"path":"bb"}\n?\n')
    assert (status, output) == (0, b"a\n")
    assert messages.startswith("<stdin>:3: invalid JSON")
    assert messages.endswith("3 lines read: 1 composed, 1 rejected, 1 skipped\n")


@pytest.mark.parametrize("command", ["normalize", "resolve", "hazards", "check", "split", "get", "set", "dedupe"])
def test_half_a_line_of_a_damaged_file_has_one_message(command: str, tmp_path: Path) -> None:
    path = tmp_path / "list.gz"
    path.write_bytes(gzip.compress(b"/a\n" + os.urandom(5000).replace(b"\n", b""))[:-100])
    status, output, messages = run_here(*LINES[command], str(path), "--quiet")
    assert status == 2
    assert output.count(b"\n") == int(command in ("normalize", "resolve", "split", "get", "set", "dedupe"))
    assert messages.count("\n") == 1


@pytest.mark.parametrize("command", ["check", "hazards"])
def test_findings_keep_the_status_if_the_reader_closes_the_pipe(command: str) -> None:
    lines = b"http://u@127.0.0.1/%%\n" * 100_000
    with subprocess.Popen(
        [*URISECT, command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(lines[: 1 << 16])
        process.stdin.flush()
        assert process.stdout.readline()
        process.stdout.close()
        try:
            process.stdin.write(lines)
            process.stdin.close()
        except BrokenPipeError:
            pass
        assert process.stderr.read() == b""
    assert process.returncode == 1


# Out of memory


def test_running_out_of_memory_is_reported_in_one_line() -> None:
    resource = pytest.importorskip("resource")
    program = (
        "import resource, sys\nfrom urisect.cli import main\n"
        f"resource.setrlimit(resource.RLIMIT_AS, ({300 << 20}, {resource.RLIM_INFINITY}))\n"
        f"sys.exit(main(['normalize', '--limit', '{1 << 40}', '/dev/zero']))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == ("urisect: out of memory: try a smaller --limit, or --jobs 1\n")


def test_running_out_of_memory_is_not_a_finding(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def greedy(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("urisect.cli.list_scan.read_argument_blocks", greedy)
    assert main(["check", os.devnull]) == 2
    assert capfd.readouterr().err.startswith("urisect: out of memory: ")


def test_running_out_of_memory_is_not_mistaken_for_a_damaged_file() -> None:
    class Greedy(io.BytesIO):
        def read1(self, size: int | None = -1, /) -> bytes:
            raise MemoryError(size)

    with pytest.raises(MemoryError):
        _DecompressedStream(io.BytesIO(), lambda _: Greedy()).read1(1)


# Decompression


def greedy_xz(data: bytes) -> bytes:
    """Compress data so that the header declares a dictionary of 4 GiB (The .xz File Format, 3.1 and 5.3.1)."""
    packed = bytearray(lzma.compress(data))
    assert packed[14:16] == b"\x21\x01"
    packed[16] = 40
    size = 4 * (packed[12] + 1)
    packed[12 + size - 4 : 12 + size] = zlib.crc32(packed[12 : 12 + size - 4]).to_bytes(4, "little")
    return bytes(packed)


def greedy_zstd(data: bytes) -> bytes:
    """Write a frame with one raw block, and a window of 128 MiB (RFC 8878, 3.1.1)."""
    window = (27 - 10) << 3
    return b"\x28\xb5\x2f\xfd\0" + bytes([window]) + (len(data) << 3 | 1).to_bytes(3, "little") + data


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (greedy_xz(b"/a\n"), "its dictionary is larger than 64 MiB; decompress it with xz -dc and pipe it in"),
        (
            lzma.compress(b"/a\n") + greedy_xz(b"/b\n"),
            "its dictionary is larger than 64 MiB; decompress it with xz -dc",
        ),
        (
            greedy_zstd(b"/a\n"),
            "its window is larger than 64 MiB; decompress it with zstd -dc --long=31 and pipe it in",
        ),
    ],
    ids=["xz", "second stream of xz", "zstd"],
)
def test_a_header_that_declares_too_much_memory_is_refused(data: bytes, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_bytes(data)
    status, output, messages = run_here("normalize", str(path))
    assert (status, output) == (2, b"/a\n" if data.count(b"\xfd7zXZ") == 2 else b"")
    assert messages.startswith(f"urisect: {path}: {reason}")


def read(data: bytes, size: int = 7) -> bytes:
    stream = decompressed(io.BytesIO(data))
    return b"".join(iter(lambda: stream.read1(size), b""))


@given(st.lists(st.binary(max_size=100), min_size=1, max_size=3), st.sampled_from([b"", b"garbage"]))
def test_xz_is_read_like_the_standard_library_reads_it(parts: list[bytes], rest: bytes) -> None:
    packed = b"".join(map(lzma.compress, parts)) + rest
    with lzma.LZMAFile(io.BytesIO(packed)) as file:
        assert read(packed) == b"".join(parts) == file.read()


def test_damaged_xz_is_an_error() -> None:
    packed = bytearray(lzma.compress(b"a" * 1000))
    packed[30] ^= 255
    for data, reason in ((bytes(packed), "Corrupt"), (lzma.compress(b"a" * 1000)[:-30], "ended before")):
        with pytest.raises(OSError, match=reason):
            read(data)


@pytest.mark.parametrize("known", COMPRESSIONS, ids=lambda known: known.open_stream.__name__)
def test_reads_from_a_decompressor_are_bounded(known: Compression) -> None:
    requested: list[int] = []

    class Watched(io.BytesIO):
        def read1(self, size: int | None = -1, /) -> bytes:
            requested.append(size or 0)
            return b""

    _DecompressedStream(io.BytesIO(known.magic), lambda _: Watched()).read1(1 << 30)
    assert requested == [1 << 16]


# Byte order marks


@pytest.mark.parametrize("name", sorted({*LINES, "find"} - {"encode", "decode"}))  # which read no files
def test_a_byte_order_mark_is_not_part_of_the_first_line(name: str, tmp_path: Path) -> None:
    lines = {"compose": b'{"path":"a"}\n', "logs": LOG[:5000], "report": LOG[:5000], "find": b"http://a/\n"}
    data = lines.get(name, b"HTTP://u@a/\nb c\n")
    plain, marked, packed = (tmp_path / kind / "list" for kind in ("plain", "marked", "packed"))
    for path, content in ((plain, data), (marked, BOM_UTF8 + data), (packed, gzip.compress(BOM_UTF8 + data))):
        path.parent.mkdir()
        path.write_bytes(content)
    arguments = COMMANDS[name]

    def run_command(*files: str, stdin: bytes = b"") -> tuple[int, bytes, str]:
        status, output, messages = run_here(*arguments, *files, stdin=stdin)
        for path in (plain, marked, packed):
            output = output.replace(os.fsencode(path), b"<stdin>")
        return status, output, messages

    expected = run_command(stdin=data)
    for found in (run_command(stdin=BOM_UTF8 + data), run_command(str(marked)), run_command(str(packed))):
        assert found[::2] == expected[::2]
        assert name == "report" or found[1] == expected[1]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_list_format_ignores_a_byte_order_mark_only_at_the_beginning_of_a_file(jobs: str, tmp_path: Path) -> None:
    for number in "12":
        (tmp_path / number).write_bytes(BOM_UTF8 + b"/a\n" + BOM_UTF8 + b"/b\n")
    found = run_here("logs", "--format", "list", "--fields", "reference", "--jobs", jobs, str(tmp_path), "--quiet")
    assert found == (0, (b"/a\n" + BOM_UTF8 + b"/b\n") * 2, "")
    pytest.importorskip("pyarrow")
    assert [batch["path"].to_pylist() for batch in batches(str(tmp_path), "list")] == [["/a", "\ufeff/b"]] * 2


def test_offsets_count_the_byte_order_mark() -> None:
    for command in ("check", "hazards"):
        _, output, _ = run_here(command, "--to", "ndjson", stdin=BOM_UTF8 + b"%\n/a\n%00%\n")
        found = [json.loads(line) for line in output.splitlines()]
        assert [(one["line"], one["offset"]) for one in found][-1] == (3, 8)
    _, output, _ = run_here("find", "--to", "ndjson", stdin=BOM_UTF8 + b"a://b")
    assert json.loads(output)["offset"] == 3


def test_library_functions_treat_a_byte_order_mark_as_data() -> None:
    assert split(BOM_UTF8 + b"a").path == BOM_UTF8 + b"a"
    assert split("\ufeffa").path == "\ufeffa"
    assert split_lines(BOM_UTF8 + b"a").path == [BOM_UTF8 + b"a"]
    [table] = tables(io.BytesIO(BOM_UTF8 + b"a"), LIST)
    assert table.column("path") == [BOM_UTF8 + b"a"]


@given(
    st.sampled_from([b"", BOM_UTF8[:1], BOM_UTF8[:2], BOM_UTF8, BOM_UTF8 * 2]),
    st.binary(max_size=9),
    st.integers(1, 5),
    st.integers(1, 4),
)
def test_a_byte_order_mark_is_removed_wherever_chunks_end(begin: bytes, rest: bytes, limit: int, size: int) -> None:
    data = begin + rest
    content = data.removeprefix(BOM_UTF8)
    missing = len(data) - len(content)
    found = list(read_blocks(io.BytesIO(data), limit, size, is_file=True))
    lines = [(block.offset, block.length, block.reason) for block in found if block.reason]
    expected = list(read_blocks(io.BytesIO(content), limit))
    assert lines == [(block.offset + missing, block.length, block.reason) for block in expected if block.reason]
    assert b"".join(block.data for block in found) == b"".join(block.data for block in expected)
    assert b"".join(block.data for block in read_blocks(io.BytesIO(data), 99, size, 1, is_file=True)) == data
