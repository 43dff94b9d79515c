"""HAProxy's HTTP and HTTPS log formats: lines as in its manual, odd and rejected lines."""

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import naive, sizes
from tests.support.targets import split_target
from urisect.logs import records, tables
from urisect.logs.formats.columns import COLUMNS
from urisect.logs.formats.haproxy import COLUMN_MEANINGS, HAPROXY

BEFORE = b"192.0.2.2:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 "
MIDDLE = b"10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 "
CAPTURES = b"{1wt.example.com} {} "
REQUEST = b'"GET /index.html HTTP/1.1"'
LINE = BEFORE + MIDDLE + CAPTURES + REQUEST


def row(line: bytes) -> dict[str, Any] | None:
    """The values of one line; None if it is rejected."""
    found = list(records(io.BytesIO(line), HAPROXY))
    return found[0] if found else None


def test_a_line_of_the_manual() -> None:
    found = row(LINE)
    assert found is not None
    assert {name: value for name, value in found.items() if value is not None} == {
        "client": b"192.0.2.2",
        "client_port": 33317,
        "time": found["time"],
        "frontend": b"http-in",
        "backend": b"static",
        "upstream": b"srv1",
        "request_header_duration": 0.01,
        "queue_duration": 0.0,
        "upstream_connect_duration": 0.03,
        "upstream_header_duration": 0.069,
        "duration": 0.109,
        "status": 200,
        "bytes_sent": 2750,
        "termination": b"----",
        "connections": b"1/1/1/1",
        "retries": 0,
        "server_queue": 0,
        "backend_queue": 0,
        "captured_headers": b"1wt.example.com",
        "captured_response_headers": b"",
        "method": b"GET",
        "target_path": b"/index.html",
        "protocol": b"HTTP/1.1",
    }
    assert found["time"].isoformat() == "2009-02-06T12:14:14.655000+00:00"


# A part of the line, what is in its place, and the expected values; None if the line is rejected.
CHANGES: list[tuple[bytes, bytes, dict[str, Any] | None]] = [
    (b"192.0.2.2:", b"2001:db8::7:", {"client": b"2001:db8::7", "client_port": 33317}),
    (b"192.0.2.2:33317", b"unix:1", {"client": b"unix", "client_port": 1}),
    (b"192.0.2.2:33317", b"-", {"client": None, "client_port": None}),
    (b"http-in ", b"http-in~ ", {"frontend": b"http-in~"}),
    (b"static/srv1", b"static/<NOSRV>", {"backend": b"static", "upstream": None}),
    (b"static/srv1", b"<STATS>/<STATS>", {"backend": b"<STATS>", "upstream": None}),
    (b"10/0/30/69/109", b"-1/-1/-1/-1/50000", {"request_header_duration": None, "duration": 50.0}),
    (b"/109 200 2750", b"/+109 200 +2750", {"duration": 0.109, "bytes_sent": 2750}),
    (b" 200 ", b" -1 ", {"status": None}),
    (b" 200 ", b" 000 ", {"status": None}),
    (b"0 - - ----", b"0 SID=a - --VN", {"captured_cookie": b"SID=a", "captured_response_cookie": None}),
    (b"0 - - ----", b"0 - SID=a --NI", {"captured_response_cookie": b"SID=a", "termination": b"--NI"}),
    (b"1/1/1/1/0", b"1/1/1/1/+3", {"retries": 3}),
    (CAPTURES, b"", {"captured_headers": None, "captured_response_headers": None}),
    (CAPTURES, b"{a|b c} ", {"captured_headers": b"a|b c", "captured_response_headers": None}),
    (REQUEST, b'"<BADREQ>"', {"request": b"<BADREQ>", "method": None, "target": None}),
    (REQUEST, b'""', {"request": b""}),
    (REQUEST, b'"GET /a b HTTP/1.1"', {"target": b"/a b", "protocol": b"HTTP/1.1"}),
    (REQUEST, b'"GET /a"', {"target": b"/a", "protocol": None}),
    (REQUEST, b'"GET /a\\ HTTP/1.1"', {"target_path": b"/a\\", "protocol": b"HTTP/1.1"}),
    (REQUEST, b'"CONNECT example.com:443 HTTP/1.1"', {"target_authority": b"example.com:443"}),
    (REQUEST, b'"OPTIONS * HTTP/1.1"', {"target_path": b"*"}),
    (
        REQUEST,
        REQUEST + b" 0/0000000000000000/0/0/1 1wt.example.com/TLSv1.3/TLS_AES_256_GCM_SHA384",
        {
            "tls_errors": b"0/0000000000000000/0/0/1",
            "tls_host": b"1wt.example.com",
            "tls_protocol": b"TLSv1.3",
            "tls_cipher": b"TLS_AES_256_GCM_SHA384",
        },
    ),
    (REQUEST, REQUEST + b" -/-/-/-/0 -/-/-", {"tls_host": None, "tls_protocol": None, "tls_cipher": None}),
    (b"06/Feb", b"31/Feb", {"time": None}),
    (b"12:14:14.655", b"23:59:60.001", {"bytes_sent": 2750}),
    (b"06/Feb", b"06/02", None),
    (b".655", b"", None),
    (b"/109", b"", None),
    (b"----", b"--", None),
    (REQUEST, b'"GET /a', None),
    (REQUEST, REQUEST + b" more", None),
    (b"192.0.2.2", b"haproxy[2869]: 192.0.2.2", None),
]


