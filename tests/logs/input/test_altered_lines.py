"""A line that is something else is rejected: no value lands in a column that it does not belong to.

All formats, under automatic detection: one line of a log is altered, or in an envelope that the other lines are not in.
"""

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from tests.support import sizes
from tests.support.command import run_here
from urisect.logs import FORMATS, Format, Table, records, tables
from urisect.logs.formats.enveloped import enclose
from urisect.logs.formats.envelopes import ENVELOPES
from urisect.logs.formats.notation import ValueKind
from urisect.logs.input.detection import detect
from urisect.logs.input.format_selection import AUTO, select_stream_format

CLIENT = b"192.0.2.7"
LINE = (
    CLIENT + b' - frank [10/Nov/1996:13:55:36 -0700] "GET /a/b?c=d HTTP/1.0" 200 2326 "http://example.com/" "Lynx/2.6"'
)
GOOD = b'198.51.100.7 - - [10/Nov/1996:13:55:30 -0700] "GET /good HTTP/1.0" 200 5 "-" "Lynx/2.6"'

# What is before or behind a line, and the format of a log of such lines; None for none.
AROUND: list[tuple[bytes, str | None]] = [
    (b"Sep 15 16:13:46 ip-10 nginx[2869]: %b", "syslog+combined"),
    (b"<190>Nov 21 10:00:00 web nginx: %b", "syslog+combined"),
    (b"<190>Nov 21 10:00:00 nginx: %b", "syslog+combined"),
    (b"<190>1 1996-11-10T20:55:36.186641Z web nginx 2869 - - %b", "syslog+combined"),
    (b'<190>1 1996-11-10T20:55:36.186641Z web nginx 2869 ID [a@1 b="[c]"][d@1] %b', "syslog+combined"),
    (b"1996-11-10T20:55:36.186641+00:00 web nginx: %b", "syslog+combined"),
    (b"1996-11-10T20:55:36.186641234Z stdout F %b", "cri+combined"),
    (b"1996-11-10T20:55:36.186641234Z %b", "timestamps+combined"),
    (b"nginx-1  | %b", "compose+combined"),
    (b"\x1b[36mnginx-1  |\x1b[0m %b", "compose+combined"),
    (b"[pod/web-5d4f8c7b9-x2x4p/nginx] %b", "kubectl+combined"),
    (b"www.example.com %b", "vhost"),
    (b"www.example.com:80 %b", "vhost-combined"),
    (b"[1996-11-10 20:55:36] %b", None),
    (b"nginx: %b", None),
    (b"web nginx %b", None),
    (b"198.51.100.9, %b", None),
    (b"198.51.100.9 - %b", None),
    (b"'%b'", None),
    (b"\x00%b", None),
    (b"[%b", None),
    (b"x%b", None),
    (b"%b 7 8", "combined-more"),
    (b"%b more", "combined-more"),
]


@pytest.mark.parametrize(("around", "name"), AROUND)
def test_a_log_of_lines_with_other_text_around_them(around: bytes, name: str | None) -> None:
    data = (around % LINE + b"\n") * 3
    try:
        found = list(records(io.BytesIO(data)))
    except ValueError:
        assert name is None
        return
    assert [record["client"] for record in found] == [CLIENT] * 3
    assert {str(record["time"]) for record in found} == {"1996-11-10 20:55:36+00:00"}
    assert detect(data, FORMATS.values()).format.name == name


@pytest.mark.parametrize("around", [around for around, _ in AROUND])
def test_a_line_with_other_text_around_it_among_good_ones(around: bytes) -> None:
    rejected: list[Any] = []
    odd = around % LINE
    data = b"".join(line + b"\n" for line in [GOOD, GOOD, odd, GOOD, GOOD])
    clients = [record["client"] for record in records(io.BytesIO(data), reject=rejected.append)]
    assert clients == [b"198.51.100.7"] * 4
    assert [(reject.line, reject.text) for reject in rejected] == [(3, odd)]


