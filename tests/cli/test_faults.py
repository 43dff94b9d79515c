"""Faults of files, disks and processes while logs are read and rows are written."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Thread

import pyarrow.parquet as pq
import pytest

from tests.support import naive
from tests.support.command import LOG, URISECT, on_a_terminal, run_here, without_speed
from tests.support.compressed import PACKED
from tests.support.processes import AT_ONCE, LOGS, OUTPUTS, Started, children, names, on_linux, reads, until
from urisect.cli import main
from urisect.logs import WorkerError

every_output = pytest.mark.parametrize("options", OUTPUTS.values(), ids=OUTPUTS)


@cache
def rows_of_log() -> bytes:
    return run_here(*LOGS, "-q", stdin=LOG)[1]


def counts(messages: str) -> tuple[int, int, int, int]:
    """How many lines were read, parsed, rejected and skipped."""
    summary = r"^([\d,]+) lines? read(?: \(.*\))?: ([\d,]+) parsed, ([\d,]+) rejected(?:, ([\d,]+) skipped)?$"
    found = re.search(summary, messages, re.MULTILINE)
    assert found
    read, parsed, rejected, skipped = (int((number or "0").replace(",", "")) for number in found.groups())
    return read, parsed, rejected, skipped


# Damaged input


@pytest.mark.unmeasured
@pytest.mark.parametrize("name", PACKED)
@pytest.mark.parametrize("is_cut", [True, False], ids=["cut", "corrupted"])
def test_a_damaged_file_keeps_its_good_lines_and_the_next_is_read(
    tmp_path: Path,
    log: Path,
    name: str,
    is_cut: bool,  # noqa: FBT001
) -> None:
    data = LOG * 3
    packed = PACKED[name](data)
    middle = len(packed) * 2 // 3
    damaged = tmp_path / "damaged"
    damaged.write_bytes(packed[:middle] if is_cut else packed[:middle] + b"damage" + packed[middle + 6 :])
    status, output, messages = run_here(*LOGS, str(damaged), str(log))
    rest = rows_of_log()
    whole = rest * 3
    assert status == 2
    assert output.endswith(rest)
    good = output.removesuffix(rest).splitlines()
    assert len(good) > (500 if name != "bzip2" else -1)  # a block of bzip2 is had whole, or not at all
    common = [line for line, expected in zip(good, whole.splitlines(), strict=False) if line == expected]
    assert len(common) >= len(good) - 50  # what is corrupted may be read before it is known to be
    assert re.match(rf"urisect: {re.escape(str(damaged))}: .+\n", messages)
    read, parsed, rejected, skipped = counts(messages)
    assert read == parsed + rejected + skipped
    assert parsed == output.count(b"\n")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_lines_that_are_too_long_are_skipped_and_counted(tmp_path: Path, jobs: str) -> None:
    lines = LOG.splitlines(keepends=True)
    lines[100] = b"x" * 70_000 + b"\n"
    lines[1000] = b"\0" * 3_000_000 + b"\r\n"
    path = tmp_path / "log"
    path.write_bytes(b"".join(lines))
    limit = 1000
    status, output, messages = run_here(*LOGS, "--limit", str(limit), "--jobs", jobs, str(path))
    read, parsed, rejected, skipped = counts(messages)
    assert (status, read, skipped) == (
        0,
        2000,
        2 + sum(len(line) > limit + 1 or not line.strip() for line in LOG.splitlines(keepends=True)),
    )
    assert (read, parsed) == (parsed + rejected + skipped, output.count(b"\n"))
    blank = sum(not line.strip() for line in LOG.splitlines())
    assert counts(run_here(*LOGS, "--jobs", jobs, str(path))[2])[3] == 1 + blank


GOOD = LOG.splitlines()[0]

# Unusual bytes, and how many of their lines are log lines.
ODD = {
    "none": (b"", 0),
    "no end": (GOOD, 1),
    "half a line": (GOOD + b"\n" + GOOD[:50], 1),
    "signature": (b"\xef\xbb\xbf" + GOOD + b"\n\xef\xbb\xbf" + GOOD + b"\n", 2),
    "ends as on other systems": (GOOD + b"\r\n" + GOOD + b"\r\n", 2),
    "lone returns": (GOOD + b"\r" + GOOD + b"\n" + GOOD + b"\r\r\n\r", 0),
    "empty lines": (b"\n\r\n" + GOOD + b"\n\n", 1),
    "NULs": (b"\0\n" + GOOD + b"\n" + b"\0" * 5000 + b"\n" + GOOD.replace(b"GET /", b"GET /\0") + b"\n\0", 2),
    "no UTF-8": (GOOD.replace(b"GET /", b"GET /\xff\xfe\x80\xc3") + b"\n\xff\xfe\n\xc3\n" + GOOD + b"\n", 2),
    "UTF-16": (GOOD.decode().encode("utf-16"), 0),
    "no text": (bytes(range(256)) * 50, 0),
    "other ends of lines": (GOOD + b"\x0b" + GOOD + b"\x0c\xc2\x85\xe2\x80\xa8\n", 0),
}


@pytest.mark.unmeasured
@pytest.mark.parametrize(("data", "parsed"), ODD.values(), ids=ODD)
def test_odd_bytes_are_accounted_for(tmp_path: Path, data: bytes, parsed: int) -> None:
    path, rows, rejects = tmp_path / "log", tmp_path / "rows", tmp_path / "rejects"
    path.write_bytes(data)
    status, _, messages = run_here(*LOGS, str(path), "-o", str(rows), "--rejects", str(rejects))
    lines = naive.lines(data)
    blank = sum(map(naive.is_blank, lines))
    assert counts(messages) == (len(lines), parsed, len(lines) - parsed - blank, blank)
    assert status == (1 if lines and not parsed else 0)
    assert rows.read_bytes().count(b"\n") == parsed
    kept = [line.split(b"\t", 3) for line in rejects.read_bytes().split(b"\n")[:-1]]
    assert len(kept) == len(lines) - parsed - blank
    for _, number, offset, text in kept:
        assert lines[int(number) - 1] == text
        assert data[int(offset) :].startswith(text)


# Full disks

SCRIPT = """
mount -t tmpfs -o size=256k none "$PLACE" || exit 77
echo old >"$PLACE/rows"
"$@"
echo "status $?"
ls -A "$PLACE"
cat "$PLACE/rows"
"""


def in_a_small_place(place: Path, *command: str, **variables: str) -> tuple[int, list[str], str]:
    """Run a command with a small disk mounted on a directory; return its status, the files there, and its messages."""
    unshare = shutil.which("unshare")
    if not unshare:
        pytest.skip("unshare, which mounts a small disk, is missing")
    alone = [unshare, "--mount", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"])]
    done = subprocess.run(
        [*alone, "sh", "-c", SCRIPT, "sh", *command],
        env={**os.environ, "PLACE": str(place), **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    if done.returncode == 77 or "unshare:" in done.stderr:
        pytest.skip("no disk can be mounted here")
    found = re.fullmatch(r"status (\d+)\n(.*)old\n", done.stdout, re.DOTALL)
    assert found, done
    return int(found[1]), found[2].split(), done.stderr


@every_output
def test_on_a_full_disk_nothing_is_left_behind(big: Path, place: Path, options: tuple[str, ...]) -> None:
    arguments = (*LOGS, "-q", "--jobs", "1", *options, "-o")
    status, there, messages = in_a_small_place(place, *URISECT, *arguments, str(place / "new"), str(big))
    assert (status, there) == (2, ["rows"])
    assert re.fullmatch(rf"urisect: {place}/new: .*No space left on device\n", messages)


@pytest.mark.parametrize("options", [OUTPUTS[name] for name in ("tsv", "parquet")])
def test_on_a_full_disk_an_old_file_stays(big: Path, place: Path, options: tuple[str, ...]) -> None:
    arguments = (*LOGS, "-q", "--jobs", "1", *options, "-o")
    status, there, messages = in_a_small_place(place, *URISECT, *arguments, str(place / "rows"), str(big))
    assert (status, there, messages) == (2, ["rows"], f"urisect: {place}/rows: No space left on device\n")


def test_on_a_full_disk_no_rejects_are_left_behind(big: Path, place: Path) -> None:
    arguments = ("logs", "--format", "common", "-q", "--jobs", "1", "-o", str(place / "rejected"), "--rejects")
    status, there, messages = in_a_small_place(place, *URISECT, *arguments, str(place / "new"), str(big))
    assert (status, there, messages) == (2, ["rows"], f"urisect: {place}/new: No space left on device\n")


@pytest.mark.parametrize("options", [OUTPUTS[name] for name in ("tsv", "days")])
def test_a_full_temporary_directory_is_reported(
    big: Path, place: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    arguments = (*LOGS, "-q", "--jobs", "2", *options, "-o", str(tmp_path / "rows"), str(big))
    status, there, messages = in_a_small_place(place, *URISECT, *arguments, TMPDIR=str(place))
    assert (status, there) == (2, ["rows"])
    assert re.fullmatch(r"urisect: .*: No space left on device; .*TMPDIR.* --jobs 1 .*\n", messages)
    assert names(tmp_path) == ["place"]


# `dedupe` with a cache so small that a short list does not fit.
DEDUPE = (
    "import sys; from urisect.cli import main, seen_keys; seen_keys.CACHE_KIBIBYTES = 64\n"
    "sys.exit(main(['dedupe', *sys.argv[1:]]))"
)


def test_a_full_disk_for_keys_is_reported(place: Path, tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_bytes(b"".join(b"http://example.com/%d\n" % number for number in range(20_000)))
    command = [sys.executable, "-c", DEDUPE, str(path), "/dev/null"]
    status, there, messages = in_a_small_place(
        place, "sh", "-c", 'exec "$@" >/dev/null', "sh", *command, TMPDIR=str(place)
    )
    assert (status, there) == (2, ["rows"])
    assert re.fullmatch(r"urisect: keys cannot be stored in a temporary file: .* full; set TMPDIR to .*\n", messages)


# Killed and interrupted processes


def has_ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


KILLED = f"urisect: {str(WorkerError()).replace('jobs=1', '--jobs 1')}\n"


@pytest.mark.unmeasured
@on_linux
@pytest.mark.parametrize("options", [OUTPUTS[name] for name in ("tsv", "parquet", "days")])
def test_a_killed_worker_ends_the_command(big: Path, place: Path, temporary: Path, options: tuple[str, ...]) -> None:
    (place / "old").touch()
    with Started(*LOGS, "-q", "--jobs", "2", *options, "-o", str(place / "rows"), str(big)) as command:
        workers = command.workers(big, stopped=True)
        os.kill(workers[0], signal.SIGKILL)
        assert command.end() == (2, KILLED)
    assert (names(place), names(temporary)) == (["old"], [])
    until(lambda: all(map(has_ended, workers)))


@on_linux
@pytest.mark.usefixtures("temporary")
def test_workers_end_with_their_parent(big: Path, place: Path) -> None:
    with Started(*LOGS, "-q", "--jobs", "2", "-o", str(place / "rows"), str(big)) as command:
        workers = command.workers(big)
        command.process.kill()
        assert command.process.wait() == -signal.SIGKILL
        try:
            until(lambda: all(map(has_ended, workers)), 10)
        finally:
            for worker in workers:
                with suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGKILL)
    assert [name for name in names(place) if not re.fullmatch(r"\.rows\.\w{8}\.part", name)] == []


ENDS = {signal.SIGINT: (130, "\n"), signal.SIGTERM: (143, "")}


@on_linux
@pytest.mark.parametrize(
    ("number", "options"),
    [(signal.SIGINT, OUTPUTS["tsv"]), (signal.SIGTERM, OUTPUTS["tsv"]), (signal.SIGINT, OUTPUTS["days"])],
)
def test_a_signal_ends_the_work_and_leaves_nothing_behind(
    big: Path, place: Path, temporary: Path, number: signal.Signals, options: tuple[str, ...]
) -> None:
    with Started(*LOGS, "-q", "--jobs", "2", *options, "-o", str(place / "rows"), str(big)) as command:
        workers = command.workers(big)
        command.process.send_signal(number)
        assert command.end() == ENDS[number]
    assert (names(place), names(temporary)) == ([], [])
    until(lambda: all(map(has_ended, workers)))


def ignores_interrupts(pid: int) -> bool:
    try:
        ignored = Path(f"/proc/{pid}/status").read_text().partition("SigIgn:")[2].split()[0]
    except FileNotFoundError:
        return False
    return bool(int(ignored, 16) >> (signal.SIGINT - 1) & 1)


# How far the workers have come when the terminal interrupts all processes.
STAGES: dict[str, Callable[[list[int], Path, Path], bool]] = {
    "started": lambda _workers, _log, _temporary: True,
    "ready": lambda workers, _log, _temporary: all(map(ignores_interrupts, workers)),
    "reading": lambda workers, log, _temporary: any(reads(worker, log) for worker in workers),
    "finished a piece": lambda _workers, _log, temporary: any(temporary.glob("*/tmp*")),
}


@on_linux
@pytest.mark.parametrize("stage", STAGES)
def test_an_interrupt_of_all_processes_is_answered_by_one(big: Path, place: Path, temporary: Path, stage: str) -> None:
    with Started(*LOGS, "-q", "--jobs", "2", "-o", str(place / "rows"), str(big), command=AT_ONCE) as command:
        workers = until(lambda: children(command.process.pid))
        until(lambda: STAGES[stage](workers, big, temporary))
        os.killpg(command.process.pid, signal.SIGINT)
        assert command.end() == (130, "\n")
    assert (names(place), names(temporary)) == ([], [])
    until(lambda: all(map(has_ended, workers)))


@pytest.mark.unmeasured
@pytest.mark.parametrize("options", [OUTPUTS[name] for name in ("tsv", "ndjson", "parquet", "arrow")])
def test_a_pipe_that_is_closed_ends_the_work_quietly(log: Path, temporary: Path, options: tuple[str, ...]) -> None:
    log.write_bytes(LOG * 20)
    with Started(*LOGS, "-q", "--jobs", "2", *options, str(log), command=AT_ONCE) as command:
        assert command.process.stdout
        assert command.process.stdout.read(4)
        command.process.stdout.close()
        assert command.process.wait(30) == 0
        assert command.process.stderr
        assert command.process.stderr.read() == b""
    assert names(temporary) == []


@pytest.mark.unmeasured
def test_head_gets_its_line(log: Path) -> None:
    log.write_bytes(LOG * 20)
    for to in ("tsv", "ndjson"):
        line = run_here(*LOGS, "-q", "--to", to, str(log))[1].split(b"\n")[0]
        command = " ".join(f"'{argument}'" for argument in [*AT_ONCE, *LOGS, "-q", "--jobs", "2", "--to", to, str(log)])
        done = subprocess.run(["/bin/sh", "-c", f"{command} | head -1"], capture_output=True, check=True)
        assert (done.stdout, done.stderr) == (line + b"\n", b"")


# Places that exist already, or cannot be written


@pytest.mark.parametrize("options", [OUTPUTS[name] for name in ("tsv", "ndjson", "parquet", "arrow")])
def test_devices_are_written_in_place(log: Path, options: tuple[str, ...]) -> None:
    status, output, messages = run_here(*LOGS, "-q", *options, "-o", "/dev/full", str(log))
    assert (status, output, messages) == (2, b"", "urisect: /dev/full: No space left on device\n")
    assert run_here(*LOGS, "-q", *options, "-o", os.devnull, "--rejects", os.devnull, str(log)) == (0, b"", "")
    assert Path(os.devnull).is_char_device()


def test_a_named_pipe_is_written_in_place(log: Path, place: Path) -> None:
    expected = rows_of_log()
    os.mkfifo(place / "pipe")
    read: list[bytes] = []
    reader = Thread(target=lambda: read.append((place / "pipe").read_bytes()))
    reader.start()
    assert run_here(*LOGS, "-q", "-o", str(place / "pipe"), str(log)) == (0, b"", "")
    reader.join()
    assert (read, names(place)) == ([expected], ["pipe"])
    assert (place / "pipe").is_fifo()


def test_an_old_file_is_replaced_atomically_and_keeps_its_mode(log: Path, place: Path) -> None:
    expected = rows_of_log()
    old, link = place / "rows", place / "link"
    old.write_bytes(b"old")
    old.chmod(0o604)
    link.hardlink_to(old)
    assert run_here(*LOGS, "-q", "-o", str(old), str(log)) == (0, b"", "")
    assert (old.read_bytes(), link.read_bytes()) == (expected, b"old")
    assert old.stat().st_mode & 0o777 == 0o604
    new = place / "new"
    assert run_here(*LOGS, "-q", "-o", str(new), str(log))[0] == 0
    umask = os.umask(0)
    os.umask(umask)
    assert new.stat().st_mode & 0o777 == 0o666 & ~umask
    assert names(place) == ["link", "new", "rows"]


@pytest.mark.parametrize("is_there", [True, False])
def test_a_link_is_followed(log: Path, place: Path, tmp_path: Path, is_there: bool) -> None:  # noqa: FBT001
    link, file = place / "link", tmp_path / "file"
    link.symlink_to("../file")
    if is_there:
        file.touch()
    assert run_here(*LOGS, "-q", "-o", str(link), str(log)) == (0, b"", "")
    assert link.is_symlink()
    assert file.read_bytes() == rows_of_log()
    assert names(place) == ["link"]


@every_output
def test_a_missing_directory_is_reported(log: Path, place: Path, options: tuple[str, ...]) -> None:
    path = place / "no" / "rows"
    messages = f"urisect: {path}: No such file or directory\n"
    assert run_here(*LOGS, "-q", *options, "-o", str(path), str(log)) == (2, b"", messages)
    assert names(place) == []


def test_a_directory_is_not_replaced_by_a_file(log: Path, place: Path) -> None:
    status, _, messages = run_here(*LOGS, "-q", "-o", str(place), str(log))
    assert (status, messages) == (2, f"urisect: {place}: Is a directory\n")
    assert names(place) == []


@pytest.mark.unmeasured
def test_an_input_file_is_not_overwritten(log: Path, place: Path) -> None:
    link, hardlink = place / "link", place / "hardlink"
    link.symlink_to(log)
    hardlink.hardlink_to(log)
    directory = str(log.parent)
    for option in ("-o", "--rejects"):
        for path in (log, link, hardlink, log.parent / "." / log.name):
            status, output, messages = run_here(*LOGS, "-q", option, str(path), directory)
            assert (status, output) == (2, b"")
            assert f"{str(path)!r} is one of the files to read." in " ".join(messages.split())
    assert log.read_bytes() == LOG
    assert names(place) == ["hardlink", "link"]


def test_rows_and_rejects_are_not_written_to_one_file(log: Path, place: Path) -> None:
    both = ("-o", str(place / "one"), "--rejects", f"{place}/./one")
    status, output, messages = run_here(*LOGS, "-q", *both, str(log))
    assert (status, output) == (2, b"")
    assert "--output and --rejects name the same file." in messages
    assert names(place) == []


def test_files_per_day_need_a_new_or_empty_directory(log: Path, place: Path, tmp_path: Path) -> None:
    arguments = (*LOGS, "-q", *OUTPUTS["days"], str(log), "-o")
    (tmp_path / "file").touch()
    for path in (tmp_path, tmp_path / "file"):
        status, output, messages = run_here(*arguments, str(path))
        assert (status, output) == (2, b"")
        assert messages == f"urisect: {path}: this exists and is not empty; name a new directory\n"
    assert run_here(*arguments, str(place)) == (0, b"", "")
    assert all(re.fullmatch(r"day=2024-03-\d\d", name) for name in names(place))
    assert run_here(*arguments, str(place))[0] == 2
    assert sum(pq.read_table(day).num_rows for day in place.iterdir()) == rows_of_log().count(b"\n")


@on_linux
def test_files_per_day_do_not_replace_a_directory_that_was_filled_meanwhile(place: Path, tmp_path: Path) -> None:
    pipe, days = tmp_path / "pipe", place / "days"
    os.mkfifo(pipe)
    with Started(*LOGS, "-q", *OUTPUTS["days"], "-o", str(days), str(pipe)) as command:
        with pipe.open("wb") as writer:
            writer.write(LOG)
            until(lambda: names(place))
            days.mkdir()
            (days / "other").touch()
        assert command.end() == (2, f"urisect: {days}: Directory not empty\n")
    assert (names(place), names(days)) == (["days"], ["other"])


@pytest.mark.parametrize("options", [("--by-day",), (*OUTPUTS["days"], "--fields", "status"), ("--by-day", "-o", "x")])
def test_files_per_day_need_parquet_an_output_and_a_time(log: Path, options: tuple[str, ...]) -> None:
    status, output, messages = run_here(*LOGS, *options, str(log))
    assert (status, output) == (2, b"")
    assert "--by-day needs --to parquet, -o with a new directory, and the field time." in " ".join(messages.split())


def test_an_unreadable_file_leaves_complete_rows_of_the_others(log: Path, place: Path) -> None:
    for name, options in OUTPUTS.items():
        path = place / name
        status, _, messages = run_here(*LOGS, "-q", *options, "-o", str(path), str(place / "missing"), str(log))
        assert (status, messages) == (2, f"urisect: {place}/missing: No such file or directory\n")
    assert names(place) == sorted(OUTPUTS)
    assert (place / "tsv").read_bytes() == rows_of_log()


def test_closed_standard_streams_are_reported(log: Path, place: Path) -> None:
    for redirection, name in ((">&-", "standard output"), ("<&-", "standard input")):
        command = ["sh", "-c", f'exec "$@" {redirection}', "sh", *URISECT, *LOGS, "-q"]
        done = subprocess.run(
            [*command, "-" if name == "standard input" else str(log)], capture_output=True, check=False
        )
        assert (done.returncode, done.stderr.decode()) == (2, f"urisect: {name}: Bad file descriptor\n")
    done = subprocess.run([*command, "-o", str(place / "rows"), "-"], capture_output=True, check=False)
    assert done.returncode == 2
    assert names(place) == []


def test_nothing_acts_on_a_terminal(log: Path) -> None:
    log.write_bytes(GOOD.replace(b"GET /", b"GET /\x1b[31m\xff"))
    sent = on_a_terminal(*LOGS, "--fields", "target", "--to", "tsv", str(log))
    assert sent == rb"/\x1b[31m\xff" + GOOD.split()[6][1:] + b"\r\n"


@pytest.mark.parametrize("to", ["parquet", "arrow"])
def test_parquet_and_arrow_are_not_written_to_a_terminal(log: Path, to: str) -> None:
    assert on_a_terminal(*LOGS, "--to", to, str(log), status=2) == b""
    assert on_a_terminal(*LOGS, "--to", to, str(log), "-o", os.devnull) == b""


def test_progress_is_shown_for_a_pipe_which_is_read_to_its_end(tmp_path: Path) -> None:
    pipe, rows = tmp_path / "pipe", tmp_path / "rows"
    os.mkfifo(pipe)
    writer = Thread(target=pipe.write_bytes, args=(LOG * 10,))
    writer.start()
    sent = on_a_terminal(*LOGS, "-o", str(rows), str(pipe), fd=2)
    writer.join()
    assert b"Illegal seek" not in sent
    summary = sent[sent.index(b"20,000 lines read") :].decode().replace("\r\n", "\n")
    assert counts(without_speed(summary))[0] == 20_000
    assert rows.read_bytes() == rows_of_log() * 10


def test_an_unknown_field_is_reported_before_anything_is_written(log: Path, place: Path) -> None:
    status, _, messages = run_here(*LOGS, "--fields", "status, nothing", str(log), "-o", str(place / "rows"))
    assert (status, names(place)) == (2, [])
    assert "Invalid value for '--fields': no field is called 'nothing'; there are client, identity" in messages


def test_the_command_runs_in_a_thread_and_leaves_signals_alone(log: Path, place: Path) -> None:
    before = signal.getsignal(signal.SIGTERM)
    arguments = [*LOGS, "-q", str(log), "-o"]
    thread = Thread(target=main, args=([*arguments, str(place / "1")],))
    thread.start()
    thread.join()
    assert main([*arguments, str(place / "2")]) == 0
    assert (place / "1").read_bytes() == (place / "2").read_bytes() != b""
    assert signal.getsignal(signal.SIGTERM) == before
