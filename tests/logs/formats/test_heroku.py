"""The log of Heroku's router: lines as in its documentation, other orders of the keys, odd and rejected lines."""

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import naive, sizes
from urisect import split
from urisect.logs import records, tables
from urisect.logs.formats.columns import COLUMNS
from urisect.logs.formats.heroku import COLUMN_MEANINGS
from urisect.logs.formats.heroku import HEROKU_ROUTER as FORMAT

PREFIX = b"2010-10-06T21:51:37.123456-07:00 heroku[router]: "
PAIRS = (
    *(b"at=info", b"method=GET", b'path="/a?b"', b"host=www.example.com"),
    *(b"request_id=8601b555-6a83-4c12-8269-97c8e32cdb22", b'fwd="192.0.2.204"', b"dyno=web.1", b"connect=1ms"),
    *(b"service=18ms", b"status=200", b"bytes=13", b"tls_version=tls1.1", b"protocol=http"),
)
LINE = b" ".join(PAIRS)
ROW = {
    "level": b"info",
    "method": b"GET",
    "target_path": b"/a",
    "target_query": b"b",
    "host": b"www.example.com",
    "id": b"8601b555-6a83-4c12-8269-97c8e32cdb22",
    "forwarded_for": b"192.0.2.204",
    "upstream": b"web.1",
    "upstream_connect_duration": 0.001,
    "upstream_duration": 0.018,
    "status": 200,
    "bytes": 13,
    "tls_protocol": b"tls1.1",
    "scheme": b"http",
}


def values(line: bytes) -> dict[str, Any] | None:
    """The defined values of one line; None if it is rejected."""
    [table] = tables(io.BytesIO(line), FORMAT)
    found = {name: table.values(name)[0] for name in FORMAT.columns} if table.parsed else None
    return found if found is None else {name: value for name, value in found.items() if value is not None}


def test_a_line_of_the_documentation() -> None:
    assert values(LINE) == ROW
    assert values(PREFIX + LINE) == ROW | {"time": 1286427097_123456}


@given(st.permutations(PAIRS[1:]))
def test_the_keys_may_be_in_any_order(pairs: list[bytes]) -> None:
    assert values(b" ".join([PAIRS[0], *pairs])) == ROW


NOT_PASSED_ON = dict.fromkeys(("upstream", "upstream_connect_duration", "upstream_duration"))

# A part of the line, what is in its place, and the expected changes of the values; None if the line is rejected.
CHANGES: list[tuple[bytes, bytes, dict[str, Any] | None]] = [
    (b"at=info", b"sock=client at=warning", {"socket": b"client", "level": b"warning"}),
    (
        b"at=info",
        b'at=error code=H12 desc="Request timeout"',
        {"level": b"error", "error_code": b"H12", "error": b"Request timeout"},
    ),
    (b"at=info", b'code=H18 desc="Server Request Interrupted" at=error', {"level": b"error", "error_code": b"H18"}),
    (b"dyno=web.1 connect=1ms service=18ms", b"dyno= connect= service=", NOT_PASSED_ON),
    (b"status=200 bytes=13", b"status= bytes=", {"status": None, "bytes": None}),
    (b"status=200", b"status=0", {"status": None}),
    (b"connect=1ms", b"wait=0ms queue=3 connect=1", {"upstream_connect_duration": 0.001}),
    (b'fwd="192.0.2.204"', b'fwd="192.0.2.204, 198.51.100.4"', {"forwarded_for": b"192.0.2.204, 198.51.100.4"}),
    (b'fwd="192.0.2.204"', b"fwd=192.0.2.204", {}),
    (b'fwd="192.0.2.204"', b'fwd=""', {"forwarded_for": b""}),
    (b"protocol=http", b"tls=true protocol=http1.1", {"tls": b"true", "protocol": b"http1.1", "scheme": None}),
    (b"protocol=http", b"protocol=https", {"scheme": b"https"}),
    (b"protocol=http", b"protocol=other", {"scheme": None}),
    (b"protocol=http", b'protocol=https new_key="a b"', {"scheme": b"https"}),
    (b'path="/a?b"', b"path=/a?b", {}),
    (b'path="/a?b"', b'path="/a c?b"', {"target_path": b"/a c"}),
    (b'path="/a?b"', b'path="/a\\"c?b"', {"target_path": b'/a\\"c'}),
    (b'path="/a?b"', b'path="http://example.com/a?b"', {"target_scheme": b"http", "target_authority": b"example.com"}),
    (b'path="/a?b"', b"path=", {"target_path": b"", "target_query": None}),
    (b"method=GET", b"method=", {"method": None}),
    (b'path="/a?b"', b'path="/a?b', None),
    (b'path="/a?b"', b"path=/a b", None),
    (b' path="/a?b"', b"", None),
    (b"at=info ", b"", {"level": None}),
    (b"at=info", b"State changed", None),
    (b"status=200", b"status=OK", None),
    (b"bytes=13", b"bytes=13k", None),
    (b"dyno=web.1", b"dyno=web 1", None),
    (b"protocol=http", b"protocol=http x", None),
    (b"protocol=http", b"protocol=http ", None),
]


@pytest.mark.parametrize(("part", "replacement", "changes"), CHANGES)
def test_odd_lines(part: bytes, replacement: bytes, changes: dict[str, Any] | None) -> None:
    found = values(LINE.replace(part, replacement))
    if changes is None:
        assert found is None
    else:
        assert found is not None
        assert {name: found.get(name) for name in (*ROW, *changes)} == ROW | changes


def test_other_lines_of_heroku_are_rejected() -> None:
    line = b"2010-10-06T21:51:37-07:00 app[web.1]: at=info method=GET path=/"
    assert values(line) is None
    assert values(line.replace(b"web.1", b"router")) is not None


@given(st.text(st.characters(codec="ascii", exclude_characters='"\\\n\r')).map(str.encode))
def test_targets_are_split_like_split(target: bytes) -> None:
    [found] = records(io.BytesIO(LINE.replace(b"/a?b", target)), FORMAT)
    expected = split(b"//" + target)._replace(authority=None) if target.startswith(b"//") else split(target)
    assert tuple(found[f"target_{name}"] for name in expected._fields) == expected


pieces = st.sampled_from([*PAIRS, b"path=", b'"', b"\\", b"x=y"])


@given(st.lists(st.lists(pieces | naive.octets).map(b" ".join) | st.just(LINE)).map(b"\n".join))
def test_every_line_is_counted(data: bytes) -> None:
    assert sum(table.lines for table in tables(io.BytesIO(data), FORMAT)) == len(naive.lines(data))


@pytest.mark.slow
@pytest.mark.parametrize("piece", [b"a", b'"', b" ", b"a=b ", b"path=", b" path=", b"\\", b"at=info ", b'x="'])
@pytest.mark.parametrize("before", [b"", PREFIX, LINE + b" ", b'at=info path="/', b'at=info path=/ x="'])
def test_hostile_lines_take_linear_time(before: bytes, piece: bytes) -> None:
    line = before + piece * (sizes.LONG // len(piece))
    [table] = tables(io.BytesIO(line), FORMAT, limit=len(line))
    assert table.lines == 1


def test_own_columns_have_a_meaning() -> None:
    assert {name for name in FORMAT.columns if name not in COLUMNS} == set(COLUMN_MEANINGS)
