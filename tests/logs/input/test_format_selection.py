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
from tests.support.command import LOG, URISECT, run
from tests.support.compressed import PACKED, pipe
from urisect.logs import COMBINED, COMMON, LIST, MissingExtraError
from urisect.logs.input.detection import UnknownFormatError
from urisect.logs.input.format_selection import AUTO, HEAD_BYTES, select_format, select_stream_format

SMALL = b"".join(LOG.splitlines(keepends=True)[:30])
FIELDS = ("--fields", "client,target", "--quiet")


@cache
def rows(data: bytes) -> bytes:
    """What is expected of standard input: read in a format that is named, nothing of it is read before."""
    return run("logs", "--format", "combined", *FIELDS, stdin=data)[1]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log"
    path.write_bytes(SMALL)
    return path


def test_a_format_that_is_named_is_not_looked_for() -> None:
    assert select_format("common", ["/no/such/file"])[:] == (COMMON, None, b"")
    assert select_format(LIST, [])[:] == (LIST, None, b"")
    with pytest.raises(ValueError, match="nothing"):
        select_format("nothing", [])


@pytest.mark.parametrize("pack", [bytes, *PACKED.values()], ids=["plain", *PACKED])
def test_the_first_file_that_holds_a_line_tells_the_format(log: Path, tmp_path: Path, pack: object) -> None:
    assert callable(pack)
    log.write_bytes(pack(COMMON.sample * 20))
    empty = tmp_path / "empty"
    empty.write_bytes(pack(b""))
    names = ["/no/such/file", str(tmp_path), "/dev/null", str(empty), str(log), "/no/such/file"]
    choice = select_format(AUTO, names)
    assert choice.format is COMMON
    assert choice.detection
    assert choice.detection.tried == choice.detection.parsed > 0
    assert choice.head == b""


def test_a_damaged_file_tells_what_it_can(log: Path) -> None:
    log.write_bytes(gzip.compress(COMMON.sample * 1000)[:-20])
    assert select_format(AUTO, [str(log)]).format is COMMON


def test_a_block_of_bzip2_is_longer_than_what_is_looked_at_of_other_files(log: Path) -> None:
    lines = b"".join(
        b'192.0.2.7 - - [10/Nov/1996:13:55:36 -0700] "GET /%b HTTP/1.0" 200 1\n' % os.urandom(200).hex().encode()
        for _ in range(4000)
    )
    packed = bz2.compress(lines)
    assert len(packed) > 4 * HEAD_BYTES
    log.write_bytes(packed)
    assert select_format(AUTO, [str(log)]).format is COMMON


def test_where_there_is_nothing_to_be_read_there_is_a_format_still(tmp_path: Path) -> None:
    (tmp_path / "gz").write_bytes(b"\x1f\x8b")
    assert select_format(AUTO, ["/no/such/file", "/dev/null", str(tmp_path / "gz")])[:] == (COMBINED, None, b"")
    assert run("logs") == (0, b"", "read 0, parsed 0, rejected 0\n")


def test_what_is_in_no_format_is_said_to_be(log: Path) -> None:
    log.write_bytes(b"nonsense and\nmore of it\n" * 50)
    with pytest.raises(UnknownFormatError):
        select_format(AUTO, [str(log)])
    status, output, messages = run("logs", str(log))
    assert (status, output) == (2, b"")
    assert "Invalid value for '--format'" in messages


def test_a_pipe_that_has_a_name_is_not_looked_at_for_it_would_not_give_it_again(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    assert select_format(AUTO, [str(path)])[:] == (COMBINED, None, b"")
    writer = Thread(target=path.write_bytes, args=(LOG,))
    writer.start()
    assert run("logs", *FIELDS, str(path))[:2] == (0, rows(LOG))
    writer.join()


@pytest.mark.unmeasured
@pytest.mark.parametrize("pack", [bytes, *PACKED.values()], ids=["plain", *PACKED])
@pytest.mark.parametrize("data", [SMALL, LOG, SMALL[:-1], b""], ids=["small", "large", "half a line", "empty"])
def test_what_was_looked_at_of_standard_input_is_not_lost(data: bytes, pack: object) -> None:
    assert callable(pack)
    assert run("logs", *FIELDS, stdin=pack(data))[:2] == (0, rows(data))


def test_standard_input_is_there_once(log: Path) -> None:
    assert run("logs", *FIELDS, "-", "-", str(log), "-", stdin=LOG)[1] == rows(LOG) + rows(SMALL)
    assert run("logs", *FIELDS, str(log), "-", stdin=LOG)[1] == rows(SMALL) + rows(LOG)
    assert run("logs", *FIELDS, "-", str(log))[1] == rows(SMALL)


def test_standard_input_that_is_damaged_is_not_passed_over(log: Path) -> None:
    damaged = b"\x1f\x8bnothing of the kind"
    for names in ([], ["-", str(log)]):
        status, output, messages = run("logs", *FIELDS, *names, stdin=damaged)
        assert (status, output) == (2, rows(SMALL) if names else b"")
        assert messages == "urisect: standard input: Unknown compression method\n"


def test_standard_input_that_is_closed_is_told_like_any_other_fault(log: Path) -> None:
    command = ["sh", "-c", 'exec "$@" <&-', "sh", *URISECT, "logs", *FIELDS, "-", str(log)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, rows(SMALL).decode())
    assert done.stderr == "urisect: standard input: Bad file descriptor\n"


@pytest.mark.parametrize(("begun", "names"), [("combi", ["combined"]), ("au", ["auto"]), ("nothing", [])])
def test_names_of_formats_are_completed(begun: str, names: list[str]) -> None:
    variables = {
        "_URISECT_COMPLETE": "bash_complete",
        "COMP_WORDS": f"urisect logs --format {begun}",
        "COMP_CWORD": "3",
    }
    done = subprocess.run(URISECT, env={**os.environ, **variables}, capture_output=True, text=True, check=False)
    assert done.stdout.split() == [f"plain,{name}" for name in names]


def test_standard_input_that_is_a_file_is_read_from_its_beginning(log: Path) -> None:
    log.write_bytes(LOG)
    with log.open("rb") as file:
        done = subprocess.run([*URISECT, "logs", *FIELDS], stdin=file, capture_output=True, check=True)
    assert done.stdout == rows(LOG)


def test_a_live_pipe_is_not_waited_for() -> None:
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
def test_a_stream_is_given_whole(head: bytes, rest: bytes) -> None:
    data = head + rest if head else b""
    for stream in (io.BytesIO(data), pipe(data)):
        format, same = select_stream_format(AUTO, stream)
        assert format is (COMMON if head else COMBINED)
        assert isinstance(same, io.BufferedIOBase)
        assert same.read() == data


def test_a_stream_of_a_format_that_is_named_is_left_alone() -> None:
    stream = io.BytesIO()
    assert select_stream_format("list", stream) == (LIST, stream)
    assert select_stream_format(COMMON, stream) == (COMMON, stream)


def test_what_decompresses_a_file_has_to_be_there(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "backports.zstd", None)
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    log.write_bytes(b"\x28\xb5\x2f\xfd")
    with pytest.raises(MissingExtraError, match="Zstandard needs"):
        select_format(AUTO, [str(log)])
