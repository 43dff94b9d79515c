"""The Common and the Combined Log Format with more: odd lines, virtual hosts, cookies, and further fields."""

import io
from typing import Any

import pytest

from tests.support.entries import INSTANT, TIME, microseconds, row
from urisect.logs import tables
from urisect.logs.formats.apache import COMBINED, COMMON, VHOST_COMBINED
from urisect.logs.formats.format import IMPLAUSIBLE, PatternFormat
from urisect.logs.formats.ncsa import (
    COMBINED_MORE,
    COMBINEDIO,
    COMMON_MORE,
    NCSA_COOKIES,
    SSL_REQUEST,
    VHOST,
    VHOST_COMMON,
)
from urisect.logs.formats.nginx_presets import MAIN

BEGIN = f'192.0.2.7 - - [{TIME}] "GET / HTTP/1.1"'
LINE = f'{BEGIN} 200 2326 "-" "Lynx/2.6"'

# Lines that servers write, and some of their values; None if there is none.
ODD_LINES: list[tuple[PatternFormat, str, dict[str, Any]]] = [
    # An empty user of Apache, IPv6 clients, and one of a Unix socket
    (COMMON, f'192.0.2.7 - "" [{TIME}] "GET / HTTP/1.1" 401 5', {"user": b'""', "status": 401}),
    (COMBINED, f'2001:db8::7 - "" [{TIME}] "GET / HTTP/1.1" 401 5 "-" "-"', {"client": b"2001:db8::7"}),
    (COMBINED, f'::ffff:192.0.2.7 - - [{TIME}] "GET / HTTP/1.1" 200 5 "-" "-"', {"client": b"::ffff:192.0.2.7"}),
    (COMBINED, f'unix: - - [{TIME}] "GET / HTTP/1.1" 200 5 "-" "-"', {"client": b"unix:"}),
    # No request, no status, an undefined target
    (COMBINED, f'192.0.2.7 - - [{TIME}] "-" 408 - "-" "-"', {"method": None, "request": None, "status": 408}),
    (COMBINED, f'192.0.2.7 - - [{TIME}] "-" 400 0 "-" "-"', {"method": None, "bytes": 0}),
    (COMBINED, f'192.0.2.7 - - [{TIME}] "" 400 0 "-" "-"', {"method": None, "request": b""}),
    (COMBINED, f'192.0.2.7 - - [{TIME}] "GET - HTTP/1.1" 400 0 "-" "-"', {"target_path": b"-", "method": b"GET"}),
    (COMBINED, f'192.0.2.7 - - [{TIME}] "GET / HTTP/1.1" 000 0 "-" "-"', {"status": None, "bytes": 0}),
    (COMBINED, rf'{BEGIN} 200 5 "-" "a \"b\" c"', {"agent": rb"a \"b\" c"}),
    (COMBINED, f'192.0.2.7 - - [{TIME}] "\\x16\\x03\\x01" 400 0 "-" "-"', {"request": rb"\x16\x03\x01"}),
    # varnishncsa: whole URIs
    (
        COMBINED,
        f'192.0.2.7 - - [{TIME}] "GET http://example.com/a?b HTTP/1.1" 200 5 "-" "-"',
        {"target_authority": b"example.com", "target_query": b"b"},
    ),
    # Tomcat, and Jetty from version 10
    (COMMON, f'192.0.2.7 - - [{TIME}] "null null null" 400 -', {"method": b"null", "bytes": None}),
    (COMMON, f'192.0.2.7 - frank [{TIME}] "GET /a;jsessionid=1 HTTP/1.1" 200 5', {"target_path": b"/a;jsessionid=1"}),
    (VHOST_COMBINED, f'[2001:db8::1]:80 2001:db8::7 - - [{TIME}] "-" 408 0 "-" "-"', {"server": b"[2001:db8::1]"}),
    # With a virtual host
    (VHOST_COMMON, f"localhost {BEGIN} 200 5", {"server": b"localhost", "client": b"192.0.2.7"}),
    (VHOST_COMMON, f"2001:db8::1 {BEGIN} 200 5", {"server": b"2001:db8::1"}),
    (VHOST_COMMON, f"\ufeffwww.example.com {BEGIN} 200 5", {"server": b"www.example.com", "bytes": 5}),
    (VHOST, f"example.com {LINE}", {"server": b"example.com", "agent": b"Lynx/2.6"}),
    (SSL_REQUEST, f'[{TIME}] 192.0.2.7 - - "-" -', {"time": microseconds(INSTANT), "tls_protocol": None}),
    (COMBINEDIO, f"{LINE} 412 2640", {"bytes_received": 412, "bytes_sent": 2640}),
    (COMBINEDIO, f'{BEGIN} 304 - "-" "-" 412 0', {"bytes_received": 412, "bytes_sent": 0}),
    (NCSA_COOKIES, f'{LINE} "theme=dark; id=\\"7\\""', {"cookie": b'theme=dark; id=\\"7\\"'}),
    (NCSA_COOKIES, f'{LINE} "-"', {"cookie": None, "agent": b"Lynx/2.6"}),
    (NCSA_COOKIES, f'{LINE} "a="', {"cookie": b"a="}),
    (COMBINED_MORE, f"{LINE} 0.123", {"more": b"0.123", "agent": b"Lynx/2.6"}),
    (COMBINED_MORE, f"{LINE}  5", {"more": b"5"}),
    (COMBINED_MORE, f'{LINE}\t"a \\" b" c', {"more": rb'"a \" b" c'}),
    (COMBINED_MORE, f'{LINE} rt=0.250 uct="0.001"', {"more": b'rt=0.250 uct="0.001"'}),
    (COMBINED_MORE, f'{LINE} "a=b" "c"', {"more": b'"a=b" "c"'}),
    (COMMON_MORE, f"{BEGIN} 200 - 12 exec-3", {"more": b"12 exec-3", "bytes": None}),
    (COMMON_MORE, f'{BEGIN} 200 5 0.1 "-" "Lynx/2.6"', {"more": b'0.1 "-" "Lynx/2.6"'}),
]


