"""Selection of the format: named or detected, for files and streams; detection loses no byte."""

import bz2
import gzip
import io
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import naive
from tests.support.command import LOG, URISECT, run_here
from tests.support.compressed import PACKED, pipe
from urisect.logs import COMBINED, COMMON, LIST, MissingExtraError, format_of
from urisect.logs.formats.envelopes import find_envelope
from urisect.logs.input.detection import UnknownFormatError
from urisect.logs.input.format_selection import AUTO, HEAD_BYTES, select_format, select_stream_format

SMALL = b"".join(LOG.splitlines(keepends=True)[:30])
FIELDS = ("--fields", "client,target", "--quiet")


@cache
def rows(data: bytes) -> bytes:
    """Return the expected rows of standard input: with a named format, nothing is read for detection."""
    return run_here("logs", "--format", "combined", *FIELDS, stdin=data)[1]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log"
    path.write_bytes(SMALL)
    return path


def test_a_named_format_is_not_detected() -> None:
    assert select_format("common", ["/no/such/file"])[:3] == (COMMON, None, b"")
    assert select_format(LIST, [])[:3] == (LIST, None, b"")
    with pytest.raises(ValueError, match="nothing"):
        select_format("nothing", [])


@pytest.mark.parametrize("pack", [bytes, *PACKED.values()], ids=["plain", *PACKED])
def test_the_format_is_detected_from_the_first_file_with_a_line(log: Path, tmp_path: Path, pack: object) -> None:
    assert callable(pack)
    log.write_bytes(pack(COMMON.sample * 20))
    empty = tmp_path / "empty"
    empty.write_bytes(pack(b""))
    names = ["/no/such/file", str(tmp_path), "/dev/null", str(empty), str(log), "/no/such/file"]
    selection = select_format(AUTO, names)
    assert selection.format is COMMON.strict
    assert selection.formats == {str(log): COMMON.strict}
    assert selection.detection
    assert selection.detection.tried == selection.detection.parsed > 0
    assert selection.head == b""


def test_the_format_of_a_damaged_file_is_detected(log: Path) -> None:
    log.write_bytes(gzip.compress(COMMON.sample * 1000)[:-20])
    assert select_format(AUTO, [str(log)]).format is COMMON.strict


def test_the_format_of_bzip2_is_detected_from_its_first_long_block(log: Path) -> None:
    lines = b"".join(
        b'192.0.2.7 - - [10/Nov/1996:13:55:36 -0700] "GET /%b HTTP/1.0" 200 1\n' % os.urandom(200).hex().encode()
        for _ in range(4000)
    )
    packed = bz2.compress(lines)
    assert len(packed) > 4 * HEAD_BYTES
    log.write_bytes(packed)
    assert select_format(AUTO, [str(log)]).format is COMMON.strict


def test_the_fallback_without_a_line_is_combined(tmp_path: Path) -> None:
    (tmp_path / "gz").write_bytes(b"\x1f\x8b")
    assert select_format(AUTO, ["/no/such/file", "/dev/null", str(tmp_path / "gz")])[:3] == (COMBINED, None, b"")
    assert run_here("logs") == (0, b"", "0 lines read: 0 parsed, 0 rejected\n")


def test_lines_without_a_known_format_are_an_error(log: Path) -> None:
    log.write_bytes(b"nonsense and\nmore of it\n" * 50)
    with pytest.raises(UnknownFormatError):
        select_format(AUTO, [str(log)])
    status, output, messages = run_here("logs", str(log))
    assert (status, output) == (2, b"")
    assert "Invalid value for '--format'" in messages


