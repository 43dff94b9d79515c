"""Squid's native format: the sample, odd and rejected lines, targets with spaces."""

import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support import naive, sizes
from tests.support.targets import split_target
from urisect import split
from urisect.logs.formats.columns import COLUMNS
from urisect.logs.formats.squid import COLUMN_MEANINGS, SQUID
from urisect.logs.input.reader import Rejected, Table, tables
from urisect.logs.input.records import records

BEFORE = b"847659336.603    345 192.0.2.7 TCP_MISS/200 3187 "
AFTER = b" - HIER_DIRECT/203.0.113.7 text/html"
COMPONENTS = tuple(f"target_{name}" for name in split("")._fields)


def read(data: bytes) -> list[Table]:
    return list(tables(io.BytesIO(data), SQUID, size=1 << 24))


def row(line: bytes, *fields: str) -> tuple[bytes | None, ...] | None:
    """The values of one line; None if it is rejected."""
    [table] = read(line)
    assert table.lines == 1
    return tuple(table.column(field)[0] for field in fields) if table.parsed else None


def test_the_sample() -> None:
    miss, tunnel, hit, nothing = records(io.BytesIO(SQUID.sample), SQUID)
    assert miss["time"].isoformat() == "1996-11-10T20:55:36.603000+00:00"
    assert {name: value for name, value in miss.items() if value is not None} == {
        "time": miss["time"],
        "duration": 0.345,
        "client": b"192.0.2.7",
        "cache": b"TCP_MISS",
        "status": 200,
        "bytes_sent": 3187,
        "method": b"GET",
        "target_scheme": b"http",
        "target_authority": b"example.com",
        "target_path": b"/a/b",
        "target_query": b"c=d",
        "hierarchy": b"HIER_DIRECT",
        "upstream": b"203.0.113.7",
        "media_type": b"text/html",
    }
    assert (tunnel["target_authority"], tunnel["target_path"], tunnel["user"]) == (b"example.com:443", b"", b"frank")
    assert (tunnel["media_type"], tunnel["duration"]) == (None, 12.005)
    assert (hit["upstream"], hit["status"], hit["hierarchy"]) == (None, 304, b"HIER_NONE")
    assert (nothing["status"], nothing["method"], nothing["target_scheme"]) == (None, b"NONE", b"error")


@pytest.mark.parametrize(
    ("line", "field", "expected"),
    [
        (BEFORE + b"GET http://u@[::1]:80/" + AFTER, "target_host", b"[::1]"),
        (BEFORE + b"GET -" + AFTER, "target_path", None),
        (BEFORE + b"GET -x" + AFTER, "target_path", b"-x"),
        (BEFORE + b"GET " + AFTER, "target_path", b""),
        (BEFORE + b"- error:invalid-request" + AFTER, "method", None),
        (BEFORE + b"- error:invalid-request" + AFTER, "target_scheme", b"error"),
        (BEFORE + b"CONNECT [2001:db8::7]:443" + AFTER, "target_port", b"443"),
        (BEFORE + b"CONNECT http://h/" + AFTER, "target_path", b"/"),
        (BEFORE + b"UNCONNECT h:443" + AFTER, "target_scheme", b"h"),
        (BEFORE + b"GET http://h/a b?c d" + AFTER, "target_path", b"/a b"),
        (BEFORE + b"GET http://h/a b?c d" + AFTER, "target_query", b"c d"),
        (BEFORE + b"CONNECT h 1:443" + AFTER, "target_authority", b"h 1:443"),
        (BEFORE + b"GET http://h/a - HIER_NONE/- text/html" + AFTER, "target_path", b"/a - HIER_NONE/- text/html"),
        (BEFORE + b"GET http://h/?" + b'\xff"\\' + AFTER, "target_query", b'\xff"\\'),
        (BEFORE + b"GET http://h/" + AFTER + b" [Host: h\\r\\n] [HTTP/1.1 200 OK\\r\\n]", "media_type", b"text/html"),
        (BEFORE + b"GET http://h/" + AFTER.replace(b"- ", b"frank "), "user", b"frank"),
        (BEFORE + b"GET http://h/" + AFTER.replace(b"- ", b"-frank "), "user", b"-frank"),
        (BEFORE + b"GET http://h/" + AFTER.replace(b"203.0.113.7", b"2001:db8::7"), "upstream", b"2001:db8::7"),
        (BEFORE + b"GET http://h/" + AFTER.replace(b"HIER_DIRECT", b"TIMEOUT_FIRST_UP_PARENT"), "user", None),
        (BEFORE.replace(b"192.0.2.7", b"-") + b"GET http://h/" + AFTER, "client", None),
        (BEFORE.replace(b"192.0.2.7", b"2001:db8::7") + b"GET http://h/" + AFTER, "client", b"2001:db8::7"),
        (BEFORE.replace(b"    345", b" 123456") + b"GET http://h/" + AFTER, "duration", b"123456"),
        (BEFORE.replace(b"TCP_MISS/200", b"TCP_MISS_ABORTED/000") + b"GET http://h/" + AFTER, "status", b"000"),
        (b"\xef\xbb\xbf" + BEFORE + b"GET http://h/" + AFTER + b"\r\n", "media_type", b"text/html"),
    ],
)
def test_odd_lines(line: bytes, field: str, expected: bytes | None) -> None:
    assert row(line, field) == (expected,)


