"""Output files: formats, places and exit statuses; nothing that was there before is lost."""

import os
import shlex
import signal
import socket
import stat
import subprocess
import sys
from io import StringIO
from pathlib import Path
from threading import Event

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.support.command import URISECT, run, run_here, without_speed
from tests.support.processes import AT_ONCE, LOGS, OUTPUTS, Started, children, names, on_linux, until
from urisect.cli import main
from urisect.logs import COMMON, decompressed
from urisect.logs.output.atomic import OutputFile
from urisect.logs.temporary import LOCK_NAME

LINES = COMMON.sample
FIELDS = ("--format", "common", "--fields", "target")
ROWS = b"/a/b?c=d\n/\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory, with a log in it."""
    path = tmp_path / "place"
    path.mkdir()
    (path / "log").write_bytes(LINES + b"no log line\n")
    monkeypatch.chdir(path)
    return path


def shell(script: str, *arguments: str) -> tuple[int, bytes, bytes]:
    """Run a shell script in which "$@" is the command with arguments."""
    done = subprocess.run(
        ["/bin/sh", "-c", script, "sh", *URISECT, *arguments], capture_output=True, check=False, timeout=60
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def rows() -> bytes:
    return run_here("logs", "-q", *FIELDS, stdin=LINES)[1]


# Open descriptors


@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"])
def test_rows_are_appended_if_standard_output_is(place: Path, rows: bytes, path: str) -> None:
    (place / "link").symlink_to("/dev/stdout")
    (place / "out").write_bytes(b"before\n")
    script = f'{{ "$@" -o {path} log; echo after; }} >> out'
    assert shell(script, "logs", "-q", *FIELDS) == (0, b"", b"")
    assert (place / "out").read_bytes() == b"before\n" + rows + b"after\n"


@pytest.mark.usefixtures("place")
def test_rejects_are_appended_if_standard_error_is(rows: bytes) -> None:
    script = '{ echo before >&2; "$@" --rejects /dev/stderr log; echo after >&2; } 2>> errors'
    assert shell(script, "logs", "-q", *FIELDS) == (0, rows, b"")
    offset = len(LINES)
    assert Path("errors").read_text() == f"before\nlog\t3\t{offset}\tno log line\nafter\n"


@pytest.mark.usefixtures("place")
def test_an_open_descriptor_is_written_and_a_closed_one_is_reported(rows: bytes) -> None:
    assert shell('"$@" -o /dev/fd/3 log 3>> out', "logs", "-q", *FIELDS) == (0, b"", b"")
    assert Path("out").read_bytes() == rows
    message = b"urisect: /dev/fd/99: Bad file descriptor\n"
    assert shell('"$@" -o /dev/fd/99 log', "logs", "-q", *FIELDS) == (2, b"", message)


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(("redirection", "stream"), [(">>", "stdout"), ("2>>", "stderr")])
@pytest.mark.parametrize("option", ["-o", "--rejects"])
def test_a_file_that_a_stream_is_redirected_to_is_not_replaced(redirection: str, stream: str, option: str) -> None:
    Path("app.log").write_text("before\n")
    status, *_ = shell(f'"$@" {option} app.log log {redirection} app.log', "logs", "-q", *FIELDS)
    assert status == 2
    message = f"urisect: app.log: {stream} is redirected to this file; write to /dev/{stream} instead\n"
    assert Path("app.log").read_text() == "before\n" + (message if stream == "stderr" else "")


def test_arrow_on_a_descriptor_is_a_stream_but_nothing_for_a_terminal(place: Path) -> None:
    assert shell('"$@" -o /dev/stdout log', "logs", "-q", *FIELDS, "--to", "arrow")[0] == 0
    _, data, _ = shell('"$@" -o /dev/stdout log', "logs", "-q", *FIELDS, "--to", "arrow")
    assert pa.ipc.open_stream(data).read_all().num_rows == 2
    parent, child = os.openpty()
    for arguments in (("logs", "--to", "parquet"), ("report",)):
        done = subprocess.run(
            [*URISECT, *arguments, "-q", "--format", "common", "-o", "/dev/stdout", str(place / "log")],
            stdout=child,
            stderr=subprocess.PIPE,
            check=False,
        )
        assert done.returncode == 2
        assert b"name a file" in done.stderr
    os.close(child)
    os.close(parent)


# Temporary directories next to the output


def test_planted_files_are_not_followed(place: Path, rows: bytes, tmp_path: Path) -> None:
    """The name of the output and the number of the process can be guessed."""
    target = tmp_path / "target"
    target.write_bytes(b"precious")
    script = f'ln -s {shlex.quote(str(target))} .rows.$$.part; mkfifo .rejects.$$.part; exec "$@"'
    assert shell(script, "logs", "-q", *FIELDS, "log", "-o", "rows", "--rejects", "rejects")[0] == 0
    assert target.read_bytes() == b"precious"
    assert (place / "rows").read_bytes() == rows


@pytest.mark.parametrize("name", ["x" * 250, "é" * 125, "x" * 255, "\udcff" * 250])
def test_output_names_may_be_as_long_as_the_system_allows(place: Path, rows: bytes, name: str) -> None:
    for path in (place / name, place / "rejects"):
        assert main(["logs", "-q", *FIELDS, str(place / "log"), "-o", str(path), "--rejects", f"{path}"[:-1]]) == 0
        assert path.read_bytes() == rows


def test_incomplete_output_is_private_and_is_not_read_as_input(place: Path) -> None:
    with OutputFile("rows") as output:
        output.write(LINES)
        [directory] = place.glob(".rows.*.part")
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700
        assert sorted(names(directory)) == [LOCK_NAME, "content"]
        assert run_here("logs", "-q", *FIELDS, str(place))[1] == ROWS  # of the log, once
    assert names(place) == ["log", "rows"]


@on_linux
@pytest.mark.parametrize("options", [OUTPUTS["tsv"], OUTPUTS["days"]])
def test_the_next_run_removes_what_a_killed_run_left(
    big: Path,
    place: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    arguments = (*LOGS, "-q", "--jobs", "2", *options, "-o", str(place / "rows"))
    with Started(*arguments, str(big), command=AT_ONCE) as command:
        workers = until(lambda: children(command.process.pid))
        os.killpg(command.process.pid, signal.SIGKILL)
        command.process.wait()
    assert workers
    assert len(names(place)) == 2
    assert len(names(temporary)) == 1
    assert run(*LOGS, "-q", *options, "-o", str(place / "rows"), str(place / "log")) == (1, b"", "")
    assert names(place) == ["log", "rows"]
    assert names(temporary) == []


# Unreadable input

NOTHING = {
    "logs": ("logs", *FIELDS),
    "detected": ("logs",),
    "days": ("logs", "--format", "common", *OUTPUTS["days"]),
    "parquet": ("logs", "--format", "common", "--to", "parquet"),
    "split": ("split", "--header"),
    "report": ("report", "--format", "common"),
}


@pytest.mark.parametrize("arguments", NOTHING.values(), ids=NOTHING)
def test_if_nothing_can_be_read_an_old_file_stays(
    place: Path, arguments: tuple[str, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    is_directory = "--by-day" in arguments
    (place / "old").mkdir() if is_directory else (place / "old").write_bytes(b"good")
    before = (place / "old").stat()
    rejects = ("--rejects", "new") if "--format" in arguments and arguments[0] == "logs" else ()
    assert main([*arguments, "mistyped", "-o", "old", *rejects]) == 2
    assert capfd.readouterr().err.startswith("urisect: mistyped: No such file or directory\n")
    assert os.path.samestat((place / "old").stat(), before)
    assert names(place) == ["log", "old"]
    if not is_directory:
        assert run_here(*arguments, "mistyped")[:2] == (2, b"")  # no header, and no page


@pytest.mark.usefixtures("place")
def test_if_some_files_cannot_be_read_the_others_are_written_and_the_summary_says_so(
    capfd: pytest.CaptureFixture[str], rows: bytes
) -> None:
    Path("old").write_bytes(b"old")
    assert main(["logs", *FIELDS, "mistyped", "log", "-o", "old"]) == 2
    assert Path("old").read_bytes() == rows
    assert without_speed(capfd.readouterr().err) == (
        "urisect: mistyped: No such file or directory\n"
        "3 lines read: 2 parsed, 1 rejected\n"
        "1 of 2 files could not be read completely\n"
    )
    assert main(["report", "--format", "common", "mistyped", "log", "-o", "old"]) == 2
    assert Path("old").read_bytes().startswith(b"<!doctype html>")
    assert "1 of 2 files" in capfd.readouterr().err


@pytest.mark.usefixtures("place")
def test_an_empty_file_counts_as_read() -> None:
    Path("empty").touch()
    Path("old").write_bytes(b"old")
    assert main(["logs", "-q", *FIELDS, "empty", "-o", "old"]) == 0
    assert Path("old").read_bytes() == b""


# Names of output files

SUFFIXES = {
    "a.tsv": b"target\n" + ROWS,
    "a.csv": b"target\r\n" + ROWS.replace(b"\n", b"\r\n"),
    "A.NDJSON": b'{"target":"/a/b?c=d"}\n{"target":"/"}\n',
    "a.jsonl": b'{"target":"/a/b?c=d"}\n{"target":"/"}\n',
    "a.txt": b"target\n" + ROWS,
    "csv": b"target\n" + ROWS,
    ".csv": b"target\n" + ROWS,
}
MAGIC = {"": b"", ".gz": b"\x1f\x8b", ".zst": b"\x28\xb5\x2f\xfd", ".GZ": b"\x1f\x8b"}


def unpacked(path: str) -> bytes:
    with Path(path).open("rb") as file:
        stream = decompressed(file)
        return b"".join(iter(lambda: stream.read1(1 << 16), b""))


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("packed", MAGIC)
@pytest.mark.parametrize("name", SUFFIXES)
def test_the_name_gives_the_text_format(name: str, packed: str) -> None:
    assert main(["logs", "-q", *FIELDS, "--header", "log", "-o", name + packed]) == 0
    assert Path(name + packed).read_bytes().startswith(MAGIC[packed])
    assert unpacked(name + packed) == SUFFIXES[name]


@pytest.mark.usefixtures("place")
def test_the_name_gives_parquet_and_arrow(rows: bytes) -> None:
    assert rows == ROWS
    assert main(["logs", "-q", *FIELDS, "log", "-o", "a.parquet"]) == 0
    assert pq.read_table("a.parquet")["target"].to_pylist() == ["/a/b?c=d", "/"]
    assert main(["logs", "-q", *FIELDS, "log", "-o", "a.arrow"]) == 0
    assert pa.ipc.open_file("a.arrow").read_all()["target"].to_pylist() == ["/a/b?c=d", "/"]
    assert main(["split", "-q", "log", "-o", "b.parquet"]) == 0
    assert pq.read_table("b.parquet").num_rows == 3
    assert main(["logs", "-q", "--format", "common", "log", "--by-day", "-o", "days.parquet"]) == 0
    assert Path("days.parquet", "day=1996-11-10").is_dir()
    assert main(["logs", "-q", *FIELDS, "log", "--to", "csv", "-o", "rows.gz", "--rejects", "rejects.zst"]) == 0
    assert unpacked("rows.gz") == SUFFIXES["a.csv"].removeprefix(b"target\r\n")
    assert unpacked("rejects.zst").endswith(b"\tno log line\n")
    assert main(["report", "-q", "--format", "common", "log", "-o", "page.html.gz"]) == 0
    assert unpacked("page.html.gz").startswith(b"<!doctype html>")


CONFLICTS = {
    ("--to", "tsv", "-o", "a.parquet"): "the name 'a.parquet' means parquet, but tsv is asked for: change one of them.",
    ("--to", "arrow", "-o", "a.csv.gz"): "the name 'a.csv.gz' means csv, but arrow is asked for: change one of them.",
    ("-o", "a.cvs.gz"): "the name 'a.cvs.gz' means no format; name the format, too; did you mean \".csv\"?",
    ("-o", "a.parquet.gz"): "parquet is compressed already: choose a name that does not end in .gz.",
    ("--to", "arrow", "-o", "a.zst"): "arrow is compressed already: choose a name that does not end in .zst.",
}


@pytest.mark.parametrize(("options", "message"), CONFLICTS.items())
def test_a_name_that_contradicts_to_is_a_usage_error(
    place: Path, options: tuple[str, ...], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    for command in ("logs", "split"):
        assert main([command, *options, "mistyped"]) == 2
        printed = capfd.readouterr()
        assert message in " ".join(printed.err.split())
        assert "No such file" not in printed.err
    assert names(place) == ["log"]


# Special files


@on_linux
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_files_with_a_reported_size_of_0_are_read(jobs: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["logs", "-q", "--format", "list", "--jobs", jobs, "--fields", "path", "/proc/self/limits"]) == 0
    assert "Max open files" in capfd.readouterr().out


def test_special_files_in_directories_and_patterns_are_ignored_with_a_message(
    place: Path, capfd: pytest.CaptureFixture[str], rows: bytes
) -> None:
    os.mkfifo("pipe")
    Path("device").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        for name in (".", "./*"):
            assert main(["logs", "-q", *FIELDS, name]) == 0
            printed = capfd.readouterr()
            assert printed.out.encode() == rows
            assert sorted(printed.err.splitlines()) == [
                "urisect: ./device: ignored: it is a device",
                "urisect: ./pipe: ignored: it is a pipe",
                "urisect: ./socket: ignored: it is a socket",
            ]
    assert main(["logs", "-q", *FIELDS, "p*", str(place / "log")]) == 2
    assert "urisect: p*: No such file or directory\n" in capfd.readouterr().err


# Standard streams that are closed, or cannot be written


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("redirection", ["2>&- <&-", "2>/dev/full"])
@pytest.mark.parametrize("command", ["logs", "top", "split", "check", "compose"])
def test_rows_are_written_if_other_streams_are_closed(redirection: str, command: str) -> None:
    arguments = {
        "logs": ("logs", "--format", "common"),
        "top": ("top", "status", "--format", "common"),
        "split": ("split", "--strict"),
        "check": ("check",),
        "compose": ("compose",),
    }[command]
    expected = run_here(*arguments, "log", "mistyped")
    status, output, _ = shell(f'"$@" log mistyped {redirection}', *arguments)
    assert (status, output) == expected[:2]
    assert status == 2


@pytest.mark.usefixtures("place")
def test_messages_that_cannot_be_written_are_dropped(rows: bytes) -> None:
    script = '"$@" --where "status > 0" -o rows log 2>&1 >&- | true; cat rows'
    assert shell(script, "logs", *FIELDS)[:2] == (0, rows)
    assert shell('"$@" --mistyped 2>&-')[:2] == (2, b"")


@pytest.mark.usefixtures("place")
def test_a_replaced_sys_stderr_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    messages = StringIO()
    monkeypatch.setattr(sys, "stderr", messages)
    assert main(["logs", *FIELDS, "log", "-o", "rows"]) == 0
    assert without_speed(messages.getvalue()) == "3 lines read: 2 parsed, 1 rejected\n"
    assert sys.stderr is messages


# SIGTERM


@pytest.mark.parametrize(
    "arguments", [("split",), ("check",), ("normalize",), ("resolve", "a:b"), ("compose",), ("dedupe",)]
)
def test_sigterm_gives_143_while_a_command_waits(arguments: tuple[str, ...]) -> None:
    with subprocess.Popen([*URISECT, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        process.stdin.write(b"//a b\n")
        process.stdin.flush()
        caught = Path(f"/proc/{process.pid}/status")
        until(lambda: int(caught.read_text().partition("SigCgt:")[2].split()[0], 16) >> (signal.SIGTERM - 1) & 1)
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 143


def test_sigterm_gives_143_even_if_its_exception_is_replaced(
    place: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """DuckDB replaces the exception by a RuntimeError."""

    def interrupted(*_: object, **__: object) -> None:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        except SystemExit:
            raise KeyboardInterrupt from None

    monkeypatch.setattr("urisect.logs.report.counts.CountDatabase.top", interrupted)
    with pytest.raises(SystemExit) as ended:
        main(["top", "status", "--format", "common", str(place / "log")])
    assert ended.value.code == 143
    capfd.readouterr()


@on_linux
def test_sigterm_ends_a_wait_even_if_python_ignores_its_exception(
    place: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Python ignores exceptions in finalizers, and in callbacks of the import system."""
    reported = []
    monkeypatch.setattr(sys, "unraisablehook", lambda ignored: reported.append(ignored.exc_type))
    terminated = []

    class Faulty:
        def __del__(self) -> None:
            raise ValueError

    class Terminating:
        def __del__(self) -> None:
            os.kill(os.getpid(), signal.SIGTERM)

    def wait(*_: object) -> None:
        Faulty()
        Terminating()
        terminated.append(True)
        Event().wait(30)
        pytest.fail("the wait was not interrupted")

    monkeypatch.setattr("urisect.logs.report.counts.CountDatabase.top", wait)
    handlers = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGALRM)
    with pytest.raises(SystemExit) as ended:
        main(["top", "status", "-q", "--format", "common", str(place / "log")])
    assert ended.value.code == 143
    assert terminated == [True]
    assert reported == [ValueError]
    assert handlers == (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGALRM))
    capfd.readouterr()


@on_linux
def test_sigterm_to_all_processes_gives_143(big: Path, place: Path) -> None:
    with Started(*LOGS, "-q", "--jobs", "2", "-o", str(place / "rows"), str(big)) as command:
        command.workers(big)
        os.killpg(command.process.pid, signal.SIGTERM)
        assert command.end() == (143, "")
    assert names(place) == ["log"]


# Exit statuses


@pytest.mark.usefixtures("place")
def test_the_exit_status_is_1_if_nothing_could_be_parsed(capfd: pytest.CaptureFixture[str]) -> None:
    Path("bad").write_bytes(b"nonsense\n" * 3)
    Path("empty").touch()
    for command in (["logs"], ["top", "status"], ["report"]):
        assert main([*command, "-q", "--format", "common", "bad"]) == 1
        assert main([*command, "-q", "--format", "common", "bad", "log"]) == 0
        assert main([*command, "-q", "--format", "common", "empty"]) == 0
    assert main(["split", "-q", "--rule", "URI", "bad"]) == 1
    assert main(["compose", "-q", "bad"]) == 1
    assert main(["logs", "-q", "--format", "common", "--limit", "3", "bad"]) == 1  # all too long
    Path("header").write_bytes(b"#Version: 1.0\n#Fields: date time\n")
    assert main(["logs", "-q", "--format", "w3c", "header"]) == 0  # a log without an entry
    capfd.readouterr()
