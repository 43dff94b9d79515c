"""nginx's well-known formats: X-Forwarded-For, and several upstream servers."""

from typing import Any

import pytest

from tests.support.entries import TIME, row
from urisect.logs.formats.apache import COMBINED
from urisect.logs.formats.nginx import nginx
from urisect.logs.formats.nginx_presets import INGRESS_NGINX, MAIN

LINE = f'192.0.2.7 - frank [{TIME}] "GET /a?b HTTP/1.1" 200 2326 "http://example.com/" "Lynx/2.6"'

PACKAGED = """log_format  main  '$remote_addr - $remote_user [$time_local] "$request" '
                      '$status $body_bytes_sent "$http_referer" '
                      '"$http_user_agent" "$http_x_forwarded_for"';"""

# X-Forwarded-For headers, and whether they are plausible.
FORWARDED: list[tuple[str, bool]] = [
    ("192.0.2.8", True),
    ("192.0.2.8:51234", True),
    ("2001:db8::8", True),
    ("[2001:db8::8]:51234", True),
    ("192.0.2.8, 2001:db8::8,198.51.100.7", True),
    ("unknown", True),
    ("unknown, 192.0.2.8", True),
    ("_hidden, 192.0.2.8", True),
    ("' or 1=1, 192.0.2.8", True),
    (r"a \"b\", 192.0.2.8", False),
    ("theme=dark", False),
    ("theme=dark; at=192.0.2.8", False),
    ("0.123", False),
    ("www.example.com", False),
    ("192.0.2.8, example.com", False),
    ("", False),
]


@pytest.mark.parametrize(("header", "is_plausible"), FORWARDED)
def test_forwarded_for(header: str, *, is_plausible: bool) -> None:
    line = f'{LINE} "{header}"'
    found = row(MAIN, line)
    assert found == (row(COMBINED, LINE) or {}) | {"forwarded_for": header.encode()}
    assert found == row(nginx(PACKAGED), line)
    assert row(MAIN.strict, line) == (found if is_plausible else None)


def test_no_forwarded_for() -> None:
    assert row(MAIN.strict, f'{LINE} "-"') == row(COMBINED, LINE)
    assert row(MAIN, f'{LINE} "192.0.2.8" "x"') is None


UPSTREAMS: list[tuple[str, dict[str, Any]]] = [
    ("412 0.250 [a-b-80] [] 192.0.2.1:80 5 0.248 200 0f", {"upstream": b"192.0.2.1:80", "upstream_duration": 0.248}),
    (
        "412 0.250 [a-b-80] [a-c-80] 192.0.2.1:80, 192.0.2.2:80 0, 5 - 502, 200 0f",
        {"upstreams": b"192.0.2.1:80, 192.0.2.2:80", "upstream_sizes": b"0, 5", "upstream_statuses": b"502, 200"},
    ),
    ("412 0.250 [] [] - - - - 0f", {"proxy_upstream_name": b"", "bytes_received": 412, "id": b"0f"}),
]


@pytest.mark.parametrize(("end", "expected"), UPSTREAMS)
def test_ingress(end: str, expected: dict[str, Any]) -> None:
    found = row(INGRESS_NGINX.strict, f"{LINE} {end}")
    assert found is not None
    assert expected.items() <= found.items()
    assert found["duration"] == 0.25
