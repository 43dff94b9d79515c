"""The text formats of Envoy and Istio: lines as in their documentation, odd and rejected lines."""

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import naive, sizes
from tests.support.targets import split_target
from urisect.logs import PatternFormat, tables
from urisect.logs.formats.columns import COLUMNS
from urisect.logs.formats.envoy import COLUMN_MEANINGS, ENVOY, ISTIO

BEFORE = b"[2016-04-15T20:17:00.310Z] "
REQUEST = b'"POST /api/v1/locations?a=b HTTP/2"'
UPSTREAM = b'"192.0.2.28" "nsq2http" "cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2" "locations" "tcp://198.51.100.1:80"'
LINE = BEFORE + REQUEST + b" 204 - 154 0 226 100 " + UPSTREAM
ISTIO_END = (
    b" inbound|8000|| 127.0.0.1:41854 198.51.100.27:80 192.0.2.23:37652 "
    b"outbound_.8000_._.httpbin.foo.svc.cluster.local default"
)
ISTIO_LINE = BEFORE + REQUEST + b' 418 - via_upstream - "-" 0 135 3 1 ' + UPSTREAM + ISTIO_END


def values(format: PatternFormat, line: bytes) -> dict[str, Any] | None:
    """The values of one line; None if it is rejected."""
    [table] = tables(io.BytesIO(line), format, columns=format.fields)
    return {name: table.values(name)[0] for name in format.fields} if table.parsed else None


def test_a_line_of_the_documentation() -> None:
    found = values(ENVOY, LINE)
    assert found is not None
    assert {name: found[name] for name in ENVOY.columns if found[name] is not None} == {
        "time": 1460751420_310000,
        "method": b"POST",
        "target_path": b"/api/v1/locations",
        "target_query": b"a=b",
        "protocol": b"HTTP/2",
        "status": 204,
        "request_bytes": 154,
        "bytes": 0,
        "duration": 0.226,
        "upstream_duration": 0.1,
        "forwarded_for": b"192.0.2.28",
        "agent": b"nsq2http",
        "id": b"cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2",
        "host": b"locations",
        "upstream": b"tcp://198.51.100.1:80",
    }


def test_a_line_of_istio() -> None:
    found = values(ISTIO, ISTIO_LINE)
    assert found is not None
    own = ("response_details", "connection_termination", "upstream_error", *ISTIO.columns[-8:])
    assert {name: found[name] for name in own if found[name] is not None} == {
        "response_details": b"via_upstream",
        "upstream_cluster": b"inbound|8000||",
        "upstream_local_address": b"127.0.0.1:41854",
        "server_address": b"198.51.100.27",
        "server_port": 80,
        "client": b"192.0.2.23",
        "client_port": 37652,
        "tls_host": b"outbound_.8000_._.httpbin.foo.svc.cluster.local",
        "route": b"default",
    }
    assert values(ENVOY, ISTIO_LINE) is None
    assert values(ISTIO, LINE) is None


# A part of the line, what is in its place, and the expected values; None if the line is rejected.
CHANGES: list[tuple[bytes, bytes, dict[str, Any] | None]] = [
    (b" 204 - ", b" 0 DC ", {"status": None, "response_flags": b"DC"}),
    (b" 204 - ", b" 503 UF,URX ", {"status": 503, "response_flags": b"UF,URX"}),
    (b" 226 100 ", b" 226 - ", {"duration": 0.226, "upstream_duration": None}),
    (REQUEST, b'"- - -"', {"method": None, "target": None, "protocol": None}),
    (REQUEST, b'"CONNECT - HTTP/2"', {"method": b"CONNECT", "target": None}),
    (REQUEST, b'"CONNECT example.com:443 HTTP/1.1"', {"target_authority": b"example.com:443"}),
    (REQUEST, b'"GET /a"b HTTP/1.1"', {"target_path": b'/a"b'}),
    (REQUEST, b'"GET /a b HTTP/1.1"', {"target": b"/a b"}),
    (REQUEST, b'"GET /-x -"', {"target": b"/-x", "protocol": None}),
    (REQUEST, b'"GET http://example.com/ HTTP/1.1"', {"target_host": b"example.com"}),
    (b'"nsq2http"', b'"-"', {"agent": None}),
    (b'"nsq2http"', b'""', {"agent": b""}),
    (b'"nsq2http"', b'"a "b" c\\"', {"agent": b'a "b" c\\'}),
    (b'"192.0.2.28"', b'"192.0.2.28,198.51.100.28"', {"forwarded_for": b"192.0.2.28,198.51.100.28"}),
    (b'"tcp://198.51.100.1:80"', b'"-"', {"upstream": None}),
    (b".310Z", b"Z", {"time": 1460751420_000000}),
    (b" 204 ", b" 2040 ", None),
    (b"[2016", b"2016", None),
    (b"HTTP/2", b"two", None),
    (b'"locations"', b"locations", None),
    (b":80", b':80" "more', None),
]