@pytest.mark.unmeasured
def test_the_command_finds_the_client_or_rejects_the_line(tmp_path: Path) -> None:
    alone, among, expected = tmp_path / "alone", tmp_path / "among", b""
    alone.mkdir()
    for number, (around, name) in enumerate(AROUND):
        path = alone / f"{number:02}.log"
        path.write_bytes((around % LINE + b"\n") * 3)
        expected += (CLIENT + b"\n") * 3 if name else b""
    among.write_bytes(b"".join(GOOD + b"\n" + around % LINE + b"\n" for around, _ in AROUND) + GOOD)
    status, output, messages = run_here("logs", "--fields", "client", str(alone))
    assert (status, output) == (0, expected)
    assert messages.count(": passed over: ") == sum(not name for _, name in AROUND)
    status, output, messages = run_here("logs", "--fields", "client", str(among))
    assert (status, output) == (0, b"198.51.100.7\n" * (len(AROUND) + 1))
    assert messages.endswith(f": {len(AROUND) + 1} parsed, {len(AROUND)} rejected\n")


# Any format, and any text around a line of it

FEW = settings(max_examples=sizes.choose(full=100, quick=10))  # for each of all formats

WORDS = [
    *(b"www.example.com", b"web", b"nginx:", b"nginx[2869]:", b"Nov 10 13:55:36", b"1996-11-10T20:55:36.186641Z"),
    *(b"1996-11-10", b"13:55:36", b"10/Nov/1996:13:55:36 -0700", b"<190>", b"<190>1", b"- -", b"-", b"stdout F"),
    *(
        b"nginx-1  |",
        b"[pod/a/b]",
        b"GET / HTTP/1.0",
        b'"GET / HTTP/1.0"',
        b"200",
        b"192.0.2.9",
        b"2001:db8::9",
        b"http:",
    ),
    *(
        b" ",
        b"  ",
        b"\t",
        b"\0",
        b"[",
        b"]",
        b'"',
        b"'",
        b"(",
        b"{",
        b"}",
        b",",
        b";",
        b":",
        b".",
        b"/",
        b"|",
        b"=",
        b"%",
    ),
    *(b"\\", b"!", b"#", b"1", b"23", b"x", b"F", b"_", b"\xff", b"\xc3\xa9"),
]
texts = st.tuples(
    st.sampled_from([b"", b" "]), st.lists(st.sampled_from(WORDS), min_size=1, max_size=4), st.sampled_from([b"", b" "])
).map(lambda each: each[0].join(each[1]) + each[2])

# Columns at the beginning that may be any text: a prefix without a space is a part of them.
ANY_FIRST = {"surt"}

# What makes another name, address or number of one: "1" before 92.0.2.7, "x" before example.com, "::" before 192.0.2.7,
# and "fe80::1%" before any of them, which then is its zone (RFC 4007, 11).
NAME = re.compile(rb"[0-9A-Za-z_.:\-]+(?:%[0-9A-Za-z_.\-]*)?")


def parse(format: Format, data: bytes) -> tuple[Table, dict[int, int]]:
    """Parse a log; return its table, and the row of each line that is an entry."""
    [table] = tables(io.BytesIO(data), format, size=1 << 20)
    lost = {*(line.line for line in table.rejected), *(line.line for line in table.skipped)}
    numbers = [number for number in range(1, table.lines + 1) if number not in lost]
    return table, {number: row for row, number in enumerate(numbers)}


def detected(data: bytes) -> Format:
    return select_stream_format(AUTO, io.BytesIO(data))[0]


def altered(format: Format, alter: Callable[[bytes], bytes], choose: Callable[[list[int]], int]) -> dict[str, Any]:
    """Alter one line of a log; return the columns that then have another value, before and after.

    Only the columns that both formats have are compared: one line may be what a more general format matches, too, such
    as `w3c` for that of CloudFront, and `combined-more` for that of nginx.
    """
    lines = format.sample.splitlines(keepends=True)
    whole, rows = parse(detected(format.sample), format.sample)
    number = choose(sorted(rows))
    lines[number - 1] = alter(lines[number - 1][:-1]) + b"\n"
    data = b"".join(lines) + format.sample * 3
    found = detected(data)
    table, rows_after = parse(found, data)
    if number not in rows_after or found.name not in {format.name, "w3c", "combined-more", "common-more"}:
        assert found.name == format.name
        return {}
    if found.name == "w3c" != format.name:
        return {}
    columns = [column for column in format.columns if column in found.columns]
    pairs = {
        column: (whole.column(column)[rows[number]], table.column(column)[rows_after[number]]) for column in columns
    }
    return {column: pair for column, pair in pairs.items() if pair[0] != pair[1]}


