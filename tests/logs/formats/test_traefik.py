"""Traefik's Common Log Format: lines with and without a router, unescaped quotes, durations."""

from typing import Any

import pytest

from tests.support.entries import TIME, row
from urisect.logs.formats.traefik import TRAEFIK

BEGIN = f'192.0.2.7 - - [{TIME}] "GET /a?b HTTP/1.1"'

LINES: list[tuple[str, dict[str, Any]]] = [
    (f'{BEGIN} 200 5 "-" "-" 7 "a@docker" "http://192.0.2.1:80" 12ms', {"router": b"a@docker", "duration": 0.012}),
    (f'{BEGIN} 200 5 "-" "-" 7 "-" "-" 0ms', {"router": None, "upstream": None, "request_number": 7}),
    (f'{BEGIN} 0 0 "-" "-" 7 "-" "-" 1500ms', {"status": None, "bytes": 0, "duration": 1.5}),
    (f'{BEGIN} - - "-" "-" 7 "-" "-" 1ms', {"status": None, "bytes": None}),
    (f'{BEGIN} 499 21 "http://example.com/" "a\\" 7 "-" "-" 1ms', {"agent": b"a\\", "referer_path": b"/"}),
    (f'{BEGIN} 499 21 "-" "a "b"c" 7 "-" "-" 1ms', {"agent": b'a "b"c'}),
    (f'192.0.2.7 - - [{TIME}] "- - -" 400 0 "-" "-" 7 "-" "-" 1ms', {"status": 400}),
]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_lines(line: str, expected: dict[str, Any]) -> None:
    found = row(TRAEFIK.strict, line)
    assert found is not None
    assert {column: found.get(column) for column in expected} == expected


@pytest.mark.parametrize("end", ['"-" "-" 7 "-" "-" 12', '"-" "-" "-" "-" 12ms', '"-" "-"', '"-" "-" 7 "-" "-" 12s'])
def test_rejected_lines(end: str) -> None:
    assert row(TRAEFIK, f"{BEGIN} 200 5 {end}") is None