@pytest.mark.parametrize(("part", "replacement", "expected"), CHANGES)
def test_odd_lines(part: bytes, replacement: bytes, expected: dict[str, Any] | None) -> None:
    found = values(ENVOY, LINE.replace(part, replacement, 1))
    assert found is expected or {name: (found or {})[name] for name in expected or {}} == expected


ISTIO_CHANGES: list[tuple[bytes, bytes, dict[str, Any] | None]] = [
    (b'via_upstream - "-"', b'"-" "-"', {"response_details": None, "upstream_error": None, "bytes": 135}),
    (b'via_upstream - "-"', b'- - "connection timeout"', {"upstream_error": b"connection timeout"}),
    (
        b"via_upstream -",
        b"upstream_reset_before_response_started{connection failure,connect error: 111} idle",
        {
            "response_details": b"upstream_reset_before_response_started{connection failure,connect error: 111}",
            "connection_termination": b"idle",
        },
    ),
    (b"inbound|8000||", b"PassthroughCluster", {"upstream_cluster": b"PassthroughCluster"}),
    (b" 192.0.2.23:37652", b" [2001:db8::7]:37652", {"client": b"2001:db8::7", "client_port": 37652}),
    (b" default", b" -", {"route": None}),
    (b" default", b"", None),
    (b" default", b" default more", None),
]


@pytest.mark.parametrize(("part", "replacement", "expected"), ISTIO_CHANGES)
def test_odd_lines_of_istio(part: bytes, replacement: bytes, expected: dict[str, Any] | None) -> None:
    found = values(ISTIO, ISTIO_LINE.replace(part, replacement, 1))
    assert found is expected or {name: (found or {})[name] for name in expected or {}} == expected


@given(st.text(st.characters(codec="ascii", exclude_characters=' "\n\r'), min_size=1).map(str.encode))
def test_targets_are_split_like_split(target: bytes) -> None:
    found = values(ENVOY, LINE.replace(REQUEST, b'"GET ' + target + b' HTTP/1.1"'))
    assert found is not None
    expected = (None,) * 5 if target == b"-" else tuple(split_target(target))
    assert tuple(found[f"target_{name}"] for name in split_target(target)._fields) == expected


pieces = st.sampled_from([*ISTIO_LINE.split(), b"-", b'"', b'" "', b"{", b"[", b"\\"])


@given(st.lists(st.lists(pieces | naive.octets).map(b" ".join) | st.just(LINE)).map(b"\n".join))
@pytest.mark.parametrize("format", [ENVOY, ISTIO], ids=["envoy", "istio"])
def test_every_line_is_counted(format: PatternFormat, data: bytes) -> None:
    assert sum(table.lines for table in tables(io.BytesIO(data), format)) == len(naive.lines(data))


@pytest.mark.slow
@pytest.mark.parametrize("piece", [b"a", b'"', b" ", b'" ', b'" "', b"{", b"x HTTP/1.1", b'- "'])
@pytest.mark.parametrize("before", [b"", BEFORE + b'"GET ', LINE[:80], ISTIO_LINE[:100], ISTIO_LINE])
@pytest.mark.parametrize("format", [ENVOY, ISTIO], ids=["envoy", "istio"])
def test_hostile_lines_take_linear_time(format: PatternFormat, before: bytes, piece: bytes) -> None:
    line = before + piece * (sizes.LONG // len(piece))
    [table] = tables(io.BytesIO(line), format, limit=len(line))
    assert table.lines == 1


def test_own_columns_have_a_meaning() -> None:
    assert {name for name in (*ENVOY.columns, *ISTIO.columns) if name not in COLUMNS} == set(COLUMN_MEANINGS)
