"""The commands that encode and decode texts."""

import os
from pathlib import Path
from urllib.parse import quote_from_bytes, unquote_to_bytes

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from tests.support import sizes
from tests.support.command import run_here
from urisect import percent
from urisect.cli import main
from urisect.cli.encode import COMPONENTS

any_bytes = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=sizes.choose(full=300, quick=50)
)
arguments = st.binary().filter(lambda text: b"\0" not in text)


def test_arguments_and_lines() -> None:
    assert run_here("encode", "a b&c", "", "50%") == (0, b"a%20b%26c\n\n50%25\n", "")
    assert run_here("encode", "--", "-x/y") == (0, b"-x%2Fy\n", "")
    assert run_here("decode", "caf%C3%A9", "%FF+%") == (0, b"caf\xc3\xa9\n\xff+%\n", "")
    for command, line, written in (("encode", b"a b", b"a%20b"), ("decode", b"a%20b", b"a b")):
        for texts in ((), ("-",)):
            assert run_here(command, *texts, stdin=line + b"\r\n\n" + line) == (
                0,
                written + b"\n\n" + written + b"\n",
                "",
            )


def test_an_argument_is_never_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a%20b").write_text("content")
    assert main(["encode", "a%20b"]) == main(["decode", "a%20b"]) == 0
    assert capfd.readouterr().out == "a%2520b\na b\n"


def test_a_line_end_in_an_argument_is_data() -> None:
    assert run_here("encode", "a\nb\r") == (0, b"a%0Ab%0D\n", "")
    assert run_here("decode", "a\n%41") == (0, b"a\nA\n", "")


@any_bytes
@given(text=arguments)
def test_encode_does_what_the_library_does(text: bytes, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    for component, name in COMPONENTS.items():
        assert main(["encode", "--component", component, "--", os.fsdecode(text), ""]) == 0
        found, empty, _ = capfdbinary.readouterr().out.split(b"\n")
        assert empty == b""
        expected = quote_from_bytes(text, safe="").encode() if component == "any" else percent.encode(text, name)
        assert found == expected


@any_bytes
@example(text=b"%0A%0d%250A%%0A%2%0a%C3%0A%A9")
@given(text=arguments)
def test_decode_keeps_line_ends_or_decodes_everything(text: bytes, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assume(b"\n" not in text)
    assert main(["decode", "--all", "--", os.fsdecode(text), ""]) == 0
    assert capfdbinary.readouterr().out == unquote_to_bytes(text) + b"\n\n"
    assert main(["decode", "--", os.fsdecode(text), ""]) == 0
    out, messages = capfdbinary.readouterr()
    kept = [*text.upper().split(b"%0A")]
    assert out.count(b"\n") == 2
    assert (b"kept" in messages) == (len(kept) > 1 or b"%0D" in text.upper())


def test_kept_line_ends_are_counted() -> None:
    message = "kept 2 escaped line ends (%0A, %0D); --all decodes them\n"
    assert run_here("decode", "a%0Ab%250a%0d") == (0, b"a%0Ab%0a%0d\n", message)
    assert run_here("decode", stdin=b"%0A\n%0d%C3%A9\n") == (0, b"%0A\n%0d\xc3\xa9\n", message)
    assert run_here("decode", "%0D")[2] == "kept 1 escaped line end (%0A, %0D); --all decodes them\n"
    assert run_here("decode", "--quiet", "%0A") == (0, b"%0A\n", "")
    assert run_here("decode", "--all", "a%0Ab") == (0, b"a\nb\n", "")
