"""References as arguments of commands that read references on lines."""

import json
import os
import shlex
import subprocess
from codecs import BOM_UTF8
from copy import copy
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.support import sizes
from tests.support.command import run_here
from urisect.cli import main
from urisect.logs.input.files import TextInput
from urisect.reference import split

URI = "HTTP://u@h/%7e?a#b"

# Commands with what they write for this URI.
COMMANDS = {
    "split": (["split", "--fields", "host,path"], b"h\t/%7e\n"),
    "check": (["check", "--rule", "absolute-URI"], b"<argument 1>:1:17: fragment: "),
    "normalize": (["normalize"], b"http://u@h/~?a#b\n"),
    "resolve": (["resolve", "http://a/"], b"HTTP://u@h/%7e?a#b\n"),
    "explain": (["explain"], b"reference    HTTP://u@h/%7e?a#b\nscheme       HTTP\n"),
    "hazards": (["hazards", "--only", "userinfo"], b"<argument 1>:1:8: userinfo: "),
    "repair": (["repair"], b"HTTP://u@h/%7e?a#b\n"),
    "get": (["get", "{user}@{host}"], b"u@h\n"),
    "set": (["set", "--host", "x"], b"HTTP://u@x/%7e?a#b\n"),
    "key": (["key"], b"http://u@h/~?a\n"),
    "surt": (["surt"], b"h)/"),
    "site": (["site"], b"\n"),
    "dedupe": (["dedupe"], b"HTTP://u@h/%7e?a#b\n"),
}
every_command = pytest.mark.parametrize("command", COMMANDS)


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@every_command
def test_an_argument_with_a_scheme_is_a_reference(command: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    arguments, written = COMMANDS[command]
    assert main([*arguments, URI]) in (0, 1)
    assert capfdbinary.readouterr().out.startswith(written)


@every_command
def test_a_relative_reference_is_a_missing_file_with_advice(command: str, capfd: pytest.CaptureFixture[str]) -> None:
    arguments, _ = COMMANDS[command]
    assert main([*arguments, "a b", "/c"]) == 2
    messages = capfd.readouterr().err.splitlines()
    assert {f"urisect: {name}: No such file or directory" for name in ("a b", "/c")} <= {*messages}
    *_, advice = messages
    assert advice == f"urisect: to pass a relative reference, pipe it: printf '%s\\n' 'a b' | urisect {command}"
    assert main([*arguments, "a b", "--quiet"]) == 2
    assert capfd.readouterr().err == "urisect: a b: No such file or directory\n"


def test_a_host_without_a_scheme_gets_its_uri_as_advice(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "example.com/a"]) == 2
    *_, advice = capfd.readouterr().err.splitlines()
    assert advice.startswith(
        "urisect: to pass a URI, write its scheme, as in http://example.com/a; to pass a relative "
    )


def test_the_advice_can_be_followed(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["get", "{path}", "it's"]) == 2
    *_, advice = capfd.readouterr().err.splitlines()
    command, _, _ = advice.partition("pipe it: ")[2].partition(" | ")
    assert subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=True).stdout == b"it's\n"
    assert shlex.split(command)[-1] == "it's"


@every_command
def test_a_line_end_in_an_argument_is_a_usage_error(command: str, capfd: pytest.CaptureFixture[str]) -> None:
    arguments, _ = COMMANDS[command]
    assert main([*arguments, "http://a/\nhttp://b/"]) == 2
    assert "contains a line end; a reference is one line." in " ".join(capfd.readouterr().err.split())


def test_files_references_and_standard_input_are_read_in_order(directory: Path) -> None:
    (directory / "list").write_bytes(b"x:1\nx:2\n")
    (directory / "x:file").write_bytes(b"x:3\n")
    for arguments in (["normalize"], ["split", "--fields", "reference"], ["get", "{reference}"]):
        found = run_here(*arguments, "x:0", "list", "x:file", "-", "x:5", stdin=b"x:4\n")
        assert found == (0, b"".join(b"x:%d\n" % number for number in range(6)), "")


def test_an_argument_is_named_by_its_position(directory: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (directory / "list").write_bytes(b"a\n")
    arguments = ["list", "x:%", "x:y", "x:a b"]
    assert main(["check", "--quiet", *arguments]) == 1
    assert [line.partition(" path")[0] for line in capfd.readouterr().out.splitlines()] == [
        "<argument 2>:1:4:",
        "<argument 4>:1:4:",
    ]
    assert main(["check", "--quiet", "--to", "ndjson", *arguments]) == 1
    found = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [(one["file"], one["line"], one["offset"], one["reference"]) for one in found] == [
        ("<argument 2>", 1, 0, "x:%"),
        ("<argument 4>", 1, 0, "x:a b"),
    ]
    assert main(["split", "--quiet", "--strict", "--rejects", "rejects", *arguments]) == 0
    assert (directory / "rejects").read_text() == "<argument 2>\t1\t0\tx:%\n<argument 4>\t1\t0\tx:a b\n"


def test_an_argument_over_the_limit_is_skipped() -> None:
    assert run_here("normalize", "--limit", "3", "x:1", "x:12", "x:3") == (
        0,
        b"x:1\n\nx:3\n",
        "3 lines read: 1 skipped\n",
    )
    assert run_here("split", "--limit", "3", "--fields", "path", "x:1", "x:12")[:2] == (0, b"1\n")


def test_a_byte_order_mark_and_magic_bytes_are_data_in_an_argument(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    for argument in (BOM_UTF8 + b"a:b", b"BZh91AY&SY:b", b"\x1f\x8b\x08:"):
        for command in (["repair"], ["split", "--fields", "reference"], ["normalize"]):
            assert main([*command, os.fsdecode(argument)]) == 0
            assert capfdbinary.readouterr().out.endswith(argument.partition(b":")[2] + b"\n")
        assert main(["get", "{reference}", os.fsdecode(argument)]) == 0
        assert capfdbinary.readouterr().out == argument + b"\n"
    assert main(["check", "\ufeffa:b"]) == 1
    assert b"<argument 1>:1:1: scheme: U+FEFF" in capfdbinary.readouterr().out


def test_a_name_of_remote_storage_is_a_reference_and_is_not_read() -> None:
    for uri in ("https://nowhere.invalid/list.gz", "s3://bucket/*.gz?region=x"):
        assert run_here("split", "--fields", "reference", uri) == (0, uri.encode() + b"\n", "")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=sizes.choose(full=500, quick=60))
@given(data=st.binary())
def test_an_argument_holds_any_bytes(data: bytes, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    argument = os.fsdecode(b"x:" + data)
    assume(not {"\n", "\0"} & {*argument} and split(argument).scheme is not None)
    for command in (["get", "{reference}"], ["split", "--fields", "reference", "--to", "ndjson"]):
        assert main([*command, argument]) == 0
        written = capfdbinary.readouterr().out
        text = json.loads(written)["reference"] if command[0] == "split" else os.fsdecode(written[:-1])
        assert os.fsencode(text) == b"x:" + data


def test_the_name_of_a_text_can_be_copied() -> None:
    name = copy(TextInput("<argument 1>", b"x:"))
    assert (name, name.content) == ("<argument 1>", b"x:")