@pytest.mark.parametrize(("part", "replacement", "expected"), CHANGES)
def test_odd_lines(part: bytes, replacement: bytes, expected: dict[str, Any] | None) -> None:
    [table] = tables(io.BytesIO(LINE.replace(part, replacement)), HAPROXY, columns=HAPROXY.fields)
    assert table.parsed == (expected is not None)
    if expected is not None:
        assert {name: table.values(name)[0] for name in expected} == expected


@pytest.mark.parametrize(("client", "is_plausible"), [(b"192.0.2.2", True), (b"unix", True), (b"x192.0.2.2", False)])
def test_implausible_clients(client: bytes, is_plausible: bool) -> None:  # noqa: FBT001
    line = LINE.replace(b"192.0.2.2", client)
    assert [row["client"] for row in records(io.BytesIO(line), HAPROXY)] == [client]
    assert [row["client"] for row in records(io.BytesIO(line), HAPROXY.strict)] == [client] * is_plausible


@given(st.text(st.characters(codec="ascii", exclude_characters='"\n\r')).map(str.encode))
def test_targets_are_split_like_split(target: bytes) -> None:
    found = row(BEFORE + MIDDLE + b'"GET ' + target + b' HTTP/1.1"')
    assert found is not None
    assert tuple(found[f"target_{name}"] for name in split_target(target)._fields) == split_target(target)


pieces = st.sampled_from([*LINE.split(), b"-", b"-1", b'"', b"{", b"/", b"[", b"\\"])


@given(st.lists(st.lists(pieces | naive.octets).map(b" ".join) | st.just(LINE)).map(b"\n".join))
def test_every_line_is_counted(data: bytes) -> None:
    assert sum(table.lines for table in tables(io.BytesIO(data), HAPROXY)) == len(naive.lines(data))


@pytest.mark.slow
@pytest.mark.parametrize("piece", [b"a", b":1", b"/", b'"', b" ", b"{a} ", b"x HTTP/1.1"])
@pytest.mark.parametrize("before", [b"", BEFORE, BEFORE + MIDDLE, BEFORE + MIDDLE + b'"GET ', LINE + b" 0/0/"])
def test_hostile_lines_take_linear_time(before: bytes, piece: bytes) -> None:
    line = before + piece * (sizes.LONG // len(piece))
    [table] = tables(io.BytesIO(line), HAPROXY, limit=len(line))
    assert table.lines == 1


def test_own_columns_have_a_meaning() -> None:
    assert {name for name in HAPROXY.columns if name not in COLUMNS} == set(COLUMN_MEANINGS)
