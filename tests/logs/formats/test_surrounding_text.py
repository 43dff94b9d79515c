"""Strict formats: a line with something before or behind it is rejected, or has the values of the original line."""

import io
import re

import pytest

from urisect.logs import FORMATS, Format, tables

# The formats whose samples are tried; those that end in free text, or begin with it, only with whole words around them.
NAMES = (
    *("cloudfront", "w3c", "alb", "nlb", "elb", "s3", "squid", "haproxy", "istio", "envoy", "heroku-router", "iis"),
    *("cdxj", "cdx"),
)

# What collectors write before a line.
PREFIXES = [
    b"Nov  3 16:13:46 web squid[2869]: ",
    b"<134>1 1996-11-10T13:55:36Z web app - - - ",
    b"1996-11-10T13:55:36Z stdout F ",
    b"1996-11-10 13:55:36 ",
    b"proxy-1  | ",
    b"web: ",
    b"192.0.2.9 ",
    b"- ",
    b"x ",
    b" ",
]
GLUED_PREFIXES = [b"x", b"7", b'"', b"["]
SUFFIXES = [b" x", b' "x"', b" 7", b" -", b" rt=0.012", b" 192.0.2.9:80", b" [x]"]
GLUED_SUFFIXES = [b'"', b"\tx", b","]

# A key may begin with any letter or digit; the last field of a line of IIS may contain a comma.
UNDECIDABLE = {
    ("cdx", b"x"),
    ("cdx", b"7"),
    ("cdxj", b"x"),
    ("cdxj", b"7"),
    ("cdxj", b'"'),
    ("cdxj", b"["),
    ("iis", b","),
}


def values(format: Format, data: bytes) -> dict[str, bytes | None] | None:
    """The values of the last line; None if it is rejected."""
    *_, table = tables(io.BytesIO(data), format)
    return {name: table.column(name)[-1] for name in format.columns} if table.parsed else None


def entries(format: Format) -> tuple[bytes, list[bytes]]:
    """The directives of the sample, and its entries."""
    directives = [line + b"\n" for line in format.sample.splitlines() if line[:1] in {b"#", b"!", b" "}]
    return b"".join(directives), [line for line in format.sample.splitlines() if line[:1] not in {b"#", b"!", b" "}]


@pytest.mark.parametrize("name", NAMES)
def test_something_before_a_line(name: str) -> None:
    format = FORMATS[name].strict
    directives, lines = entries(format)
    for line in lines:
        expected = values(format, directives + line)
        assert expected is not None
        for prefix in [*PREFIXES, *GLUED_PREFIXES]:
            if (name, prefix) not in UNDECIDABLE:
                assert values(format, directives + prefix + line) in (None, expected), prefix


@pytest.mark.parametrize("name", NAMES)
def test_something_behind_a_line(name: str) -> None:
    format = FORMATS[name].strict
    directives, lines = entries(format)
    for line in lines:
        expected = values(format, directives + line)
        assert expected is not None
        for suffix in [*SUFFIXES, *GLUED_SUFFIXES]:
            found = values(format, directives + line + suffix)
            if found is None or (name, suffix) in UNDECIDABLE:
                continue
            more = found.pop("more", None)
            changed = {column for column, value in found.items() if value != expected[column]}
            # The last known field, with something at its end, is in `more`, and its column is empty.
            assert not changed or (suffix in GLUED_SUFFIXES and more and not any(map(found.get, changed))), suffix


@pytest.mark.parametrize("name", NAMES)
def test_a_signature_is_found_in_every_entry(name: str) -> None:
    format = FORMATS[name]
    assert all(re.search(format.signature.encode(), line) for line in entries(format)[1])
    assert format.signature or format.stateful


@pytest.mark.parametrize("name", NAMES)
def test_samples_are_plausible(name: str) -> None:
    format = FORMATS[name]
    strict = [table.columns for table in tables(io.BytesIO(format.sample), format.strict)]
    assert strict == [table.columns for table in tables(io.BytesIO(format.sample), format)]
