"""The pager: when there is one, and what happens when the user quits it, or the command ends."""

import os
import pty
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import URISECT, read_terminal, without_speed
from tests.support.processes import until
from urisect.cli import pager
from urisect.cli.pager import open_pager, pager_command

PAGERS = [
    ({}, ["less", "-R"]),
    ({"PAGER": "less -S"}, ["less", "-S", "-R"]),
    ({"PAGER": "more"}, ["more"]),
    ({"PAGER": "'more'  -d"}, ["more", "-d"]),
    ({"PAGER": ""}, None),
    ({"PAGER": "cat"}, None),
    ({"PAGER": "no-such-pager -x"}, None),
    ({"PAGER": "'more"}, None),
    ({"TERM": "dumb"}, None),
]


@pytest.fixture
def on_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both standard streams seem to be terminals, and all pagers installed."""
    monkeypatch.setattr("os.isatty", lambda _: True)
    monkeypatch.setattr(pager, "which", lambda name: None if name.startswith("no-") else f"/bin/{name}")
    monkeypatch.delenv("PAGER", raising=False)
    monkeypatch.setenv("TERM", "xterm")


@pytest.mark.usefixtures("on_terminal")
@pytest.mark.parametrize(("variables", "command"), PAGERS, ids=str)
def test_the_command(variables: dict[str, str], command: list[str] | None, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert pager_command() == command


@pytest.mark.usefixtures("on_terminal")
@pytest.mark.parametrize("descriptor", [0, 1])
def test_no_pager_without_a_terminal(descriptor: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.isatty", lambda each: each != descriptor)
    assert pager_command() is None
    with open_pager() as opened:
        assert opened == 1


@pytest.mark.usefixtures("on_terminal")
def test_messages_follow_what_is_paged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PAGER", f"tee {shlex.quote(str(tmp_path / 'paged'))}")
    with open_pager() as descriptor:
        print("message", file=sys.stderr)
        os.write(descriptor, b"text\n")
        assert capfd.readouterr().err == ""
    assert capfd.readouterr() == ("text\n", "message\n")
    assert (tmp_path / "paged").read_text() == "text\n"


@pytest.mark.usefixtures("on_terminal")
@pytest.mark.parametrize("name", ["LESS", "LV"])
def test_the_options_of_the_user_win(name: str, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    for each in ("LESS", "LV"):
        monkeypatch.delenv(each, raising=False)
    monkeypatch.setenv(name, "own")
    monkeypatch.setenv("PAGER", f"sh -c {shlex.quote('cat; echo $LESS $LV')}")
    with open_pager():
        pass
    assert capfd.readouterr().out == {"LESS": "own -c\n", "LV": "FRSX own\n"}[name]


class FakePager:
    """A pager whose user interrupts, or that is terminated while the command waits for it."""

    def __init__(self, *errors: type[BaseException] | BaseException) -> None:
        self.stdin = open(os.devnull, "wb")  # noqa: SIM115  the command closes it
        self.errors = list(errors)
        self.events: list[str] = []

    def wait(self, timeout: float) -> None:
        assert 0 < timeout < 5  # a signal may come just before the call, which it does not interrupt then
        self.events.append("wait")
        if self.errors:
            raise self.errors.pop(0)

    def terminate(self) -> None:
        self.events.append("terminate")


def raise_error(error: type[BaseException]) -> None:
    raise error


@pytest.mark.usefixtures("on_terminal")
@pytest.mark.parametrize(
    ("action", "errors", "raised", "events"),
    [
        (int, [KeyboardInterrupt], None, ["wait", "wait"]),
        (int, [subprocess.TimeoutExpired("less", 1)], None, ["wait", "wait"]),
        (int, [SystemExit], SystemExit, ["wait", "terminate"]),
        (lambda: raise_error(KeyboardInterrupt), [], KeyboardInterrupt, ["wait"]),
        (lambda: raise_error(SystemExit), [], SystemExit, ["terminate", "wait"]),
    ],
)
def test_the_command_waits_for_the_user_unless_it_is_terminated(
    action: Callable[[], object],
    errors: list[type[BaseException] | BaseException],
    raised: type[BaseException] | None,
    events: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake = FakePager(*errors)
    monkeypatch.setattr(pager, "Popen", lambda *_, **__: fake)

    def run() -> None:
        with open_pager():
            action()

    if raised:
        with pytest.raises(raised):
            run()
    else:
        run()
    assert fake.events == events
    assert fake.stdin.closed


def in_pager(command: str, *arguments: str, variables: dict[str, str] | None = None) -> tuple[int, str, str]:
    """Run the command on a terminal with a pager, and return its status, what the terminal was sent, and messages."""
    parent, child = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100", "NO_COLOR": "1", "PAGER": command}
    with subprocess.Popen(
        [*URISECT, *arguments],
        stdin=child,
        stdout=child,
        stderr=subprocess.PIPE,
        text=True,
        env=environment | (variables or {}),
    ) as process:
        os.close(child)
        sent = read_terminal(parent)
        _, messages = process.communicate()
    return process.returncode, sent.decode().replace("\r\n", "\n"), messages


@pytest.mark.unmeasured
def test_rows_go_to_the_pager(log: Path) -> None:
    status, sent, messages = in_pager("sed s/^/PAGED:/", "logs", f"{log}.none/b", str(log), "--format", "combined")
    assert status == 2
    assert all(line.startswith("PAGED:") for line in sent.splitlines())
    assert sent.startswith("PAGED:client ")
    first, second, _ = without_speed(messages).splitlines()
    assert first.endswith("No such file or directory")
    assert second.startswith("2,000 lines read (")


@pytest.mark.unmeasured
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_quitting_the_pager_ends_the_scan_quietly(big: Path, jobs: str) -> None:
    status, sent, messages = in_pager("head -n 1", "logs", str(big), "--jobs", jobs)
    assert (status, messages) == (0, "")
    assert len(sent.splitlines()) == 1


@pytest.mark.unmeasured
def test_other_rows_and_standard_input_are_not_paged(log: Path) -> None:
    for arguments in (("--to", "tsv", str(log)), ("-o", "/dev/stdout", str(log)), (str(log), "-", "--limit", "1")):
        with open(log, "rb") as stream:
            parent, child = pty.openpty()
            stdin = stream if "-" in arguments else child
            with subprocess.Popen(
                [*URISECT, "logs", "--format", "combined", "-q", *arguments],
                stdin=stdin,
                stdout=child,
                env={**os.environ, "PAGER": "sed s/^/PAGED:/"},
            ) as process:
                os.close(child)
                sent = read_terminal(parent)
            assert process.returncode in {0, 1}
            assert b"PAGED:" not in sent


@pytest.mark.unmeasured
def test_sigterm_ends_the_pager(log: Path, tmp_path: Path) -> None:
    shown = tmp_path / "shown"
    parent, child = pty.openpty()
    script = f"cat > /dev/null; echo $$ > {shlex.quote(str(shown))}; exec sleep 60"
    with subprocess.Popen(
        [*URISECT, "logs", str(log)],
        stdin=child,
        stdout=child,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TERM": "xterm", "PAGER": f"sh -c {shlex.quote(script)}"},
    ) as process:
        os.close(child)
        until(lambda: shown.exists() and shown.read_text().strip())
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 143
    os.close(parent)

    def is_gone() -> bool:
        try:
            os.kill(int(shown.read_text()), 0)
        except ProcessLookupError:
            return True
        return False

    assert until(is_gone)