@pytest.mark.parametrize(
    "line",
    [
        b"nonsense",
        BEFORE,
        BEFORE + b"GET http://h/",
        BEFORE + b"GET http://h/ -",
        BEFORE + b"GET http://h/ - HIER_DIRECT text/html",
        BEFORE + b"GET http://h/ - HIER_DIRECT/203.0.113.7",
        BEFORE + b"GET http://h/" + AFTER + b" more",
        BEFORE + b"GET http://h/" + AFTER + b" ",
        BEFORE + b"G(T http://h/" + AFTER,
        BEFORE.replace(b".603", b".") + b"GET http://h/" + AFTER,
        BEFORE.replace(b"345", b"fast") + b"GET http://h/" + AFTER,
        BEFORE.replace(b"200", b"20") + b"GET http://h/" + AFTER,
        BEFORE.replace(b"TCP_MISS/", b"") + b"GET http://h/" + AFTER,
        BEFORE.replace(b"3187", b"3187k") + b"GET http://h/" + AFTER,
        b" " + BEFORE + b"GET http://h/" + AFTER,
        b'192.0.2.7 - - [10/Nov/1996:13:55:36 -0700] "GET http://h/ HTTP/1.0" 200 1 TCP_MISS:HIER_DIRECT',
    ],
)
def test_invalid_lines_are_rejected(line: bytes) -> None:
    good = BEFORE + b"GET http://h/" + AFTER
    [table] = read(b"\n".join((good, line, good, b"")))
    assert table.parsed == 2
    assert table.rejected == [Rejected(2, len(good) + 1, line)]


@given(st.text(st.characters(codec="ascii", exclude_characters=" \r\n")).map(str.encode))
@example(b"-")
@example(b"//a/b")
@example(b"")
def test_targets_are_split_like_split(target: bytes) -> None:
    expected = (None,) * 6 if target == b"-" else (target, *split_target(target))
    assert row(BEFORE + b"GET " + target + AFTER, "target", *COMPONENTS) == expected


@given(st.text("a b/[]-?#:").map(str.encode))
@example(b" - A/- -")
@example(b"a -")
def test_targets_with_spaces_are_split_like_split(target: bytes) -> None:
    expected = (None,) * 5 if target == b"-" else (*split_target(target),)
    assert row(BEFORE + b"GET " + target + AFTER, *COMPONENTS) == expected


pieces = st.sampled_from([*BEFORE.split(), *AFTER.split(), b"GET", b"CONNECT", b"http://h/", b"-", b"[", b"\r", b"A/"])


@given(st.lists(st.lists(pieces | naive.octets).map(b" ".join) | st.just(BEFORE + b"GET /" + AFTER)).map(b"\n".join))
def test_every_line_is_counted(data: bytes) -> None:
    assert sum(table.lines for table in read(data)) == len(naive.lines(data))


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        BEFORE + b"GET http://h/" + b" - A/- -" * (sizes.LONG // 8),
        BEFORE + b"GET http://h/" + b" " * sizes.LONG,
        BEFORE + b"GET http://h/" + b"a " * (sizes.LONG // 2) + b"[",
        BEFORE + b"CONNECT " + b"/ " * (sizes.LONG // 2),
        b"847659336.603" + b" " * sizes.LONG,
        BEFORE + b"GET " + b"/" * sizes.LONG + b" ",
    ],
    ids=range(6),
)
def test_hostile_lines_take_linear_time(line: bytes) -> None:
    [table] = tables(io.BytesIO(line), SQUID, limit=len(line))
    assert table.lines == 1


def test_own_columns_have_a_meaning() -> None:
    assert {name for name in SQUID.columns if name not in COLUMNS} == set(COLUMN_MEANINGS)
