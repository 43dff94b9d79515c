"""The explanation why no format matches: the nearest one, and where it stops matching."""

import sys

import pytest

from tests.support import sizes
from urisect.logs import ALB, COMBINED, COMMON, FORMATS, LIST, SQUID, W3C
from urisect.logs.formats.envelopes import find_envelope
from urisect.logs.input.detection import UnknownFormatError, detect
from urisect.logs.input.mismatch import explain_mismatch

LINE = COMBINED.sample.splitlines()[0]


def nearest(line: bytes) -> tuple[str, bytes]:
    """Return the nearest format, and the text that it matches, to 8 bytes; empty if none is near."""
    text = explain_mismatch(line, FORMATS.values())
    if "The nearest format is" not in text:
        return "", b""
    _, _, explanation, part, mark, _ = text.split("\n")
    column = len(mark) - 1
    return explanation.split()[4].rstrip(";"), part[:column].encode()[-8:]


@pytest.mark.parametrize(
    ("line", "format", "matched"),
    [
        (LINE.replace(b"200", b"OK"), "combined", b'/1.0" '),
        (LINE.replace(b"Nov", b"NOV"), "", b""),
        (LINE.replace(b"-0700", b"MST"), "", b""),
        (b"Nov 10 13:55:36 web nginx " + LINE, "", b""),
        (b"nonsense", "", b""),
        (b"", "", b""),
        (b"\x00\xff", "", b""),
    ],
)
def test_the_nearest_format(line: bytes, format: str, matched: bytes) -> None:
    name, found = nearest(line)
    if format:
        assert name == format
        assert found.endswith(matched[-4:])
    assert len(explain_mismatch(line, FORMATS.values())) < 1000


def test_only_formats_of_text_are_compared() -> None:
    for formats in ([], [LIST], [W3C], [FORMATS["caddy"]]):
        assert "nearest" not in explain_mismatch(LINE, formats)


def test_a_format_without_its_signature_is_not_near() -> None:
    assert "nearest" in explain_mismatch(LINE + b" x", [COMMON])
    assert "nearest" not in explain_mismatch(LINE.replace(b"[", b"(") + b" x", [COMMON])


def test_what_is_not_text_does_not_move_the_mark() -> None:
    text = explain_mismatch(b"192.0.2.7 - \x1b[1m\xff\t [10/Nov/1996:x", [COMMON])
    assert "\x1b" not in text.split("\n", 3)[-1]


def test_without_regex_no_format_is_near(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "regex", None)
    assert "nearest" not in explain_mismatch(LINE.replace(b"200", b"OK"), FORMATS.values())


def test_the_line_inside_a_named_envelope_is_explained() -> None:
    envelope = find_envelope("cri")
    data = envelope.wrap(LINE.replace(b"200", b"OK"))
    with pytest.raises(UnknownFormatError, match="The nearest format is combined") as caught:
        detect(data, FORMATS.values(), envelope)
    assert "stdout F" not in str(caught.value)
    with pytest.raises(UnknownFormatError, match="no line is in the envelope cri: Kubernetes'"):
        detect(LINE, FORMATS.values(), envelope)


UNITS = [b" ", b"1", b"a", b"a.", b":", b'"', b'\\"', b"-", b" - ", b"[", b"/", b"?", b"1.", b"\xff", b"a=1;"]


@pytest.mark.parametrize("unit", UNITS)
def test_hostile_lines_are_explained_in_bounded_time(unit: bytes) -> None:
    begin = LINE.index(b"/a"), LINE.index(b"200"), 0
    for before in (LINE[: begin[0]], LINE[: begin[1]], LINE[:-1], b"", SQUID.sample[:60], ALB.sample[:150]):
        line = before + unit * (sizes.LONG // len(unit))
        assert len(explain_mismatch(line, FORMATS.values())) < 10_000