@pytest.mark.parametrize(("format", "line", "expected"), ODD_LINES)
def test_odd_lines(format: PatternFormat, line: str, expected: dict[str, Any]) -> None:
    found = row(format.strict, line)
    assert found is not None
    assert {column: found.get(column) for column in expected} == expected
    assert found == row(format, line)


# Lines that a format takes only if it is named, and those that it never takes.
IMPLAUSIBLE_LINES = [
    (VHOST_COMMON, f"web {BEGIN} 200 5"),
    (VHOST_COMMON, f"xlocalhost {BEGIN} 200 5"),
    (VHOST_COMMON, f"nginx: {BEGIN} 200 5"),
    (VHOST, f"web {LINE}"),
    (COMBINEDIO, f"{LINE} 250123 0"),
    (NCSA_COOKIES, f'{LINE} "192.0.2.8"'),
    (NCSA_COOKIES, f'{LINE} ""'),
    (MAIN, f'{LINE} "a=b"'),
]
REJECTED_LINES = [
    (COMMON, f"{BEGIN} 200 5 "),
    (COMBINED, f'{BEGIN} 200 5 "-" "a "b" c"'),
    (COMBINEDIO, f"{LINE} 412"),
    (COMBINEDIO, f"{LINE} 412 0.250"),
    (NCSA_COOKIES, f'{LINE} "a=b" "c"'),
    (COMBINED_MORE, LINE),
    (COMBINED_MORE, f"{LINE} "),
    (COMBINED_MORE, f'{LINE} "a'),
    (COMBINED_MORE, f'{BEGIN} 200 5 "-" "a "b" c"'),
    (COMMON_MORE, f"{BEGIN} 200 5"),
    (COMMON_MORE, LINE),
    (COMMON_MORE, f'{BEGIN} 200 5 "-" "a "b" c"'),
]


@pytest.mark.parametrize(("format", "line"), IMPLAUSIBLE_LINES)
def test_implausible_lines(format: PatternFormat, line: str) -> None:
    assert row(format, line) is not None
    assert row(format.strict, line) is None


@pytest.mark.parametrize(("format", "line"), REJECTED_LINES)
def test_rejected_lines(format: PatternFormat, line: str) -> None:
    assert row(format, line) is None


def test_implausible_values_are_counted() -> None:
    parse = NCSA_COOKIES.parser(frozenset({"cookie", IMPLAUSIBLE}))
    block = parse(f'{LINE} "a=b"\n{LINE} "192.0.2.8"\n'.encode(), b"")
    assert (block.columns["cookie"], block.implausible) == ([b"a=b", b"192.0.2.8"], 1)


def test_a_column_of_a_strict_format_can_be_read_alone() -> None:
    [table] = tables(io.BytesIO(COMBINEDIO.sample), COMBINEDIO.strict, columns=("bytes_sent",))
    assert table.values("bytes_sent") == [2640, 0]
