"""Jetty's access log: its extra spaces, cookies and latency; and what it shares with the Combined Log Format."""

from typing import Any

import pytest

from tests.support.entries import TIME, row
from urisect.logs.formats.java_servers import JETTY

NOBODY = f'192.0.2.7 -  -  [{TIME}] "GET /a?b HTTP/1.1"'
FRANK = f'192.0.2.7 - frank [{TIME}] "GET /a?b HTTP/1.1"'

LINES: list[tuple[str, dict[str, Any]]] = [
    (f"{NOBODY} 200 5 ", {"user": None, "bytes": 5, "duration": None}),
    (f"{NOBODY} 200 - ", {"user": None, "bytes": None}),
    (f"{NOBODY} Async 5 ", {"status": None, "bytes": 5}),
    (f"{NOBODY} 200 5  12", {"bytes": 5, "duration": 0.012}),
    (f'{NOBODY} 200 5 "-" "Lynx/2.6"', {"agent": b"Lynx/2.6", "duration": None}),
    (f'{NOBODY} 200 5 "http://example.com/" "-"  12', {"referer_path": b"/", "agent": None, "duration": 0.012}),
    (f'{NOBODY} 200 5 "-" "-" ', {"agent": None}),
    (f'{NOBODY} 200 5 "-" "Lynx/2.6" 12', {"agent": b"Lynx/2.6", "duration": 0.012}),
    (f'{NOBODY} 200 5 "-" "Lynx/2.6" "a=b;c=d" 12', {"cookie": b"a=b;c=d", "duration": 0.012}),
    (f'{NOBODY} 200 5 "-" "Lynx/2.6" - 12', {"cookie": None, "duration": 0.012}),
    (f'{NOBODY} 200 5 "-" "Lynx/2.6" -', {"cookie": None, "duration": None}),
    (f"{FRANK} 200 5 ", {"user": b"frank", "bytes": 5}),
    (f"{FRANK} 200 5  12", {"user": b"frank", "duration": 0.012}),
    (f'{FRANK} 200 5 "-" "-" ', {"user": b"frank", "agent": None}),
    (f'192.0.2.7 - - [{TIME}] "GET / HTTP/1.1" 200 5  12', {"user": None, "duration": 0.012}),
]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_lines(line: str, expected: dict[str, Any]) -> None:
    found = row(JETTY.strict, line)
    assert found is not None
    assert {column: found.get(column) for column in expected} == expected
    assert found == row(JETTY, line)


# Any number may follow the agent in a line without Jetty's spaces.
IMPLAUSIBLE_LINES = [
    f'{FRANK} 200 5 "-" "Lynx/2.6"',
    f'{FRANK} 200 5 "-" "Lynx/2.6" 12',
    f'{FRANK} 200 5 "-" "Lynx/2.6" -',
    f'192.0.2.7 - John Doe [{TIME}] "GET / HTTP/1.1" 200 5 ',
    f'"192.0.2.7" - - [{TIME}] "GET / HTTP/1.1" 200 5 ',
]
REJECTED_LINES = [
    f"{NOBODY} 200 5 12",
    f'{NOBODY} 200 5 "-" "Lynx/2.6" "192.0.2.8"',
    f'{NOBODY} 200 5 "-" "Lynx/2.6" 12 13',
    f"{NOBODY} 20 5 ",
    f'192.0.2.7 - [ - [{TIME}] "GET / HTTP/1.1" 200 5 ',
]


@pytest.mark.parametrize("line", IMPLAUSIBLE_LINES)
def test_implausible_lines(line: str) -> None:
    assert row(JETTY, line) is not None
    assert row(JETTY.strict, line) is None


@pytest.mark.parametrize("line", REJECTED_LINES)
def test_rejected_lines(line: str) -> None:
    assert row(JETTY, line) is None
