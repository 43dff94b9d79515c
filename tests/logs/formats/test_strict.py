"""Strict forms: a sample is taken for its format only, and other text around a line gives no wrong value."""

from typing import Any

import pytest

from tests.support import sizes
from tests.support.entries import row
from urisect.logs.formats import FORMATS, Format, PatternFormat
from urisect.logs.input.detection import detect

# Formats whose entry is one line of text that begins with a client, a server, a time, or a text of its own.
ONE_LINE = [format for format in FORMATS.values() if isinstance(format, PatternFormat) and "time" in format.columns]
CLF_FAMILY = [
    FORMATS[name]
    for name in (
        *("vhost-combined", "combined", "common", "main", "ncsa-cookies", "combinedio", "vhost", "vhost-common"),
        *("ssl-request", "ingress-nginx", "traefik", "jetty", "gunicorn", "uvicorn", "uwsgi", "werkzeug", "django"),
        *("combined-more", "common-more"),
    )
]

named = pytest.mark.parametrize("format", CLF_FAMILY, ids=lambda format: format.name)


@pytest.mark.parametrize("lines", [1, 2, 10, 100])
@pytest.mark.parametrize("format", FORMATS.values(), ids=lambda format: format.name)
def test_a_sample_is_taken_for_its_format(format: Format, lines: int) -> None:
    sample = format.sample.splitlines(keepends=True)
    is_known = format.parser(frozenset())(sample[0], b"").rejected == [None]
    head = b"".join((sample * 100)[:lines]) if is_known and not sample[0].startswith(b"#") else format.sample
    found = detect(head, [each.strict for each in FORMATS.values()])
    assert (found.format.name, found.parsed) == (format.name, found.tried)


@named
def test_a_sample_has_no_implausible_value(format: Format) -> None:
    for line in format.sample.splitlines():
        assert row(format.strict, line) == row(format, line) is not None


PREFIXES = [
    "Nov  3 16:13:46 web nginx[2869]: ",
    "<134>Nov  3 16:13:46 web nginx: ",
    "1996-11-03T16:13:46Z stdout F ",
    "1996-11-03T16:13:46Z web nginx 2869 - - ",
    "nginx-1  | ",
    "web ",
    "x ",
    "7 ",
    "- ",
    '"',
    "x",
    "7",
]
SUFFIXES = [" x", " 7", ' "x"', ' "7.0"', " - ", " rt=0.1"]


def changes(expected: dict[str, Any], found: dict[str, Any] | None) -> dict[str, Any]:
    """The columns that have another value, except the column of all further text."""
    return {
        column: (value, found.get(column))
        for column, value in expected.items()
        if found is not None and found.get(column) != value and column != "more"
    }


@named
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_other_text_after_a_line_gives_no_wrong_value(format: Format, suffix: str) -> None:
    for line in format.sample.decode().splitlines():
        expected = row(format, line)
        assert expected
        assert changes(expected, row(format.strict, line + suffix)) == {}


@named
@pytest.mark.parametrize("prefix", PREFIXES)
def test_no_format_takes_a_line_with_other_text_before_it_wrongly(format: Format, prefix: str) -> None:
    is_name = format.columns[0] == "server" and prefix.isalnum()  # a server may have this name
    for line in [] if is_name else format.sample.decode().splitlines():
        expected = row(format, line)
        assert expected
        assert changes(expected, row(format.strict, prefix + line)) == {}
        for other in ONE_LINE:
            found = row(other.strict, prefix + line)
            assert changes(expected, found and expected | found) == {}, other.name


HOSTILE = [b'"', b"\x1b[1m", b" ", b"INFO:", b"- ", b'" 200 5', b" => generated 1", b"a:1 ", b"a:", b"{rss usage:} "]
HOSTILE += [b'\\"', b"192.0.2.7, ", b"unknown,", b"a=b", b' "a"']


@pytest.mark.slow
@named
@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_line_takes_linear_time(format: Format, text: bytes) -> None:
    first = format.sample.splitlines()[0]
    for beginning in (b"", first[: first.index(b"/a")], first[: first.rindex(b'"')] if b'"' in first else b"", first):
        line = beginning + text * (sizes.LONG_OF_MANY // len(text))
        for each in (format, format.strict):
            assert len(each.parser(frozenset())(line + b"\n", b"").rejected) == 1