def test_a_named_pipe_is_not_read_for_detection(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    assert select_format(AUTO, [str(path)])[:3] == (COMBINED, None, b"")
    writer = Thread(target=path.write_bytes, args=(LOG,))
    writer.start()
    assert run_here("logs", *FIELDS, str(path))[:2] == (0, rows(LOG))
    writer.join()


@pytest.mark.unmeasured
@pytest.mark.parametrize("pack", [bytes, *PACKED.values()], ids=["plain", *PACKED])
@pytest.mark.parametrize("data", [SMALL, LOG, SMALL[:-1], b""], ids=["small", "large", "half a line", "empty"])
def test_detection_loses_nothing_of_standard_input(data: bytes, pack: object) -> None:
    assert callable(pack)
    assert run_here("logs", *FIELDS, stdin=pack(data))[:2] == (0, rows(data))


def test_standard_input_is_read_once(log: Path) -> None:
    assert run_here("logs", *FIELDS, "-", "-", str(log), "-", stdin=LOG)[1] == rows(LOG) + rows(SMALL)
    assert run_here("logs", *FIELDS, str(log), "-", stdin=LOG)[1] == rows(SMALL) + rows(LOG)
    assert run_here("logs", *FIELDS, "-", str(log))[1] == rows(SMALL)


def test_damaged_standard_input_is_reported(log: Path) -> None:
    damaged = b"\x1f\x8bnot gzip"
    for names in ([], ["-", str(log)]):
        status, output, messages = run_here("logs", *FIELDS, *names, stdin=damaged)
        assert (status, output) == (2, rows(SMALL) if names else b"")
        assert messages == "urisect: standard input: Unknown compression method\n"


def test_closed_standard_input_is_reported(log: Path) -> None:
    command = ["sh", "-c", 'exec "$@" <&-', "sh", *URISECT, "logs", *FIELDS, "-", str(log)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, rows(SMALL).decode())
    assert done.stderr == "urisect: standard input: Bad file descriptor\n"


@pytest.mark.parametrize(("incomplete", "names"), [("squi", ["squid"]), ("au", ["auto"]), ("nothing", [])])
def test_names_of_formats_are_completed(incomplete: str, names: list[str]) -> None:
    variables = {
        "_URISECT_COMPLETE": "bash_complete",
        "COMP_WORDS": f"urisect logs --format {incomplete}",
        "COMP_CWORD": "3",
    }
    done = subprocess.run(URISECT, env={**os.environ, **variables}, capture_output=True, text=True, check=False)
    assert done.stdout.split() == [f"plain,{name}" for name in names]


def test_standard_input_redirected_from_a_file_is_read_from_its_beginning(log: Path) -> None:
    log.write_bytes(LOG)
    with log.open("rb") as file:
        done = subprocess.run([*URISECT, "logs", *FIELDS], stdin=file, capture_output=True, check=True)
    assert done.stdout == rows(LOG)


def test_a_live_pipe_is_parsed_line_by_line() -> None:
    with subprocess.Popen([*URISECT, "logs", *FIELDS], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        for line in SMALL.splitlines(keepends=True)[:3]:
            process.stdin.write(line)
            process.stdin.flush()
            assert process.stdout.readline() == rows(line)
        process.stdin.close()
        assert process.stdout.read() == b""


@given(st.sampled_from([b"", COMMON.sample * 60]), naive.octets)
def test_detection_loses_nothing_of_a_stream(head: bytes, rest: bytes) -> None:
    data = head + rest if head else b""
    for stream in (io.BytesIO(data), pipe(data)):
        format, replacement = select_stream_format(AUTO, stream)
        assert format is (COMMON.strict if head else COMBINED)
        assert isinstance(replacement, io.BufferedIOBase)
        assert replacement.read() == data


def test_a_stream_of_a_named_format_is_not_read() -> None:
    stream = io.BytesIO()
    assert select_stream_format("list", stream) == (LIST, stream)
    assert select_stream_format(COMMON, stream) == (COMMON, stream)


def test_decompression_needs_its_package(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "backports.zstd", None)
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    log.write_bytes(b"\x28\xb5\x2f\xfd")
    with pytest.raises(MissingExtraError, match="Zstandard needs"):
        select_format(AUTO, [str(log)])


# A format for each file


CRI_LINE = b"1996-11-10T20:55:36.186641234Z stdout F "


def in_cri(data: bytes) -> bytes:
    return b"".join(CRI_LINE + line for line in data.splitlines(keepends=True))


def test_each_file_has_its_format(tmp_path: Path) -> None:
    contents = {"a": COMMON.sample, "b": COMBINED.sample, "c": COMMON.sample, "d": in_cri(COMMON.sample), "e": b""}
    names = [str(tmp_path / name) for name in contents]
    for name, data in zip(names, contents.values(), strict=True):
        Path(name).write_bytes(data)
    selection = select_format(AUTO, [*names, names[0]])
    assert selection.format.name == "common, combined, cri+common"
    assert [selection.format.for_file(name).name for name in names] == [
        *("common", "combined", "common", "cri+common", "common")
    ]
    assert [format.name for format in selection.formats.values()] == ["common", "combined", "common", "cri+common"]
    assert selection.formats[names[0]] is selection.formats[names[2]] is COMMON.strict
    assert selection.detection
    assert selection.detection.format is COMMON
    assert selection.passed_over == {}
    assert selection.readable(names) == names


def test_a_file_of_no_known_format_among_others_is_passed_over(tmp_path: Path) -> None:
    contents = {
        "error": b"[error] something is wrong\n",
        "binary": b"\0\1\2" * 100,
        "utf-16": COMMON.sample.decode().encode("utf-16"),
        "blank": b"\n \n",
        "log": COMMON.sample,
    }
    names = {name: str(tmp_path / name) for name in contents}
    for name, data in contents.items():
        Path(names[name]).write_bytes(data)
    selection = select_format(AUTO, list(names.values()))
    assert selection.format is COMMON.strict
    assert selection.passed_over == {
        names["error"]: "no format matches its first lines: [error] something is wrong",
        names["binary"]: "the file is not text: it contains NUL bytes",
        names["utf-16"]: "the text is in UTF-16; convert it with iconv -f UTF-16 -t UTF-8",
        names["blank"]: "there is no line to detect the format from; name the format",
    }
    assert selection.readable(names.values()) == [names["log"]]
    with pytest.raises(UnknownFormatError, match="no format matches half of the first lines"):
        select_format(AUTO, [names["error"], names["binary"]])


@pytest.mark.parametrize("name", ["cri", "json:log"])
def test_a_named_envelope_and_a_detected_format(name: str, tmp_path: Path) -> None:
    envelope = find_envelope(name)
    path = tmp_path / "log"
    path.write_bytes(b"".join(map(envelope.wrap, COMMON.sample.splitlines())))
    selection = select_format(f"{name}+auto", [str(path)])
    assert selection.format.name == f"{name}+common"
    stream = io.BytesIO(path.read_bytes())
    assert select_stream_format(f"{name}+auto", stream)[0].name == f"{name}+common"
    assert select_format(f"{name}+auto", []).format.name == f"{name}+combined"
    assert select_stream_format(f"{name}+auto", io.BytesIO())[0].name == f"{name}+combined"
    assert select_format(f"{name}+common", [str(path)])[:2] == (format_of(f"{name}+common"), None)
    path.write_bytes(COMMON.sample)
    with pytest.raises(UnknownFormatError, match=f"no line is in the envelope {name}"):
        select_format(f"{name}+auto", [str(path)])


def test_the_format_of_a_pipe_is_that_of_the_first_file(tmp_path: Path) -> None:
    log, fifo = tmp_path / "log", tmp_path / "pipe"
    log.write_bytes(COMMON.sample)
    os.mkfifo(fifo)
    selection = select_format(AUTO, [str(fifo), str(log)])
    assert selection.format is COMMON.strict
    assert selection.formats == {str(log): COMMON.strict}