# A list is any text. The text of a line with JSON is an object, around which nothing else is allowed.
TEXT_FORMATS = [format for format in FORMATS.values() if format.name != "list"]


@pytest.mark.parametrize("format", TEXT_FORMATS, ids=lambda format: format.name)
def test_text_before_a_line(format: Format) -> None:
    @FEW
    @given(texts, st.data())
    @example(b"Nov 10 13:55:36 web nginx[2869]: ", None)
    @example(b"<190>1 1996-11-10T20:55:36Z web nginx 7 - - ", None)
    @example(b"www.example.com ", None)
    @example(b":", None)
    @example(b"2001:db8::9%", None)
    def holds(text: bytes, data: Any) -> None:
        changed = altered(format, text.__add__, lambda rows: data.draw(st.sampled_from(rows)) if data else rows[-1])
        for column, (before, after) in changed.items():
            if before is None and format.kind(column) is ValueKind.TIME:  # such a line may begin with a time
                assert after
                assert after in text
                continue
            assert column == format.columns[0] or column in ANY_FIRST
            assert after == text.lstrip() + (before or b"-")
            assert NAME.fullmatch(text.strip()) or column in ANY_FIRST

    holds()


@pytest.mark.parametrize("format", TEXT_FORMATS, ids=lambda format: format.name)
def test_text_behind_a_line(format: Format) -> None:
    """It belongs to the last column that the line has, or to columns behind it; `more` takes all of them at once."""

    @FEW
    @given(texts, st.data())
    @example(b" 7 8", None)
    @example(b" x", None)
    @example(b'200 "GET / HTTP/1.0" 200', None)
    def holds(text: bytes, data: Any) -> None:
        assume(text.strip(b"\r"))
        rows: list[int] = []

        def choose(numbers: list[int]) -> int:
            rows.append(data.draw(st.sampled_from(numbers)) if data else numbers[-1])
            return rows[0]

        changed = altered(format, lambda line: line + text, choose)
        line = format.sample.splitlines()[rows[0] - 1]
        for before, after in changed.values():
            # The value at the end of the line became longer, by the text or its first word, or is in `more`.
            assert before is None or line.rstrip(b' ",').endswith(before.rstrip(b' ",'))
            assert after is None or after.rstrip() in line + text
            assert after is None or before is None or after.startswith(before)

    holds()


# Samples


def names_of(format: Format) -> set[str]:
    """The names of formats that the lines of a format may be taken for, if they are only directives, or in time."""
    return {format.name, *({"w3c"} if format.name == "cloudfront" else ())}


@pytest.mark.parametrize("count", [1, 2, 10])
@pytest.mark.parametrize("format", FORMATS.values(), ids=lambda format: format.name)
def test_the_first_lines_of_a_sample_are_of_its_format_only(format: Format, count: int) -> None:
    lines = format.sample.splitlines(keepends=True)[:count]
    detection = detect(b"".join(lines), FORMATS.values())
    assert detection.format.name in (names_of(format) if not detection.tried else {format.name})
    assert detection.parsed == detection.tried


@pytest.mark.parametrize("count", [1, 2, 10])
@pytest.mark.parametrize("envelope", ENVELOPES.values(), ids=lambda envelope: envelope.name)
def test_the_first_lines_of_a_sample_in_an_envelope(envelope: Any, count: int) -> None:
    for format in sizes.some([*FORMATS.values()]):
        data = b"".join(map(envelope.wrap, format.sample.splitlines()[:count]))
        detection = detect(data, FORMATS.values())
        expected = {f"{envelope.name}+{name}" for name in (names_of(format) if not detection.tried else {format.name})}
        if envelope.name == "timestamps" and format.name == "uvicorn":
            expected |= {"uvicorn"}  # which has such a time itself
        assert detection.format.name in expected
        assert detection.parsed == detection.tried
        found = list(tables(io.BytesIO(data), detection.format.strict))
        bare = list(tables(io.BytesIO(b"".join(line + b"\n" for line in format.sample.splitlines()[:count])), format))
        for column in (format if detection.tried else detection.format).columns:
            if column in format.columns and column in detection.format.columns and column != "time":
                after = [value for table in found for value in table.column(column)]
                assert after == [value for table in bare for value in table.column(column)]
        assert enclose(envelope, format).columns[: len(envelope.columns)] == envelope.columns
